"""Bytes that real logs hold beside text do not change what is read."""

import re
from pathlib import Path

import pandas as pd
import pytest

from parsers.io.errors import WrappedError
from parsers.runs.reading import Reading, read
from report.results.measured_log import measured_log
from tests.parsers.golden_logs import SOME_LOGS, as_json
from tests.parsers.toy_logs import OTHER_NOISE, PACKERS, step, steps, write

every_packer = pytest.mark.parametrize("suffix", PACKERS)


def told(reading: Reading) -> list[list[object]]:
    return reading.records[["line", "step", "throughput"]].values.tolist()


def test_each_update_of_a_progress_bar_is_a_line_on_screen(tmp_path: Path) -> None:
    bar = b"\r 10%|#  |\r100%|###|" + b"\r" + step(2)
    assert told(read(write(tmp_path, step(1), bar, step(3)))) == [[1, 1, 1000.5], [2, 2, 1000.5], [3, 3, 1000.5]]


def test_updates_of_a_progress_bar_stay_in_their_order(tmp_path: Path) -> None:
    bars = [b"\r".join(line.rstrip() for line in steps(100)) + b"\n"] * 2
    summary = b"DLL 2031-05-17 09:30:00.000001 - () train_throughput : 1.5 images/s\n"
    records = read(write(tmp_path, bars[0], summary, bars[1])).records
    assert records["step"].dropna().tolist() == [*range(100), *range(100)]


def test_utf_16_ends_with_its_last_line(tmp_path: Path) -> None:
    reading = read(write(tmp_path, ("\ufeff" + step(1).decode()).encode("utf-16-le")))
    assert (reading.account.total, reading.warnings) == (1, ())


@every_packer
def test_a_packed_log_reads_as_the_plain_one(tmp_path: Path, suffix: str) -> None:
    for log in SOME_LOGS[::4]:
        packed = write(tmp_path, PACKERS[suffix](log.read_bytes()), name=f"{log.name}.{suffix}")
        assert as_json(read(packed)) == as_json(read(log))
        assert read(packed).fields == read(log).fields


@every_packer
def test_a_log_packed_in_two_pieces_reads_as_one(tmp_path: Path, suffix: str) -> None:
    pieces = [PACKERS[suffix](step(number)) for number in (1, 2)]
    assert [row[:2] for row in told(read(write(tmp_path, *pieces)))] == [[1, 1], [2, 2]]


def test_a_month_that_does_not_exist_is_no_time(tmp_path: Path) -> None:
    records = read(write(tmp_path, step(1).replace(b"2031-05", b"2031-13"), step(2))).records
    assert records["time"].isna().tolist() == [True, False]


def test_a_day_before_the_clocks_of_computers_is_a_time(tmp_path: Path) -> None:
    lines = [step(1).replace(b"2031", b"1000"), step(2).replace(b"2031-05-17", b"2031-02-30")]
    assert read(write(tmp_path, *lines)).records["time"].iloc[0] == pd.Timestamp("1000-05-17 09:30:01.000001")


def test_a_huge_step_number_is_kept_as_it_is(tmp_path: Path) -> None:
    assert read(write(tmp_path, step(2**53 - 1))).records["step"].tolist() == [2**53 - 1]


def test_a_step_number_beyond_exact_floats_is_no_integer(tmp_path: Path) -> None:
    assert read(write(tmp_path, step(2**53 + 1))).records["step"].dtype == "float64"


@pytest.mark.parametrize("before", [0, 1 << 20, (1 << 20) - 40])
def test_a_line_across_the_border_of_two_blocks_is_read_once(tmp_path: Path, before: int) -> None:
    filling = b"x" * max(0, before - 1) + b"\n"
    assert [row[:2] for row in told(read(write(tmp_path, filling, *steps(3))))] == [[2, 0], [3, 1], [4, 2]]


def test_a_large_log_reads_as_the_sum_of_its_lines(tmp_path: Path) -> None:
    lines = [line for number in range(30_000) for line in (step(number), OTHER_NOISE)]
    assert [row[:2] for row in told(read(write(tmp_path, *lines)))] == [[2 * n + 1, n] for n in range(30_000)]


def test_a_large_log_with_torn_lines_stays_in_order(tmp_path: Path) -> None:
    lines = [b"torn " * (number % 1000 == 500) + step(number) for number in range(40_000)]
    assert read(write(tmp_path, *lines)).records["line"].tolist() == list(range(1, 40_001))


@pytest.mark.parametrize("number", ["1e308", "1e999", "9" * 400, "nan", "0", "1e-320"])
def test_a_hostile_number_is_reported_in_sentences_and_in_no_warning_of_python(tmp_path: Path, number: str) -> None:
    for log in SOME_LOGS:
        hostile = re.sub(rb"(?<![0-9.])[0-9]+(?:\.[0-9]+)?", number.encode(), log.read_bytes())
        try:
            found = measured_log(write(tmp_path, hostile), format=log.parent.name)
        except WrappedError as error:  # with equal numbers, lines are of one length, as those that a terminal cut
            assert "its lines were cut at" in str(error)
        else:
            assert found.reason or found.measurement
