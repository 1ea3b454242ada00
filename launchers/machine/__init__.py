"""The machine: what explains the speed of a run, or would spoil it."""
