"""The commands of this room."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .io.output import say, say_text
from .native import recipes
from .running.launch_options import COUNT, FOLDER, launch_options

if TYPE_CHECKING:
    from .running.planning import Planner
    from .running.series import PlannedRun, RunSeries

_RECIPE = click.Choice(recipes.names())
_FOUND_BAD = 1


class _Refused(click.ClickException):
    exit_code = 2


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell in one sentence what cannot be written; `path` where the system names no file, as for a full disk."""
    try:
        yield
    except OSError as error:
        raise _Refused(f"{error.filename or path}: cannot be written: {error.strerror}.") from error


@click.command()
@launch_options
@click.pass_context
def launch(context: click.Context, /, target: str, *, dry_run: bool, **asked: Any) -> None:
    """Run RECIPE, or the missing cases of PAGE, and keep the logs.

    Omitted options use the recipe's defaults; EXTRA, after --, is passed to the native program. A page file sets how
    its cases run. Finished runs are not repeated, so run the same command again to resume.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 8 --precision amp --repeats 7
      tachograph launch report/pages/cpu-demo.toml --repo PaddleClas --repo PaddleSeg --dry-run
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 4 --cards 32 --on slurm
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 2 --cards 16 --on mpirun -H a:8,b:8
    """
    series = _series(context, target, **asked)
    if dry_run:
        say_text("".join(series.script()))
    else:
        series.execute()


def _series(
    context: click.Context,
    target: str,
    *,
    repos: tuple[Path, ...],
    data: Path | None,
    on: str | None,
    hosts: str | None,
    script: Path | None,
    timeout: int | None,
    stall: int,
    stall_ends: bool,
    no_redact: bool,
    **wanted: Any,
) -> RunSeries:
    """Plan the runs that ``wanted`` asks of a recipe or a page, in the place where they are to run."""
    from .running.places import chosen
    from .running.planning import Planner
    from .running.runner import Runner
    from .running.screen import Screen
    from .running.series import RunSeries

    place = chosen(on, hosts, script)
    planned = _planned(context, Planner(repos, data, place), target, **wanted)
    if script and len({run.folder.path.parent for run in planned}) > 1:
        raise click.UsageError("--script applies to a single case; select it with --only.")
    screen = Screen(sys.stdout.fileno())
    return RunSeries(Runner(place, screen, timeout, not no_redact, stall, stall_ends), planned)


def _planned(
    context: click.Context,
    planner: Planner,
    target: str,
    *,
    into: Path | None,
    repeats: int | None,
    only: dict[str, str],
    extra: tuple[str, ...],
    **options: str | int | None,
) -> list[PlannedRun]:
    """Plan the runs of a recipe or a page; ``options`` are those that the recipe or page says where they are None."""
    from .running.planning import suite

    given = {name.upper(): str(value) for name, value in options.items() if value is not None}
    if extra:
        given["EXTRA"] = shlex.join(extra)
    if target not in recipes.names():
        return _of_page(context, planner, target, given, into, repeats, only)
    if only:
        raise click.UsageError("--only selects cases of a page; a recipe runs a single case, set by its options.")
    return planner.of_recipe(target, given, suite(into or Path("logs", target), given), repeats or 3)


def _of_page(
    context: click.Context,
    planner: Planner,
    page: str,
    options: Mapping[str, str],
    into: Path | None,
    repeats: int | None,
    only: Mapping[str, str],
) -> list[PlannedRun]:
    """Plan what a page lacks; which that is, the face of the program knows."""
    if context.obj is None or not (page.endswith(".toml") or page in context.obj.names()):
        known = f"recipes: {', '.join(recipes.names())}"
        pages = f"; pages: {', '.join(context.obj.names())}, or a path ending in .toml" if context.obj else ""
        raise click.UsageError(f"No recipe or page is named {page}; {known}{pages}.")
    if options:
        names = ", ".join(name.lower().replace("_", "-") for name in options)
        raise click.UsageError(
            f"A page file sets how its cases run, so {names} cannot be given; select cases with --only."
        )
    return planner.of_page(context.obj.lacking(page, into or Path("logs"), repeats, only))


@click.command(name="launchers")
@click.option(
    "--check",
    "checked",
    type=_RECIPE,
    metavar="RECIPE",
    help="Check the options of a recipe against its native program.",
)
@click.option("--repo", type=FOLDER, help="Checkout of the native repository, for --check.")
@click.option("--keep", type=click.Path(dir_okay=False, path_type=Path), help="Also save the result to this JSON file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def list_launchers(checked: str | None, repo: Path | None, keep: Path | None, as_json: bool) -> None:
    """List the recipes: model, framework, repository with its pinned commit, precisions, and requirements.

    With --check, show for every option of a recipe whether the native program has it, and at which line; exit
    status 1 if one is missing. Nothing in the checkout is executed.

    \b
    Examples:
      tachograph launchers
      tachograph launchers --check paddleclas_resnet50 --repo PaddleClas
    """
    if bool(checked) != bool(repo):
        raise click.UsageError("--check and --repo must be used together.")
    if checked and repo:
        sys.exit(_check(checked, repo, keep, as_json))
    from .native.catalogue import rows, table

    say_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows()) if as_json else f"{table()}\n")


def _check(name: str, repo: Path, keep: Path | None, as_json: bool) -> int:
    """Show what the check of a recipe finds; returns the exit status."""
    from .native import catalogue
    from .native.check import check
    from .native.outcome import text

    recipe = recipes.read(name)
    outcome = check(recipe, repo)
    say_text(f"{json.dumps(asdict(outcome), ensure_ascii=False) if as_json else text(recipe, outcome)}\n")
    if keep:
        with _told(keep):
            catalogue.keep(outcome, keep)
    return _FOUND_BAD if outcome.unknown else 0


@click.command()
@click.argument("recipe", type=_RECIPE, required=False, metavar="[RECIPE]")
@click.option("--repo", type=FOLDER, help="Checkout of the native repository.")
@click.option("--data", type=FOLDER, help="Training data.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def doctor(recipe: str | None, repo: Path | None, data: Path | None, as_json: bool) -> None:
    """Check for problems that would stop or slow down a launch.

    Exit status 1 if a problem would stop it.

    \b
    Examples:
      tachograph doctor
      tachograph doctor paddleclas_resnet50 --repo PaddleClas --data PaddleClas/dataset/ILSVRC2012
    """
    from .machine.doctor import examine
    from .machine.findings import shown

    findings = list(examine(recipes.read(recipe) if recipe else None, repo, data, os.environ))
    if as_json:
        for finding in findings:
            say(json.dumps(asdict(finding), ensure_ascii=False))
    else:
        say_text(shown(findings))
    sys.exit(_FOUND_BAD if any(finding.level == "bad" for finding in findings) else 0)


@click.command(hidden=True)
@click.argument("folder", type=FOLDER)
@click.option("--node", type=click.IntRange(min=0), required=True)
@click.option("--until", type=click.IntRange(min=1), required=True)
def observe(folder: Path, node: int, until: int) -> None:
    """Describe this machine in FOLDER, and sample its cards in the background as long as the process UNTIL lives."""
    from .running import nodes

    nodes.observe(folder, node, until)


@click.command()
@click.option("--kind", type=click.Choice(["imagenet", "cityscapes"]), required=True, help="Layout of the data set.")
@click.option("--count", type=COUNT, default=64, show_default=True, help="Number of images.")
@click.option("--size", type=COUNT, default=64, show_default=True, help="Height in pixels.")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def images(kind: str, count: int, size: int, out: Path) -> None:
    """Write training images into OUT; the same options give the same bytes.

    \b
    Examples:
      tachograph images --kind imagenet --count 64 --size 64 PaddleClas/dataset/generated
      tachograph images --kind cityscapes --count 16 --size 128 PaddleSeg/data/generated
    """
    try:
        from .native.images import KINDS
    except ImportError as error:
        raise _Refused(
            'Images need the package pillow, which is not installed; run `pip install "tachograph[images]"`.'
        ) from error
    with _told(out):
        KINDS[kind](out, count, size)


commands = [launch, list_launchers, doctor, observe, images]
