"""A log whose last line has no newline: the line counts, but for the value with which it ends."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.runs.reading import Reading, known_format, read, survey
from parsers.scanning.cascade import CutValue
from tests.parsers.golden_logs import LOGS
from tests.parsers.toy_logs import step, write

HEAD = """// Toy format
//
// For tests.

start: step_line | epoch_line | fact_line | event_line

"""
LINES = """step_line: "step" step{"1"} "loss" loss "s" step_time{seconds, instant}
    | "at" time{STAMP} "step" step{"1"}
    | "step" step{"1"} NEWLINE "took" step_time{seconds, instant}
    | "step" step{"1"} "after" elapsed{DURATION}
epoch_line: "epoch" epoch{"1"} "of" counted{"images"}
fact_line: "batch size:" batch_size
event_line: "saved" checkpoint{WORD}
"""
IMPORTED = """
%import .vocabulary (step, epoch, loss, step_time, seconds, instant, time, elapsed, counted, batch_size, checkpoint)
%import .vocabulary (STAMP, DURATION, WORD, NEWLINE, BLANK)
%ignore BLANK
"""
FIRST = b"step 1 loss 2.5 s 0.5\n"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.lark"
    path.write_text(HEAD + LINES + IMPORTED)
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


def test_a_count_that_is_cut_is_missing_as_in_any_other_line(tmp_path: Path) -> None:
    lines = [step(1), step(2), step(3, ips="123456.789").partition(b"789")[0]]
    table = read(write(tmp_path, *lines)).records
    assert table["step"].tolist() == [1, 2, 3]
    assert table["throughput"].isna().tolist() == [False, False, True]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(log=st.sampled_from(LOGS), part=st.floats(0, 1))
def test_a_golden_log_cut_within_its_last_record_gives_no_value_that_the_whole_one_does_not(
    tmp_path: Path, log: Path, part: float
) -> None:
    text, start = up_to_last_record(log)
    at = max(1, start + round(part * (len(text) - start)))
    whole, cut = of_format(tmp_path, log, text + b"\n"), of_format(tmp_path, log, text[:at])
    every = values(whole)
    assert [row for row in values(cut) if not any(row.items() <= other.items() for other in every)] == []
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
