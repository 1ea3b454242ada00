"""Rendering evidence: which logs, which lines and which protocol prove the numbers of a table."""

from collections.abc import Iterator, Sequence

from ..evidence.cell import Cell, Exhibit
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
        # One rule for each file of a proof; they stand beside the first proof only.
        for exhibit, rule in zip(proof.exhibits, rules, strict=True):
            yield [number, page.log(exhibit), _lines(page, exhibit), rule]
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
    if cell.protocol and len(cell.proofs[0].exhibits) > 1:
        of_one_run = [step for step in cell.protocol.steps() if not step[0].startswith(NOT_OF_ONE_RUN)]
        yield page.sentence(of_one_run, cell.protocol.words(), several=False)


def _lines(page: PageText, exhibit: Exhibit) -> str:
    first, last = exhibit.lines
    if first == last:
        return page.say("line {line}", line=first)
    return page.say("{first} to {last}, {count} used", first=first, last=last, count=exhibit.used)
