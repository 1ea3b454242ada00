"""The commands that run something: a recipe, what a page lacks, a command of one's own; and their options."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.io.printable import say, say_text

from ..recipes.checkout import Checkout
from ..recipes.recipe import SUFFIX, SYNTHETIC, is_known, read_all

if TYPE_CHECKING:
    from .plan import Planner, WantedRun
    from .series import PlannedRun

# What a page lacks, by its name or file, the folder of logs, the repeats and the cases that are asked for.
Lacking = Callable[[str, Path, int | None, Mapping[str, str]], "Sequence[WantedRun]"]
# What the finished runs of a case give, in a language, and whether each of them gives a throughput.
Measured = Callable[[Path, str], tuple[str, bool]]
_FOUND_BAD = 1
Decorator = Callable[[Callable[..., None]], Callable[..., None]]
COUNT = click.IntRange(min=1)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_OUT = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class Values(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes no argument
    """One value, or several between commas, each of a type: a case of each is launched."""

    def __init__(self, each: click.ParamType[Any], name: str) -> None:
        self._each, self.name = each, name

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The values as texts, in their order."""
        words = [str(self._each.convert(word.strip(), param, ctx)) for word in str(value).split(",")]
        if len({*words}) < len(words):
            self.fail(f"{value} states a value more than once.", param, ctx)
        return words


_COUNTS = Values(COUNT, "N,...")
_SWITCH = Values(click.Choice(["on", "off"]), "on|off,...")


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
        from .submitted import collect_below

        collect_below(folder)
        context.exit()


ON = click.option("--on", type=click.Choice(["slurm", "mpirun", "kubernetes"]), help="Multi-node launcher.")
SITE = click.option("--site", type=_FILE, help="Site file.  [default: ~/.config/tachograph/site.toml, if it exists]")
CONTAINER = click.option("--container", metavar="IMAGE", help="Run in a container of this image.")
_HOSTS = click.option("-H", "--hosts", help="Hosts and slots for --on mpirun, such as a:8,b:8.")

# Where and how a run takes place, whatever is run.
_OF_BOTH: Sequence[Decorator] = (
    ON,
    _HOSTS,
    SITE,
    CONTAINER,
    click.option("--parallel", type=COUNT, help="Submit all runs to Slurm, so many of them side by side."),
    click.option("--detach", is_flag=True, help="Submit all runs to Slurm and exit; see --collect."),
    click.option(
        "--collect",
        type=FOLDER,
        is_flag=False,
        flag_value="logs",
        is_eager=True,
        expose_value=False,
        callback=_collect,
        metavar="[FOLDER]",
        help="Collect submitted runs below FOLDER, show the others, and exit.  [default: logs]",
    ),
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
)

_OF_LAUNCH: Sequence[Decorator] = (
    click.argument("target", metavar="RECIPE|PAGE"),
    click.option(
        "--repo", "repos", type=FOLDER, multiple=True, help="Checkout of the native repository; --dry-run needs none."
    ),
    click.option(
        "--data", type=FOLDER, help="Training data.  [default: set by the recipe or page, relative to the checkout]"
    ),
    click.option("--cards", type=_COUNTS, help="Total number of GPUs (or processes)."),
    click.option("--nodes", type=_COUNTS, help="Number of nodes; GPUs are split evenly."),
    click.option(
        "--precision", type=Values(click.STRING, "TEXT,..."), help="Precision: fp32, tf32, amp (mixed) or fp16 (pure)."
    ),
    click.option("--batch-size", type=_COUNTS, help="Batch size per GPU (or process)."),
    click.option("--steps", type=COUNT, help="Total number of training steps."),
    click.option("--epochs", type=COUNT, help="Number of epochs; steps are split evenly."),
    click.option("--device", type=click.Choice(["cpu", "gpu"]), help="Device to train on."),
    click.option("--synthetic", is_flag=True, help="Train on data that the program generates, if the recipe can."),
    click.option("--accumulation", type=_COUNTS, help="Forward passes per optimizer step."),
    click.option("--sequence-length", type=_COUNTS, help="Tokens per sequence."),
    click.option("--dali", type=_SWITCH, help="Load images with DALI."),
    click.option("--xla", type=_SWITCH, help="Compile with XLA."),
    click.option("--repeats", type=COUNT, help="Runs per case.  [default: 3, or set by the page]"),
    click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Run only these cases of a page."),
    click.option(
        "--into",
        type=_OUT,
        help="Suite folder; for a page, the folder of all logs.  [default: logs/RECIPE, or logs]",
    ),
    click.option("--script", type=_FILE, help="Job script for --on slurm; replaces the one shown by --dry-run."),
    click.option("--master", metavar="HOST:PORT", help="Rendezvous address, to start each node by hand."),
    click.option("--node-rank", type=click.IntRange(min=0), help="Rank of this node with --master, from 0."),
    *_OF_BOTH,
    click.argument("extra", nargs=-1, type=click.UNPROCESSED),
)

_OF_RUN: Sequence[Decorator] = (
    click.option("--model", help="Name of the model."),
    click.option("--framework", help="Framework, or repository of the training program."),
    click.option("--cards", type=COUNT, help="Total number of GPUs (or processes).  [default: as the command says]"),
    click.option("--nodes", type=COUNT, help="Number of nodes.  [default: as the command says]"),
    click.option("--precision", help="Precision, such as fp32, tf32, amp, fp16 or bf16."),
    click.option("--batch-size", type=COUNT, help="Batch size per GPU (or process)."),
    click.option(
        "--device",
        type=click.Choice(["cpu", "gpu"]),
        help="What it trains on.  [default: gpu if there is one, or --on]",
    ),
    click.option("--repeats", type=COUNT, help="Number of runs.  [default: 1, or 3 per side with --against]"),
    click.option("--into", type=_OUT, help="Suite folder.  [default: logs/ and the name of this folder]"),
    click.option(
        "--against",
        metavar="REVISION|FOLDER",
        help="Run it alternately with the code of this git revision, or in this other checkout, and compare.",
    ),
    *_OF_BOTH,
    click.option("--lang", "language", default="en", show_default=True, help="Language of the summary at the end."),
    click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND..."),
)


class Executor:
    """Where and how runs take place, as the options say that both commands have."""

    def __init__(
        self,
        *,
        on: str | None,
        hosts: str | None,
        site: Path | None,
        container: str | None,
        parallel: int | None,
        detach: bool,
        timeout: int | None,
        stall: int,
        stall_ends: bool,
        dry_run: bool,
        no_redact: bool,
        script: Path | None = None,
    ) -> None:
        from ..backends import chosen
        from .runner import Runner
        from .screen import Screen

        self.place = chosen(on, hosts, script, site, container, is_dry=dry_run)
        screen = Screen(sys.stdout.fileno())
        self.runner = Runner(self.place, screen, timeout, not no_redact, stall, stall_ends)
        self.is_dry, self.parallel, self.detach = dry_run, parallel, detach

    @property
    def leaves(self) -> bool:
        """Whether the runs have not ended when the command does."""
        return self.is_dry or self.detach

    def execute(self, planned: Sequence[PlannedRun]) -> bool:
        """Execute or submit runs, or print their script; returns whether they have ended."""
        from .series import Series

        series = Series(self.runner, planned)
        if self.is_dry:
            say_text("".join(series.script()))
            return False
        if self.place.only_writes:
            raise click.UsageError(self.place.only_writes)
        if not (self.parallel or self.detach):
            series.execute()
            return True
        from .submitted import submit, tell_how_to_collect, wait

        folders = submit(series, self.parallel)
        if self.detach:
            tell_how_to_collect(folders)
            return False
        wait(folders)
        return True


def _with(options: Sequence[Decorator], command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options, of which those of the executor come as one."""
    ours = [*inspect.signature(Executor).parameters]

    @wraps(command)
    def called(**given: Any) -> None:
        how = {name: given.pop(name) for name in ours if name in given}
        command(executor=Executor(**how), **given)

    made: Callable[..., None] = called
    for option in reversed(options):
        made = option(made)
    return made


@click.command()
@partial(_with, _OF_LAUNCH)
def launch(
    executor: Executor,
    target: str,
    *,
    repos: tuple[Path, ...],
    data: Path | None,
    extra: tuple[str, ...],
    synthetic: bool,
    into: Path | None,
    repeats: int | None,
    only: dict[str, str],
    steps: int | None,
    epochs: int | None,
    device: str | None,
    master: str | None,
    node_rank: int | None,
    page_names: Callable[[], list[str]],
    lacking: Lacking,
    measured: Measured,
    **values: list[str] | None,
) -> None:
    """Run RECIPE, or the missing cases of PAGE, and keep the logs.

    Omitted options use the recipe's defaults; EXTRA, after --, is passed to the native program. A page file sets how
    its cases run. Finished runs are not repeated, so run the same command again to resume. RECIPE is a name or the path
    of a script (.sh) of your own; `tachograph launchers --new` drafts one. At the end of a recipe its throughput is
    printed, with its spread over the runs.

    Several values between commas are a case each. Cases take turns, each time in the opposite order (A B B A), so that
    a drift of the machine meets all of them. With two checkouts of the repository of a recipe, its runs take turns in
    these, and are kept in FOLDER@CHECKOUT.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 8 --precision amp --repeats 7
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 1,2,4,8 --batch-size 64,128
      tachograph launch report/pages/cpu-demo.toml --repo PaddleClas --repo PaddleSeg --dry-run
      tachograph launch paddleclas_resnet50 --repo before/ --repo after/ --repeats 5
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 4 --cards 32 --on slurm
      tachograph launch my-page.toml --repo PaddleClas --on slurm --detach; tachograph launch --collect
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 2 --cards 16 --on mpirun -H a:8,b:8
    """
    from .plan import Planner

    if not (repos or executor.is_dry):
        raise click.UsageError("--repo is missing: the checkout of the native repository.")
    planner = Planner(executor.place, list(map(Checkout, repos)), data)
    single = {"STEPS": steps, "EPOCHS": epochs, "DEVICE": device, "MASTER": master, "NODE_RANK": node_rank}
    options = {name.upper(): said for name, said in values.items() if said is not None}
    options |= {name: [str(said)] for name, said in single.items() if said is not None}
    options |= {"EXTRA": [shlex.join(extra)]} if extra else {}
    options |= {"DATA": [SYNTHETIC]} if synthetic else {}
    is_recipe = is_known(target)
    if is_recipe:
        if only:
            raise click.UsageError("--only selects cases of a page; a recipe runs the cases that its options set.")
        suite = into or Path("logs", Path(target).stem if target.endswith(SUFFIX) else target)
        if node_rank:  # the suite of a further node is its own, because all nodes may share one disk
            suite = suite.with_name(f"{suite.name}-node{node_rank}")
        planned = planner.of_recipe(target, options, suite, repeats or 3)
    else:
        planned = _of_page(
            planner, target, options, page_names(), partial(lacking, target, into or Path("logs"), repeats, only)
        )
    cases = list(dict.fromkeys(run.folder.path.parent for run in planned))
    if executor.place.edited and len(cases) > 1:
        raise click.UsageError("--script applies to a single case; select it with --only.")
    if executor.execute(planned) and is_recipe:
        for case in cases:
            say_text(measured(case, "en")[0])


def _of_page(
    planner: Planner,
    page: str,
    options: Mapping[str, Sequence[str]],
    pages: Sequence[str],
    lacking: Callable[[], Sequence[WantedRun]],
) -> list[PlannedRun]:
    """Plan what a page lacks."""
    if not (page.endswith(".toml") or page in pages):
        known = f"recipes: {', '.join(recipe.name for recipe in read_all())}"
        known += f"; pages: {', '.join(pages)}, or a path ending in .toml"
        raise click.UsageError(f"No recipe or page is named {page}; {known}.")
    if options:
        names = ", ".join(name.lower().replace("_", "-") for name in options)
        raise click.UsageError(
            f"A page file sets how its cases run, so {names} cannot be given; select cases with --only."
        )
    return planner.of_page(lacking())


@click.command(context_settings={"allow_interspersed_args": False})
@partial(_with, _OF_RUN)
def run(
    executor: Executor,
    words: tuple[str, ...],
    *,
    device: str | None,
    repeats: int | None,
    into: Path | None,
    against: str | None,
    language: str,
    measured: Measured,
    comparison: Callable[[str], Callable[[Path, Path], str]],
    **states: Any,
) -> None:
    """Run COMMAND, any program that trains, in this folder, and keep its log.

    What is not stated is taken from the command and the log. Each call adds runs; runs of the same command, commit and
    files are repeats of each other. Exit status 1 if a log gives no throughput.

    '$WORK' in the command is a temporary folder for what the program writes, a new one for each run; it is removed when
    the run is done.

    With --against, run it alternately (A B B A) with the code of a git revision (A), which is checked out without
    files that git does not know, and here (B), and compare them. The runs of A are kept beside those of B, in
    FOLDER@REVISION.

    \b
    Examples:
      tachograph run -- python train.py --batch-size 32
      tachograph run --against main --repeats 3 -- python train.py --out '$WORK'
      tachograph run --model GPT-2 --repeats 3 -- torchrun --nproc_per_node 8 train.py
      tachograph run --nodes 2 --cards 16 --on slurm -- bash train.sh
    """
    from ..job import moved, of_command
    from .plan import Planner, alternating, other_checkout, shared_packages, suite_of

    here = Path.cwd()
    facts = {name: value for name, value in states.items() if value is not None}
    place = executor.place
    is_contained = bool(place.container or place.only_writes)
    of_words = partial(of_command, states=facts, device=device, is_contained=is_contained, is_here=place.is_here)
    job, suite, planner = of_words(words, here), into or Path("logs", here.name), Planner(place)
    if against is None:
        planned = planner.of_command(job, suite, repeats or 1)
        if executor.execute(planned):
            text, is_whole = measured(planned[0].folder.path.parent, language)
            say_text(text)
            sys.exit(0 if is_whole else _FOUND_BAD)
        return
    if job.python and not place.container and (shared := shared_packages(job.python, job.environment, here)):
        both = f"Both sides may import {', '.join(shared)} as installed from here"
        say(f"{both}; start the code by its path, or set PYTHONPATH.", err=True)
    tell = None if executor.leaves else comparison(language)
    with other_checkout(against, here, suite.parent, outlives=executor.leaves) as other:
        jobs = {suite_of(suite, other.label): of_words(moved(words, here, other.folder), other.folder), suite: job}
        cases = [planner.of_command(one, of, repeats or 3) for of, one in jobs.items()]
        if executor.execute(alternating(cases)) and tell:
            say_text(tell(*(case[0].folder.path.parent for case in cases)))
