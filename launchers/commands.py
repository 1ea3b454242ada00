"""The commands of this room."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.io.printable import printable, say, say_text

from .recipes import checkout
from .recipes.recipe import SUFFIX, Recipe, cases, draft, dry_run, find, read_all
from .run.command import CONTAINER, COUNT, FOLDER, ON, SITE, launch, run

if TYPE_CHECKING:
    from parsers.runs.run_folder import Environment

    from .backends.site_file import Site

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


@click.command(name="launchers")
@click.option(
    "--check",
    "checked",
    metavar="RECIPE",
    help="Check the options of a recipe against its native program.",
)
@click.option("--new", metavar="NAME", help="Draft a recipe of your own: NAME.sh, in this folder.")
@click.option("--repo", type=FOLDER, help="Checkout of the native repository, for --check and --new.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def list_launchers(checked: str | None, new: str | None, repo: Path | None, *, as_json: bool) -> None:
    """List the recipes: model, framework, repository with its pinned commit, precisions, and requirements.

    With --check, git looks up each option of a recipe in the files of the checkout. Exit status 1 if one is not found.
    Nothing in the checkout is executed.

    RECIPE is a name or the path of a script (.sh). A recipe of your own is one script whose head says what it needs;
    those in the folders of $TACHOGRAPH_RECIPES are listed and found by name. --new drafts one and never overwrites a
    file.

    \b
    Examples:
      tachograph launchers
      tachograph launchers --check paddleclas_resnet50 --repo PaddleClas
      tachograph launchers --new my_model --repo my-checkout
      tachograph launchers --check my_model.sh --repo my-checkout
    """
    if new and checked:
        raise click.UsageError("--check and --new cannot be used together.")
    if new:
        _draft(new, repo)
        return
    if bool(checked) != bool(repo):
        raise click.UsageError("--check and --repo must be used together.")
    if checked and repo:
        sys.exit(_check(find(checked), repo, as_json=as_json))
    from tabulate import tabulate

    rows = [recipe.row for recipe in read_all()]
    table = tabulate(rows, "keys", "simple", maxcolwidths=[*[None] * 6, 40], disable_numparse=True)
    say_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows) if as_json else f"{table}\n")


def _draft(name: str, repo: Path | None) -> None:
    """Write the script of a new recipe where there is no such file."""
    name = name.removesuffix(SUFFIX)
    path, text = Path(f"{name}{SUFFIX}"), draft(name, repo)
    if os.path.lexists(path):
        raise click.UsageError(f"{path} exists already; an existing file is never overwritten.")
    with _told(path), path.open("x", encoding="utf-8") as file:
        file.write(text)
    say(f"Wrote {path}. Edit it, then run `tachograph launchers --check {path} --repo DIR`.")


def _check(recipe: Recipe, repo: Path, *, as_json: bool) -> int:
    """Show what the check of a recipe finds; returns the exit status."""
    from tabulate import tabulate

    from .recipes.command_line import check

    lines = [dry_run(recipe, repo, variables) for variables in cases(recipe)]
    outcome = check(lines, repo)
    found = checkout.describe(repo)
    if as_json:
        say(json.dumps({"recipe": recipe.name, "commit": found["commit"], **outcome._asdict()}, ensure_ascii=False))
        return _FOUND_BAD if outcome.unknown else 0
    rows = [map(printable, row) for row in {**outcome.known, **dict.fromkeys(outcome.unknown, "not found")}.items()]
    say_text(f"{tabulate(rows, ['option', 'where'], 'plain', disable_numparse=True)}\n\n")
    if outcome.unchecked:
        say(f"Not checked, because they belong to what starts the program: {', '.join(outcome.unchecked)}.")
    for remark in checkout.remarks(found, recipe.facts):
        say(remark)
    say(f"Searched {len(outcome.searched)} files.")
    say(
        f"{len(outcome.unknown)} of {len(rows)} options were not found: {', '.join(outcome.unknown)}."
        if outcome.unknown
        else f"All {len(rows)} options were found."
    )
    return _FOUND_BAD if outcome.unknown else 0


@click.command()
@click.argument("recipe", required=False, metavar="[RECIPE]")
@click.option("--repo", type=FOLDER, help="Checkout of the native repository.")
@click.option("--data", type=FOLDER, help="Training data.")
@click.option("--cards", type=COUNT, help="Total number of GPUs that a launch would use.")
@click.option("--nodes", type=COUNT, default=1, show_default=True, help="Number of nodes.")
@click.option("--precision", help="Precision that a launch would use.")
@click.option("--device", type=click.Choice(["cpu", "gpu"]), help="Device that a launch would train on.")
@click.option("--synthetic", is_flag=True, help="A launch would train on data that the program generates.")
@ON
@SITE
@CONTAINER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def doctor(
    recipe: str | None,
    repo: Path | None,
    data: Path | None,
    cards: int | None,
    nodes: int,
    precision: str | None,
    device: str | None,
    on: str | None,
    site: Path | None,
    container: str | None,
    *,
    synthetic: bool,
    as_json: bool,
) -> None:
    """Check for problems that would stop or slow down a launch.

    With options of a launch, check what it would use. Exit status 1 if a problem would stop it.

    \b
    Examples:
      tachograph doctor
      tachograph doctor paddleclas_resnet50 --repo PaddleClas --data PaddleClas/dataset/ILSVRC2012
      tachograph doctor paddleclas_resnet50 --cards 8 --precision amp --container IMAGE
    """
    from .backends import site_file
    from .machine.doctor import Launch, examine, shown

    if synthetic and data:
        raise click.UsageError("--synthetic and --data cannot be used together.")
    said = site_file.read(site, os.environ)
    launch = Launch(
        os.environ,
        find(recipe) if recipe else None,
        repo,
        data,
        cards=cards,
        nodes=nodes,
        precision=precision,
        device=device,
        synthetic=synthetic,
        on=on,
        inside=_python_inside(container, said, on, repo, device) if container and on != "kubernetes" else None,
    )
    findings = list(examine(launch))
    if as_json:
        for finding in findings:
            say(json.dumps(finding._asdict(), ensure_ascii=False))
    else:
        say_text(shown(findings))
    sys.exit(_FOUND_BAD if any(finding.level == "bad" for finding in findings) else 0)


def _python_inside(
    image: str, site: Site, on: str | None, repo: Path | None, device: str | None
) -> Callable[[], Environment] | None:
    """What asks the Python of a container; None where only the nodes of a cluster can.

    Raises click.UsageError where nothing can run the image.
    """
    from .backends.containers import contained
    from .job import of_command

    container = contained(image, site.container, on_slurm=on == "slurm")
    job = of_command(("python",), repo or Path.cwd(), device=device, is_contained=True)
    return partial(container.native_python, job) if container.runs_here else None


@click.command(hidden=True)
@click.argument("folder", type=FOLDER)
@click.option("--node", type=click.IntRange(min=0), required=True)
@click.option("--until", type=click.IntRange(min=1), required=True)
@click.option("--without-processes", is_flag=True)
def observe(folder: Path, node: int, until: int, *, without_processes: bool) -> None:
    """Describe this machine in FOLDER, and sample its cards and the job in the background as long as UNTIL lives."""
    from .run import nodes

    nodes.observe(folder, node, until, finds_processes=not without_processes)


@click.command(hidden=True)
@click.argument("folder", type=FOLDER)
@click.option("--no-redact", is_flag=True)
def keep(folder: Path, no_redact: bool) -> None:
    """Keep what comes from standard input as the log of the run that fills FOLDER, with its clock."""
    from .run.submitted import keep_output

    keep_output(sys.stdin.fileno(), folder, redacts=not no_redact)


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
    from .recipes.images import KINDS

    try:
        import PIL.Image  # noqa: F401 - before anything is written
    except ImportError as error:
        raise _Refused(
            'Images need the package pillow, which is not installed; run `pip install "tachograph[images]"`.'
        ) from error
    with _told(out):
        KINDS[kind](out, count, size)


commands = [launch, run, list_launchers, doctor, observe, keep, images]
