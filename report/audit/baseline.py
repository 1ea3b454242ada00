"""A baseline: findings that somebody accepts for a reason, or that were there when it was written."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from parsers.io.errors import ParserError
from parsers.io.printable import printable_lines

from .board import checked_toml
from .rulings import Finding, Ruling

HEAD = "# Findings that were there when this baseline was written; `tachograph audit --baseline` accepts them."
IN_BASELINE = "in the baseline"


class BaselineError(ParserError):
    """A baseline with a mistake; one sentence says which file and what is possible."""


class Accepted(BaseModel):
    """One finding that is accepted: where the number stands, its digits, the ruling, and why that is accepted.

    ``document``: its path from the folder of the baseline. A number is found by its row, its column and its digits; its
    line may change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    row: str
    column: str
    digits: str
    ruling: Ruling
    reason: str = Field(min_length=1)


class Baseline(BaseModel):
    """A file of ``[[accepted]]`` tables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accepted: list[Accepted] = Field(default_factory=list)


def with_accepted(findings: Sequence[Finding], root: Path, file: Path) -> tuple[list[Finding], list[Accepted]]:
    """The findings, those that a baseline accepts marked so, and what it accepts of these documents in vain.

    ``root``: the folder from which documents are named. Raises BaselineError.
    """
    accepted = {
        (one.document, one.row, one.column, one.digits, one.ruling): one
        for one in checked_toml(file, Baseline, BaselineError).accepted
    }
    keys = [_key(finding, root, file.parent) for finding in findings]
    marked = [
        replace(finding, accepted=accepted[key].reason) if key in accepted else finding
        for finding, key in zip(findings, keys, strict=True)
    ]
    found, audited = set(keys), {document for document, *_ in keys}
    return marked, [one for key, one in accepted.items() if key not in found and one.document in audited]


def baseline(failing: Sequence[Finding], root: Path, folder: Path) -> str:
    """The text of a baseline in a folder that accepts some findings, each once."""
    names = ("document", "row", "column", "digits", "ruling", "reason")
    keys = dict.fromkeys((*_key(finding, root, folder), IN_BASELINE) for finding in failing)
    entries = (
        "\n".join(
            ["[[accepted]]"]
            + [f"{name} = {json.dumps(told, ensure_ascii=False)}" for name, told in zip(names, key, strict=True)]
        )
        for key in keys
    )
    return printable_lines("\n\n".join([HEAD, *entries])) + "\n"


def _key(finding: Finding, root: Path, folder: Path) -> tuple[str, ...]:
    """What a finding is found by, as TOML can hold it: what is no UTF-8 with backslashes."""
    claim = finding.claim
    told = (claim.row_label, claim.col_label, claim.number.text, finding.ruling)
    return tuple(
        text.encode("utf-8", "backslashreplace").decode() for text in (_from(folder, root / claim.document), *told)
    )


@cache
def _from(folder: Path, document: Path) -> str:
    return Path(os.path.relpath(document.absolute(), folder.absolute())).as_posix()
