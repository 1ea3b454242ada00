"""Runs: jobs come in, and filled run folders go out.

A plan says which runs are wanted, a series executes or submits them, the runner fills the folder of one, and what its
log says is held against what was asked before it is called done.
"""
