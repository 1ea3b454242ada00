"""The commands that run something: a recipe, what a page lacks, a command of one's own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.io.printable import say, say_text

from ..recipes.recipe import SUFFIX, SYNTHETIC, is_known, read_all
from .launch_options import launch_options, run_options

if TYPE_CHECKING:
    from ..clusters.place import Place
    from ..jobs.own_command import OwnCommand
    from .planning import Planner, WantedRun
    from .runner import Runner
    from .series import PlannedRun

# What a page lacks, by its name or file, the folder of logs, the repeats and the cases that are asked for.
Lacking = Callable[[str, Path, int | None, Mapping[str, str]], "Sequence[WantedRun]"]
# What the finished runs of a case give, in a language.
Measured = Callable[[Path, str], str]
_LANGUAGE = "en"  # of the summary of a recipe
SHARED = "Both sides may import {names} as installed from here; start the code by its path, or set PYTHONPATH."


@click.command()
@launch_options
def launch(
    target: str | None,
    *,
    own: tuple[Path, ...],
    extra: tuple[str, ...],
    dry_run: bool,
    parallel: int | None,
    detach: bool,
    page_names: Callable[[], list[str]],
    lacking: Lacking,
    measured: Measured,
    **asked: Any,
) -> None:
    """Run RECIPE, or the missing cases of PAGE, and keep the logs.

    Omitted options use the recipe's defaults; EXTRA, after --, is passed to the native program. A page file sets how
    its cases run. Finished runs are not repeated, so run the same command again to resume. RECIPE is a name or the path
    of a script (.sh) of your own; `tachograph launchers --new` drafts one. At the end of a recipe its throughput is
    printed, with its spread over the runs.

    Cases take turns, each time in the opposite order (A B B A), so that a drift of the machine meets all of them. With
    two checkouts of the repository of a recipe, its runs take turns in these, and are kept in FOLDER@CHECKOUT.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 8 --precision amp --repeats 7
      tachograph launch report/pages/cpu-demo.toml --repo PaddleClas --repo PaddleSeg --dry-run
      tachograph launch paddleclas_resnet50 --repo before/ --repo after/ --repeats 5
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 4 --cards 32 --on slurm
      tachograph launch my-page.toml --repo PaddleClas --on slurm --detach; tachograph launch --collect
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 2 --cards 16 --on mpirun -H a:8,b:8
    """
    target, extra = _target(target, own, extra)
    of_page = partial(_of_page, page_names=page_names, lacking=lacking)
    runner, planned = _planned_runs(of_page, target, own=own, extra=extra, **asked)
    have_ended = _execute(runner, planned, dry_run=dry_run, parallel=parallel, detach=detach)
    if have_ended and is_known(target, own):
        for case in dict.fromkeys(run.folder.path.parent for run in planned):
            say_text(measured(case, _LANGUAGE))


@click.command(context_settings={"allow_interspersed_args": False})
@run_options
def run(
    words: tuple[str, ...],
    *,
    device: str,
    repeats: int | None,
    into: Path | None,
    against: str | None,
    on: str | None,
    hosts: str | None,
    site: Path | None,
    container: str | None,
    parallel: int | None,
    detach: bool,
    dry_run: bool,
    language: str,
    measured: Measured,
    comparison: Callable[[str], Callable[[Path, Path], str]],
    **asked: Any,
) -> None:
    """Run COMMAND, any program that trains, in this folder, and keep its log.

    What is not stated is taken from the command and the log. Each call adds runs; runs of the same command, commit and
    files are repeats of each other.

    With --against, run it alternately (A B B A) with the code of a git revision (A), which is checked out without
    files that git does not know, and here (B), and compare them. The runs of A are kept beside those of B, in
    FOLDER@REVISION.

    \b
    Examples:
      tachograph run -- python train.py --batch-size 32
      tachograph run --against main --repeats 3 -- python train.py
      tachograph run --model GPT-2 --repeats 3 -- torchrun --nproc_per_node 8 train.py
      tachograph run --nodes 2 --cards 16 --on slurm -- bash train.sh
    """
    from ..clusters.place_choice import chosen
    from ..jobs.own_command import OwnCommand
    from .planning import Planner

    here, place = Path.cwd(), chosen(on, hosts, None, site, container)
    runner = _runner(place, asked)
    facts = {name: value for name, value in asked.items() if value is not None}
    job = OwnCommand(words, here, facts, device, is_contained=container is not None)
    suite, planner = into or Path("logs", here.name), Planner((), None, place)
    do = partial(_execute, runner, dry_run=dry_run, parallel=parallel, detach=detach)
    if against is not None:
        outlives = dry_run or detach
        tell = None if outlives else partial(comparison, language)
        _run_both(planner, job, suite, repeats or 3, against, do, tell, outlives=outlives)
        return
    planned = planner.of_command(job, suite, repeats or 1)
    if do(planned):
        say_text(measured(planned[0].folder.path.parent, language))


def _run_both(
    planner: Planner,
    job: OwnCommand,
    suite: Path,
    repeats: int,
    against: str,
    do: Callable[[Sequence[PlannedRun]], bool],
    comparison: Callable[[], Callable[[Path, Path], str]] | None,
    *,
    outlives: bool,
) -> None:
    """Run a command alternately from another checkout and from here, and tell how they compare."""
    from .compared_checkouts import alternating, other_checkout, shared_packages, suite_of

    python = None if job.is_contained else job.python
    if shared := shared_packages(python, job.environment, job.repo) if python else []:
        say(SHARED.format(names=", ".join(shared)), err=True)
    tell = comparison() if comparison else None
    with other_checkout(against, job.repo, suite.parent, outlives=outlives) as other:
        jobs = {suite_of(suite, other.label): job.moved(other.folder), suite: job}
        cases = [planner.of_command(one, of, repeats) for of, one in jobs.items()]
        if do(alternating(cases)) and tell:
            say_text(tell(*(case[0].folder.path.parent for case in cases)))


def _execute(
    runner: Runner, planned: Sequence[PlannedRun], *, dry_run: bool, parallel: int | None, detach: bool
) -> bool:
    """Execute or submit runs, or print their script; returns whether they have ended."""
    from ..clusters.kubernetes import ONLY_WRITES, Kubernetes
    from .detached_series import collected_all, submitted_all, tell_how_to_collect
    from .series import RunSeries

    if dry_run:
        say_text("".join(RunSeries(runner, planned).script()))
        return False
    if isinstance(runner.place, Kubernetes):
        raise click.UsageError(ONLY_WRITES)
    if not (parallel or detach):
        RunSeries(runner, planned).execute()
        return True
    folders = submitted_all(runner, planned, parallel)
    if detach:
        tell_how_to_collect(folders)
    else:
        collected_all(folders)
    return not detach


def _target(target: str | None, own: Sequence[Path], extra: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """What is launched, and the arguments of the native program, of which the first may stand in its place."""
    if target is not None and not (own and (target.startswith("-") or "=" in target)):
        return target, extra
    if len(own) != 1:
        raise click.UsageError("Name a recipe or a page, or give the script of one recipe with --recipe.")
    return own[0].stem, extra if target is None else (target, *extra)


def _planned_runs(
    of_page: Callable[..., list[PlannedRun]],
    target: str,
    *,
    own: tuple[Path, ...],
    repos: tuple[Path, ...],
    data: Path | None,
    on: str | None,
    hosts: str | None,
    site: Path | None,
    container: str | None,
    script: Path | None,
    **asked: Any,
) -> tuple[Runner, list[PlannedRun]]:
    """Plan the runs that ``asked`` wants of a recipe or a page, in the place where they are to run."""
    from ..clusters.place_choice import chosen
    from .planning import Planner

    place = chosen(on, hosts, script, site, container)
    runner = _runner(place, asked)
    planned = _planned(of_page, Planner(repos, data, place, own), target, **asked)
    if script and len({run.folder.path.parent for run in planned}) > 1:
        raise click.UsageError("--script applies to a single case; select it with --only.")
    return runner, planned


def _runner(place: Place, asked: dict[str, Any]) -> Runner:
    """The runner that the options ask for, which are taken out of ``asked``."""
    from .runner import Runner
    from .screen import Screen

    redacts = not asked.pop("no_redact")
    limits = {name: asked.pop(name) for name in ("timeout", "stall", "stall_ends")}
    return Runner(place, Screen(sys.stdout.fileno()), redacts=redacts, **limits)


def _planned(
    of_page: Callable[..., list[PlannedRun]],
    planner: Planner,
    target: str,
    *,
    into: Path | None,
    repeats: int | None,
    only: dict[str, str],
    extra: tuple[str, ...],
    synthetic: bool,
    **options: str | int | None,
) -> list[PlannedRun]:
    """Plan the runs of a recipe or a page; ``options`` are those that the recipe or page says where they are None."""
    from .planning import suite

    given = {name.upper(): str(value) for name, value in options.items() if value is not None}
    if extra:
        given["EXTRA"] = shlex.join(extra)
    if synthetic:
        given["DATA"] = SYNTHETIC
    if not is_known(target, planner.own):
        return of_page(planner, target, given, into, repeats, only)
    if only:
        raise click.UsageError("--only selects cases of a page; a recipe runs a single case, set by its options.")
    folder = into or Path("logs", Path(target).stem if target.endswith(SUFFIX) else target)
    return planner.of_recipe(
        target,
        given,
        suite(folder, given),
        repeats or 3,
    )


def _of_page(
    planner: Planner,
    page: str,
    options: Mapping[str, str],
    into: Path | None,
    repeats: int | None,
    only: Mapping[str, str],
    *,
    page_names: Callable[[], list[str]],
    lacking: Lacking,
) -> list[PlannedRun]:
    """Plan what a page lacks."""
    if not (page.endswith(".toml") or page in page_names()):
        known = f"recipes: {', '.join(recipe.name for recipe in read_all())}"
        pages = f"pages: {', '.join(page_names())}, or a path ending in .toml"
        raise click.UsageError(f"No recipe or page is named {page}; {known}; {pages}.")
    if options:
        names = ", ".join(name.lower().replace("_", "-") for name in options)
        raise click.UsageError(
            f"A page file sets how its cases run, so {names} cannot be given; select cases with --only."
        )
    return planner.of_page(lacking(page, into or Path("logs"), repeats, only))
