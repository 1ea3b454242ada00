"""A look at a running job: its log is followed, and its throughput is shown as the records come."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import numpy as np
from rich.console import Group
from rich.live import Live

from parsers.io.console import Console, Text
from parsers.io.console import live as live_console
from parsers.io.message import Message
from parsers.io.printable import say
from parsers.runs.facts import Fact
from parsers.scanning.tail import Change

from ..measuring.number import printed
from ..measuring.protocol import Protocol
from .meter import Rate
from .progress import Point
from .snapshot import Snapshot, place
from .summary_text import bars


def view(look: Snapshot) -> Group:
    """What is known now, to be shown in place of what was known before."""
    return Group(*_parts(look))


def _parts(look: Snapshot) -> Iterator[Text]:
    yield Text(look.log.path, style="bold")
    if look.log.written is not None:
        yield Text(_state(look))
    if look.progress.all.count:
        last = look.progress.records.iloc[-1].to_dict()
        number = look.rate().words(float(look.progress.last[-1]), look.progress.protocol)
        yield Text.assemble((number, "bold green"), f" at {place(last)}")
        yield Text(look.result())
        yield Text(look.all())
        yield Text(bars(look.progress.last, look.progress.unit, is_printed=not look.progress.meter.is_computed))
    yield from (Text(remark, style="yellow") for remark in look.remarks())


def _state(look: Snapshot) -> str:
    name = look.log.format.name if look.log.format else "no known format yet"
    # The clock of a file server may be ahead.
    silent = timedelta(seconds=max(0, int(time.time() - (look.log.written or 0))))
    return f"{name} · {look.log.lines} lines · the last one came {silent} ago"


# A look at the file costs next to nothing, and a display that changes faster is hard to read.
LOOK_EVERY = 0.25

CHANGES = {
    Change.FOUND: "found.",
    Change.TRUNCATED: "was truncated; new lines are treated as another run.",
    Change.ROTATED: "was renamed; continuing with the new file of that name.",
    Change.REPLACED: "was replaced; the new file is treated as another run.",
}


def follow(log: Path, protocol: Protocol | None, given: tuple[Fact, ...], format_: str | None, as_json: bool) -> None:
    """Show the throughput of a growing log until Ctrl-C, and then in one line what was found.

    Without a protocol it is chosen as `show` does, by the first records that any allows. A terminal shows a display
    that changes. Elsewhere, and ``as_json``, each record that counts is a line of stdout, and what happens to the log
    is one of stderr. Raises ParserError when the log cannot be followed.
    """
    console = live_console()
    with Snapshot(log, protocol, given, format_) as look:
        with suppress(KeyboardInterrupt):
            if sys.stdout.isatty() and console.is_interactive and not as_json:
                _display(look, console)
            else:
                _print_lines(look, _as_json if as_json else _as_text)
        found = "; ".join([look.result().removesuffix("."), *([look.all()] if look.progress.all.count else [])])
        say(f"{log}: {found}", err=as_json)


def _display(look: Snapshot, console: Console) -> NoReturn:
    with Live(console=console) as live:
        while True:
            live.update(view(look))
            for piece in look.news():
                if isinstance(piece, Change) and piece is not Change.FOUND:
                    live.console.print(Text(_told(look, piece)), soft_wrap=True)
                live.update(view(look))
            time.sleep(LOOK_EVERY)


def _print_lines(look: Snapshot, write: Callable[[Snapshot, Rate, Point], str]) -> NoReturn:
    said: set[Message] = set()
    while True:
        for piece in look.news():
            if not isinstance(piece, Change):
                _print_points(look, piece, write)
            elif said or piece is not Change.FOUND:
                say(_told(look, piece), err=True)
                said.clear()
        for remark in set(look.remarks()) - said:
            say(f"{look.log.path}: {remark}", err=True)
            said.add(remark)
        time.sleep(LOOK_EVERY)


def _told(look: Snapshot, change: Change) -> str:
    return f"{look.log.path}: {CHANGES[change]}"


def _print_points(look: Snapshot, points: Iterator[Point], write: Callable[[Snapshot, Rate, Point], str]) -> None:
    if look.progress.all.count:
        rate = look.rate()
        for point in points:
            say(write(look, rate, point))


def _as_text(look: Snapshot, rate: Rate, point: Point) -> str:
    protocol = look.progress.protocol
    scaled = "" if rate.of(point.number) == point.number else f" ({point.number:.15g} {look.progress.unit} printed)"
    found = f"{place(point.fields)}: {rate.words(point.number, protocol)}{scaled}"
    return f"{found}, {protocol.statistic} of the last {point.records} {printed(rate.of(point.statistic), protocol)}"


def _as_json(look: Snapshot, rate: Rate, point: Point) -> str:
    fmt, statistic = look.log.format, look.progress.protocol.statistic
    counted = {name: point.fields.get(name) for name in ("epoch", "step")}
    found = {
        "log": str(look.log.path),
        "format": fmt.name if fmt else None,
        "line": point.fields["line"],
        "record": point.fields["record"],
        **{name: int(number) for name, number in counted.items() if number is not None and np.isfinite(number)},
        "printed": None if look.progress.meter.is_computed else point.number,
        "throughput": {"value": rate.of(point.number), "unit": rate.unit, "scope": rate.scope},
        "last": {"records": point.records, "statistic": statistic, "value": rate.of(point.statistic)},
    }
    return json.dumps(found, ensure_ascii=False)
