"""Like with like: what favours one side in the rows of published tables, and how they would compare by one protocol."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.io.message import Message, joined

from ..evidence.cell import Cell, Proof
from ..evidence.comparability import Difference, of_rules, of_runs
from ..evidence.comparison import Common, by_one_rule
from ..measuring.quantity import THROUGHPUT, Shown
from ..pagefile.page import Case
from .backing_logs import AXES
from .claim import Claim

Row = tuple[str, int, int]

BY_ONE_RULE = "By one rule, the published ratio in brackets: {each}."


@dataclass(frozen=True)
class Unlike:
    """A row of a table that does not compare like with like; ``common`` are its numbers by one rule, if one fits."""

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
    """The rows whose numbers come out of their logs, but by protocols or of runs that favour one side."""
    rows: dict[Row, list[Claim]] = {}
    for claim in claims:
        if claim.recovered:
            rows.setdefault((str(claim.number.page), claim.number.table, claim.number.place[0]), []).append(claim)
    for row in (row for row in rows.values() if len(row) > 1):
        cells = [_cell(claim) for claim in row]
        sides = [(cell.column, cell) for cell in cells]
        rules = tuple(of_rules(sides))
        if differences := (*rules, *of_runs(sides)):
            first = row[0].number
            common = by_one_rule(cells[0].shown.rate, cells) if rules else ()
            yield Unlike(str(first.page), first.line, first.row, differences, common)


def _cell(claim: Claim) -> Cell:
    number, evidence = claim.number, claim.best
    protocol = claim.recovered.protocol.printing(number.digits) if claim.recovered else None
    measured = evidence.measured(protocol) if protocol else None
    proofs = (Proof(claim.log, evidence.reading, measured),) if measured else ()
    case: Case = {axis: number.case[axis] for axis in AXES if axis in number.case}
    rate = measured.unit if measured else "samples/s"
    value = measured.value if measured else None
    return Cell(number.heading, number.row, number.column, case, Shown(THROUGHPUT, rate), proofs, protocol, value)


def _percent(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.1%}"
