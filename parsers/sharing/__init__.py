"""Sharing: the work on many logs, done by the processes of this machine or of a cluster.

It is given a function and tasks by every wing and room that reads many logs; it knows nothing of logs itself.
"""

import click

JOBS = click.option("--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per core]")
SCHEDULER = click.option("--scheduler", metavar="tcp://HOST:PORT", help="Dask scheduler to run on.")
