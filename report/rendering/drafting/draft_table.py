"""The table of a draft: its columns are programs, or models or suites of one, its rows the other axes that differ."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import get_args

from parsers.io.printable import printable

from ...measure.work import thing
from ...pagefile.page import Axis, Case, Value
from .draft_case import DraftCase

MOST_COLUMNS = 8
LONGEST_NAME = 60
AXES: tuple[Axis, ...] = get_args(Axis)


@dataclass(frozen=True)
class DraftColumn:
    """A column: its name in the page file, its heading, its part of the case, and its cases by row.

    ``quantity``: what it shows of them beside their throughput, which another column shows; empty for that one.
    """

    name: str
    title: str
    case: Case
    cells: Mapping[int, DraftCase]
    quantity: str = ""

    @property
    def with_quantities(self) -> list["DraftColumn"]:
        """The column, and one for each quantity that all of its logs give."""
        logs = [log for case in self.cells.values() for log in case.logs]
        names = [name for name in logs[0].quantities if all(name in log.quantities for log in logs)]
        return [self, *(replace(self, quantity=name) for name in names)]


@dataclass(frozen=True)
class DraftTable:
    """A table: the case that all its cells share, the cases of its rows, and its columns; ``unit``: of its numbers."""

    unit: str
    case: Case
    rows: Sequence[Case]
    columns: Sequence[DraftColumn]

    @property
    def row_axes(self) -> list[Axis]:
        """The axes that its rows state."""
        return [axis for axis in AXES if any(axis in row for row in self.rows)]

    @property
    def cases(self) -> list[DraftCase]:
        """The cases of all its cells."""
        return [case for column in self.programs for case in column.cells.values()]

    @property
    def programs(self) -> list[DraftColumn]:
        """The columns that show throughputs."""
        return [column for column in self.columns if not column.quantity]

    @property
    def observed(self) -> list[str]:
        """The quantities that the telemetry of all its logs gives."""
        first, *others = [log.observed for case in self.cases for log in case.logs]
        return [name for name in first if all(name in names for names in others)]


def tables_of(cases: Sequence[DraftCase]) -> list[DraftTable]:
    """The tables of some cases, at least one; every case has a cell of its own.

    Cases in another unit are in a table of their own, and so are those whose rows state other axes: a row that leaves
    an axis open would cover others. The unit of most cases is first.
    """
    of_units = sorted(_by(cases, lambda case: thing(case.unit)).values(), key=len, reverse=True)
    tables = [_laid_out(some) for of_unit in of_units for some in _alike(of_unit)]
    names = _names([column.title for table in tables for column in table.columns])
    return [replace(table, columns=[*_with_quantities(table.columns, names)]) for table in tables]


def _with_quantities(columns: Sequence[DraftColumn], names: Iterator[str]) -> Iterator[DraftColumn]:
    """The columns by their names, with those of other quantities behind each."""
    for column in columns:
        yield from replace(column, name=next(names)).with_quantities


def _alike(cases: Sequence[DraftCase]) -> list[list[DraftCase]]:
    """The cases in groups whose rows state the same axes; all of them where what differs is that of a column."""
    constant = _constant(_columns(cases))
    return list(_by(cases, lambda case: " ".join(axis for axis, _ in _row(case, constant))).values())


def _laid_out(cases: Sequence[DraftCase]) -> DraftTable:
    columns, shared = _columns(cases), _shared(cases)
    constant = _constant(columns)
    rows = sorted({_row(case, constant) for case in cases}, key=_order)
    drafted = []
    for title, some in columns.items():
        own = {axis: value for axis, value in _shared(some).items() if axis in constant and axis not in shared}
        cells = {rows.index(_row(case, constant)): case for case in some}
        drafted.append(DraftColumn("", title, own, dict(sorted(cells.items()))))
    return DraftTable(cases[0].unit, shared, [dict(row) for row in rows], drafted)


def _constant(columns: Mapping[str, Sequence[DraftCase]]) -> set[Axis]:
    """The axes on which the cases of no column differ, nor columns, unless that is what they are compared by."""
    alike = {axis for axis in AXES if all(_is_one(some, axis) for some in columns.values())}
    return {axis for axis in alike if len(_known(columns, axis)) <= 1 or axis == _compared(columns)}


def _compared(columns: Mapping[str, Sequence[DraftCase]]) -> Axis:
    """What columns are of: their frameworks, or the models of one."""
    return "framework" if len({case.program for some in columns.values() for case in some}) > 1 else "model"


def _known(columns: Mapping[str, Sequence[DraftCase]], axis: Axis) -> set[Value]:
    return {case.case[axis] for some in columns.values() for case in some if axis in case.case}


def _row(case: DraftCase, constant: set[Axis]) -> tuple[tuple[Axis, Value], ...]:
    return tuple((axis, value) for axis, value in case.case.items() if axis not in constant)


def _order(row: Sequence[tuple[Axis, Value]]) -> list[tuple[int, bool, int, str]]:
    """Rows are in the order of their axes, counts by their size."""
    return [
        (AXES.index(axis), isinstance(value, str), value if isinstance(value, int) else 0, str(value))
        for axis, value in row
    ]


def _is_one(cases: Sequence[DraftCase], axis: Axis) -> bool:
    return len({case.case.get(axis) for case in cases}) == 1


def _shared(cases: Sequence[DraftCase]) -> Case:
    """The axes on which all cases have the same value."""
    return {axis: value for axis, value in cases[0].case.items() if _is_one(cases, axis)}


def _columns(cases: Sequence[DraftCase]) -> dict[str, list[DraftCase]]:
    """The cases of each column by its heading; cases that the axes do not tell apart are in columns of their own."""
    columns: dict[str, list[DraftCase]] = {}
    for heading, some in _by(cases, _heading(cases)).items():
        apart = _by(some, _apart(some))
        for said, own in apart.items():
            title = printable(f"{heading}, {said}" if len(apart) > 1 else heading)
            columns.setdefault(title, []).extend(own)
    return columns


def _heading(cases: Sequence[DraftCase]) -> Callable[[DraftCase], str]:
    """What heads the columns: the programs, or where there is one its models, or suites that ran the same case."""
    models = {case.case.get("model") for case in cases}
    if len({case.program for case in cases}) > 1:
        return lambda case: case.program
    if 1 < len(models) <= MOST_COLUMNS and None not in models:
        return lambda case: str(case.case["model"])
    if len(models) == 1 and _share_cases(cases) and len({case.suite for case in cases}) <= MOST_COLUMNS:
        return lambda case: case.suite
    return lambda case: case.program


def _share_cases(cases: Sequence[DraftCase]) -> bool:
    """Whether suites ran the same case; side by side, suites of other cases would leave most cells of a row empty."""
    suites = _by(cases, lambda case: repr(sorted(case.case.items())))
    return any(len({case.suite for case in some}) > 1 for some in suites.values())


def _apart(cases: Sequence[DraftCase]) -> Callable[[DraftCase], str]:
    """What tells the cases of a column apart that state the same: nothing, their suites, or their places."""
    ways: tuple[Callable[[DraftCase], str], ...] = (
        lambda case: "",
        lambda case: case.suite,
        lambda case: case.place.rpartition("/")[2],
        lambda case: case.place,
    )
    keys = [[(way(case), *case.case.items()) for case in cases] for way in ways]
    return next((way for way, said in zip(ways, keys, strict=True) if len(set(said)) == len(cases)), _first_log)


def _first_log(case: DraftCase) -> str:
    return case.logs[0].path


def _by(cases: Sequence[DraftCase], key: Callable[[DraftCase], str]) -> dict[str, list[DraftCase]]:
    found: dict[str, list[DraftCase]] = {}
    for case in cases:
        found.setdefault(key(case), []).append(case)
    return found


def _names(titles: Sequence[str]) -> Iterator[str]:
    """A name for each heading, of the letters that a bare key of TOML may have; no two are alike."""
    taken = set[str]()
    for title in titles:
        name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:LONGEST_NAME].strip("_") or "column"
        tries = (name if number == 1 else f"{name}_{number}" for number in count(1))
        taken.add(found := next(tried for tried in tries if tried not in taken))
        yield found
