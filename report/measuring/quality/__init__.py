"""Quality: whether a run trains as its reference does, by its losses or by how long it takes to converge."""
