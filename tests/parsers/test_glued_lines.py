"""Lines that processes wrote into each other: Lark says the same of them, and no number in them is one that was cut."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.grammar.format import METRICS, Format
from parsers.scanning.detection import formats
from parsers.scanning.judging import LineJudge, VariantSieve
from parsers.scanning.prefix import without_prefix
from tests.parsers.golden_logs import LOGS
from tests.parsers.judging import compiled, judged
from tests.parsers.test_torn_numbers import number_ends

SHAPES = 3
OTHERS = (
    b"[rank3]: UserWarning: late",
    b"[2031-02-03 04:05:06] INFO saved",
    b"WARNING:root:late",
    b"Loading extension",
)
NUMBERS = {"throughput", "mean_throughput", "step_time", "mean_step_time", "throughput_time", "step_rate", "duration"}


def lines_by_format() -> dict[str, list[bytes]]:
    """Of each format a golden metric line of each shape, by the fields that it has, without prefix."""
    by_name = {fmt.name: fmt for fmt in formats()}
    found: dict[str, dict[object, bytes]] = {}
    for log in LOGS:
        for line in dict.fromkeys(log.read_bytes().splitlines()):
            said = compiled(by_name[log.parent.name], line)
            if said and said.kind in METRICS:
                shape = (said.kind, *said.fields)
                found.setdefault(log.parent.name, {}).setdefault(shape, without_prefix(line))
    return {name: list(shapes.values())[:SHAPES] for name, shapes in found.items()}


LINES = lines_by_format()
FORMATS = [fmt for fmt in formats() if fmt.name in LINES]
of_each = pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)


def is_judged_alike(fmt: Format, line: bytes) -> bool:
    """Whether Lark takes a line where the compiled form does, with the same fields."""
    ours, judge = compiled(fmt, line), judged(fmt, line)
    return ours is judge if ours is None or judge is None else ours.agrees(judge)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_lark_judges_two_lines_glued_anywhere_as_the_compiled_form_does(data: st.DataObject) -> None:
    fmt = data.draw(st.sampled_from(FORMATS))
    first, second = (data.draw(st.sampled_from(LINES[fmt.name])) for _ in range(2))
    end, start = data.draw(st.integers(0, len(first))), data.draw(st.integers(0, len(second)))
    assert is_judged_alike(fmt, first[:end] + second[start:])


@pytest.mark.slow
@of_each
def test_lark_judges_lines_glued_at_every_place_as_the_compiled_form_does(fmt: Format) -> None:
    pairs = list(product(LINES[fmt.name], repeat=2))
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


@of_each
def test_no_number_is_read_that_the_whole_line_of_another_process_cut(fmt: Format) -> None:
    cut = []
    for first, second in product(LINES[fmt.name], (*LINES[fmt.name], *OTHERS)):
        whole = whole_numbers(fmt, first, second)
        for end in number_ends(first):
            line = first[:end] + second
            cut += [(line, *number) for number in read(fmt, line) if number[0] in NUMBERS and is_cut(*number, whole)]
    assert not cut
