"""The arguments and options of a launch."""

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path

import click

_Decorator = Callable[[Callable[..., None]], Callable[..., None]]
COUNT = click.IntRange(min=1)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_SWITCH = click.Choice(["on", "off"])


def _filter(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, str]:
    """`cards=8,precision=amp` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if not all(axis and value for axis, _, value in pairs):
        raise click.BadParameter(f"{text!r} is not a filter; expected AXIS=VALUE pairs, such as cards=8,precision=amp.")
    chosen = {axis.strip(): value.strip() for axis, _, value in pairs}
    if len(chosen) < len(pairs):
        raise click.BadParameter(f"{text!r} sets an axis more than once; give one value per axis.")
    return chosen


def _collect(context: click.Context, _option: click.Parameter, folder: Path | None) -> None:
    """Do nothing but collect what was submitted."""
    if folder is not None and not context.resilient_parsing:
        from .detached_series import collect_below

        collect_below(folder)
        context.exit()


ON = click.option("--on", type=click.Choice(["slurm", "mpirun", "kubernetes"]), help="Multi-node launcher.")
_HOSTS = click.option("-H", "--hosts", help="Hosts and slots for --on mpirun, such as a:8,b:8.")
_TIMEOUT = click.option("--timeout", type=COUNT, help="Time limit of a run in seconds, including queue time.")
_STALL_ENDS = click.option("--stall-ends", is_flag=True, help="Stop a stalled run.")
SITE = click.option("--site", type=_FILE, help="Site file.  [default: ~/.config/tachograph/site.toml, if it exists]")
CONTAINER = click.option("--container", metavar="IMAGE", help="Run in a container of this image.")
_PARALLEL = click.option("--parallel", type=COUNT, help="Submit all runs to Slurm, so many of them side by side.")
_DETACH = click.option("--detach", is_flag=True, help="Submit all runs to Slurm and exit; see --collect.")
_COLLECT = click.option(
    "--collect",
    type=FOLDER,
    is_flag=False,
    flag_value="logs",
    is_eager=True,
    expose_value=False,
    callback=_collect,
    metavar="[FOLDER]",
    help="Collect submitted runs below FOLDER, show the others, and exit.  [default: logs]",
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the commands as a standalone script; run nothing.")
_NO_REDACT = click.option("--no-redact", is_flag=True, help="Do not redact likely secrets in logs and run.json.")
_STALL = click.option(
    "--stall",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Warn after so long without a first metric line, or later without any output; 0 disables this.",
)


# Where and how a run takes place, whatever is run.
_OF_BOTH = (
    SITE,
    CONTAINER,
    _PARALLEL,
    _DETACH,
    _COLLECT,
    _TIMEOUT,
    _STALL,
    _STALL_ENDS,
    _DRY_RUN,
    _NO_REDACT,
)

OPTIONS = (
    click.argument("target", metavar="[RECIPE|PAGE]", required=False),
    click.option(
        "--recipe",
        "own",
        type=_FILE,
        multiple=True,
        help="Script of a recipe of your own; repeatable.  [also: those in the folders of $TACHOGRAPH_RECIPES]",
    ),
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
    click.option("--synthetic", is_flag=True, help="Train on data that the program generates, if the recipe can."),
    click.option("--accumulation", type=COUNT, help="Forward passes per optimizer step."),
    click.option("--sequence-length", type=COUNT, help="Tokens per sequence."),
    click.option("--dali", type=_SWITCH, help="Load images with DALI."),
    click.option("--xla", type=_SWITCH, help="Compile with XLA."),
    click.option("--repeats", type=COUNT, help="Runs per case.  [default: 3, or set by the page]"),
    click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Run only these cases of a page."),
    click.option(
        "--into",
        type=click.Path(file_okay=False, path_type=Path),
        help="Suite folder; for a page, the folder of all logs.  [default: logs/RECIPE, or logs]",
    ),
    ON,
    _HOSTS,
    click.option("--script", type=_FILE, help="Job script for --on slurm; replaces the one shown by --dry-run."),
    click.option("--master", metavar="HOST:PORT", help="Rendezvous address, to start each node by hand."),
    click.option("--node-rank", type=click.IntRange(min=0), help="Rank of this node with --master, from 0."),
    *_OF_BOTH,
    click.argument("extra", nargs=-1, type=click.UNPROCESSED),
)


RUN_OPTIONS = (
    click.option("--model", help="Name of the model."),
    click.option("--framework", help="Framework, or repository of the training program."),
    click.option("--cards", type=COUNT, help="Total number of GPUs (or processes).  [default: as the command says]"),
    click.option("--nodes", type=COUNT, help="Number of nodes.  [default: as the command says]"),
    click.option("--precision", help="Precision, such as fp32, tf32, amp, fp16 or bf16."),
    click.option("--batch-size", type=COUNT, help="Batch size per GPU (or process)."),
    click.option("--device", type=click.Choice(["cpu", "gpu"]), default="gpu", help="What it trains on."),
    click.option("--repeats", type=COUNT, help="Number of runs.  [default: 1, or 3 per side with --against]"),
    click.option(
        "--into",
        type=click.Path(file_okay=False, path_type=Path),
        help="Suite folder.  [default: logs/ and the name of this folder]",
    ),
    click.option(
        "--against",
        metavar="REVISION|FOLDER",
        help="Run it alternately with the code of this git revision, or in this other checkout, and compare.",
    ),
    ON,
    _HOSTS,
    *_OF_BOTH,
    click.option("--lang", "language", default="en", show_default=True, help="Language of the summary at the end."),
    click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND..."),
)


def launch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments and options of a launch."""
    return _given(OPTIONS, command)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a run of one's own command, and its words."""
    return _given(RUN_OPTIONS, command)


def _given(options: Sequence[_Decorator], command: Callable[..., None]) -> Callable[..., None]:
    return reduce(lambda given, option: option(given), reversed(options), command)
