"""The display of a look at a running job on a terminal."""

import time
from collections.abc import Iterator
from datetime import timedelta

from rich.console import Group

from parsers.console import Text

from .look import Look, place
from .terminal import bars


def view(look: Look) -> Group:
    """What is known now, to be shown in place of what was known before."""
    return Group(*_parts(look))


def _parts(look: Look) -> Iterator[Text]:
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


def _state(look: Look) -> str:
    name = look.log.format.name if look.log.format else "no known format yet"
    # The clock of a file server may be ahead.
    silent = timedelta(seconds=max(0, int(time.time() - (look.log.written or 0))))
    return f"{name} · {look.log.lines} lines · the last one came {silent} ago"
