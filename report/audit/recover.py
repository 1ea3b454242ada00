"""Recovery: the protocols that give published numbers, simplest first, and what accident would do.

Of a log, for numbers that somebody names, and of a document, for a number of it.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from parsers.io.errors import FormatError, ParserError
from parsers.io.message import Message
from parsers.runs.boundaries import as_one
from parsers.runs.facts import Fact
from parsers.runs.provenance import option

from ..measure.protocol import Protocol
from ..results.measured_log import as_read, measured_log
from ..results.model import Report, Result
from ..results.run import report_of_log
from ..views.why import NoCellError
from . import vocabulary as words
from .audited import audited
from .chance import Means
from .claims import Claim
from .documents import PROSE
from .number import Number
from .output import reason
from .rules.protocols import Source, explained, hit_of, search
from .rulings import Finding, Ruling

MOST_SHOWN = 5
NOT_READ = "nothing in it is known to be a speed; `tachograph show {log}` says why, and --format or --read what it is."
NOT_POSITIVE = "--published must be a positive number as printed, such as 2791.98; got {number}."
NOT_ONE = "{count} numbers of {page} match {name}; pass one of {numbers}."
TITLE = "{page}:{line}: {row}, {column}: {digits}"
RULED = "{ruling}: {reason}"


class PublishedNumberError(ParserError):
    """A published number that is not a positive number as printed."""


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Finding]:
    """A finding for each number, in order; ``published``: one a log, all of which were made in one way, as a rule.

    A number whose digits a protocol gives no more seldom than accident would agrees. Raises PublishedNumberError for
    what is not a number, ParserError for a log that cannot be read.
    """
    digits = [one.replace(",", "") for one in published]
    if wrong := [one for one in digits if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", one) or not float(one)]:
        raise PublishedNumberError(NOT_POSITIVE, number=wrong[0])
    facts = [Fact(name, value, option(name)) for name, value in given.items() if value]
    sources: dict[Claim, list[Source]] = {}
    for number, log in zip(map(Number.of, digits), logs, strict=True):
        read = as_read(log, format=format_, facts=facts)
        path = str(read.reading.path)
        if not read.has_records:
            raise FormatError.at(Path(path), NOT_READ, log=path)
        claim = Claim(document=path, line=0, column=0, number=number, place=PROSE, quantity=words.RATE)
        sources[claim] = [Source(path, "", search(as_one(read.reading.parts[0]), read.reading.facts))]
    found = {claim: (one, hit) for one in explained(sources) for claim, hit in one.hits.items()}
    answers = []
    for claim, (source,) in sources.items():
        ranks = np.flatnonzero(source.searched.hits(claim.number))
        if claim in found:
            one, hit = found[claim]
            answers.append(Finding(claim, Ruling.PROVED, hit, one.chance, len(one.hits)))
        elif len(ranks):
            answers.append(Finding(claim, Ruling.AGREES, hit_of(claim.number, [source], int(ranks[0]))))
        else:
            answers.append(Finding(claim, Ruling.UNEXPLAINED, logs=1))
    return answers


def ruled(finding: Finding) -> Message:
    """The ruling on a number, and why it is that."""
    return Message(RULED, ruling=Message(finding.ruling), reason=reason(finding))


def of_document(page: Path, name: str, logs: Path | None) -> tuple[Report | None, Result | None, str, Finding]:
    """A number of a document: the report of the log that explains it, where one does, its title, and the ruling on it.

    ``name``: its digits, ``ROW/COLUMN``, or either after its line and a colon. ``logs``: the folder of logs, by default
    that of the page. Raises NoCellError where no number or no single one is meant, ParserError.
    """
    found = audited([page], logs)
    finding = _meant(page, name, [one for one in found.findings if one.claim.is_measured])
    claim, hit = finding.claim, finding.hit
    place = {"line": claim.line, "row": claim.row_label, "column": claim.col_label, "digits": claim.number.text}
    title = TITLE.format(page=page, **place)
    if not (hit and hit.means == Means.PROTOCOL):
        return None, None, title, finding
    log = found.root / hit.path
    report = report_of_log(str(log), measured_log(log, Protocol.parse(hit.name)))
    return report, report.results[0], title, finding


def _meant(page: Path, name: str, found: Sequence[Finding]) -> Finding:
    """The one number of a name; raises NoCellError."""
    asked = {name, name.replace(",", "")}
    matching = [one for one in found if asked & _names(one)]
    if len(matching) == 1:
        return matching[0]
    shown = ", ".join(f"{one.claim.line}:{one.claim.number.text}" for one in (matching or found)[:MOST_SHOWN])
    raise NoCellError(NOT_ONE, count=len(matching), page=page, name=repr(name), numbers=shown or "-")


def _names(finding: Finding) -> set[str]:
    claim = finding.claim
    names = {claim.number.text, claim.number.text.replace(",", ""), f"{claim.row_label}/{claim.col_label}"}
    return names | {f"{claim.line}:{name}" for name in names}
