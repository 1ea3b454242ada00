"""The options of the commands that share work among processes."""

import click

JOBS = click.option("--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per core]")
SCHEDULER = click.option("--scheduler", metavar="tcp://HOST:PORT", help="Dask scheduler to run on.")
