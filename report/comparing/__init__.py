"""Comparing: two sides of runs, and the runs of suites over time."""
