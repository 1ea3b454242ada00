"""Lines that repeat a fragment of a grammar, compared with golden logs; `make bench` runs it.

For each format, the time per byte of a line of 64 KiB that repeats fixed texts of its lines, holds a number of that
many digits, or repeats the beginning of a number, a time, a list or a rank prefix; as a multiple of the time per byte
of its golden logs.
"""

import argparse
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from parsers.grammar.format import METRICS, Format
from parsers.scanning.cascade import Cascade, of_kinds
from parsers.scanning.detection import formats
from parsers.scanning.format_shapes import KnownShapes
from parsers.scanning.record_table import table
from parsers.scanning.source import clean
from tests.bench.speed import DOCUMENT, write_section
from tests.parsers.golden_logs import LOGS
from tests.parsers.shaped import found_in

SIZE = 64 << 10
LIMIT = 5.0
BEST_OF = 2
PATIENCE = 0.5  # seconds of CPU time
SHORTEST = 0.001
SHOWN = 5
FRAGMENTS = (
    b"7",
    b"7 ",
    b"7:",
    b"7, ",
    b"00:00:00, ",
    b"2030-01-02 ",
    b"[",
    b"[1",
    b"[1] ",
    b"[1,0]<stdout>:",
    b" ",
    b"a",
    b"a.",
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


@dataclass(frozen=True)
class Outcome:
    """How many times as long a byte takes as usual, and as a line a quarter as long takes."""

    format: str
    hostile: Hostile
    ratio: float
    growth: float


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


def seconds(fmt: Format, text: bytes, best_of: int = BEST_OF) -> float:
    """CPU time for a byte of a text, which is scanned as one block; what takes many seconds is given up."""
    return min(_taken(fmt, text) for _ in range(best_of)) / len(text)


def _taken(fmt: Format, text: bytes) -> float:
    """CPU time of one scan, the mean of so many that the clock can tell."""
    start, times, taken = time.process_time(), 0, 0.0
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    with suppress(TimeoutError):
        while taken < SHORTEST:
            _read(fmt, text)
            times, taken = times + 1, time.process_time() - start
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return taken / times if times else PATIENCE


def _read(fmt: Format, text: bytes) -> None:
    """Find the lines of a text and make columns of what they print; no shapes are known before."""
    shapes = KnownShapes([fmt])
    cascade = Cascade([fmt], shapes)
    cascade.feed(shapes.table.lines(text))
    table(of_kinds(cascade.levels, METRICS))


def _give_up(*_: object) -> None:
    raise TimeoutError


def usual(fmt: Format) -> float:
    """CPU time for a byte of the golden logs of a format."""
    text = b"".join(log.read_bytes() for log in _logs(fmt))
    return seconds(fmt, text * (SIZE // len(text) + 1))


def outcomes(fmt: Format) -> Iterator[Outcome]:
    """The lines of a format that take longer than they may."""
    normal = usual(fmt)
    for one in hostile(fmt):
        if seconds(fmt, one.line(SIZE), 1) > LIMIT * normal:
            now = seconds(fmt, one.line(SIZE))
            if now > LIMIT * normal:
                growth = 4 * now / seconds(fmt, one.line(SIZE // 4))
                yield Outcome(fmt.name, one, now / normal, growth)


def told(fmt: Format, found: list[Outcome]) -> Iterator[str]:
    """What was found of one format, one line each; all that is beyond the limit is counted, the worst is shown."""
    yield f"{fmt.name}: {len(hostile(fmt))} lines, {len(found)} beyond {LIMIT:g} times"
    for one in found[:SHOWN]:
        text = f"{one.hostile.before[:60]!r} + {one.hostile.fragment[:80]!r}"
        yield f"  {one.ratio:8.1f} times, grows {one.growth:5.1f} fold: {text}"


def tried(names: list[str]) -> Iterator[tuple[Format, list[Outcome]]]:
    """The formats of these names, all by default, and what takes longer there than it may, the worst first."""
    for fmt in formats():
        if not names or fmt.name in names:
            found = sorted(outcomes(fmt), key=lambda outcome: -outcome.ratio)
            sys.stdout.write("".join(f"{line}\n" for line in told(fmt, found)))
            sys.stdout.flush()
            yield fmt, found


def summary(results: list[tuple[Format, list[Outcome]]]) -> str:
    """All results, as Markdown."""
    lines = sum(len(hostile(fmt)) for fmt, _ in results)
    beyond = [line for fmt, found in results if found for line in told(fmt, found)]
    count = sum(len(found) for _, found in results)
    shown = ["", "```text", *beyond, "```"] if beyond else []
    return "\n".join([f"{lines} lines of {len(results)} formats, {count} of them beyond {LIMIT:g} times.", *shown])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", help="formats to try; all by default")
    parser.add_argument("--write", action="store_true", help=f"write what was found of all into {DOCUMENT}, too")
    options = parser.parse_args()
    if options.write and options.formats:
        parser.error("--write is for all formats; name none.")
    signal.signal(signal.SIGVTALRM, _give_up)
    results = list(tried(options.formats))
    if options.write:
        write_section("## Hostile lines", f"{str(__doc__).strip()}\n\n{summary(results)}")


if __name__ == "__main__":
    main()
