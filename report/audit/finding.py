"""Findings: what an audit says of one published number."""

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.input_file import text_of
from parsers.io.message import Message, joined
from parsers.io.validation import NOT_TOML, mistake

from ..published.published_numbers import PublishedNumber
from ..wording.words import Translate, worded

Verdict = Literal[
    "exact",
    "near",
    "consistent",
    "quoted",
    "unexplained",
    "contradicted",
    "impossible",
    "mislabelled",
    "inconsistent",
    "dead link",
    "no evidence",
    "altered",
    "no numbers",
]
# All of them, and what each says; those that leave nothing to mend come first, then the one that accuses nobody.
VERDICTS: dict[Verdict, str] = {
    "exact": "the log gives the printed digits",
    "near": "the log gives the number within the tolerance that was stated",
    "consistent": "other numbers of its table give it",
    "quoted": "the page repeats what its source is quoted with; no log backs it",
    "unexplained": "no protocol that was searched gives the number, and none is known that contradicts it",
    "contradicted": "the stated protocol gives another number",
    "impossible": "the number is outside the range of every value in its log",
    "mislabelled": "the number comes out, but a label or the link contradicts the log",
    "inconsistent": "other numbers of its table give another number",
    "dead link": "the link to the log leads nowhere",
    "no evidence": "no log was found",
    "altered": "a page or an evidence file of Tachograph's was changed after it was written",
    "no numbers": "no page has a benchmark number that could be checked",
}
# What is said of places of pages, or of all pages, rather than of a number.
OF_NO_NUMBER: tuple[Verdict, ...] = ("altered", "no numbers")
ALTERED = OF_NO_NUMBER[0]
GOOD: tuple[Verdict, ...] = ("exact", "near", "consistent", "quoted")
OPEN: tuple[Verdict, ...] = ("unexplained",)


def sentence(parts: Sequence[Message]) -> Message:
    """A sentence of its parts, at least one."""
    return Message("{said}.", said=joined("{first}; {second}", parts))


@dataclass(frozen=True)
class Finding:
    """The verdict on one number, with the log, the protocol and the number that it gives, where there are any.

    ``computed`` has the digits that the published number has; ``ratio`` is published / computed, unrounded.
    ``accepted``: why somebody accepts it although it is not good.
    """

    number: PublishedNumber
    verdict: Verdict
    reason: Message
    log: str | None = None
    protocol: str | None = None
    computed: str | None = None
    ratio: float | None = None
    accepted: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether there is nothing to mend."""
        return self.verdict in GOOD or self.accepted is not None

    def fails(self, *, strict: bool = False) -> bool:
        """Whether it makes an audit fail; what is merely unexplained does so only in a strict one."""
        return not self.is_good and (strict or self.verdict not in OPEN)


def as_json(finding: Finding, page: str, translate: Translate) -> dict[str, Any]:
    """A finding as one JSON object; ``table`` is the heading above its table, ``reason`` in one language."""
    number = finding.number
    return {
        "page": page,
        "line": number.line,
        "table": number.heading,
        "row": number.row,
        "column": number.column,
        "published": number.digits,
        "unit": number.unit,
        "case": dict(number.case),
        "log": finding.log,
        "protocol": finding.protocol,
        "computed": finding.computed,
        "ratio": finding.ratio,
        "verdict": finding.verdict,
        "reason": worded(finding.reason, translate),
        "accepted": finding.accepted,
    }


class AcceptedError(ParserError):
    """A file of accepted findings with a mistake; one sentence says which file and what is possible."""


class Accepted(BaseModel):
    """One finding that is accepted: where the number stands, its digits, the verdict, and why that is accepted.

    A number is found by its page (as printed in the audit, or by its path from the folder of the file), row, column and
    digits; its line may change. ``table``: the heading above its table, None for any.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: str
    row: str
    column: str
    published: str
    verdict: Verdict
    reason: str = Field(min_length=1)
    table: str | None = None


class AcceptedFile(BaseModel):
    """A file of accepted findings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accepted: list[Accepted] = Field(default_factory=list)


def read_accepted(path: Path) -> list[Accepted]:
    """Read a file of ``[[accepted]]`` tables; raises AcceptedError."""
    try:
        return AcceptedFile.model_validate(tomllib.loads(text_of(path))).accepted
    except OSError as error:
        raise AcceptedError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AcceptedError.at(path, NOT_TOML, reason=error) from error
    except ValidationError as error:
        raise AcceptedError.at(path, mistake(error.errors()[0], AcceptedFile)) from error


def with_accepted(
    findings: Sequence[tuple[str, Finding]], accepted: Sequence[Accepted], folder: Path | None = None
) -> tuple[list[tuple[str, Finding]], list[Accepted]]:
    """The findings (each with the name of its page), those that are accepted marked so; and what is found no more.

    ``folder``: that of the file of what is accepted, which may call a page by its path from there.
    """
    reasons = {_key(a.page, a.table, a.row, a.column, a.published, a.verdict): a for a in accepted}
    called = {page: path_from(folder, page) for page in {one.number.page for _, one in findings}} if folder else {}
    used: set[Accepted] = set()
    marked = []
    for page, finding in findings:
        number = finding.number
        told = (number.row, number.column, number.digits, finding.verdict)
        names = {page, called[number.page]} if folder else {page}
        keys = (_key(name, table, *told) for name in names for table in (number.heading, None))
        known = next((reasons[key] for key in keys if key in reasons), None)
        used |= {known} if known else set()
        marked.append((page, replace(finding, accepted=known.reason) if known else finding))
    return marked, [a for a in accepted if a not in used]


def path_from(folder: Path, page: Path) -> str:
    """The path of a page as seen from a folder."""
    return Path(os.path.relpath(page.absolute(), folder.absolute())).as_posix()


def _key(*parts: str | None) -> tuple[str | None, ...]:
    """What a finding is known by; names of files that are no UTF-8 as a file of accepted findings can spell them."""
    return tuple(part and part.encode("utf-8", "backslashreplace").decode() for part in parts)
