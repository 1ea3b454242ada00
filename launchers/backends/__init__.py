"""Backends: where a job runs, here, in a container, by mpirun, Slurm or Kubernetes."""
