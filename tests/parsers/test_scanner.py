"""Shapes of lines: blocks hold of a format what the compiled form finds in them line by line."""

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.grammar.expression import masked, telling_places, tells_digits
from parsers.grammar.format import Format
from parsers.scanning.detection import formats
from parsers.scanning.judging import VariantSieve
from parsers.scanning.prefix import line_pattern, without_prefix
from parsers.scanning.source import clean
from tests.parsers.golden_logs import LOGS
from tests.parsers.shaped import found_in, judge, told

DIGIT = re.compile(rb"[0-9]")


# Records of several lines have tests of their own.
def of_lines() -> list[Format]:
    return [fmt for fmt in formats() if not any(variant.spans for variant in fmt.variants)]


SOME_FORMAT = st.deferred(lambda: st.sampled_from(of_lines()))


def is_torn(fmt: Format, line: bytes) -> bool:
    return any(hit.is_torn for hits in judge(line + b"\n").hits(VariantSieve(fmt.variants)).values() for hit in hits)


@cache
def pool(fmt: Format) -> list[bytes]:
    """The golden lines of a format, also with a prefix; lines that ran together are a matter of their own."""
    logs = [log for log in LOGS if log.parent.name == fmt.name]
    lines = [
        line for log in logs for line in log.read_bytes().split(b"\n") if not is_torn(fmt, line) and b"\r" not in line
    ]
    return [*lines, *(b"[1,3]<stdout>:" + line for line in lines)]


def line_by_line(fmt: Format, lines: list[bytes]) -> set[tuple[int, int]]:
    """Physical number, and place among the variants, of each line that the compiled form matches."""
    patterns = [line_pattern(variant) for variant in fmt.variants]
    screen = [(n, without_prefix(part)) for n, line in enumerate(lines, 1) for part in clean(line).split(b"\r")]
    return {(number, i) for number, part in screen for i, pattern in enumerate(patterns) if pattern.fullmatch(part)}


def some_blocks(fmt: Format) -> st.SearchStrategy[list[list[bytes]]]:
    return st.lists(st.lists(st.sampled_from(pool(fmt)), min_size=1, max_size=40), min_size=1, max_size=6)


def in_blocks(fmt: Format, blocks: list[list[bytes]]) -> list[tuple[int, int]]:
    places = {id(variant): i for i, variant in enumerate(fmt.variants)}
    found = found_in(fmt, *(b"\n".join(block) + b"\n" for block in blocks))
    return [(number, places[id(variant)]) for number, variant in found]


@settings(max_examples=200)
@given(data=st.data())
def test_blocks_hold_what_their_lines_hold(data: st.DataObject) -> None:
    fmt = data.draw(SOME_FORMAT)
    blocks = data.draw(some_blocks(fmt))
    assert set(in_blocks(fmt, blocks)) == line_by_line(fmt, [line for block in blocks for line in block])


def test_a_line_in_many_blocks_is_found_once_in_each() -> None:
    for fmt in of_lines():
        line = next(line for line in pool(fmt) if line_by_line(fmt, [line]) and b"\r" not in line)
        assert [number for number, _ in in_blocks(fmt, [[line] * 3] * 4)] == list(range(1, 13)), fmt.name


def telling(fmt: Format, line: bytes) -> list[int]:
    return [place for variant in fmt.variants if tells_digits(variant) for place in telling_places(variant, line)]


@settings(max_examples=200)
@given(data=st.data())
def test_digits_that_no_variant_tells_apart_change_nothing(data: st.DataObject) -> None:
    fmt = data.draw(SOME_FORMAT)
    line = data.draw(st.sampled_from(pool(fmt)))
    kept = set(telling(fmt, masked(line)))
    digits = data.draw(st.lists(st.sampled_from(b"0123456789"), min_size=len(line), max_size=len(line)))
    other = bytes(
        new if DIGIT.match(bytes([old])) and i not in kept else old
        for i, (old, new) in enumerate(zip(line, digits, strict=True))
    )
    hits, others = (told(judge(text + b"\n").hits(VariantSieve(fmt.variants)).get(0, [])) for text in (line, other))
    assert hits == others
