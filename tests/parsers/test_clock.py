"""The clock beside a log: when lines arrived that print no time themselves."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.errors import LogError
from parsers.runs.reading import Reading, read
from parsers.runs.side_files import ARRIVAL, arrivals
from tests.parsers.run_folders import make_run, put_clock
from tests.parsers.toy_logs import step, write_grammar

LINES = b"banner\ntoy 1 speed 2.5\ntoy 2 speed 2.5\ntoy 3 speed 2.5\n"


def at(second: float) -> np.datetime64:
    """A moment as the clock states it, in UTC."""
    return np.datetime64("2031-05-04T00:00:00", "us") + np.timedelta64(round(second * 1000), "ms")


def row(line: int, second: float) -> str:
    return f"{line},{1935619200 + second:.3f}"


def reading(folder: Path, *rows: str) -> Reading:
    path = make_run(folder, LINES)
    put_clock(path, *rows)
    return read(path, format=write_grammar(folder, "toy"))


def test_the_clock_tells_the_time_of_lines_that_print_none(tmp_path: Path) -> None:
    records = reading(tmp_path, row(1, 0), row(2, 5.123), row(3, 6), row(4, 7)).records
    assert records["time"].tolist() == [pd.Timestamp(at(second)) for second in (5.123, 6, 7)]


def test_a_log_that_prints_its_times_keeps_them(tmp_path: Path) -> None:
    path = make_run(tmp_path, step(1) + step(2))
    put_clock(path, row(1, 0))
    found = read(path)
    assert found.records["time"].dt.hour.tolist() == [9, 9]
    assert found.fields[("step", "time")] != ARRIVAL


def test_a_clock_of_another_log_is_not_used(tmp_path: Path) -> None:
    path = make_run(tmp_path, LINES)
    put_clock(path, row(1, 0))
    path.write_bytes(LINES + LINES)
    assert "time" not in read(path, format=write_grammar(tmp_path, "toy")).records


def test_a_clock_is_not_used_where_no_run_says_whose_it_is(tmp_path: Path) -> None:
    path = make_run(tmp_path, LINES)
    put_clock(path, row(1, 0))
    (tmp_path / "run.json").write_text(json.dumps({"case": {}}), encoding="utf-8")
    assert "time" not in read(path, format=write_grammar(tmp_path, "toy")).records


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (("1,x",), "line 2: time is 'x'; expected a number."),
        (("1,",), "line 2: time is ''; expected a number."),
        (("1,nan",), "line 2: time is 'nan'; expected a number."),
        (("1,1e300",), "line 2: time is '1e300'; expected a number."),
        (("1,1", "2"), "line 3 has one column; expected 2."),
        (("1,1", "", "2,2"), "line 3 has 0 columns; expected 2."),
        (("1,1", "2,2,2"), "line 3 has 3 columns; expected 2."),
        (("1,1", "1,2"), "line 3: line is 1; line numbers must be whole numbers, start at 1 or later and ascend."),
        (("0,1",), "line 2: line is 0; line numbers must be whole numbers, start at 1 or later and ascend."),
        (("1.5,1",), "line 2: line is 1.5; line numbers must be whole numbers, start at 1 or later and ascend."),
        (("1,1\r1",), "line 2 is not a valid table row"),
    ],
)
def test_a_broken_clock_is_an_error_that_names_file_and_line(rows: tuple[str, ...], said: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=re.escape(f"{tmp_path / 'clock.csv'}: {said}")):
        reading(tmp_path, *rows)


@pytest.mark.parametrize("text", ["", "time,line\n", "line\n1\n"])
def test_a_clock_with_another_head_is_an_error(text: str, tmp_path: Path) -> None:
    path = make_run(tmp_path, LINES)
    path.with_name("clock.csv").write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match=r"clock\.csv: line 1"):
        read(path, format=write_grammar(tmp_path, "toy"))


@given(st.sets(st.integers(1, 300), min_size=1), st.lists(st.integers(1, 400), min_size=1))
def test_a_line_arrives_with_the_last_row_that_begins_at_or_before_it(starts: set[int], lines: list[int]) -> None:
    rows = sorted(starts)
    found = arrivals(pd.DataFrame({"line": rows, "time": [at(start) for start in rows]}), np.array(lines))
    expected = [max((start for start in rows if start <= line), default=None) for line in lines]
    assert [None if np.isnat(time) else time for time in found] == [e if e is None else at(e) for e in expected]
