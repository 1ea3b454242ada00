"""What the processes of a job take on all of its nodes together, from the samples of each."""

from __future__ import annotations

import csv
from bisect import bisect
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path

from parsers.io.atomic_write import replace_file
from parsers.io.input_file import text_of
from parsers.runs.run_folder import PROCESS_COLUMNS

from ..machine import telemetry

_Row = list[float | None]
_HEAD = ",".join(PROCESS_COLUMNS)


def add_up(samples: Sequence[Path], out: Path) -> None:
    """Write the sums of what the nodes sampled into `out`, and remove their files.

    A moment is one of the first node, with the sample of each other node that is next to it; it is left out where one
    is further away than an interval. What one does not tell is not told of all. Where a node has no samples, there are
    no sums: they would pass for those of the job.
    """
    nodes = [_rows(path) for path in samples]
    if nodes and all(nodes):
        sums = (_sum(row, nodes[1:]) for row in nodes[0])
        lines = [",".join(map(_cell, enumerate(row))) for row in sums if row]
        replace_file(out, "".join(f"{line}\n" for line in [_HEAD, *lines]).encode())
    for path in samples:
        path.unlink(missing_ok=True)


def _rows(path: Path) -> list[_Row]:
    """The rows of a node; a last one that is cut, because the node was ended while it wrote, is left out."""
    found: list[_Row] = []
    with suppress(OSError):
        for cells in csv.reader(text_of(path, errors="replace").rpartition("\n")[0].splitlines()[1:]):
            with suppress(ValueError):
                row = [float(cell) if cell else None for cell in cells]
                if len(row) == len(PROCESS_COLUMNS) and row[0] is not None and _is_finite(row):
                    found.append(row)
    return sorted(found, key=_time)


def _is_finite(row: _Row) -> bool:
    return all(value is None or isfinite(value) for value in row)


def _sum(row: _Row, others: Sequence[list[_Row]]) -> _Row | None:
    together = [row, *(_next_to(_time(row), rows) for rows in others)]
    if any(abs(_time(one) - _time(row)) > telemetry.INTERVAL for one in together):
        return None
    columns = zip(*(one[1:] for one in together), strict=True)
    return [row[0], *(_added(values) for values in columns)]


def _added(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 3) if len(known) == len(values) else None


def _next_to(moment: float, rows: list[_Row]) -> _Row:
    at = bisect(rows, moment, key=_time)
    return min(rows[max(at - 1, 0) : at + 1], key=lambda row: abs(_time(row) - moment))


def _time(row: _Row) -> float:
    return row[0] or 0.0


def _cell(numbered: tuple[int, float | None]) -> str:
    column, value = numbered
    if value is None:
        return ""
    return f"{value:.3f}" if column == 0 else f"{value:.3f}".rstrip("0").rstrip(".")
