"""What lies beside a log: its clock, telemetry and run.json."""

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.errors import LogError
from parsers.runs.reading import Reading, read
from parsers.runs.run_folder import LATER_COLUMNS, SCHEMA, TELEMETRY_COLUMNS
from parsers.runs.runfile import (
    ARRIVAL,
    Telemetry,
    arrivals,
    folders_below,
    run_file,
    sha256_of,
    telemetry,
)
from tests.parsers.ingesting import left_out, logs
from tests.parsers.run_folders import make_run, put_clock, put_gpu
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


HEAD = "line,time"
CLOCKS = {
    "": 1,
    "time,line": 1,
    "line\n1": 1,
    **{f"{HEAD}\n{row}": 2 for row in ("1,x", "1,", "1,nan", "1,1e300", "0,1", "1.5,1", "1,1\r1")},
    **{f"{HEAD}\n1,1\n{row}": 3 for row in ("2", "\n2,2", "2,2,2", "1,2")},
}


@pytest.mark.parametrize(("text", "line"), CLOCKS.items())
def test_a_broken_clock_is_an_error_that_names_file_and_line(text: str, line: int, tmp_path: Path) -> None:
    path = make_run(tmp_path, LINES)
    path.with_name("clock.csv").write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(LogError, match=re.escape(f"{tmp_path / 'clock.csv'}: line {line} ")):
        read(path, format=write_grammar(tmp_path, "toy"))


@given(st.sets(st.integers(1, 300), min_size=1), st.lists(st.integers(1, 400), min_size=1))
def test_a_line_arrives_with_the_last_row_that_begins_at_or_before_it(starts: set[int], lines: list[int]) -> None:
    rows = sorted(starts)
    found = arrivals(pd.DataFrame({"line": rows, "time": [at(start) for start in rows]}), np.array(lines))
    expected = [max((start for start in rows if start <= line), default=None) for line in lines]
    assert [None if np.isnat(time) else time for time in found] == [e if e is None else at(e) for e in expected]


OLD_COLUMNS = [name for name in TELEMETRY_COLUMNS if name not in LATER_COLUMNS]
ROW = "1935619200.123,0,97,30000,312.45,1980,2619,55"


def found(folder: Path, *rows: str) -> Telemetry | None:
    log = make_run(folder, b"a log\n")
    put_gpu(log, *rows)
    return telemetry(log, sha256_of(log))


def samples(folder: Path, *rows: str) -> pd.DataFrame:
    table = found(folder, *rows)
    assert table is not None
    return table.samples


def test_a_sample_has_its_line_and_all_that_the_card_tells(tmp_path: Path) -> None:
    (row,) = samples(tmp_path, ROW).to_dict("records")
    time = pd.Timestamp("2031-05-04 00:00:00.123")
    told = {name: value for name, value in row.items() if name not in LATER_COLUMNS}
    assert told == dict(zip(("line", *OLD_COLUMNS), (2, time, 0, 97, 30000, 312.45, 1980, 2619, 55), strict=True))


def test_a_file_of_this_version_has_further_columns(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    text = f"{','.join(TELEMETRY_COLUMNS)}\n{ROW},4,3,0,51200,2048,5,16,1,1200\n"
    log.with_name("gpu.csv").write_text(text, encoding="utf-8")
    told = telemetry(log, sha256_of(log))
    assert told is not None
    (row,) = told.samples.to_dict("records")
    assert [row[name] for name in LATER_COLUMNS] == [4, 3, 0, 51200, 2048, 5, 16, 1, 1200]


def test_a_value_that_a_card_cannot_tell_is_nan(tmp_path: Path) -> None:
    row = samples(tmp_path, "1935619200.123,0,,,,,,").iloc[0]
    assert row[list(TELEMETRY_COLUMNS[2:])].isna().all()


def test_a_run_without_telemetry_has_none(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    assert telemetry(log, sha256_of(log)) is None


def test_telemetry_beside_another_log_is_not_used(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    put_gpu(log, ROW)
    assert telemetry(log, "0" * 64) is None


BROKEN = ["x,0,97,1,1,1,1,5", "1935619200,,97,1,1,1,1,5", "1935619200,0,97", "1935619200,0,97,1,[N/A],1,1,5"]
BROKEN += [f"1935619200,{card},97,1,1,1,1,5" for card in (-1, 0.5)]


@pytest.mark.parametrize("row", BROKEN)
def test_broken_telemetry_is_an_error_that_names_file_and_line(row: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=re.escape(f"{tmp_path / 'gpu.csv'}: line 3 ")):
        found(tmp_path, ROW, row)


# What the first version wrote, its log aside.
OLDEST: dict[str, Any] = {
    "schema": 1,
    "suite": "cpu-demo",
    "case": {
        "model": "DeepLabV3P",
        "framework": "PaddleSeg",
        "nodes": 1,
        "cards": 1,
        "precision": "fp32",
        "batch_size": 2,
        "device": "CPU",
    },
    "repeat": 1,
    "recipe": "paddleseg_deeplabv3p",
    "command": ["bash", "launchers/paddleseg_deeplabv3p.sh"],
    "variables": {"REPO": "PaddleSeg", "NODES": "1", "CARDS": "1", "PRECISION": "fp32", "BATCH_SIZE": "2"},
    "environment": {
        "os": "Debian GNU/Linux 12 (bookworm)",
        "cpu": "AMD EPYC",
        "cores": 2,
        "memory_gib": 23.5,
        "python": "3.11.7",
        "packages": {"paddlepaddle": "2.6.2"},
        "gpus": [],
    },
    "source": {
        "repository": "https://github.com/PaddlePaddle/PaddleSeg",
        "commit": "d7975e7cb3b9102eae4eabcef5afb81b878473aa",
        "licence": "Apache-2.0",
    },
    "start": "2026-11-21T10:32:38+00:00",
    "end": "2026-11-21T10:33:06+00:00",
    "exit_status": 0,
    "status": "done",
}


def test_a_run_of_the_first_schema_is_read_and_ingested_with_all_that_it_says(tmp_path: Path) -> None:
    reading = read(make_run(tmp_path / "old/net/1", step(1), **OLDEST))
    assert (reading.facts["batch_size"].value, reading.facts["device"].value, reading.warnings) == (2, "CPU", ())
    logs(tmp_path / "logs", tmp_path / "old")
    (path,) = (tmp_path / "logs").glob("*/1/run.json")
    run = json.loads(path.read_text(encoding="utf-8"))
    assert run.items() >= {key: value for key, value in OLDEST.items() if key != "log"}.items()


def test_an_unknown_newer_schema_is_refused(tmp_path: Path) -> None:
    log = make_run(tmp_path, step(1), schema=SCHEMA + 1)
    with pytest.raises(LogError, match="schema 3"):
        read(log)


@pytest.mark.parametrize("schema", [0, -1, 2.5, True, "2", None, [2], {"a": 1}])
def test_a_schema_that_is_no_number_of_one_is_refused(tmp_path: Path, schema: object) -> None:
    log = make_run(tmp_path, step(1), schema=schema)
    with pytest.raises(LogError):
        run_file(log)


def test_a_log_whose_run_json_has_a_newer_schema_is_not_ingested(tmp_path: Path) -> None:
    make_run(tmp_path / "lab/net/1", step(1), schema=SCHEMA + 1)
    (reason,) = left_out(tmp_path / "logs", tmp_path / "lab").values()
    assert "schema 3" in reason


def test_below_a_folder_are_run_folders_and_files_but_nothing_hidden_linked_or_of_a_run(tmp_path: Path) -> None:
    make_run(tmp_path / "suite/case/1", LINES)
    for name in ("b.log", "a.log", ".hidden.log", ".folder/c.log", "suite/case/1/parts/d.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "linked").symlink_to(tmp_path / "suite")
    found = [(str(folder.relative_to(tmp_path)), names) for folder, names in folders_below(tmp_path)]
    assert found == [(".", ["a.log", "b.log"]), ("suite", []), ("suite/case", []), ("suite/case/1", None)]


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, listed = tmp_path / "locked", os.scandir
    locked.mkdir()

    def scandir(path: str) -> Any:
        if Path(path) == locked:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(LogError, match=re.escape(str(locked))):
        list(folders_below(tmp_path))
