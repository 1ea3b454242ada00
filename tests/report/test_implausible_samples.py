"""Rows of telemetry that cannot be of their run are left out, and how many and where is told."""

import json
from pathlib import Path

import pytest

from tests.commandline import run
from tests.parsers.run_folders import make_run, put_clock, put_gpu

START = 1935619200
LOG = b"".join(b"step %d: loss 2.5, 1000 tokens/s\n" % step for step in range(1, 21))
SAID = {
    "start": "2031-05-04T00:00:00+00:00",
    "end": "2031-05-04T00:00:20+00:00",
    "environment": {"gpus": ["Example"], "gpu_memory_mib": [40000]},
}


def gpu_row(second: int = 0, memory: float = 30000, power: float = 300) -> str:
    return f"{START + second},0,97,{memory:g},{power:g},1980,2619,55"


def put(folder: Path, name: str, head: str, *rows: str) -> None:
    (folder / name).write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def made(folder: Path, *rows: str) -> Path:
    """A run of 20 seconds on one card, and what its card did."""
    log = make_run(folder, LOG, case={"cards": 1, "nodes": 1}, **SAID)
    put_clock(log, *(f"{line},{START + line - 1}.000" for line in range(1, 21)))
    put_gpu(log, *(gpu_row(second) for second in range(20)), *rows)
    return folder


def shown(folder: Path) -> tuple[dict[str, float], list[str]]:
    """What `show` gives of the telemetry of a run, and its warnings of rows that are left out."""
    told = json.loads(run("show", "--json", folder).stdout)
    values = {name: one["value"] for name, one in told["facts"].items()}
    return values, [one for one in told["warnings"] if "left out: " in one]


def test_all_rows_of_a_run_are_used(tmp_path: Path) -> None:
    values, warnings = shown(made(tmp_path))
    assert (values["peak_memory"], values["power"], warnings) == (30000, 300, [])


@pytest.mark.parametrize(
    "row",
    [
        gpu_row(9, memory=-1),
        gpu_row(9, power=-7),
        gpu_row(9, memory=90000),
        gpu_row(-3600, memory=35000),
        gpu_row(3600, memory=35000),
    ],
    ids=["memory below 0", "power below 0", "more memory than a card has", "before the run", "after the run"],
)
def test_a_row_of_a_card_that_cannot_be_of_the_run_is_left_out_and_its_line_told(row: str, tmp_path: Path) -> None:
    values, (warning,) = shown(made(tmp_path, row))
    assert (values["peak_memory"], values["power"]) == (30000, 300)
    assert "gpu.csv" in warning and "(lines 22)" in warning


def test_rows_of_the_processes_of_a_run_are_left_out_alike(tmp_path: Path) -> None:
    rows = [f"{START + second},1,1.0,500," for second in range(20)]
    put(made(tmp_path), "cpu.csv", "time,processes,load,memory,power", *rows, f"{START + 9},1,-1.0,900,")
    values, warnings = shown(tmp_path)
    assert (values["process_memory"], values["cpu_load"]) == (500, 1)
    assert ["cpu.csv" in said and "(lines 22)" in said for said in warnings] == [True]


def test_rows_are_not_held_against_what_run_json_does_not_say(tmp_path: Path) -> None:
    folder = made(tmp_path, gpu_row(3600, memory=90000))
    described = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    kept = {name: said for name, said in described.items() if name not in SAID}
    (folder / "run.json").write_text(json.dumps(kept), encoding="utf-8")
    values, warnings = shown(folder)
    assert (values["peak_memory"], warnings) == (90000, [])


def test_a_file_without_a_row_of_the_run_gives_no_number(tmp_path: Path) -> None:
    put_gpu(made(tmp_path) / "train.log", gpu_row(9, memory=-1))
    told = json.loads(run("show", "--json", tmp_path).stdout)
    assert "peak_memory" not in told["facts"]
