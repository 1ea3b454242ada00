"""Published cells: a number of somebody's document, ruled on as an audit does it, and explained from its log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.message import Message, joined

from ..audit.audited import audited
from ..audit.chance import Means
from ..audit.own_pages import evidence_beside, name_of
from ..audit.rulings import Finding
from ..audit.sentences import reason
from ..evidence import evidence_file
from ..measure.protocol import Protocol
from ..pagefile.page_file import parse
from .cell_name import NoCellError
from .explanation import Explanation, of_log, of_page

SHOWN = 8
ENDINGS = (".md", ".markdown", ".html", ".htm", ".json", ".csv", ".tsv")  # of the names of documents
NO_PAGE_FILE = "{file} holds no page file; render the page again, or name the page file instead of {page}."
NO_SUCH = "{page} has no number {name}; numbers: {numbers}."
NO_NUMBERS = "{page} has no number."
SEVERAL = "{count} numbers of {page} match {name}; pass one of {numbers}."
PLACE = "{line}:{digits} ({row}/{column})"
PLACE_IN_TEXT = "{line}:{digits}"
TITLE = "{page}:{line}: {row}, {column}: {digits}"
RULED = "{ruling}: {reason}"


@dataclass(frozen=True)
class RuledNumber:
    """A number of a document that no protocol of a log explains: its place, and the ruling on it."""

    title: str
    finding: Finding

    @property
    def said(self) -> Message:
        """The ruling, and why it is that."""
        return Message(RULED, ruling=Message(self.finding.ruling), reason=reason(self.finding))


def of_published(page: Path, name: str, logs: Path | None) -> Explanation | RuledNumber:
    """Explain a number of a document; of one that ``report`` wrote as ``of_cell`` does.

    ``name``: its digits, ``ROW/COLUMN``, or either after its line and a colon. ``logs``: the folder of logs, by default
    that of the page. Raises NoCellError where no number or no single one is meant, ParserError.
    """
    if evidence := evidence_beside(page):
        return _of_own(page, name, evidence, logs)
    found = audited([page], logs)
    measured = [one for one in found.findings if one.claim.is_measured] if found else []
    finding = _meant(page, name, measured)
    claim = finding.claim
    place = {"line": claim.line, "row": claim.row_label, "column": claim.col_label, "digits": claim.number.text}
    title = TITLE.format(page=page, **place)
    hit = finding.hit
    if not (found and hit and hit.rule.means == Means.PROTOCOL):
        return RuledNumber(title, finding)
    explained = of_log(found.root / hit.path, Protocol.parse(hit.rule.name), (), None)
    ruled = RuledNumber(title, finding).said
    return replace(explained, title=title, warnings=(ruled, *explained.warnings))


def _of_own(page: Path, name: str, evidence: Path, logs: Path | None) -> Explanation:
    told = evidence_file.read(evidence)
    if told.page_file is None:
        raise NoCellError(NO_PAGE_FILE, file=evidence.name, page=page)
    folder = logs or (evidence.parent / told.logs if told.logs else evidence.parent)
    return of_page(name_of(evidence), parse(told.page_file, evidence), name, folder)


def _meant(page: Path, name: str, found: Sequence[Finding]) -> Finding:
    """The one number of a name; raises NoCellError."""
    matching = [one for one in found if name.replace(",", "") in _names(one) or name in _names(one)]
    if len(matching) == 1:
        return matching[0]
    if not found:
        raise NoCellError(NO_NUMBERS, page=page)
    numbers = joined("{first}, {second}", map(_place, (matching or found)[:SHOWN]))
    if not matching:
        raise NoCellError(NO_SUCH, page=page, name=repr(name), numbers=numbers)
    raise NoCellError(SEVERAL, count=len(matching), page=page, name=repr(name), numbers=numbers)


def _names(finding: Finding) -> Iterator[str]:
    claim = finding.claim
    for name in (claim.number.text, claim.number.text.replace(",", ""), f"{claim.row_label}/{claim.col_label}"):
        yield from (name, f"{claim.line}:{name}")


def _place(finding: Finding) -> Message:
    claim = finding.claim
    if not (claim.row_label or claim.col_label):
        return Message(PLACE_IN_TEXT, line=claim.line, digits=claim.number.text)
    told = {"row": claim.row_label, "column": claim.col_label, "digits": claim.number.text}
    return Message(PLACE, line=claim.line, **told)
