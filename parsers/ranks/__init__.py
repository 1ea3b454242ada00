"""Ranks: the logs of a run in which each rank wrote a file of its own, read as those of one run."""
