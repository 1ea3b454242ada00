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
    sha256_of,
    telemetry,
)
from tests.commandline import run
from tests.parsers.run_folders import left_out, logs, make_run, put_clock, put_gpu
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


def test_a_clock_or_telemetry_of_another_log_or_of_nobody_knows_which_is_not_used(tmp_path: Path) -> None:
    path, grammar = make_run(tmp_path, LINES), write_grammar(tmp_path, "toy")
    assert telemetry(path, sha256_of(path)) is None
    put_clock(path, row(1, 0))
    put_gpu(path, ROW)
    path.write_bytes(LINES + LINES)
    assert ("time" in read(path, format=grammar).records, telemetry(path, sha256_of(path))) == (False, None)
    (tmp_path / "run.json").write_text(json.dumps({"case": {}}), encoding="utf-8")
    assert "time" not in read(path, format=grammar).records


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


def test_a_sample_has_its_line_and_all_that_the_card_tells(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    later = (4, 3, 0, 51200, 2048, 5, 16, 1, 1200)
    rows = (f"{ROW},{','.join(map(str, later))}", f"1935619200.123,0{',' * (len(TELEMETRY_COLUMNS) - 2)}")
    text = "\n".join((",".join(TELEMETRY_COLUMNS), *rows, ""))
    log.with_name("gpu.csv").write_text(text, encoding="utf-8")
    told = telemetry(log, sha256_of(log))
    assert told is not None
    first, second = told.samples.to_dict("records")
    said = (2, pd.Timestamp("2031-05-04 00:00:00.123"), 0, 97, 30000, 312.45, 1980, 2619, 55, *later)
    assert first == dict(zip(("line", *OLD_COLUMNS, *LATER_COLUMNS), said, strict=True))
    assert np.isnan([second[name] for name in TELEMETRY_COLUMNS[2:]]).all()  # what a card cannot tell
    old = found(tmp_path, ROW)  # a file of an earlier version
    assert old is not None and len(old.samples) == 1


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


@pytest.mark.parametrize("schema", [SCHEMA + 1, 0, -1, 2.5, True, "2", None, [2], {"a": 1}])
def test_a_newer_schema_or_one_that_is_no_number_is_refused(tmp_path: Path, schema: object) -> None:
    log = make_run(tmp_path / "lab/net/1", step(1), schema=schema)
    with pytest.raises(LogError, match="schema"):
        read(log)
    assert left_out(tmp_path / "logs", tmp_path / "lab").keys() == {"train.log"}


def test_below_a_folder_are_run_folders_and_files_but_nothing_hidden_linked_or_of_a_run(tmp_path: Path) -> None:
    make_run(tmp_path / "suite/case/1", LINES)
    for name in ("b.log", "a.log", ".hidden.log", ".folder/c.log", "suite/case/1/parts/d.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "linked").symlink_to(tmp_path / "suite")
    found = [(str(folder.relative_to(tmp_path)), names) for folder, names in folders_below(tmp_path)]
    assert found == [(".", ["a.log", "b.log"]), ("suite", []), ("suite/case", []), ("suite/case/1", None)]


def test_folders_without_end_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "/".join("d" * 70)).mkdir(parents=True)  # Python has no end to go down into a thousand
    for command in (("scrub", tmp_path, "--out", tmp_path / "out"), ("audit", tmp_path)):
        done = run(*command)
        assert (done.returncode, done.stderr.count("\n"), "64 deep" in done.stderr) == (2, 1, True)


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
