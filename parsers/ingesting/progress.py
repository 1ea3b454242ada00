"""Progress of long work: a line on standard error that says how far things are, only where that is a terminal."""

import time
from collections.abc import Iterable, Iterator

from rich.live import Live

from ..console import Text
from ..console import live as live_console
from .ingest import Event, Ingested

_TICK = 0.2  # seconds


def followed(events: Iterable[Event]) -> Iterator[Event]:
    """The same events, with a line below that counts them."""
    console = live_console(err=True)
    if not console.is_terminal:
        yield from events
        return
    logs, shown, start = 0, 0.0, time.monotonic()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for count, event in enumerate(events, 1):
            logs += isinstance(event, Ingested)
            if (now := time.monotonic()) - shown >= _TICK:
                shown = now
                live.update(_line(event, count, logs, now - start), refresh=True)
            yield event


def _line(event: Event, count: int, logs: int, seconds: float) -> Text:
    """How many files, how long, and the last of them."""
    name = event.found if isinstance(event, Ingested) else getattr(event, "name", "")
    elapsed = time.strftime("%H:%M:%S", time.gmtime(seconds))
    return Text(f"{logs} logs of {count} files  {elapsed}  {name}", style="bold", no_wrap=True, overflow="ellipsis")
