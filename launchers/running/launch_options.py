"""The arguments and options of a launch."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import click

COUNT = click.IntRange(min=1)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _filter(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, str]:
    """`cards=8,precision=amp` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if not all(axis and value for axis, _, value in pairs):
        raise click.BadParameter(f"{text!r} is not a filter; expected AXIS=VALUE pairs, such as cards=8,precision=amp.")
    chosen = {axis.strip(): value.strip() for axis, _, value in pairs}
    if len(chosen) < len(pairs):
        raise click.BadParameter(f"{text!r} sets an axis more than once; give one value per axis.")
    return chosen


OPTIONS = (
    click.argument("target", metavar="RECIPE|PAGE"),
    click.option(
        "--repo", "repos", type=FOLDER, multiple=True, required=True, help="Checkout of the native repository."
    ),
    click.option(
        "--data", type=FOLDER, help="Training data.  [default: set by the recipe or page, relative to the checkout]"
    ),
    click.option("--cards", type=COUNT, help="Total number of GPUs (or processes)."),
    click.option("--nodes", type=COUNT, help="Number of nodes; GPUs are split evenly."),
    click.option("--precision", help="Precision: fp32, tf32, amp (mixed) or fp16 (pure)."),
    click.option("--batch-size", type=COUNT, help="Batch size per GPU (or process)."),
    click.option("--steps", type=COUNT, help="Total number of training steps."),
    click.option("--epochs", type=COUNT, help="Number of epochs; steps are split evenly."),
    click.option("--device", type=click.Choice(["cpu", "gpu"]), help="Device to train on."),
    click.option("--repeats", type=COUNT, help="Runs per case.  [default: 3, or set by the page]"),
    click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Run only these cases of a page."),
    click.option(
        "--into",
        type=click.Path(file_okay=False, path_type=Path),
        help="Suite folder; for a page, the folder of all logs.  [default: logs/RECIPE, or logs]",
    ),
    click.option("--on", type=click.Choice(["slurm", "mpirun"]), help="Multi-node launcher."),
    click.option("-H", "--hosts", help="Hosts and slots for --on mpirun, such as a:8,b:8."),
    click.option("--script", type=_FILE, help="Job script for --on slurm; replaces the one shown by --dry-run."),
    click.option("--master", metavar="HOST:PORT", help="Rendezvous address, to start each node by hand."),
    click.option("--node-rank", type=click.IntRange(min=0), help="Rank of this node with --master, from 0."),
    click.option("--timeout", type=COUNT, help="Time limit of a run in seconds, including queue time."),
    click.option(
        "--stall",
        type=click.IntRange(min=0),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="Warn after so long without a first metric line, or later without any output; 0 disables this.",
    ),
    click.option("--stall-ends", is_flag=True, help="Stop a stalled run."),
    click.option("--dry-run", is_flag=True, help="Print the commands as a standalone script; run nothing."),
    click.option("--no-redact", is_flag=True, help="Do not redact likely secrets in logs and run.json."),
    click.argument("extra", nargs=-1, type=click.UNPROCESSED),
)


def launch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments and options of a launch."""
    return reduce(lambda given, option: option(given), reversed(OPTIONS), command)
