"""Rendering evidence: where each number of a table comes from: lines of logs, other numbers or a quoted source."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from ..evidence.cell import Cell, Coverage, Quotient, coverage
from ..evidence.ranks.exhibits import Exhibit
from ..measure.ranks import RankSpread
from ..wording import markdown
from ..wording.words import worded
from .page_text import PageText

# What is done with the numbers of several runs, and how the result is printed.
NOT_OF_ONE_RUN = ("repeats_", "decimals", "significant", "rounding_")
NO_LINES = "-"


def evidence(page: PageText, cells: Sequence[Cell]) -> str:
    """The proofs of all numbers among cells that come from logs; empty where there are none."""
    head = [page.translate(title) for title in ("Number", "Log", "Lines", "Protocol")]
    body = [row for cell in cells if cell.proofs for row in _proofs(page, cell)]
    return page.grid([head, *body]) if body else ""


def _proofs(page: PageText, cell: Cell) -> Iterator[list[str]]:
    number, rules = page.anchored(cell), list(_rules(page, cell))
    if same := _of_the_same_runs(page, cell):
        yield [number, page.say("same runs as {number}", number=page.number(same)), NO_LINES, rules[0]]
        return
    for proof in cell.proofs:
        done = [markdown.text(worded(step, page.translate)) for step in (proof.figure.steps() if proof.figure else ())]
        # One rule for each file of a proof, but for the logs of further ranks; they stand beside the first proof only.
        for exhibit, rule in zip(proof.exhibits, chain(rules, repeat("")), strict=False):
            yield [number, page.log(exhibit), _lines(page, exhibit), "<br>".join(filter(None, (rule, *done)))]
            number = ""
        rules = [""] * len(rules)


def _of_the_same_runs(page: PageText, cell: Cell) -> Cell | None:
    """For one of several numbers of the same runs, the throughput whose evidence lists these runs already."""
    if not cell.shown.quantity.of_runs:
        return None
    throughputs = (other for other in page.cells if other.shown.quantity.is_throughput)
    return next((other for other in throughputs if _runs(other) == _runs(cell)), None)


def _runs(cell: Cell) -> list[tuple[str, str]]:
    return [(proof.log, proof.measurement.protocol.words()) for proof in cell.proofs]


def _rules(page: PageText, cell: Cell) -> Iterator[str]:
    """The rule of the number, then the protocol of a log that is there for its throughput or its window."""
    stated = cell.shown.steps(cell.protocol) if cell.protocol else ()
    yield page.sentence(stated, cell.words, several=len(cell.proofs) > 1)
    if cell.protocol and cell.proofs[0].observation and len(cell.proofs[0].exhibits) > 1:
        of_one_run = [step for step in cell.protocol.steps() if not step[0].startswith(NOT_OF_ONE_RUN)]
        yield page.sentence(of_one_run, cell.protocol.words(), several=False)


def ranks(page: PageText, cells: Sequence[Cell]) -> str:
    """How far the ranks are apart that each print a number, of each log behind a throughput; empty where none are."""
    head = [page.translate(title) for title in ("Number", "Log", "Ranks", "Slowest rank", "Median", "Fastest rank")]
    throughputs = [cell for cell in cells if cell.shown.quantity.is_throughput]
    body = [
        [page.number(cell), page.log(proof.of_the_log), *_spread(page, found)]
        for cell in throughputs
        for proof in cell.proofs
        if (found := proof.measurement.ranks) is not None and min(found.values) < max(found.values)
    ]
    return page.grid([head, *body]) if body else ""


def _spread(page: PageText, found: RankSpread) -> list[str]:
    slowest, fastest = (_of_rank(page, found, at) for at in (found.slowest, found.fastest))
    return [str(len(found.numbers)), slowest, f"{found.median:.6g} {found.unit}", fastest]


def _of_rank(page: PageText, found: RankSpread, at: int) -> str:
    told = {"number": f"{found.values[at]:.6g} {found.unit}", "rank": found.numbers[at]}
    if found.cards_per_node is None:
        return page.say("{number} (rank {rank})", **told)
    return page.say("{number} (rank {rank} on node {node})", **told, node=found.numbers[at] // found.cards_per_node)


def _lines(page: PageText, exhibit: Exhibit) -> str:
    first, last = exhibit.lines
    if first == last:
        return page.say("line {line}", line=first)
    return page.say("{first} to {last}, {count} used", first=first, last=last, count=exhibit.used)


def quoted(page: PageText, cells: Sequence[Cell]) -> str:
    """The quoted figures among cells, each with its source; empty where there are none."""
    head = [page.translate(title) for title in ("Number", "Row", "Column", "Source")]
    body = [[page.anchored(c), *page.titles(c), page.source(c.quoted.source)] for c in cells if c.quoted]
    return page.grid([head, *body]) if body else ""


def sources(page: PageText) -> str:
    """The sources of the quoted figures that the page shows; empty where it shows none."""
    used = {cell.quoted.source: page.page.sources[cell.quoted.source] for cell in page.cells if cell.quoted}
    head = [page.translate(title) for title in ("Source", "Date", "Commit", "Note")]
    body = [
        [page.source(name), one.date, markdown.code(one.commit) if one.commit else "-", _on_one_line(page, one.note)]
        for name, one in used.items()
    ]
    return page.grid([head, *body]) if body else ""


def _on_one_line(page: PageText, words: str) -> str:
    """The words of a page in this language, as they can stand in a table."""
    return " ".join(page.translate(words).split())


def computed(page: PageText, cells: Sequence[Cell]) -> str:
    """How the numbers among cells that are computed from others come from them; empty where there are none."""
    head = [page.translate(title) for title in ("Number", "Row", "Column", "Computed as")]
    body = [
        [page.anchored(cell), *page.titles(cell), _quotient(page, cell.quotient)]
        for cell in cells
        if cell.quotient and cell.digits
    ]
    return page.grid([head, *body]) if body else ""


def _quotient(page: PageText, quotient: Quotient) -> str:
    parts = [page.number(quotient.of), page.number(quotient.against)]
    told = " ÷ ".join(parts if quotient.ideal == 1 else [*parts, f"{quotient.ideal:g}"])
    return told if quotient.whole == 1 else f"{told} × {quotient.whole}"


def covered(page: PageText) -> str:
    """How many of the planned cells of each table are measured, quoted and missing."""
    head = [page.translate(title) for title in ("Table", "Measured", "Quoted", "Missing", "Total")]
    tables = [(table.title, coverage(c for c in page.cells if c.table == table.name)) for table in page.page.tables]
    body = [_counts(markdown.text(page.translate(title)), found) for title, found in tables if found.planned]
    whole = [_counts(page.translate("All tables"), page.coverage)] if len(body) > 1 else []
    return page.grid([head, *body, *whole])


def _counts(title: str, found: Coverage) -> list[str]:
    return [title, *map(str, (found.measured, found.quoted, found.missing, found.planned))]
