"""Published cells: a number of a Markdown page, found as an audit finds it, and explained from its log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.message import Message, joined

from ..audit.backing_logs import Library
from ..audit.claim import Claim, claims
from ..audit.finding import Finding
from ..audit.judge import Judge
from ..audit.printed_numbers import find_printed, of_other_quantities
from ..audit.table_arithmetic import of_arithmetic
from ..audit.whole_page import evidence_beside, name_of
from ..evidence import evidence_file
from ..measure.protocol import Protocol
from ..pagefile.page_file import parse
from ..pagefile.parts import SCALING
from ..published.document import read_document
from ..published.published_numbers import PublishedNumber
from ..published.published_site import PublishedSite
from .cell_name import NoCellError
from .explanation import Explanation, of_log, of_page

SHOWN = 8
NO_PAGE_FILE = "{file} holds no page file; render the page again, or name the page file instead of {page}."
NO_SUCH = "{page} has no number {name}; numbers: {numbers}."
NO_NUMBERS = "{page} has no benchmark number."
SEVERAL = "{count} numbers of {page} match {name}; pass one of {numbers}."
PLACE = "{line}:{row}/{column} ({digits})"
TITLE = "{page}:{line}: {row}, {column}: {digits}"
JUDGED = "{verdict}: {reason}"
NO_LOG = "{digits} cannot be explained: {reason}"


@dataclass(frozen=True)
class TableExplanation:
    """A number that others of its table give or contradict, or that its log prints: its place, and what these say."""

    title: str
    finding: Finding

    @property
    def said(self) -> Message:
        """The verdict, and the operation on other numbers, or where the digits stand."""
        return Message(JUDGED, verdict=Message(self.finding.verdict), reason=self.finding.reason)


def of_published(page: Path, name: str, logs: Path | None) -> Explanation | TableExplanation:
    """Explain a number of a Markdown page; of one that ``report`` wrote as ``of_cell`` does.

    ``name``: its digits, ``ROW/COLUMN``, or either after its line and a colon. ``logs``: the folder of logs, by default
    that of the page. A number without a log is explained by others of its table. Raises NoCellError where no number or
    no single one is meant, or nothing gives it, ParserError.
    """
    if evidence := evidence_beside(page):
        return _of_own(page, name, evidence, logs)
    document = read_document(page)
    site = PublishedSite([document], page.resolve().parent, logs or page.parent)
    library = Library()
    found = {_key(claim.number): claim for claim in claims(site, (), library)}
    find_printed(list(found.values()), library.workers)
    printed = [finding for finding in of_other_quantities(site) if finding.log]
    by_table = {_key(finding.number): finding for finding in (*of_arithmetic(document), *printed)}
    others = [finding.number for key, finding in by_table.items() if key not in found]
    number = _meant(page, name, [*(claim.number for claim in found.values()), *others])
    title = _titled(page, number)
    claim = found.get(_key(number))
    finding = Judge(list(found.values()), 0.0, site.unfollowed).finding(claim) if claim else by_table[_key(number)]
    if claim and claim.printed:
        return TableExplanation(title, finding)
    if claim and claim.evidence and finding.protocol:
        return _of_claim(claim, finding, title)
    if told := by_table.get(_key(number)):
        return TableExplanation(title, told)
    raise NoCellError(NO_LOG, digits=number.digits, reason=finding.reason)


def _key(number: PublishedNumber) -> tuple[int, tuple[int, int], str]:
    return number.table, number.place, number.digits


def _titled(page: Path, number: PublishedNumber) -> str:
    place = {"page": page, "line": number.line, "row": number.row, "column": number.column, "digits": number.digits}
    return TITLE.format(**place)


def _of_claim(claim: Claim, finding: Finding, title: str) -> Explanation:
    given = [fact for axis, fact in claim.best.facts.items() if axis in SCALING]
    explained = of_log(claim.best.log.file, Protocol.parse(finding.protocol or ""), given, None)
    judged = Message(JUDGED, verdict=Message(finding.verdict), reason=finding.reason)
    return replace(explained, title=title, warnings=(judged, *explained.warnings))


def _of_own(page: Path, name: str, evidence: Path, logs: Path | None) -> Explanation:
    told = evidence_file.read(evidence)
    if told.page_file is None:
        raise NoCellError(NO_PAGE_FILE, file=evidence.name, page=page)
    folder = logs or (evidence.parent / told.logs if told.logs else evidence.parent)
    return of_page(name_of(evidence), parse(told.page_file, evidence), name, folder)


def _meant(page: Path, name: str, found: Sequence[PublishedNumber]) -> PublishedNumber:
    """The one number of a name; raises NoCellError."""
    matching = [number for number in found if name.replace(",", "") in _names(number) or name in _names(number)]
    if len(matching) == 1:
        return matching[0]
    if not found:
        raise NoCellError(NO_NUMBERS, page=page)
    numbers = _listed(matching or found)
    if not matching:
        raise NoCellError(NO_SUCH, page=page, name=repr(name), numbers=numbers)
    raise NoCellError(SEVERAL, count=len(matching), page=page, name=repr(name), numbers=numbers)


def _names(number: PublishedNumber) -> Iterator[str]:
    for name in (number.digits, f"{number.row}/{number.column}"):
        yield from (name, f"{number.line}:{name}")


def _listed(found: Sequence[PublishedNumber]) -> Message:
    return joined("{first}, {second}", map(_place, found[:SHOWN]))


def _place(number: PublishedNumber) -> Message:
    return Message(PLACE, line=number.line, row=number.row, column=number.column, digits=number.digits)
