"""The programs that exports are for, each in an environment of its own, read them as their documentation says."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from report.rendering.exporting.metric import ExportedRun
from tests.report.conftest import Environment
from tests.report.exporting.exported import EXAMPLE, files

HERE = Path(__file__).parent
pytestmark = pytest.mark.slow


def write(folder: Path, made: dict[str, str]) -> None:
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_otava_finds_the_run_from_which_on_a_series_is_slower(environment: Environment, tmp_path: Path) -> None:
    speeds = [100 + 0.1 * (at % 3) for at in range(20)] + [90 + 0.1 * (at % 3) for at in range(20)]
    days = [f"2021-{1 + at // 20:02}-{1 + at % 20:02}T10:00:00" for at in range(40)]
    exhibits = EXAMPLE.runs[0].exhibits
    runs = [ExportedRun(f"{v:.2f}", v, day, exhibits) for v, day in zip(speeds, days, strict=True)]
    made = files("otava", replace(EXAMPLE, series='a "hostile", name\n', runs=tuple(runs)))
    write(tmp_path, made)
    (test,) = (name.removesuffix(".csv") for name in made if name.endswith(".csv"))
    done = subprocess.run(
        [environment("apache-otava") / "otava", "analyze", test, "--since=2020-01-01", "--output=json"],
        cwd=tmp_path,
        env={**os.environ, "OTAVA_CONFIG": str(tmp_path / "otava.yaml")},
        capture_output=True,
        text=True,
        check=True,
    )
    (changes,) = json.loads(done.stdout[done.stdout.index("{") :]).values()
    assert [(change["metric"], change["index"]) for one in changes for change in one["changes"]] == [("throughput", 20)]
    assert -11 < float(changes[0]["changes"][0]["forward_change_percent"]) < -9


def test_a_perflog_is_byte_for_byte_that_of_reframe(environment: Environment, tmp_path: Path) -> None:
    ((name, said),) = files("reframe", EXAMPLE).items()
    row = dict(zip(*(line.split("|") for line in said.splitlines()), strict=True))
    told = {field: row[field] for field in row if not field.startswith("throughput_")}
    told["num_tasks"] = int(told["num_tasks"])
    value = [row["throughput_value"], 0, None, None, row["throughput_unit"], "pass"]
    told["perfvalues"] = {"generic:default:throughput": value}
    program = environment("reframe-hpc") / "python"
    subprocess.run([program, HERE / "reframe_perflog.py", tmp_path, json.dumps(told)], check=True)
    assert (tmp_path / name).read_text(encoding="utf-8") == said
