"""Logs that are cut: hard-wrapped by a terminal, at their end, and records of several lines between blocks."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from parsers.grammar.expression import compiled
from parsers.grammar.format import METRICS, Format, load
from parsers.runs.reading import Reading, known_format, read, survey
from parsers.scanning.cascade import CutValue
from parsers.scanning.detection import formats
from parsers.scanning.judging import KnownShapes, LineJudge, VariantSieve
from parsers.scanning.source import clean
from parsers.scanning.text import BLOCK, LogText
from tests.parsers.golden_logs import GOLDEN, LOGS
from tests.parsers.toy_logs import write

TOY = """start: step_line | epoch_line | fact_line | event_line

step_line: "step" step{"1"} "loss" loss "s" step_time{seconds, instant}
    | "at" time{STAMP} "step" step{"1"}
    | "step" step{"1"} NEWLINE "took" step_time{seconds, instant}
    | "step" step{"1"} "after" elapsed{DURATION}
epoch_line: "epoch" epoch{"1"} "of" counted{"images"}
fact_line: "batch size:" batch_size
event_line: "saved" checkpoint{WORD}

%import .vocabulary (step, epoch, loss, step_time, seconds, instant, time, elapsed, counted, batch_size, checkpoint)
%import .vocabulary (STAMP, DURATION, WORD, NEWLINE, BLANK)
%ignore BLANK
"""
FIRST = b"step 1 loss 2.5 s 0.5\n"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.lark"
    path.write_text(TOY)
    return path


@pytest.mark.parametrize(
    ("last", "records", "cut"),
    [
        (b"step 2 loss 2.25 s 0.45", [{"step": 2, "loss": 2.25}], "step_time"),
        (b"step 2 loss 2.25 s 0.45 ", [{"step": 2, "loss": 2.25, "step_time": 0.45}], None),
        (b"step 2 after 1 days, 10:00", [{"step": 2}], "elapsed"),
        (b"at 2031-05-17 09:30:00 step 2", [], "step"),
        (b"step 2\ntook 0.45", [{"step": 2}], "step_time"),
        (b"step 2\rstep 3 loss 2.25 s 0.45", [], None),  # a drawing that goes on
        (b"epoch 2 of images", [{"epoch": 2}], "counted"),
        (b"batch size: 25", [], "batch_size"),
        (b"saved model", [], None),
    ],
)
def test_a_last_line_counts_but_for_the_value_with_which_it_ends(
    tmp_path: Path, toy: Path, last: bytes, records: list[dict[str, float]], cut: str | None
) -> None:
    reading = read(write(tmp_path, FIRST, last), format=toy)
    assert values(reading)[1:] == records
    assert reading.cut == (CutValue(2 + last.count(b"\n"), cut) if cut else None)
    assert ("batch_size" in reading.facts, len(reading.happened)) == (False, last.startswith(b"saved"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(log=st.sampled_from(LOGS), part=st.floats(0, 1))
@example(log=GOLDEN / "ssd_pytorch" / "chained.log", part=0.55)
def test_a_golden_log_cut_within_its_last_record_gives_no_value_that_the_whole_one_does_not(
    tmp_path: Path, log: Path, part: float
) -> None:
    text, start = up_to_last_record(log)
    at = max(1, start + round(part * (len(text) - start)))
    whole, cut = of_format(tmp_path, log, text + b"\n"), of_format(tmp_path, log, text[:at])
    known = set(whole.records["line"]) | {text[:start].count(b"\n") + 1}
    # A record that begins on a line before, which is whole, may be one that is told apart by what follows it.
    rows = [row for line, row in zip(cut.records["line"], values(cut), strict=True) if line in known]
    assert [row for row in rows if not any(row.items() <= other.items() for other in values(whole))] == []
    assert {(e.line, e.event) for e in cut.happened} <= {(e.line, e.event) for e in whole.happened}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(log=st.sampled_from(LOGS))
def test_a_golden_log_without_its_last_newline_loses_one_value_at_most(tmp_path: Path, log: Path) -> None:
    text, _ = up_to_last_record(log)
    whole, cut = of_format(tmp_path, log, text + b"\n"), of_format(tmp_path, log, text)
    pairs = list(zip(values(whole), values(cut), strict=False))  # ranks may print the same, so not as sets
    lost = [row for row, rest in pairs if row != rest] + values(whole)[len(pairs) :]
    left = [rest for row, rest in pairs if row != rest]
    if cut.cut is None or cut.cut.column in ("step", "epoch"):
        assert left == [] and len(lost) == (cut.cut is not None)
    else:
        # The time of a step that is the sum of two goes with either.
        gone = {name for row, rest in zip(lost, left, strict=True) for name in row.keys() - rest.keys()}
        assert gone <= {cut.cut.column, "step_time", "duration"} and len(lost) <= 1


def up_to_last_record(log: Path) -> tuple[bytes, int]:
    """The text of a log up to the end of its last record, without a newline, and where its last line starts."""
    lines = log.read_bytes().split(b"\n")
    table = read(log).parts[0].table
    last = int(table["line"][-1]) if len(table) else len(lines)
    text = b"\n".join(lines[:last]).rstrip(b"\r\n")
    return text, text.rfind(b"\n") + 1


def of_format(folder: Path, log: Path, text: bytes) -> Reading:
    return survey(write(folder, text), format=known_format(log.parent.name))


def values(reading: Reading) -> list[dict[str, Any]]:
    """What each record says; a text that is missing is empty."""
    rows = reading.records.drop(columns=["line", "record", "run", "rank"], errors="ignore").to_dict("records")
    return [{str(name): cell for name, cell in row.items() if not (pd.isna(cell) or cell == "")} for row in rows]


OBJECTS = r"""start: step_line

step_line: "{" NEWLINE "\"step\":" step{"1"} "," NEWLINE _note? _speed NEWLINE "}" ","?
_speed: "\"speed\":" throughput{samples, job, instant}
_note: "\"note\":" /"[^"\n]*+"/ "," NEWLINE

%import .vocabulary (step, throughput, samples, job, instant, NEWLINE, BLANK)
%ignore BLANK
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Format:
    path = tmp_path_factory.mktemp("grammar") / "objects.lark"
    path.write_text(OBJECTS, encoding="utf-8")
    return load(path)


def record(number: int, note: str = "") -> bytes:
    said = f'    "note": "{note}",\n' if note else ""
    return f'  {{\n    "step": {number},\n{said}    "speed": {number}.5\n  }},\n'.encode()


def reading(folder: Path, fmt: Format, text: bytes) -> Reading:
    log = folder / "state.json"
    log.write_bytes(text)
    return read(log, format=fmt.path)


LONG = b'"note": "' + b"x" * (2 * BLOCK) + b'"\n'


@pytest.mark.parametrize(
    ("text", "rows", "total", "matched"),
    [
        (b"[\n" + record(1) + record(2, "x") + b"]\n", [2, 6], 11, 9),
        (record(1) + record(2)[:-5], [1], 7, 4),  # cut off
        (record(1) + LONG + record(2), [1, 6], 9, 8),  # a long line without a record
    ],
    ids=["whole", "cut off", "a long line between"],
)
def test_a_record_has_the_number_of_its_first_line_and_all_its_lines_are_accounted_for(
    tmp_path: Path, objects: Format, text: bytes, rows: list[int], total: int, matched: int
) -> None:
    found = reading(tmp_path, objects, text)
    assert (found.records["line"].tolist(), found.account.total, found.account.matched) == (rows, total, matched)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_records_at_the_ends_of_blocks_are_read_whole(tmp_path: Path, objects: Format, newline: bytes) -> None:
    count = 3 * BLOCK // len(record(1000))
    text = b"".join(record(number) for number in range(1000, 1000 + count))
    found = reading(tmp_path, objects, text.replace(b"\n", newline))
    assert found.records["step"].tolist() == list(range(1000, 1000 + count))
    assert found.account.unmatched == 0


class InBlocks(LogText):
    """A log of these blocks."""

    first_block = b""

    def __init__(self, blocks: list[bytes]) -> None:
        super().__init__(Path("a.log"))
        self.data = lambda: iter(blocks)  # type: ignore[method-assign]


@settings(max_examples=50)
@given(st.lists(st.sampled_from([record(1), record(2, "x"), b"noise\n", b"{\n"]), max_size=12), st.data())
def test_blocks_that_end_with_records_are_the_same_text(
    objects: Format, parts: list[bytes], data: st.DataObject
) -> None:
    lines = b"".join(parts).splitlines(keepends=True)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=4)))
    ends = zip([0, *cuts], [*cuts, len(lines)], strict=True)
    blocks = [block for block in (b"".join(lines[a:b]) for a, b in ends) if block]
    shaped = InBlocks(blocks).blocks(KnownShapes([objects]), [objects])
    assert b"".join(lines.data for lines in shaped) == b"".join(blocks)


SPANNING = [fmt for fmt in formats() if any(variant.spans for variant in fmt.variants)]
OF_FACTS = [fmt for fmt in SPANNING if all(variant.record == "fact" for variant in fmt.variants if variant.spans)]


@pytest.mark.parametrize("fmt", SPANNING, ids=lambda fmt: fmt.name)
def test_records_are_found_at_their_first_lines_as_if_they_were_looked_for_at_all_lines(fmt: Format) -> None:
    known = KnownShapes([fmt])
    for log in (GOLDEN / fmt.name).glob("*.log"):
        lines = known.table.lines(clean(log.read_bytes()))
        text = lines.joined(np.arange(len(lines)))[0].replace(b"\r", b"\n")
        found = {of.variant.source: of.first.tolist() for of in known.of(fmt).records(lines)}
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
        assert not {*known.of(fmt).begins(lines).tolist()} & {*LineJudge(*lines.joined(rows)).hits(metric)}
