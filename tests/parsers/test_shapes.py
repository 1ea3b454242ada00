"""Lines of one shape are equal but for digits that nothing tells apart, and are read as they would be alone."""

from pathlib import Path

import pytest

from parsers.grammar.format import load
from parsers.runs.reading import survey
from parsers.scanning.format_shapes import KnownShapes
from parsers.scanning.shapes import ALONE, MOST_PARTS, ShapeTable
from tests.parsers.shaped import found_in
from tests.parsers.toy_logs import step, write

GRAMMAR = """// Toy that tells digits apart

start: step_line

step_line: "step" step{"1"} "top1" loss | "step" step{"1"} "top5" throughput{samples, job, instant}

%import .vocabulary (step, loss, throughput, samples, job, instant, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""


def shapes(table: ShapeTable, text: bytes) -> list[int]:
    return [int(shape) for shape in table.lines(text).shapes]


def test_a_text_of_too_many_digits_that_matter_is_read_line_by_line(tmp_path: Path) -> None:
    grammar = GRAMMAR.replace('"top1" loss', '/[1-4]/ /[1-4]/ /[1-4]/ /[1-4]/ "top" loss').partition(" | ")[0]
    (tmp_path / "toy.lark").write_text(grammar + "\n" + GRAMMAR.partition("instant}")[2], encoding="utf-8")
    fmt = load(tmp_path / "toy.lark")
    digits = [f"{a} {b} {c} {d}" for a in range(5) for b in range(5) for c in range(5) for d in range(5)]
    text = "".join(f"step 7 {four} top 0.5\n" for four in digits).encode()
    assert shapes(KnownShapes([fmt]).table, text).count(ALONE) == 5**4 - MOST_PARTS
    assert len(list(found_in(fmt, text))) == 4**4


@pytest.mark.parametrize("count", [1, 3000])
def test_what_is_left_is_counted_by_sort_with_its_first_line(tmp_path: Path, count: int) -> None:
    noise = b"".join(b"shard %d of host is late\n" % number for number in range(count))
    (sort,) = survey(write(tmp_path, step(1), noise, step(2))).leftover.shapes
    assert (sort.count, sort.line, sort.text) == (count, 2, "shard 0 of host is late")


def test_a_broken_line_says_where_it_breaks(tmp_path: Path) -> None:
    broken = step(2).replace(b"images/s", b"furlongs")
    leftover = survey(write(tmp_path, step(1), broken)).leftover
    assert (leftover.broken, leftover.first_broken, [said.line for said in leftover.breaks]) == (1, 2, [2])


def test_what_is_left_is_the_same_after_other_logs_of_these_shapes(tmp_path: Path) -> None:
    text = b"".join((step(1), b"shard 7 is late\n", step(2).replace(b"images/s", b"furlongs"), b"shard 1 is ", step(3)))
    first, again = (survey(write(tmp_path, text)).leftover for _ in range(2))
    assert [sort.line for sort in first.shapes] == [2, 3] and first.broken == 1
    assert first == again


def test_all_records_that_are_torn_in_a_line_are_read_in_their_order(tmp_path: Path) -> None:
    glued = [b"torn " + b" | ".join(step(4 * line + part).rstrip(b"\n") for part in range(4)) for line in range(3)]
    records = survey(write(tmp_path, b"\n".join(glued) + b"\n")).records
    assert records["step"].tolist() == list(range(12))
    assert records["line"].tolist() == [1] * 4 + [2] * 4 + [3] * 4
