"""The index of a history: made of logs alone, quick to use again, and never believed where a log says otherwise."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from parsers.io.errors import WriteError
from report.comparing.history.indexed_runs import indexed_runs
from report.comparing.history.run_record import RunRecord, message_of
from tests.report.comparing.history.made_history import make_suite
from tests.report.comparing.made_sides import ENVIRONMENT, log_of

TIMES = (100.0, 101.0, 102.0)
LONG_AGO = 1_700_000_000


def indexed(suite: Path, *, file: str = "index.parquet") -> list[RunRecord]:
    return indexed_runs([suite], index=suite.parent / file)


def make_old(suite: Path) -> Path:
    """As if nothing had changed for long."""
    for path in suite.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return make_old(make_suite(tmp_path / "nightly", TIMES))


def log(suite: Path, number: int = 1) -> Path:
    return suite / "GPT-2" / str(number) / "train.log"


def replace_log(path: Path, time: float, when: float) -> None:
    """Another log of the same size."""
    text, size = log_of(time, steps=20, seed=99), path.stat().st_size
    path.write_bytes(text[:size].ljust(size, b"\n"))
    run = json.loads(path.with_name("run.json").read_text(encoding="utf-8"))
    os.utime(path, (when, when))
    assert run["log"]


def test_a_record_holds_what_a_log_and_its_run_json_say(suite: Path) -> None:
    first = indexed(suite)[0]
    assert (first.case, first.unit, first.scope, first.formats) == ("GPT-2", "tokens/s", "job", "nanogpt")
    assert first.throughput == pytest.approx(12 * 1024 / 0.1, rel=0.01)
    assert (first.began, first.commit) == ("2026-01-02T00:00:00.000000", f"{1:040x}")
    assert (first.first_step, first.last_step) == (3, 20)


def test_an_index_that_was_deleted_is_made_again_with_the_same_rows(suite: Path) -> None:
    records = indexed(suite)
    first = pyarrow.parquet.read_table(suite.parent / "index.parquet")
    (suite.parent / "index.parquet").unlink()
    assert indexed(suite) == records
    assert pyarrow.parquet.read_table(suite.parent / "index.parquet").equals(first)


def test_a_log_that_was_changed_just_before_the_index_was_written_is_read_again(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", TIMES)
    before, when = indexed(suite), log(suite).stat().st_mtime_ns
    replace_log(log(suite), 200, 0)
    os.utime(log(suite), ns=(when, when))
    assert indexed(suite)[0] != before[0]


def test_a_changed_run_json_is_read_again(suite: Path) -> None:
    indexed(suite)
    path = log(suite).with_name("run.json")
    run = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**run, "status": "failed"}), encoding="utf-8")
    first = indexed(suite)[0]
    assert first.throughput is None
    assert first.reason
    assert "failed" in str(message_of(first.reason))


def test_new_runs_are_added_and_those_that_are_gone_removed(suite: Path) -> None:
    indexed(suite)
    make_suite(suite, (100.0,), case="new")
    (suite / "GPT-2/3").rename(suite.parent / "gone")
    assert [run.path for run in indexed(suite)] == [f"{one}/train.log" for one in ("GPT-2/1", "GPT-2/2", "new/1")]


def test_an_index_that_somebody_changed_is_not_believed(suite: Path) -> None:
    before, file = indexed(suite), suite.parent / "index.parquet"
    table = pyarrow.parquet.read_table(file)
    at = table.column_names.index("throughput")
    changed = table.set_column(at, table.schema.field(at), [[1.0] * table.num_rows])
    pyarrow.parquet.write_table(changed, file)
    assert indexed(suite) == before


@pytest.mark.parametrize("kind", ["text", "table"])
def test_a_file_that_is_no_index_is_not_replaced(kind: str, suite: Path) -> None:
    file = suite.parent / "index.parquet"
    if kind == "text":
        file.write_text("mine", encoding="utf-8")
    else:
        pyarrow.parquet.write_table(pyarrow.table({"mine": [1]}), file)
    before = file.read_bytes()
    with pytest.raises(WriteError):
        indexed(suite)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "is_environment"),
    [
        ({"commit": "1" * 40, "repository": "https://example.org/a/other"}, True),
        ({"commit": "abcdef0" + "1" * 33, "repository": "https://example.org/a/other"}, False),
        ({"commit": "1" * 40, "repository": "https://example.org/a/My_Project.git"}, False),
    ],
)
def test_the_package_of_the_measured_code_is_no_environment(
    source: dict[str, Any], is_environment: bool, tmp_path: Path
) -> None:
    packages = {"my-project": "0.1.dev3+gabcdef0"}
    suite = make_suite(tmp_path / "a", (100.0,), environment={**ENVIRONMENT, "packages": packages}, source=source)
    (run,) = indexed(suite)
    assert ("environment.packages.my-project" in run.environment) == is_environment


@pytest.mark.parametrize(
    ("start", "began"),
    [
        ("2026-01-01T10:00:00+08:00", "2026-01-01T02:00:00.000000"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000000"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        (17, None),
    ],
)
def test_starts_are_in_universal_time(start: object, began: str | None, tmp_path: Path) -> None:
    (run,) = indexed(make_suite(tmp_path / "a", (100.0,), start=start))
    assert run.began == began
