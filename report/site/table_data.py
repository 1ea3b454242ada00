"""Tables to take along: numbers as CSV and JSON, one line a number, in neutral words and plain digits."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parsers.runs.record_file import no_formula

from ..charts.page_charts import chart_name
from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..evidence.circumstances import CIRCUMSTANCES, TO, circumstances, of_cell
from ..evidence.quotient import SCALED
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..pagefile.page import CellPlace, Page, Table
from ..wording.markdown import seen

AXES = ("device", "nodes", "cards", "precision", "batch_size")


def data_name(page: str, number: int, table: Table, kind: str) -> str:
    """The file of a table, the ``number``-th of its page from 1; ``kind``: csv or json."""
    return f"data/{page}.{chart_name(number, table)}.{kind}"


def data_files(
    name: str, page: Page, cells: Sequence[Cell], addresses: Mapping[Cell, str]
) -> Iterator[tuple[str, str]]:
    """The names and the texts of the files of all tables of a page.

    ``name``: that of the page file. ``cells``: those of the page. ``addresses``: those of the evidence of numbers.
    """
    for number, table in enumerate(page.tables, 1):
        placed = [one for one in zip(page.places(), cells, strict=True) if one[0].table is table]
        rows = _without_unknown([_row(name, page, place, cell, addresses.get(cell, "")) for place, cell in placed])
        yield data_name(name, number, table, "csv"), _csv(rows)
        yield data_name(name, number, table, "json"), json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _row(name: str, page: Page, place: CellPlace, cell: Cell, address: str) -> dict[str, Any]:
    titles = (written(page, place.table, place.row, raw) for raw in (place.row.group, place.row.title))
    where = dict(zip(("group", "row"), map(seen, titles), strict=True))
    told = of_cell(cell)
    return {
        "page": name,
        "table": seen(place.table.name),
        **where,
        "column": seen(cell.column),
        **{axis: cell.stated.get(axis) for axis in AXES},
        "quantity": cell.shown.quantity.name,
        "printed": cell.digits,
        "value": cell.value,
        "unit": cell.shown.unit,
        "quoted": cell.rests_on_quotes,
        "stated": str(cell.qualifier) if cell.qualifier else "",
        **{name: seen(told.get(name, "")) for name in CIRCUMSTANCES},
        "date": told.get("date", "").partition(TO)[0],
        "missing": seen(str(cell.reason)) if cell.reason and not cell.digits else "",
        "evidence": address,
    }


def _without_unknown(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without the circumstances that no log of their table states."""
    unknown = [name for name in CIRCUMSTANCES if not any(row[name] for row in rows)]
    return [{name: value for name, value in row.items() if name not in unknown} for row in rows]


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(map(_plain, row.values()) for row in rows)
    return file.getvalue()


def _plain(value: Any) -> Any:
    """A value as a field of CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    return no_formula(value) if isinstance(value, str) else value


def compared(page: Page, table: Table, cells: Sequence[Cell]) -> dict[str, Any] | None:
    """What a reader's comparison of two columns, or of two runs, needs; None for a table with no two of either.

    ``columns``: the places of columns of throughputs, from 0. ``rows``: for each row and each of them the unrounded
    value, the batch size and the precision of the log, and whether it has as many cards as its label says; null where
    there is no number. ``runs``: of each run the row and the column among ``columns`` of its number, which of how many
    it is, its digits, the same four values, its day and the version of its framework.
    """
    columns = [at for at, column in enumerate(table.columns) if column.quantity.is_throughput]
    own = [cell for place, cell in zip(page.places(), cells, strict=True) if place.table is table]
    width = len(table.columns)
    rows = [[own[start + at] for at in columns] for start in range(0, len(own), width)]
    placed = [(number, at, cell) for number, row in enumerate(rows) for at, cell in enumerate(row)]
    runs = [[number, at, *run] for number, at, cell in placed for run in _runs(cell)]
    if len(columns) < 2 and len(runs) < 2:
        return None
    return {"columns": columns, "rows": [[_comparable(cell) for cell in row] for row in rows], "runs": runs}


def _comparable(cell: Cell) -> list[Any] | None:
    return [cell.value, *_size(cell)] if cell.value else None


def _size(cell: Cell) -> list[Any]:
    is_of_its_size = all(found.fact not in SCALED for found in cell.certain_disagreements)
    return [cell.stated.get("batch_size"), cell.stated.get("precision"), is_of_its_size]


def _runs(cell: Cell) -> Iterator[list[Any]]:
    protocol = cell.shown.printing(cell.protocol or Protocol())
    for number, proof in enumerate(cell.proofs if cell.value else (), 1):
        value, told = proof.measurement.value, circumstances(proof)
        said = [seen(told.get(name, "")) for name in ("date", "framework_version")]
        yield [number, len(cell.proofs), printed(value, protocol), value, *_size(cell), *said]
