"""Secrets: output and facts of a run come in, and the same without credentials go out, before any of it is kept."""
