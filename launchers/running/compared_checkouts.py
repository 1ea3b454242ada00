"""Compared checkouts: where the code of the other side of a comparison comes from, and how the sides alternate."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

import click

from parsers.io.printable import printable
from parsers.runs.git_files import commit_of, top_of

from ..recipes import checkout
from .series import PlannedRun


def alternating(cases: Sequence[Sequence[PlannedRun]]) -> list[PlannedRun]:
    """The runs of several cases, repeat by repeat, every other time in the opposite order: A B B A A B.

    So a machine that becomes slower from run to run slows all cases down alike.
    """
    rounds = enumerate(zip_longest(*cases))
    return [run for number, runs in rounds for run in (runs[::-1] if number % 2 else runs) if run is not None]


# Asks a Python of any version what is installed, and from where.
_INSTALLED = """
import json
from importlib.metadata import distributions
found = [(one.metadata["Name"], one.read_text("direct_url.json")) for one in distributions()]
print(json.dumps([pair for pair in found if pair[1]]))
"""
_LONGEST = 60  # seconds


@dataclass(frozen=True)
class OtherCheckout:
    """A folder to run a command in as well, and what the suite of its runs is called after."""

    folder: Path
    label: str


@contextmanager
def other_checkout(stated: str, here: Path, beside: Path, *, outlives: bool) -> Iterator[OtherCheckout]:
    """The code of a git revision of the checkout around the folder ``here``, or of a folder, while this lasts.

    ``beside``: the folder of suites, in which a revision is checked out, for other machines may share it. ``outlives``:
    whether somebody needs the code for longer. Raises click.UsageError where there is no such revision or folder.
    """
    top = top_of(here)
    commit = commit_of(top, stated) if top else None
    if top is None or commit is None:
        yield _folder(stated, top, here)
        return
    if outlives:
        message = "The checkout of a revision is removed at the end, which --detach and --dry-run do not wait for"
        raise click.UsageError(f"{message}; give --against a folder, made with `git worktree add FOLDER REVISION`.")
    beside.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".against-", dir=beside.resolve()) as place:
        folder = Path(place, top.resolve().name)
        with checkout.worktree(top, commit, folder):
            yield OtherCheckout(_within(folder, here.relative_to(top), stated), label_of(stated))


def _folder(stated: str, top: Path | None, here: Path) -> OtherCheckout:
    folder = Path(stated)
    if not stated or not folder.is_dir():
        where = f"{top} has no such revision" if top else f"{here} is in no git checkout"
        raise click.UsageError(f"--against {printable(stated)!r} is neither a git revision nor a folder: {where}.")
    return OtherCheckout(folder.resolve(), label_of(folder.resolve().name))


def _within(top: Path, below: Path, revision: str) -> Path:
    if not (top / below).is_dir():
        raise click.UsageError(f"Revision {printable(revision)} does not have the folder {below}.")
    return top / below


def shared_packages(python: str, environment: Mapping[str, str], folder: Path) -> list[str]:
    """The packages that a Python imports from the checkout around a folder itself, as `pip install -e` has it.

    Whatever runs elsewhere may import them from there, too. Empty where the Python does not answer.
    """
    top = (top_of(folder) or folder).resolve()
    command = [python, "-c", _INSTALLED]
    try:
        answer = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_LONGEST,
        )
        found = [(name, json.loads(said)) for name, said in json.loads(answer.stdout.splitlines()[-1])]
        editable = {name: urlsplit(said["url"]) for name, said in found if said.get("dir_info", {}).get("editable")}
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError, AttributeError):
        return []
    return sorted(name for name, url in editable.items() if Path(unquote(url.path)).resolve().is_relative_to(top))


def label_of(text: str) -> str:
    """A revision or a name of a folder as a part of a file name."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.") or "other"


def suite_of(suite: Path, label: str) -> Path:
    """The suite of the runs of another checkout, beside that of the runs from here."""
    return suite.with_name(f"{suite.name}@{label}")
