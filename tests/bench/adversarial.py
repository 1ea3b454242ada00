"""Lines that repeat a fragment of a grammar, compared with golden logs; `make bench` runs it.

For each format, the time per byte of a line of 64 KiB that repeats fixed texts of its lines, holds a number of that
many digits, or repeats the beginning of a number, a time, a list or a rank prefix; as a multiple of the time per byte
of its golden logs.
"""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from parsers.grammar.format import METRICS, Format
from parsers.scanning.cascade import Cascade, of_kinds
from parsers.scanning.detection import formats
from parsers.scanning.judging import KnownShapes
from parsers.scanning.record_table import table
from parsers.scanning.source import clean
from tests.bench.speed import is_written, tell
from tests.parsers.golden_logs import LOGS
from tests.parsers.judging import found_in

SIZE = 64 << 10
LIMIT = 5.0
PATIENCE = 0.5  # seconds of CPU time, after which a text is given up
SHORTEST = 0.001
FRAGMENTS = (
    *(b"7", b"7 ", b"7:", b"7, ", b"00:00:00, ", b"2030-01-02 ", b"[", b"[1", b"[1] ", b"[1,0]<stdout>:"),
    *(b" ", b"a", b"a."),
)
_NUMBER = re.compile(rb"[0-9]++")


@dataclass(frozen=True)
class Hostile:
    """A line: what stands ``before``, the ``fragment`` that follows, over and over, and what stands ``after`` it."""

    fragment: bytes
    before: bytes = b""
    after: bytes = b""

    def line(self, size: int) -> bytes:
        """The line, of about so many bytes."""
        times = (size - len(self.before) - len(self.after)) // len(self.fragment) + 1
        return self.before + self.fragment * times + self.after + b"\n"


def hostile(fmt: Format) -> list[Hostile]:
    """All lines of a format that are tried."""
    return list(dict.fromkeys(_hostile(fmt)))


def _hostile(fmt: Format) -> Iterator[Hostile]:
    for line in known_lines(fmt):
        yield from (Hostile(b"7", line[: number.start()], line[number.end() :]) for number in _NUMBER.finditer(line))
        yield from (Hostile(fragment, b"", line) for fragment in FRAGMENTS)
    for variant in fmt.variants:
        texts = [literal.encode() for literal in variant.literals]
        for text in texts:
            yield Hostile(text)
            yield Hostile(text, b" ".join(texts))
        for one, other in pairwise(texts):
            yield Hostile(one + other)
            yield Hostile(one + b" " + other)
        yield Hostile(b" 1 ".join(texts))


def known_lines(fmt: Format) -> Iterator[bytes]:
    """The first line of each variant in the golden logs of a format."""
    known = set[int]()
    for log in _logs(fmt):
        text = clean(log.read_bytes())
        lines = text.split(b"\n")
        for number, variant in sorted(found_in(fmt, text), key=lambda found: found[0]):
            if id(variant) not in known:
                known.add(id(variant))
                yield lines[number - 1]


def _logs(fmt: Format) -> list[Path]:
    return [log for log in LOGS if log.parent.name == fmt.name]


def seconds(fmt: Format, text: bytes) -> float:
    """CPU time for a byte of a text, which is scanned as one block: the mean of so many scans that the clock can tell.

    Finds the lines of the text and makes columns of what they print; no shapes are known before.
    """
    start, times, taken = time.process_time(), 0, 0.0
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    with suppress(TimeoutError):
        while taken < SHORTEST:
            shapes = KnownShapes([fmt])
            cascade = Cascade([fmt], shapes)
            cascade.feed(shapes.table.lines(text))
            table(of_kinds(cascade.levels, METRICS))
            times, taken = times + 1, time.process_time() - start
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return (taken / times if times else PATIENCE) / len(text)


def _give_up(*_: object) -> None:
    raise TimeoutError


def beyond(fmt: Format) -> Iterator[tuple[float, str]]:
    """The lines of a format that take longer than they may, each time: how many times as long, and what they repeat."""
    text = b"".join(log.read_bytes() for log in _logs(fmt))
    text *= SIZE // len(text) + 1
    usual = min(seconds(fmt, text), seconds(fmt, text))
    for one in hostile(fmt):
        line = one.line(SIZE)
        if seconds(fmt, line) > LIMIT * usual and (now := min(seconds(fmt, line), seconds(fmt, line))) > LIMIT * usual:
            yield now / usual, f"{now / usual:8.1f} times, {fmt.name}: {one.before[:60]!r} + {one.fragment[:80]!r}"


def main() -> None:
    write = is_written(__doc__)
    signal.signal(signal.SIGVTALRM, _give_up)
    found = sorted((one for fmt in formats() for one in beyond(fmt)), reverse=True)
    lines = sum(len(hostile(fmt)) for fmt in formats())
    said = f"{lines} lines of {len(formats())} formats, {len(found)} of them beyond {LIMIT:g} times."
    worst = "\n".join(["```text", *(text for _, text in found[:20]), "```"]) if found else None
    tell("## Hostile lines", __doc__, said, worst, write=write)


if __name__ == "__main__":
    main()
