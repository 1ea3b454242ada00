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
        raise click.BadParameter(f"{text!r} is no filter; one such as cards=8,precision=amp is possible.")
    chosen = {axis.strip(): value.strip() for axis, _, value in pairs}
    if len(chosen) < len(pairs):
        raise click.BadParameter(f"{text!r} gives an axis twice; one value of each is possible.")
    return chosen


OPTIONS = (
    click.argument("target", metavar="RECIPE|PAGE"),
    click.option(
        "--repo", "repos", type=FOLDER, multiple=True, required=True, help="Checkout of the native repository."
    ),
    click.option(
        "--data", type=FOLDER, help="Training data.  [default: where the recipe or page says, seen from the checkout]"
    ),
    click.option("--cards", type=COUNT, help="Cards (processes) in all."),
    click.option("--nodes", type=COUNT, help="Nodes that share the cards."),
    click.option("--precision", help="fp32, tf32, amp (mixed) or fp16 (pure)."),
    click.option("--batch-size", type=COUNT, help="Batch size per card."),
    click.option("--steps", type=COUNT, help="Training steps in all."),
    click.option("--epochs", type=COUNT, help="Epochs that share the steps."),
    click.option("--device", type=click.Choice(["cpu", "gpu"]), help="What trains."),
    click.option("--repeats", type=COUNT, help="How often each case is run.  [default: 3, or as the page says]"),
    click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Only these cases of a page."),
    click.option(
        "--into",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the suite, or of all logs with a page.  [default: logs/RECIPE, or logs]",
    ),
    click.option("--on", type=click.Choice(["slurm", "mpirun"]), help="What starts the job on several machines."),
    click.option("-H", "--hosts", help="Machines for --on mpirun, such as a:8,b:8."),
    click.option("--script", type=_FILE, help="Job script for --on slurm, in place of the one that --dry-run shows."),
    click.option("--master", metavar="HOST:PORT", help="Where several nodes meet when each is started by hand."),
    click.option("--node-rank", type=click.IntRange(min=0), help="Number of this node then, from 0."),
    click.option("--timeout", type=COUNT, help="Seconds that a run may take, a queue included."),
    click.option(
        "--stall",
        type=click.IntRange(min=0),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="Tell it when no metric line comes for so long, or later no line at all; 0 for never.",
    ),
    click.option("--stall-ends", is_flag=True, help="And end the run then."),
    click.option("--dry-run", is_flag=True, help="Print the commands as a script that runs without Tachograph."),
    click.option("--no-redact", is_flag=True, help="Keep what looks like a secret in logs and facts."),
    click.argument("extra", nargs=-1, type=click.UNPROCESSED),
)


def launch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments and options of a launch."""
    return reduce(lambda given, option: option(given), reversed(OPTIONS), command)
