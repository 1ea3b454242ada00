"""Counts: the sizes that a job states of its cards and batches come in, and what follows from them goes out."""
