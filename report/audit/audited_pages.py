"""Audited pages: which pages an audit reads, what it finds on them, and their rows that are not directly comparable."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from parsers.io.message import Message, joined
from parsers.sharing.workers import ALL_CORES, ALONE, MOST_BYTES, Workers

from ..evidence.cell import Cell, Proof
from ..evidence.comparability import Difference, of_rules, of_runs
from ..evidence.comparison import Common, by_one_rule
from ..measure.protocol import Protocol
from ..measure.quantity import THROUGHPUT, Shown
from ..pagefile.page import Case, Page
from ..published.document import SHEETS, Document, DocumentError, read_document
from ..published.published_numbers import in_logs, others_published
from ..published.published_site import PublishedSite
from ..published.text_tables import TooManyCellsError, are_results, sheet
from .backing_logs import AXES, Library
from .claim import Claim, claims
from .finding import Finding
from .judge import Judge
from .printed_numbers import find_printed, of_other_quantities
from .table_arithmetic import of_arithmetic, with_arithmetic
from .whole_page import OwnPages, evidence_beside, lacks_evidence, name_of, no_numbers, without_evidence

Row = tuple[str, int, int]

PAGES = (".md", ".markdown", ".rst")  # of a folder, in which sheets of results are read, too
LARGEST_SHEET = 1 << 18  # bytes of such a sheet
NO_MARKDOWN = "There is no Markdown file in {places}."
BY_ONE_RULE = "By one rule, the published ratio in brackets: {each}."


@dataclass(frozen=True)
class Unlike:
    """A row whose numbers are not directly comparable; ``common`` are its numbers by one rule, if one fits."""

    page: str
    line: int
    row: str
    differences: tuple[Difference, ...]
    common: tuple[Common, ...]

    @property
    def said(self) -> Message:
        """What differs, in sentences."""
        return joined("{first} {second}", (difference.told for difference in self.differences))

    @property
    def by_one_rule(self) -> Message | None:
        """How the columns compare by one rule, and in brackets how they do as published; None where none fits."""
        return joined("{first}; {second}", map(_compared, self.common)) if self.common else None

    @property
    def told(self) -> Message:
        """All of it in one line."""
        said = self.said
        if by_one_rule := self.by_one_rule:
            said = Message("{first} {second}", first=said, second=Message(BY_ONE_RULE, each=by_one_rule))
        return Message("{page}:{line}: {row}: {said}", page=self.page, line=self.line, row=self.row, said=said)


def _compared(one: Common) -> Message:
    ratios = {"ratio": _percent(one.ratio), "published": _percent(one.published_ratio)}
    return Message("{column} {ratio} ({published})", column=one.cell.column, **ratios)


def unlike(claims: Sequence[Claim]) -> Iterator[Unlike]:
    """The rows whose numbers come out of their logs, but by protocols or of runs that favour one side.

    Columns that are but names may be of different models, which nobody compares.
    """
    rows: dict[Row, list[Claim]] = {}
    for claim in claims:
        if claim.recovered and claim.number.measure == (None, 1.0, "throughput") and not claim.number.column_name:
            rows.setdefault((str(claim.number.page), claim.number.table, claim.number.place[0]), []).append(claim)
    proofs: dict[tuple[int, Protocol], Proof] = {}
    for row in (row for row in rows.values() if len(row) > 1):
        cells = [_cell(claim, proofs) for claim in row]
        sides = [(cell.column, cell) for cell in cells]
        rules = tuple(of_rules(sides))
        if differences := (*rules, *of_runs(sides)):
            first = row[0].number
            common = by_one_rule(cells[0].shown.rate, cells) if rules else ()
            yield Unlike(str(first.page), first.line, first.row, differences, common)


def _cell(claim: Claim, known: dict[tuple[int, Protocol], Proof]) -> Cell:
    """A number as a cell; ``known``: the proofs by evidence and protocol, as other rows may have them, too."""
    number, evidence = claim.number, claim.best
    protocol = claim.printing(claim.recovered.protocol) if claim.recovered else None
    proof = known.get((id(evidence), protocol)) if protocol else None
    if protocol and proof is None and (measured := evidence.measured(protocol)):
        proof = known[id(evidence), protocol] = Proof(claim.log, evidence.reading, measured)
    case: Case = {axis: number.case[axis] for axis in AXES if axis in number.case}
    rate = proof.measurement.unit if proof else "samples/s"
    value = proof.measurement.value if proof else None
    return Cell(
        number.heading,
        number.row,
        number.column,
        case,
        Shown(THROUGHPUT, rate),
        (proof,) if proof else (),
        protocol,
        value,
    )


def _percent(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.1%}"


@dataclass(frozen=True)
class Result:
    """What an audit found: a finding a number, and the rows that are not directly comparable."""

    findings: list[Finding]
    unlike: list[Unlike]


def audit(
    site: PublishedSite, pages: Sequence[Page] = (), tolerance: float = 0.0, library: Library | None = None
) -> Result:
    """Judge every throughput in the tables of the pages of a site, and what they give, in their order.

    ``pages``: page files that state where logs are and by which protocol numbers were made. ``tolerance``: how far, as
    a fraction, a number may be off and still be near. ``library``: evidence that was made before, for a site whose
    logs are the same.
    """
    library = library or Library()
    found = claims(site, pages, library)
    find_printed(found, library.workers)
    judged = [*Judge(found, tolerance, site.unfollowed).findings(), *of_other_quantities(site)]
    return Result(with_arithmetic(judged, site.documents), list(unlike(found)))


Named = tuple[str, Finding]


@dataclass(frozen=True)
class Audited:
    """The findings of pages, and their rows that are not directly comparable.

    Each page is named by its path below the folder that holds all of them.
    """

    findings: list[Named]
    unlike: list[Unlike]


def markdown_files(places: Sequence[Path]) -> list[Path]:
    """The Markdown files that are named, or that lie in folders that are, with the sheets of results there.

    Those in hidden folders are left out. Raises DocumentError where there is none.
    """
    files = list(dict.fromkeys(file for place in places for file in (_below(place) if place.is_dir() else [place])))
    if not files:
        raise DocumentError(NO_MARKDOWN, places=", ".join(map(str, places)))
    return files


def _below(folder: Path) -> list[Path]:
    found = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in (*PAGES, *SHEETS) and path.exists())
    shown = [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    pages = [path for path in shown if path.suffix.lower() in PAGES and not path.is_dir()]
    return [*pages, *filter(_holds_results, shown)]


def _holds_results(path: Path) -> bool:
    """Whether a file is a sheet of values that are results, by its name and all that it holds."""
    delimiter = SHEETS.get(path.suffix.lower())
    try:
        if delimiter is None or not path.is_file() or path.stat().st_size > LARGEST_SHEET:
            return False
        return are_results(sheet(path.read_text("utf-8", "replace"), delimiter))
    except (OSError, TooManyCellsError):
        return False


def audit_files(
    files: Sequence[Path],
    logs: Path | None,
    pages: Sequence[Page],
    tolerance: float,
    workers: Workers = ALL_CORES,
    stated: Mapping[str, str] | None = None,
    only: Collection[Path] | None = None,
) -> Audited:
    """Audit pages of one site; those that ``report`` wrote are rendered again and compared as a whole.

    ``logs``: the folder of logs, which ``workers`` read; by default the one that holds all pages. ``stated``: the texts
    of page files by their names without ending; those that the evidence files hold are used for other pages. ``only``:
    the pages whose findings are wanted, all if None; what the others say is still believed of their neighbours. Where
    the pages wanted have no number, that is the finding. Raises DocumentError, EvidenceFileError, and ParserError where
    the workers are gone.
    """
    root = _root(files)
    wanted = files if only is None else [file for file in files if file in only]
    evidence = {file: evidence_beside(file) for file in files}
    own = list(_own_findings({file: evidence[file] for file in wanted}, logs, stated or {}, workers))
    generated: list[Document] = []
    with _documents([file for file in files if not evidence[file]], workers) as documents:
        here = ALONE if workers.scheduler else workers
        site = PublishedSite(_others(documents, generated), root, logs or root, here)
    own += map(without_evidence, generated)
    found = audit(site, pages, tolerance, Library(workers))
    pages_wanted = set(wanted)
    others_found = (finding for finding in found.findings if finding.number.page in pages_wanted)
    findings = [*own, *others_found] or [no_numbers(file) for file in wanted[:1]]
    unlike_rows = [row for row in found.unlike if Path(row.page) in pages_wanted]
    return Audited(
        [(_name(finding.number.page, root), finding) for finding in findings],
        [replace(row, page=_name(Path(row.page), root)) for row in unlike_rows],
    )


def _documents(files: Sequence[Path], workers: Workers) -> AbstractContextManager[Iterator[Document]]:
    """The pages, which the processes of this machine read meanwhile, with their numbers."""
    return (ALONE if workers.scheduler else workers).each(_with_numbers, files, _bytes)


def _others(documents: Iterable[Document], generated: list[Document]) -> Iterator[Document]:
    """The pages but for those that `report` wrote without an evidence file, which join ``generated``."""
    for document in documents:
        if lacks_evidence(document):
            generated.append(document)
        else:
            yield document


def _bytes(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _with_numbers(file: Path) -> Document:
    document = read_document(file)
    for find in (in_logs, others_published, of_arithmetic):
        document.once(find)
    return document


def _own_findings(
    evidence: Mapping[Path, Path | None], logs: Path | None, stated: Mapping[str, str], workers: Workers
) -> Iterator[Finding]:
    """The findings of the pages that have an evidence file; several such files are shared by the workers."""
    pages: dict[Path, list[Path]] = {}
    for file, path in evidence.items():
        if path:
            pages.setdefault(path, []).append(file)
    shared = len(pages) > 1 and not workers.scheduler
    tasks = [
        OwnPages(path, tuple(some), logs, stated.get(name_of(path)), ALONE if shared else workers)
        for path, some in pages.items()
    ]
    with (workers if shared else ALONE).each(OwnPages.findings, tasks, lambda _: MOST_BYTES) as found:
        for findings in found:
            yield from findings


def _root(files: Sequence[Path]) -> Path:
    return Path(os.path.commonpath([file.resolve().parent for file in files]))


@cache
def _name(page: Path, root: Path) -> str:
    return os.path.relpath(page.resolve(), root)
