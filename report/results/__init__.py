"""Results: a page and its numbers as one report, which every view reads and nothing else."""
