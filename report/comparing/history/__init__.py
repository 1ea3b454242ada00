"""History: the runs of a case in their order, where their speed changed, and what changed there."""
