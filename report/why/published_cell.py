"""Published cells: a number of a Markdown page, found as an audit finds it, and explained from its log."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from parsers.io.message import Message, joined

from ..audit.backing_logs import Library
from ..audit.claim import Claim, claims
from ..audit.judge import Judge
from ..audit.whole_page import evidence_beside, name_of
from ..evidence import evidence_file
from ..measuring.protocol import Protocol
from ..pagefile.page_file import parse
from ..pagefile.parts import SCALING
from ..published.document import read_document
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


def of_published(page: Path, name: str, logs: Path | None) -> Explanation:
    """Explain a number of a Markdown page; of one that ``report`` wrote as ``of_cell`` does.

    ``name``: its digits, ``ROW/COLUMN``, or either after its line and a colon. ``logs``: the folder of logs, by default
    that of the page. Raises NoCellError where no number or no single one is meant, or its log gives none, ParserError.
    """
    if evidence := evidence_beside(page):
        return _of_own(page, name, evidence, logs)
    site = PublishedSite([read_document(page)], page.resolve().parent, logs or page.parent)
    found = claims(site, (), Library())
    claim = _meant(page, name, found)
    finding = Judge(found, 0.0, site.unfollowed).finding(claim)
    if not claim.evidence or finding.protocol is None:
        raise NoCellError(NO_LOG, digits=claim.number.digits, reason=finding.reason)
    given = [fact for axis, fact in claim.best.facts.items() if axis in SCALING]
    explained = of_log(claim.best.log.file, Protocol.parse(finding.protocol), given, None)
    number = claim.number
    place = {"page": page, "line": number.line, "row": number.row, "column": number.column, "digits": number.digits}
    judged = Message(JUDGED, verdict=Message(finding.verdict), reason=finding.reason)
    return replace(explained, title=TITLE.format(**place), warnings=(judged, *explained.warnings))


def _of_own(page: Path, name: str, evidence: Path, logs: Path | None) -> Explanation:
    told = evidence_file.read(evidence)
    if told.page_file is None:
        raise NoCellError(NO_PAGE_FILE, file=evidence.name, page=page)
    folder = logs or (evidence.parent / told.logs if told.logs else evidence.parent)
    return of_page(name_of(evidence), parse(told.page_file, evidence), name, folder)


def _meant(page: Path, name: str, found: Sequence[Claim]) -> Claim:
    """The one claim of a name; raises NoCellError."""
    matching = [claim for claim in found if name.replace(",", "") in _names(claim) or name in _names(claim)]
    if len(matching) == 1:
        return matching[0]
    if not found:
        raise NoCellError(NO_NUMBERS, page=page)
    numbers = _listed(matching or found)
    if not matching:
        raise NoCellError(NO_SUCH, page=page, name=repr(name), numbers=numbers)
    raise NoCellError(SEVERAL, count=len(matching), page=page, name=repr(name), numbers=numbers)


def _names(claim: Claim) -> Iterator[str]:
    number = claim.number
    for name in (number.digits, f"{number.row}/{number.column}"):
        yield from (name, f"{number.line}:{name}")


def _listed(found: Sequence[Claim]) -> Message:
    return joined("{first}, {second}", map(_place, found[:SHOWN]))


def _place(claim: Claim) -> Message:
    number = claim.number
    return Message(PLACE, line=number.line, row=number.row, column=number.column, digits=number.digits)
