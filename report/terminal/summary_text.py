"""A summary of a log for the terminal, with a small plot of how steady its throughput is."""

from collections.abc import Iterator
from io import StringIO

import numpy as np
from rich.console import RenderableType
from rich.table import Table

from parsers.io.console import Console, Text
from parsers.io.lazy import pd
from parsers.io.message import counted

from ..evidence.log_summary import Summary
from ..measuring.crosscheck import Check
from ..measuring.number import printed
from ..measuring.statistic import median
from ..wording.words import whose

BARS = "▁▂▃▄▅▆▇█"
PLOT_WIDTH = 60
SHAPES_SHOWN = 8


def shown(summary: Summary, *, colour: bool) -> str:
    """A summary as text; long lines are left to the terminal, so that what is copied from it is whole."""
    page = StringIO()
    console = Console(page, force_terminal=colour, color_system="standard" if colour else None)
    for part in _parts(summary):
        console.print(part, soft_wrap=True)
    return page.getvalue()


def _parts(summary: Summary) -> Iterator[RenderableType]:
    reading, account = summary.reading, summary.reading.account
    yield Text(reading.path, style="bold")
    names = " and ".join(part.format.name for part in reading.parts if part.format)
    name = "no known format" if summary.is_drafted else names or "no known format"
    yield Text(f"{name} · {reading.bytes} bytes · sha256 {reading.sha256}")
    yield _facts(summary)
    yield _throughput(summary)
    yield from (_check(check) for check in summary.checks)
    plot = steadiness(summary)
    if plot:
        yield Text(plot)
    yield Text(
        f"lines: {account.total} = {account.matched} matched + {account.ignored} ignored"
        f" + {account.unrecognised} unrecognised"
    )
    yield from _unrecognised(summary)
    for found in summary.leftover.breaks:
        yield from (Text(line, style="yellow") for line in f"broken: {found}".split("\n"))
    yield from (Text(f"warning: {warning}", style="yellow") for warning in summary.warnings)


def _facts(summary: Summary) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, fact in summary.reading.facts.items():
        table.add_row(Text(name), Text(str(fact.value)), Text(str(fact.source), style="dim"))
    for name, value, witness in summary.observed.rows():
        table.add_row(Text(name), Text(value), Text(witness, style="dim"))
    return table


def _throughput(summary: Summary) -> Text:
    if summary.measurement is None:
        return Text(f"no throughput: {summary.reason}", style="red")
    found = summary.measurement
    number = f"{printed(found.value, summary.protocol)} {found.unit}"
    lines = f"lines {found.lines[0]} to {found.lines[-1]}" if len(found.lines) > 1 else f"line {found.lines[0]}"
    where = f"{whose(found.scope)}, from {counted(found.records_used, 'record')} in {lines}"
    return Text.assemble((number, "bold green"), f"{where}, by {summary.protocol.words()}")


def _check(check: Check) -> Text:
    found = check.measurement
    return Text(
        f"  {found.value:.6g} {found.unit}, {check.ratio:.3f}× (protocol: {found.protocol.words()})", style="dim"
    )


def steadiness(summary: Summary) -> str:
    """The throughput (or time of a step) of the records over the run as a line of bars, with its range."""
    records, kind = summary.part.records, summary.protocol.records
    steps = records[records["record"] == kind]
    column = next((name for name in ("throughput", "step_time") if name in steps), "")
    values = steps[column].dropna().to_numpy(float) if column else np.zeros(0)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return ""
    field = summary.part.fields[(kind, column)]
    return bars(values, f"{field.unit}/s{whose(field.scope)}" if column == "throughput" else str(field.unit))


def bars(values: np.ndarray[tuple[int], np.dtype[np.float64]], unit: str, *, is_printed: bool = True) -> str:
    """Numbers, printed or computed, in their order as a line of bars, with their range and median in a unit."""
    drawn = "".join(BARS[level] for level in _levels(values))
    how = "printed" if is_printed else "computed"
    return f"{how} values {drawn} {values.min():g} to {values.max():g} {unit}, median {median(values):g}"


def _levels(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    """Heights from 0 to 7 of at most so many bars, each the mean of its share of the values."""
    values = values / (np.abs(values).max() or 1)  # sums of the largest numbers are none
    shares = pd.Series(values).groupby(np.arange(len(values)) * PLOT_WIDTH // max(len(values), PLOT_WIDTH)).mean()
    low, high = float(values.min()), float(values.max())
    return [int((share - low) / (high - low or 1) * (len(BARS) - 1)) for share in shares]


def _unrecognised(summary: Summary) -> Iterator[RenderableType]:
    found = summary.leftover
    for shape in found.shapes[:SHAPES_SHOWN]:
        yield Text(f"  {shape.count:>6} from line {shape.line}: {shape.text[:100]}", style="dim")
    more = sum(shape.count for shape in found.shapes[SHAPES_SHOWN:]) + found.more
    if more:
        yield Text(f"  {more:>6} other {'line' if more == 1 else 'lines'}", style="dim")
