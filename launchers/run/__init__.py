"""Runs: jobs come in, and filled run folders go out."""
