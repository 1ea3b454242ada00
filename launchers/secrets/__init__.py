"""Secrets: output and facts of a run come in, and the same without credentials go out.

Capture passes every byte through here before it is kept.
"""
