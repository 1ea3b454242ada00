"""The commands of this room."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import recipes

if TYPE_CHECKING:
    from .planning import Planner
    from .series import Planned

_COUNT = click.IntRange(min=1)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_RECIPE = click.Choice(recipes.names())
_FOUND_BAD = 1


def _filter(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, str]:
    """`cards=8,precision=amp` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if not all(axis and value for axis, _, value in pairs):
        raise click.BadParameter(f"{text!r} is no filter; one such as cards=8,precision=amp is possible.")
    chosen = {axis.strip(): value.strip() for axis, _, value in pairs}
    if len(chosen) < len(pairs):
        raise click.BadParameter(f"{text!r} gives an axis twice; one value of each is possible.")
    return chosen


@click.command()
@click.argument("target", metavar="RECIPE|PAGE")
@click.option("--repo", "repos", type=_FOLDER, multiple=True, required=True, help="Checkout of the native repository.")
@click.option(
    "--data", type=_FOLDER, help="Training data.  [default: where the recipe or page says, seen from the checkout]"
)
@click.option("--cards", type=_COUNT, help="Cards (processes) in all.")
@click.option("--nodes", type=_COUNT, help="Nodes that share the cards.")
@click.option("--precision", help="fp32, tf32, amp (mixed) or fp16 (pure).")
@click.option("--batch-size", type=_COUNT, help="Batch size per card.")
@click.option("--steps", type=_COUNT, help="Training steps in all.")
@click.option("--epochs", type=_COUNT, help="Epochs that share the steps.")
@click.option("--device", type=click.Choice(["cpu", "gpu"]), help="What trains.")
@click.option("--repeats", type=_COUNT, help="How often each case is run.  [default: 3, or as the page says]")
@click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Only these cases of a page.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the suite, or of all logs with a page.  [default: logs/RECIPE, or logs]",
)
@click.option("--on", type=click.Choice(["slurm", "mpirun"]), help="What starts the job on several machines.")
@click.option("-H", "--hosts", help="Machines for --on mpirun, such as a:8,b:8.")
@click.option("--script", type=_FILE, help="Job script for --on slurm, in place of the one that --dry-run shows.")
@click.option("--master", metavar="HOST:PORT", help="Where several nodes meet when each is started by hand.")
@click.option("--node-rank", type=click.IntRange(min=0), help="Number of this node then, from 0.")
@click.option("--timeout", type=_COUNT, help="Seconds that a run may take, a queue included.")
@click.option("--dry-run", is_flag=True, help="Print the commands as a script that runs without Tachograph.")
@click.option("--no-redact", is_flag=True, help="Keep what looks like a secret in logs and facts.")
@click.argument("extra", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def launch(
    context: click.Context,
    /,
    target: str,
    repos: tuple[Path, ...],
    data: Path | None,
    repeats: int | None,
    only: dict[str, str],
    into: Path | None,
    on: str | None,
    hosts: str | None,
    script: Path | None,
    timeout: int | None,
    dry_run: bool,
    no_redact: bool,
    extra: tuple[str, ...],
    **options: str | int | None,
) -> None:
    """Run RECIPE, or what PAGE still lacks, and keep the logs.

    Options that are not given have the recipe's defaults; EXTRA, after --, goes to the native program. A page says
    itself how its cases are run. A run that is done is not repeated, so the same command goes on where it stopped.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 8 --precision amp --repeats 7
      tachograph launch report/pages/cpu-demo.toml --repo PaddleClas --repo PaddleSeg --dry-run
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 4 --cards 32 --on slurm
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 2 --cards 16 --on mpirun -H a:8,b:8
    """
    from .places import chosen
    from .planning import Planner, suite
    from .runner import Runner
    from .screen import Screen
    from .series import Series

    place = chosen(on, hosts, script)
    planner = Planner(repos, data, place)
    given = {name.upper(): str(value) for name, value in options.items() if value is not None}
    if extra:
        given["EXTRA"] = shlex.join(extra)
    if target not in recipes.names():
        planned = _of_page(context, planner, target, given, into, repeats, only)
    elif only:
        raise click.UsageError("--only chooses cases of a page; a recipe runs the one case that its options say.")
    else:
        planned = planner.of_recipe(target, given, suite(into or Path("logs", target), given), repeats or 3)
    if script and len({run.folder.path.parent for run in planned}) > 1:
        raise click.UsageError("--script is for one case; --only chooses it.")
    series = Series(Runner(place, Screen(sys.stdout.fileno()), timeout, not no_redact), planned)
    if dry_run:
        click.echo("".join(series.script()), nl=False)
    else:
        series.execute()


def _of_page(
    context: click.Context,
    planner: Planner,
    page: str,
    options: Mapping[str, str],
    into: Path | None,
    repeats: int | None,
    only: Mapping[str, str],
) -> list[Planned]:
    """Plan what a page lacks; which that is, the face of the program knows."""
    if context.obj is None or not (page.endswith(".toml") or page in context.obj.names()):
        known = f"recipes are {', '.join(recipes.names())}"
        pages = f"; pages are {', '.join(context.obj.names())}, or a path that ends in .toml" if context.obj else ""
        raise click.UsageError(f"There is no recipe and no page {page}; {known}{pages}.")
    if options:
        names = ", ".join(name.lower().replace("_", "-") for name in options)
        raise click.UsageError(
            f"A page says itself how its cases are run; {names} cannot be given, --only chooses cases."
        )
    return planner.of_page(context.obj.lacking(page, into or Path("logs"), repeats, only))


@click.command(name="launchers")
@click.option("--check", "checked", type=_RECIPE, help="Hold the options of a recipe against its native program.")
@click.option("--repo", type=_FOLDER, help="Checkout of the native repository, for --check.")
@click.option(
    "--keep", type=click.Path(dir_okay=False, path_type=Path), help="Also keep the outcome in this JSON file."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_launchers(checked: str | None, repo: Path | None, keep: Path | None, as_json: bool) -> None:
    """List the recipes: model, framework, repository with its pinned commit, precisions, and what each needs.

    With --check, say of every option that a recipe passes whether the native program has it, at which line; exit
    status 1 when one is missing. Nothing of the checkout is executed.

    \b
    Examples:
      tachograph launchers
      tachograph launchers --check paddleclas_resnet50 --repo PaddleClas
    """
    if bool(checked) != bool(repo):
        raise click.UsageError("--check and --repo go together.")
    if checked and repo:
        sys.exit(_check(checked, repo, keep, as_json))
    from .catalogue import rows, table

    click.echo("\n".join(json.dumps(row, ensure_ascii=False) for row in rows()) if as_json else table())


def _check(name: str, repo: Path, keep: Path | None, as_json: bool) -> int:
    """Show what the check of a recipe finds; returns the exit status."""
    from . import catalogue
    from .check import check
    from .outcome import text

    recipe = recipes.read(name)
    outcome = check(recipe, repo)
    click.echo(json.dumps(asdict(outcome), ensure_ascii=False) if as_json else text(recipe, outcome))
    if keep:
        catalogue.keep(outcome, keep)
    return _FOUND_BAD if outcome.unknown else 0


@click.command()
@click.argument("recipe", type=_RECIPE, required=False)
@click.option("--repo", type=_FOLDER, help="Checkout of the native repository.")
@click.option("--data", type=_FOLDER, help="Training data.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def doctor(recipe: str | None, repo: Path | None, data: Path | None, as_json: bool) -> None:
    """Look for what would stop or slow down a launch, before hours are spent.

    Exit status 1 when something would stop it.

    \b
    Examples:
      tachograph doctor
      tachograph doctor paddleclas_resnet50 --repo PaddleClas --data PaddleClas/dataset/ILSVRC2012
    """
    from .doctor import examine
    from .findings import shown

    findings = list(examine(recipes.read(recipe) if recipe else None, repo, data, os.environ))
    if as_json:
        for finding in findings:
            click.echo(json.dumps(asdict(finding), ensure_ascii=False))
    else:
        click.echo(shown(findings), nl=False)
    sys.exit(_FOUND_BAD if any(finding.level == "bad" for finding in findings) else 0)


@click.command(hidden=True)
@click.argument("folder", type=_FOLDER)
@click.option("--node", type=click.IntRange(min=0), required=True)
@click.option("--until", type=click.IntRange(min=1), required=True)
def observe(folder: Path, node: int, until: int) -> None:
    """Describe this machine in FOLDER, and sample its cards in the background as long as the process UNTIL lives."""
    from . import nodes

    nodes.observe(folder, node, until)


@click.command()
@click.option("--kind", type=click.Choice(["imagenet", "cityscapes"]), required=True, help="Layout of the data set.")
@click.option("--count", type=_COUNT, default=64, show_default=True, help="Number of images.")
@click.option("--size", type=_COUNT, default=64, show_default=True, help="Height in pixels.")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def images(kind: str, count: int, size: int, out: Path) -> None:
    """Write training images into OUT; the same options give the same bytes.

    \b
    Examples:
      tachograph images --kind imagenet --count 64 --size 64 PaddleClas/dataset/generated
      tachograph images --kind cityscapes --count 16 --size 128 PaddleSeg/data/generated
    """
    from .images import KINDS

    KINDS[kind](out, count, size)


commands = [launch, list_launchers, doctor, observe, images]
