"""CSV of loggers of training: read by its header where that names steps and times, else refused with a reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run

ROWS = range(1, 30)


def shown(folder: Path, header: str, *rows: str) -> dict[str, Any]:
    table = folder / "metrics.csv"
    table.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", "--json", table).stdout)
    return found


TABLES = {
    "_step,_runtime,train/loss": [f"{10 * n},{2.5 * n},1.5" for n in ROWS],
    "_timestamp,train/loss,train/global_step": [f"{1900000000 + 2.5 * n},1.5,{10 * n}" for n in ROWS],
    "epoch,loss,lr,step,wall_time": [f"{n // 9},1.5,,{10 * n},{1900000000 + 2.5 * n:.2f}" for n in ROWS],
    ",step,tag,value,wall_time": [
        f"{n},{10 * n},{tag},1.5,{1900000000 + 2.5 * n}" for tag in ("a/b", "lr", "x") for n in ROWS
    ],
    "loss\ttime (s)\titer\tother": [f"1.5\t{2.5 * n}\t{10 * n}\tx y" for n in ROWS],
    "step,elapsed_sec,loss": [f"{10 * n},{2.5 * n},1.5" for n in ROWS],
    "time,logged at,step,loss": [
        f"{2500 * n},2031-01-02 03:{5 * n // 120:02d}:{5 * n // 2 % 60:02d},{10 * n},1.5" for n in ROWS
    ],
}


@pytest.mark.parametrize("header", TABLES)
def test_a_table_of_steps_and_times_gives_steps_a_second_by_the_clock(tmp_path: Path, header: str) -> None:
    found = shown(tmp_path, header, *TABLES[header])
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (pytest.approx(4, rel=0.01), "steps/s")
    assert "batch_unknown" in [one["code"] for one in found["diagnostics"]]


def test_rows_without_steps_or_times_do_not_count(tmp_path: Path) -> None:
    found = shown(tmp_path, "_step,_runtime,loss", *(f"{10 * n},{2.5 * n if n % 2 else ''},1.5" for n in ROWS))
    assert (found["throughput"]["value"], found["lines"]["matched"]) == (4, 15)


@pytest.mark.parametrize(("name", "unit"), [("time", 1000), ("elapsed", 1), ("wall_time", 1), ("timestamp", 1000)])
def test_a_time_whose_unit_nothing_shows_is_refused(tmp_path: Path, name: str, unit: int) -> None:
    found = shown(tmp_path, f"step,{name},loss", *(f"{n},{2 * unit * n},1.5" for n in ROWS))
    assert found["throughput"] is None
    assert any(f"column {name} has no unit; rename it {name}_s" in said for said in found["warnings"])


REFUSED = {
    "epoch,step,train_loss": "none of which is known to be a time",
    "epoch,accuracy,time": "none of which counts steps",
    "step,loss,time": "whose column time does not rise from row to row",
}


@pytest.mark.parametrize("header", REFUSED)
def test_a_table_of_a_training_without_a_clock_says_why_it_gives_no_number(tmp_path: Path, header: str) -> None:
    found = shown(tmp_path, header, *(f"{n},0.5,{1.5 + n % 2}" for n in ROWS))
    assert found["throughput"] is None
    assert any(REFUSED[header] in said for said in found["warnings"])


def test_a_table_of_anything_else_is_no_table_of_a_training(tmp_path: Path) -> None:
    found = shown(tmp_path, "step,time,temperature", *(f"{n},{2.5 * n},21.5" for n in ROWS))
    assert found["throughput"] is None


def test_the_grammar_of_a_table_reads_it_as_a_format(tmp_path: Path) -> None:
    shown(tmp_path, "_step,_runtime,loss", *(f"{n},{2.5 * n},1.5" for n in ROWS))
    assert run("format", tmp_path / "metrics.csv", "--out", tmp_path / "my.lark").returncode == 0
    found = json.loads(run("show", "--json", tmp_path / "metrics.csv", "--format", tmp_path / "my.lark").stdout)
    assert (found["format"], found["throughput"]["value"]) == ("my", 0.4)


def test_an_event_file_of_tensorboard_is_refused_with_the_way_to_make_it_a_table(tmp_path: Path) -> None:
    event = (
        b"\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\xc0\xff\x3f\x1c\x04\xdaA\x1a\rbrain.Event:2\x9c\x01\x02\x03" * 9
    )
    (tmp_path / "events.out.tfevents.1").write_bytes(event)
    said = run("show", tmp_path / "events.out.tfevents.1").stderr
    assert "is an event file of TensorBoard" in said
    assert "scalars.to_csv('scalars.csv')" in said


def test_the_times_of_single_steps_are_no_clock(tmp_path: Path) -> None:
    found = shown(tmp_path, "step,loss,time", *(f"{n},1.5,{0.2 + n / 1000}" for n in ROWS))
    assert found["throughput"] is None
