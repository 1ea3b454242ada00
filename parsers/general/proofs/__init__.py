"""Proofs: what shows that numbers are the speed of training, or a time of a step, an epoch or the whole run."""
