"""Logs that are still written: cut, renamed, replaced, and read line by line as they grow."""

import gzip
import lzma
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.io.errors import FormatError, LogError
from parsers.runs.growing import GrowingLog
from parsers.runs.reading import read
from parsers.scanning.tail import Change, Tail
from tests.parsers.golden_logs import GOLDEN, LOGS, name
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, steps, write

CARDS = b"Num GPUs 4\n"
WITHOUT_YEAR = GOLDEN / "oneflow_libai/bert.log"

# Formats of one line a record, whose logs are of one rank.
FORMATS = (
    "dllogger_mxnet",
    "dllogger_pytorch",
    "dllogger_tensorflow",
    "mmcv",
    "paddleclas",
    "paddleclas_static",
    "paddleseg",
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(tmp_path, b"one\n")


@pytest.fixture
def tail(log: Path) -> Iterator[Tail]:
    """The tail of a log whose first line was read."""
    with Tail(log) as tail:
        assert list(tail.pieces()) == [Change.FOUND, b"one\n"]
        yield tail


def append(log: Path, *lines: bytes) -> None:
    with log.open("ab") as file:
        file.writelines(lines)


def records(growing: GrowingLog) -> pd.DataFrame:
    """The records that have come since the last call."""
    return pd.concat([pd.DataFrame(), *(piece for piece in growing.news() if isinstance(piece, pd.DataFrame))])


def test_a_line_is_read_when_it_is_whole(log: Path, tail: Tail) -> None:
    append(log, b"tw")
    assert list(tail.pieces()) == []
    append(log, b"o\nthr")
    assert list(tail.pieces()) == [b"two\n"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from([b"a", b"\n", b"bc\nd", b"\r", b"\xff"])).map(b"".join)))
def test_however_a_log_is_written_all_its_whole_lines_are_read_once(tmp_path: Path, writes: list[bytes]) -> None:
    path = write(tmp_path)
    found = []
    with Tail(path) as tail:
        for data in writes:
            append(path, data)
            found += [piece for piece in tail.pieces() if isinstance(piece, bytes)]
    whole, newline, _ = b"".join(writes).rpartition(b"\n")
    assert b"".join(found) == whole + newline


def test_a_log_that_is_not_there_yet_is_found_later(tmp_path: Path) -> None:
    with Tail(tmp_path / "a.log") as tail:
        assert (list(tail.pieces()), tail.written) == ([], None)
        write(tmp_path, b"one\n", name="a.log")
        assert list(tail.pieces()) == [Change.FOUND, b"one\n"]


def test_a_log_that_was_cut_is_read_from_its_start(log: Path, tail: Tail) -> None:
    log.write_bytes(b"2\n")
    assert list(tail.pieces()) == [Change.TRUNCATED, b"2\n"]


def test_the_half_line_of_a_log_that_was_cut_is_forgotten(log: Path, tail: Tail) -> None:
    append(log, b"half")
    list(tail.pieces())
    log.write_bytes(b"2\n")
    assert list(tail.pieces()) == [Change.TRUNCATED, b"2\n"]


def test_the_gap_before_a_writer_that_keeps_its_place_is_no_line(log: Path, tail: Tail) -> None:
    with log.open("r+b") as writer:
        writer.seek(0, os.SEEK_END)
        os.truncate(log, 0)
        list(tail.pieces())
        writer.write(b"two\n")
    assert list(tail.pieces()) == [b"\0" * 4 + b"two\n"]


def test_the_rest_of_a_renamed_log_is_read_before_the_new_one(log: Path, tail: Tail) -> None:
    append(log, b"two\nhalf")
    log.rename(log.with_suffix(".1"))
    log.write_bytes(b"three\n")
    assert list(tail.pieces()) == [b"two\n", b"half", Change.ROTATED, b"three\n"]


def test_what_is_written_to_a_renamed_log_is_read_until_the_new_one_has_a_byte(log: Path, tail: Tail) -> None:
    old = log.rename(log.with_suffix(".1"))
    append(old, b"two\n")
    assert list(tail.pieces()) == [b"two\n"]
    log.touch()
    append(old, b"three\n")
    assert list(tail.pieces()) == [b"three\n"]


def test_the_rest_of_a_deleted_log_is_read_before_the_new_one(log: Path, tail: Tail) -> None:
    append(log, b"two\n")
    log.unlink()
    log.write_bytes(b"three\n")
    assert list(tail.pieces()) == [b"two\n", Change.REPLACED, b"three\n"]


def test_another_file_that_is_moved_to_the_name_replaces_the_log(log: Path, tail: Tail) -> None:
    write(log.parent, b"three\n", name="other").replace(log)
    assert list(tail.pieces()) == [Change.REPLACED, b"three\n"]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
def test_a_compressed_log_cannot_be_followed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = write(tmp_path, pack(b"one\n" * 99))
    with Tail(path) as tail, pytest.raises(LogError, match="is compressed; only plain text logs can be followed"):
        list(tail.pieces())


def test_a_folder_cannot_be_followed(tmp_path: Path) -> None:
    with Tail(tmp_path) as tail, pytest.raises(LogError, match="is not a regular file; only regular files"):
        list(tail.pieces())


def test_a_pipe_cannot_be_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Tail(tmp_path / "pipe") as tail, pytest.raises(LogError, match="is not a regular file; only regular files"):
        list(tail.pieces())


def test_a_binary_file_cannot_be_followed(tmp_path: Path) -> None:
    path = write(tmp_path, bytes(range(1, 256)) * 40)
    with Tail(path) as tail, pytest.raises(LogError, match="is a binary file"):
        list(tail.pieces())


@pytest.mark.parametrize("golden", [log for log in LOGS if log.parent.name in FORMATS], ids=name)
def test_a_log_gives_the_same_records_as_it_grows_as_when_it_is_done(golden: Path, tmp_path: Path) -> None:
    path, found = write(tmp_path, name=golden.name), []
    with GrowingLog(path) as growing:
        for line in golden.read_bytes().splitlines(keepends=True):
            append(path, line)
            found.append(records(growing))
    whole = read(golden)
    assert growing.format == whole.format
    now = pd.concat(found, ignore_index=True)
    pd.testing.assert_frame_equal(
        now[list(whole.records)], whole.records, check_dtype=False, check_categorical=False, check_exact=True
    )


def test_the_lines_before_the_first_metric_line_state_facts(tmp_path: Path) -> None:
    path = write(tmp_path, CARDS)
    with GrowingLog(path) as growing:
        assert (list(growing.news()), growing.format) == ([Change.FOUND], None)
        append(path, step(0))
        assert len(records(growing)) == 1
    assert growing.facts["cards"].value == 4


def test_lines_that_contradict_each_other_scale_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, step(0), CARDS)
    with GrowingLog(path) as growing:
        records(growing)
        append(path, b"Num GPUs 8\n")
        records(growing)
    assert "cards" not in growing.facts


def test_a_renamed_log_goes_on_with_its_format_and_facts(tmp_path: Path) -> None:
    path = write(tmp_path, CARDS, step(0))
    with GrowingLog(path) as growing:
        records(growing)
        path.rename(tmp_path / "old")
        write(tmp_path, step(1))
        assert records(growing)["line"].tolist() == [1]
    assert growing.facts["cards"].value == 4


def test_a_log_that_was_cut_is_that_of_another_run(tmp_path: Path) -> None:
    path = write(tmp_path, CARDS, step(0))
    with GrowingLog(path) as growing:
        records(growing)
        path.write_bytes(OTHER_NOISE)
        assert records(growing).empty
    assert (growing.format, dict(growing.facts), growing.lines) == (None, {}, 1)


def test_a_named_format_is_not_looked_for(tmp_path: Path) -> None:
    with GrowingLog(tmp_path / "none", format=FORMAT) as growing:
        assert growing.format is not None


def test_a_wrong_name_of_a_format_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="list the formats with `tachograph formats`"):
        GrowingLog(tmp_path / "none", format="nothing")


def peak(path: Path, count: int) -> int:
    """The most bytes that are held while so many new lines are read."""
    with GrowingLog(write(path.parent, *steps(100), name=path.name)) as growing:
        records(growing)
        append(path, *steps(count))
        tracemalloc.start()
        assert sum(len(piece) for piece in growing.news() if isinstance(piece, pd.DataFrame)) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


@pytest.mark.slow
def test_memory_is_steady_over_two_hundred_thousand_lines(tmp_path: Path) -> None:
    # Four blocks are enough to reach the level at which it stays.
    assert peak(tmp_path / "long", 200_000) < 1.25 * peak(tmp_path / "short", 50_000)


def test_a_log_whose_stamps_have_no_year_goes_on_over_new_year(tmp_path: Path) -> None:
    path, lines = write(tmp_path), WITHOUT_YEAR.read_bytes().splitlines(keepends=True)
    with GrowingLog(path) as growing:
        append(path, lines[0].replace(b"03/01", b"12/31"))
        before = records(growing)["time"].iloc[-1]
        append(path, lines[1].replace(b"03/01", b"01/01"))
        assert before < records(growing)["time"].iloc[-1] < before + pd.Timedelta(days=2)
