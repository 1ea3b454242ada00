"""Records of several lines, such as the objects of a document in JSON."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.grammar.expression import compiled
from parsers.grammar.format import METRICS, Format, load
from parsers.runs.reading import Reading, read
from parsers.scanning.detection import formats
from parsers.scanning.format_shapes import KnownShapes
from parsers.scanning.judging import LineJudge, VariantSieve
from parsers.scanning.source import BLOCK, clean
from parsers.scanning.text import whole_records
from tests.parsers.golden_logs import GOLDEN

GRAMMAR = r"""// Toy of objects
//
// For tests.

start: step_line

step_line: "{" NEWLINE "\"step\":" step{"1"} "," NEWLINE _note? _speed NEWLINE "}" ","?
_speed: "\"speed\":" throughput{samples, job, instant}
_note: "\"note\":" /"[^"\n]*+"/ "," NEWLINE

%import .vocabulary (step, throughput, samples, job, instant, NEWLINE, BLANK)
%ignore BLANK
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Format:
    path = tmp_path_factory.mktemp("grammar") / "objects.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return load(path)


def record(number: int, note: str = "") -> bytes:
    said = f'    "note": "{note}",\n' if note else ""
    return f'  {{\n    "step": {number},\n{said}    "speed": {number}.5\n  }},\n'.encode()


def reading(folder: Path, fmt: Format, text: bytes) -> Reading:
    log = folder / "state.json"
    log.write_bytes(text)
    return read(log, format=fmt.path)


def test_a_record_has_the_number_of_its_first_line(tmp_path: Path, objects: Format) -> None:
    found = reading(tmp_path, objects, b"[\n" + record(1) + record(2, "x") + b"]\n")
    assert found.records["line"].tolist() == [2, 6]


def test_all_lines_of_a_record_are_accounted_for(tmp_path: Path, objects: Format) -> None:
    account = reading(tmp_path, objects, b"[\n" + record(1) + record(2, "x") + b"]\n").account
    assert (account.total, account.matched) == (11, 9)


def test_a_record_that_is_cut_off_is_not_read(tmp_path: Path, objects: Format) -> None:
    assert len(reading(tmp_path, objects, record(1) + record(2)[:-5]).records) == 1


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_records_at_the_ends_of_blocks_are_read_whole(tmp_path: Path, objects: Format, newline: bytes) -> None:
    count = 3 * BLOCK // len(record(1000))
    text = b"".join(record(number) for number in range(1000, 1000 + count))
    found = reading(tmp_path, objects, text.replace(b"\n", newline))
    assert found.records["step"].tolist() == list(range(1000, 1000 + count))
    assert found.account.unrecognised == 0


@settings(max_examples=50)
@given(st.lists(st.sampled_from([record(1), record(2, "x"), b"noise\n", b"{\n"]), max_size=12), st.data())
def test_blocks_that_end_with_records_are_the_same_text(
    objects: Format, parts: list[bytes], data: st.DataObject
) -> None:
    lines = b"".join(parts).splitlines(keepends=True)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=4)))
    ends = zip([0, *cuts], [*cuts, len(lines)], strict=True)
    blocks = [block for block in (b"".join(lines[a:b]) for a, b in ends) if block]
    known = KnownShapes([objects])
    befores = [b"".join(blocks[:number]).count(b"\n") for number in range(len(blocks))]
    shaped = map(known.table.lines, blocks, befores)
    assert b"".join(lines.data for lines in whole_records(shaped, [known.of(objects)])) == b"".join(blocks)


def test_lark_judges_a_record_of_several_lines_as_the_compiled_form_does(objects: Format) -> None:
    tree = objects.judge.parse(record(7, "x").decode().rstrip("\n"))
    assert [str(token) for token in tree.scan_values(lambda token: str(token) in ("7", "7.5"))] == ["7", "7.5"]


def test_a_long_line_without_a_record_makes_no_line_of_its_own(tmp_path: Path, objects: Format) -> None:
    text = record(1) + b'"note": "' + b"x" * (2 * BLOCK) + b'"\n' + record(2)
    found = reading(tmp_path, objects, text)
    assert (found.account.total, found.records["line"].tolist()) == (9, [1, 6])


SPANNING = [fmt for fmt in formats() if any(variant.spans for variant in fmt.variants)]
OF_FACTS = [fmt for fmt in SPANNING if all(variant.record == "fact" for variant in fmt.variants if variant.spans)]


@pytest.mark.parametrize("fmt", SPANNING, ids=lambda fmt: fmt.name)
def test_records_are_found_at_their_first_lines_as_if_they_were_looked_for_at_all_lines(fmt: Format) -> None:
    known = KnownShapes([fmt])
    for log in (GOLDEN / fmt.name).glob("*.log"):
        lines = known.table.lines(clean(log.read_bytes()))
        text = lines.joined(np.arange(len(lines)))[0].replace(b"\r", b"\n")
        found = {of.variant.source: of.first.tolist() for of in known.of(fmt).records(lines, np.arange(len(lines)))}
        for variant in (variant for variant in fmt.variants if variant.spans):
            everywhere = compiled(f"(?:(?<=\n)|\\A)(?:{variant.source})(?=\n|\\Z)".encode()).finditer(text)
            begins = [int(np.searchsorted(lines.starts, match.start(), side="right")) - 1 for match in everywhere]
            assert found.get(variant.source, []) == begins


@pytest.mark.parametrize("fmt", OF_FACTS, ids=lambda fmt: fmt.name)
def test_no_metric_line_may_begin_a_fact_of_several_lines(fmt: Format) -> None:
    known, metric = KnownShapes([fmt]), VariantSieve(variant for variant in fmt.variants if variant.record in METRICS)
    for log in (GOLDEN / fmt.name).glob("*.log"):
        lines = known.table.lines(clean(log.read_bytes()))
        rows = np.arange(len(lines))
        assert not known.of(fmt).begins(lines, rows)[list(LineJudge(*lines.joined(rows)).hits(metric))].any()
