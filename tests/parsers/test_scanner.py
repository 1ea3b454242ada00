"""The scanner finds in blocks, by marks and sweeps, what the compiled form finds line by line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.grammar.format import Format
from parsers.scanning.block import Block
from parsers.scanning.detection import formats
from parsers.scanning.matches import Found
from parsers.scanning.prefix import line_pattern, without_prefix
from parsers.scanning.scan import Scanner
from parsers.scanning.source import clean
from tests.parsers.golden_logs import LOGS

# Records of several lines have tests of their own.
OF_LINES = [fmt for fmt in formats() if not any(variant.spans for variant in fmt.variants)]
every_format = pytest.mark.parametrize("fmt", OF_LINES, ids=lambda fmt: fmt.name)


def is_torn(fmt: Format, line: bytes) -> bool:
    scanner = Scanner(fmt.variants)
    scanner.feed(line + b"\n")
    return bool(scanner.torn)


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


def scanned(fmt: Format, blocks: list[list[bytes]]) -> list[Found]:
    scanner = Scanner(fmt.variants)
    return [found for block in blocks for found in scanner.feed(b"\n".join(block) + b"\n")]


def in_blocks(fmt: Format, blocks: list[list[bytes]]) -> list[tuple[int, int]]:
    places = {id(variant): i for i, variant in enumerate(fmt.variants)}
    return [(n, places[id(found.variant)]) for found in scanned(fmt, blocks) for n in found.numbers.tolist()]


@pytest.mark.slow
@every_format
@settings(max_examples=50)
@given(data=st.data())
def test_blocks_hold_what_their_lines_hold(fmt: Format, data: st.DataObject) -> None:
    blocks = data.draw(some_blocks(fmt))
    assert set(in_blocks(fmt, blocks)) == line_by_line(fmt, [line for block in blocks for line in block])


@pytest.mark.slow
@every_format
@settings(max_examples=50)
@given(data=st.data())
def test_what_a_block_holds_of_a_variant_ascends(fmt: Format, data: st.DataObject) -> None:
    numbers = [found.numbers.tolist() for found in scanned(fmt, data.draw(some_blocks(fmt)))]
    assert numbers == [sorted(found) for found in numbers]


@every_format
def test_a_line_in_many_blocks_is_found_once_in_each(fmt: Format) -> None:
    line = next(line for line in pool(fmt) if line_by_line(fmt, [line]) and b"\r" not in line)
    assert [number for number, _ in in_blocks(fmt, [[line] * 3] * 4)] == list(range(1, 13))


@every_format
def test_the_rows_of_a_sweep_are_those_of_single_lines(fmt: Format) -> None:
    line = next(line for line in pool(fmt) if line_by_line(fmt, [line]) and b"\r" not in line)
    scanner = Scanner(fmt.variants)
    rows = [row for _ in range(3) for found in scanner.feed((line + b"\n") * 5) for row in found.rows]
    assert rows == rows[:1] * 15


@every_format
def test_the_total_is_the_number_of_physical_lines(fmt: Format) -> None:
    scanner = Scanner(fmt.variants)
    for block in (b"a\nb\n", b"c\rd\n", b"e"):
        scanner.feed(block)
    assert scanner.total == 4


@every_format
def test_a_look_for_the_first_lines_finds_some_where_there_are_any(fmt: Format) -> None:
    lines = [line for line in pool(fmt) if line_by_line(fmt, [line]) and b"\r" not in line]
    for line in (*lines[:3], b"", b"no line of any format"):
        found = {
            number
            for found in Scanner(fmt.variants).first(Block.after(0, line + b"\n"))
            for number in found.numbers.tolist()
        }
        assert bool(found) == bool(line_by_line(fmt, [line]))
