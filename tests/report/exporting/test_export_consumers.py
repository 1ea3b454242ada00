"""The programs that exports are for, each in an environment of its own, read them as their documentation says."""

import json
import os
import subprocess
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from report.rendering.exporting.metric import ExportedRun
from tests.commandline import PROJECT
from tests.report.conftest import Environment
from tests.report.exporting.exported import EXAMPLE, files, metrics

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


def test_the_client_of_mlflow_reads_the_numbers_with_the_digits_of_the_page(
    environment: Environment, tmp_path: Path
) -> None:
    hostile = replace(EXAMPLE, name="a/'\n: [b]", suite='my "page": #1')
    write(tmp_path, files("mlflow", EXAMPLE, hostile))
    program = [str(environment("mlflow-skinny") / "python"), str(HERE / "mlflow_reader.py"), tmp_path.as_uri()]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found = {(run["experiment"], run["name"]): run for run in json.loads(done.stdout)}
    assert found.keys() == {("page", "main/1/a"), ('my "page": #1', "a/'\\n: [b]")}
    run = found["page", "main/1/a"]
    assert (run["metrics"], run["start"], run["status"]) == ({"throughput": 100.5}, 1935658800000, "FINISHED")
    assert run["params"] == {name: str(said) for name, said in EXAMPLE.case.items()}
    assert run["tags"]["printed"] == "100.50"
    assert run["tags"]["evidence.1"] == EXAMPLE.proofs[0]


MLLOG = """:::MLLOG {"key": "submission_benchmark", "value": "resnet", "metadata": {}}
:::MLLOG {"key": "global_batch_size", "value": 1632, "metadata": {}}
:::MLLOG {"key": "eval_accuracy", "value": 0.76, "metadata": {"epoch_num": 35}}
:::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "success"}}
"""


def test_the_checkers_of_mlperf_take_the_system_and_read_the_results(environment: Environment, tmp_path: Path) -> None:
    log = tmp_path / "run/train.log"
    write(log.parent, {"train.log": MLLOG})
    metric = replace(EXAMPLE, runs=(replace(EXAMPLE.runs[0], log=log),))
    made = files("mlperf", metric, replace(metric, name="the same run again"))
    write(tmp_path, made)
    assert sorted(name.split("/")[0] for name in made) == ["results", "systems"]
    program = [str(environment("mlperf-logging") / "python"), str(HERE / "mlperf_reader.py"), str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    ((is_valid, name),) = told["systems"]
    assert (is_valid, f"systems/{name}.json" in made) == (True, True)
    assert told["results"] == [[0, 35, 1632, "resnet"]]


def test_wandb_reads_an_offline_run_with_the_digits_of_the_log(environment: Environment, tmp_path: Path) -> None:
    log, programs = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log", environment("wandb")
    (packages,) = programs.parent.glob("lib/python*/site-packages")
    (packages / "needed.pth").write_text(f"{PROJECT}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    command = [
        str(programs / "python"),
        "-m",
        "tachograph",
        "export",
        "wandb",
        str(log),
        "--out",
        str(tmp_path / "out"),
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    written = [str(path) for path in (tmp_path / "out").glob("offline-run-*/run-*.wandb")]
    reader = [str(environment("wandb-reader") / "python"), str(HERE / "wandb_reader.py"), *written]
    (run,) = json.loads(subprocess.run(reader, capture_output=True, text=True, check=True).stdout)
    (metric,) = metrics(log)
    assert (run["name"], run["project"], run["host"]) == (str(log), "logs", "")
    assert run["history"]["throughput"] == metric.number
    assert (run["config"]["printed"], run["config"]["unit"]) == (metric.digits, metric.unit)
    assert run["config"]["evidence"] == metric.proofs
