"""A number of a document that others wrote: the ruling on it, and the log and the protocol that explain it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from parsers.io.message import Message, joined

from ..measure.protocol import Protocol
from ..results.measured_log import measured_log
from ..results.model import Report, Result
from ..results.run import report_of_log
from ..views.why import NoCellError
from .audited import audited
from .chance import Means
from .rulings import Finding
from .sentences import reason

SHOWN = 8
NO_SUCH = "{page} has no number {name}; numbers: {numbers}."
NO_NUMBERS = "{page} has no number."
SEVERAL = "{count} numbers of {page} match {name}; pass one of {numbers}."
PLACE = "{line}:{digits}"
TITLE = "{page}:{line}: {row}, {column}: {digits}"
RULED = "{ruling}: {reason}"


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
    shown = (Message(PLACE, line=one.claim.line, digits=one.claim.number.text) for one in (matching or found)[:SHOWN])
    numbers = joined("{first}, {second}", shown)
    if not matching:
        raise NoCellError(NO_SUCH, page=page, name=repr(name), numbers=numbers)
    raise NoCellError(SEVERAL, count=len(matching), page=page, name=repr(name), numbers=numbers)


def _names(finding: Finding) -> Iterator[str]:
    claim = finding.claim
    for name in (claim.number.text, claim.number.text.replace(",", ""), f"{claim.row_label}/{claim.col_label}"):
        yield from (name, f"{claim.line}:{name}")
