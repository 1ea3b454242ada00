"""Runs: the folder of a run with all its file names, and the processes whose output fills it."""
