"""Lines that processes wrote into each other: Lark says the same of them, and no number in them is one that was cut."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from parsers.grammar.format import METRICS, Format
from parsers.runs.reading import known_format
from parsers.scanning.judging import LineJudge, VariantSieve
from parsers.scanning.prefix import without_prefix
from tests.parsers.golden_logs import GOLDEN, every_golden_format
from tests.parsers.judging import compiled, judged, number_ends

SHAPES = 3
GLUED = 2  # of these, at every place of both
OTHERS = (
    b"[rank3]: UserWarning: late",
    b"[2031-02-03 04:05:06] INFO saved",
    b"WARNING:root:late",
    b"Loading extension",
)
NUMBERS = {"throughput", "mean_throughput", "step_time", "mean_step_time", "throughput_time", "step_rate", "duration"}


def lines(fmt: Format) -> list[bytes]:
    """A golden metric line of each shape of a format, by the fields that it has, without prefix."""
    found: dict[object, bytes] = {}
    for log in sorted((GOLDEN / fmt.name).glob("*.log")):
        for line in dict.fromkeys(log.read_bytes().splitlines()):
            said = compiled(fmt, line)
            if said and said.kind in METRICS:
                found.setdefault((said.kind, *said.fields), without_prefix(line))
    return list(found.values())[:SHAPES]


def is_judged_alike(fmt: Format, line: bytes) -> bool:
    """Whether Lark takes a line where the compiled form does, with the same fields."""
    ours, judge = compiled(fmt, line), judged(fmt, line)
    return ours is judge if ours is None or judge is None else ours.agrees(judge)


@pytest.mark.slow
@every_golden_format
def test_lark_judges_lines_glued_at_every_place_as_the_compiled_form_does(folder: Path) -> None:
    fmt = known_format(folder.name)
    pairs = list(product(lines(fmt)[:GLUED], repeat=2))
    glued = [first[:end] + second for first, second in pairs for end in range(1, len(first) + 1)]
    glued += [first + second[start:] for first, second in pairs for start in range(1, len(second))]
    assert not [line for line in dict.fromkeys(glued) if not is_judged_alike(fmt, line)]


def read(fmt: Format, line: bytes) -> Iterator[tuple[str, str]]:
    """The numbers that the scanner reads in a line, which may be torn, by name."""
    metrics = tuple(variant for variant in fmt.variants if variant.record in METRICS)
    judge = LineJudge(line + b"\n", np.zeros(1, np.int64))
    for hit in (hit for hits in judge.hits(VariantSieve(metrics)).values() for hit in hits):
        for field, (start, end) in zip(hit.variant.groups, hit.groups[1:], strict=True):
            if start < end:
                yield field.name, judge.text[start:end].decode()


def whole_numbers(fmt: Format, *lines: bytes) -> set[tuple[str, str]]:
    """The numbers of whole lines, by name."""
    said = filter(None, (compiled(fmt, line) for line in lines))
    return {(name, text) for verdict in said for name, texts in verdict.fields.items() for text in texts}


def is_cut(name: str, text: str, whole: set[tuple[str, str]]) -> bool:
    """Whether a number is the beginning of one that stands in a whole line, and none of these itself."""
    return (name, text) not in whole and any(n == name and known.startswith(text) for n, known in whole)


@every_golden_format
def test_no_number_is_read_that_the_whole_line_of_another_process_cut(folder: Path) -> None:
    fmt, cut = known_format(folder.name), []
    for first, second in product(lines(fmt), (*lines(fmt), *OTHERS)):
        whole = whole_numbers(fmt, first, second)
        for end in number_ends(first):
            line = first[:end] + second
            cut += [(line, *number) for number in read(fmt, line) if number[0] in NUMBERS and is_cut(*number, whole)]
    assert not cut
