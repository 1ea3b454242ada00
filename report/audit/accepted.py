"""Accepted findings: those that somebody accepts for a reason, or that were there when a baseline was written."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from parsers.io.errors import ParserError
from parsers.io.printable import printable_lines
from parsers.runs.git_files import blobs_of, commit_of, is_changed, top_of

from .board import checked_toml
from .own_pages import evidence_beside
from .rulings import Finding, Ruling

HEAD = "# Findings that were there when this baseline was written; `tachograph audit --baseline` accepts them."
IN_BASELINE = "in the baseline"
NO_CHECKOUT = "{page} is in no git checkout, so --since cannot tell whether it changed."
NO_REVISION = "{top} has no revision {revision}, or git cannot read it."


class AcceptedError(ParserError):
    """A file of accepted findings with a mistake; one sentence says which file and what is possible."""


class RevisionError(ParserError):
    """A revision that a checkout does not have, or a page that is in no checkout."""


class Accepted(BaseModel):
    """One finding that is accepted: where the number stands, its digits, the ruling, and why that is accepted.

    ``document``: its path from the folder of the file. A number is found by its row, its column and its digits; its
    line may change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    row: str
    column: str
    digits: str
    ruling: Ruling
    reason: str = Field(min_length=1)

    @property
    def key(self) -> tuple[str, ...]:
        """What it is found by."""
        return self.document, self.row, self.column, self.digits, self.ruling


class AcceptedFile(BaseModel):
    """A file of accepted findings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accepted: list[Accepted] = Field(default_factory=list)


def read_accepted(path: Path) -> list[Accepted]:
    """Read a file of ``[[accepted]]`` tables; raises AcceptedError."""
    return checked_toml(path, AcceptedFile, AcceptedError).accepted


def with_accepted(findings: Sequence[Finding], root: Path, file: Path) -> tuple[list[Finding], list[Accepted]]:
    """The findings, those that a file accepts marked so, and what it accepts of these documents in vain.

    ``root``: the folder from which documents are named.
    """
    accepted = {one.key: one for one in read_accepted(file)}
    used: set[tuple[str, ...]] = set()
    marked = []
    for finding in findings:
        key = _key(finding, root, file.parent)
        if known := accepted.get(key):
            used.add(key)
        marked.append(replace(finding, accepted=known.reason) if known else finding)
    audited = {_document(finding, root, file.parent) for finding in findings}
    past = [one for key, one in accepted.items() if key not in used and one.document in audited]
    return marked, past


def baseline(findings: Sequence[Finding], root: Path, folder: Path, *, strict: bool, asks_proof: bool = False) -> str:
    """The text of a file that accepts all that fails now, each once; ``folder``: where it is to lie."""
    failing = (one for one in findings if one.fails(strict=strict, asks_proof=asks_proof))
    entries = dict.fromkeys(_entry(_key(finding, root, folder)) for finding in failing)
    return printable_lines("\n\n".join([HEAD, *entries])) + "\n"


def _key(finding: Finding, root: Path, folder: Path) -> tuple[str, ...]:
    claim = finding.claim
    told = (claim.row_label, claim.col_label, claim.number.text, finding.ruling)
    return _document(finding, root, folder), *map(_spelt, told)


def _document(finding: Finding, root: Path, folder: Path) -> str:
    return _from(folder, root / finding.claim.document)


@cache
def _from(folder: Path, document: Path) -> str:
    return _spelt(Path(os.path.relpath(document.absolute(), folder.absolute())).as_posix())


def _spelt(text: str) -> str:
    """A text as TOML can hold it: what is no UTF-8 with backslashes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _entry(key: Sequence[str]) -> str:
    told: Mapping[str, str] = dict(zip(("document", "row", "column", "digits", "ruling"), key, strict=True))
    keys = {**told, "reason": IN_BASELINE}
    return "\n".join(
        ["[[accepted]]", *(f"{name} = {json.dumps(said, ensure_ascii=False)}" for name, said in keys.items())]
    )


def changed_since(root: Path, documents: Collection[str], revision: str) -> set[str]:
    """The documents that are new since a revision, or that changed, or whose reports did.

    Files are compared as they lie on disk; what git ignores, it cannot tell from what is new. Raises RevisionError.
    """
    blobs: dict[Path, Mapping[str, str]] = {}  # by the top of a checkout
    changed = set()
    for document in documents:
        page = root / document
        if any(_is_changed(file, revision, blobs) for file in filter(None, (page, evidence_beside(page)))):
            changed.add(document)
    return changed


def _is_changed(file: Path, revision: str, blobs: dict[Path, Mapping[str, str]]) -> bool:
    place = file.parent.resolve() / file.name
    top = top_of(place.parent)
    if top is None:
        raise RevisionError(NO_CHECKOUT, page=file)
    if top not in blobs:
        commit = commit_of(top, revision)
        if commit is None:
            raise RevisionError(NO_REVISION, top=top, revision=repr(revision))
        blobs[top] = blobs_of(top, commit)
    blob = blobs[top].get(place.relative_to(top).as_posix())
    return blob is None or place.is_symlink() or is_changed(place, blob)
