"""Recovery: the protocols that give published numbers, simplest first, and what accident would do.

Of a log, for numbers that somebody names, and of a document, for a number of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.errors import FormatError, ParserError
from parsers.io.message import Message, joined
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.provenance import option

from ..measure.protocol import Protocol
from ..results.measured_log import as_read, measured_log
from ..results.model import Report, Result
from ..results.run import report_of_log
from ..views.why import NoCellError
from .audited import audited
from .chance import Hit, Means
from .number import Number
from .rules.protocol_search import protocol, protocols, search
from .rules.protocols import Source, explained
from .rulings import Finding
from .sentences import reason

MOST_SHOWN = 5
GIVES = "{log}: {number}: {protocol}; it explains {count} of {all} numbers, by accident {chance} at most."
BY_ACCIDENT = (
    "{log}: {number}: {count} of {searched} protocols gives these digits, no more than accident would.",
    "{log}: {number}: {count} of {searched} protocols give these digits, no more than accident would.",
)
NO_PROTOCOL = "{log}: {number}: none of {searched} protocols gives these digits."
ALSO = "  also {protocol}"
HOW = "  {said}"
NOT_READ = "nothing in it is known to be a speed; `tachograph show {log}` says why, and --format or --read what it is."
NOT_POSITIVE = "--published must be a positive number as printed, such as 2791.98; got {number}."
NO_SUCH = "{page} has no number {name}; numbers: {numbers}."
NO_NUMBERS = "{page} has no number."
SEVERAL = "{count} numbers of {page} match {name}; pass one of {numbers}."
PLACE = "{line}:{digits}"
TITLE = "{page}:{line}: {row}, {column}: {digits}"
RULED = "{ruling}: {reason}"


class PublishedNumberError(ParserError):
    """A published number that is not a positive number as printed."""


@dataclass(frozen=True)
class Answer:
    """What was found for one number: ``hit`` where a protocol gives it beyond accident, with a bound for that.

    ``together``: how many of ``numbers`` that protocol explains. ``ranks``: of all protocols that give its digits.
    ``without``: how the log was read, where no format reads its speed.
    """

    log: Path
    digits: str
    unit: str
    hit: Hit | None
    chance: float
    together: int
    numbers: int
    ranks: Sequence[int]
    without: Message | None

    @property
    def others(self) -> list[str]:
        """The first protocols that give its digits, too."""
        words = (protocol(rank).words() for rank in self.ranks)
        return [other for other in words if not self.hit or other != self.hit.rule.name][:MOST_SHOWN]

    def as_json(self) -> dict[str, Any]:
        """The answer as one JSON object."""
        return {
            "log": str(self.log),
            "published": self.digits,
            "unit": self.unit or None,
            "protocol": self.hit.rule.name if self.hit else None,
            "explains": self.together,
            "of": self.numbers,
            "chance": self.chance if self.hit else None,
            "searched": 2 * len(protocols()),
            "also": self.others,
            "without_format": str(self.without) if self.without else None,
        }

    def lines(self) -> list[Message]:
        """The answer in a few lines."""
        number = f"{self.digits} {self.unit}" if self.ranks else self.digits
        told = {"log": self.log, "number": number, "searched": 2 * len(protocols())}
        if self.hit:
            found = {"count": self.together, "all": self.numbers, "chance": f"{self.chance:.1e}"}
            said = Message(GIVES, protocol=self.hit.rule.name, **told, **found)
        else:
            given = len(self.ranks)
            said = Message.of_count(given, *BY_ACCIDENT, **told) if given else Message(NO_PROTOCOL, **told)
        how = [Message(HOW, said=self.without)] if self.without else []
        return [said, *how, *(Message(ALSO, protocol=words) for words in self.others)]


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Answer]:
    """An answer for each number, in order; ``published``: one a log, all of which were made in one way, as a rule.

    Raises PublishedNumberError for what is not a number, ParserError for a log that cannot be read.
    """
    numbers = [_number(one) for one in published]
    facts = [Fact(name, value, option(name)) for name, value in given.items() if value]
    read = [as_read(log, format=format_, facts=facts) for log in logs]
    for one in read:
        if not one.has_records:
            raise FormatError.at(one.reading.path, NOT_READ, log=one.reading.path)
    searched = [search(as_one(one.reading.parts[0]), one.reading.facts) for one in read]
    sources = {row: [Source(str(read[row].reading.path), "", one)] for row, one in enumerate(searched)}
    found = {
        row: (hit, chance, len(hits))
        for _, hits, chance in explained(dict(enumerate(numbers)), sources)
        for row, hit in hits.items()
    }
    answers = []
    for row, (number, values) in enumerate(zip(numbers, searched, strict=True)):
        hit, chance, together = found.get(row, (None, 1.0, 0))
        ranks = np.flatnonzero(values.hits(number)).tolist()
        of = (len(numbers), ranks, read[row].without)
        answers.append(Answer(read[row].reading.path, number.text, values.unit, hit, chance, together, *of))
    return answers


def _number(said: str) -> Number:
    plain = said.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", plain) or not float(plain):
        raise PublishedNumberError(NOT_POSITIVE, number=said)
    return Number.of(plain)


# --- numbers of documents --------------------------------------------------------------------------------------------
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
    if not (hit and hit.rule.means == Means.PROTOCOL):
        return None, None, title, finding
    log = found.root / hit.path
    report = report_of_log(str(log), measured_log(log, Protocol.parse(hit.rule.name)))
    return report, report.results[0], title, finding


def _meant(page: Path, name: str, found: Sequence[Finding]) -> Finding:
    """The one number of a name; raises NoCellError."""
    matching = [one for one in found if name.replace(",", "") in _names(one) or name in _names(one)]
    if len(matching) == 1:
        return matching[0]
    if not found:
        raise NoCellError(NO_NUMBERS, page=page)
    some = [one.claim for one in matching or found][:MOST_SHOWN]
    shown = (Message(PLACE, line=claim.line, digits=claim.number.text) for claim in some)
    numbers = joined("{first}, {second}", shown)
    if not matching:
        raise NoCellError(NO_SUCH, page=page, name=repr(name), numbers=numbers)
    raise NoCellError(SEVERAL, count=len(matching), page=page, name=repr(name), numbers=numbers)


def _names(finding: Finding) -> Iterator[str]:
    claim = finding.claim
    for name in (claim.number.text, claim.number.text.replace(",", ""), f"{claim.row_label}/{claim.col_label}"):
        yield from (name, f"{claim.line}:{name}")
