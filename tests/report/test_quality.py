"""Quality beside speed on a page: runs that do not train as their reference have a note that says so."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.io.errors import ExtraError
from report.measure.diagnostics import NoEvidenceError, Remark
from report.pagefile.page_file import load
from report.results.quality import convergence_test, mllog_convergence, reference_logs
from tests.commandline import run
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, STEADY, log_of, make_side
from tests.report.conftest import HERE, Environment
from tests.report.page_text import report_of, said_of

PAGE = """
title = "Page"
model = "GPT-2"
unit = "tokens/s"
tested = ["Speed."]

[columns.torch]
title = "PyTorch"
logs = "b/GPT-2_bs12_N1C1/*/train.log"
protocol = "skip_records=6,estimate=step_time,decimals=0"
{quality}

[[tables]]
name = "main"
title = "Throughput"
columns = ["torch"]
rows = [{{ title = "{{cards}}", case = {{ cards = 1, batch_size = 12 }} }}]
"""
REFERENCE = '{ reference = "a/GPT-2_bs12_N1C1/*/train.log", loss = "2%" }'


def page(folder: Path, quality: str = f"quality = {REFERENCE}") -> Path:
    path = folder / "page.toml"
    path.write_text(PAGE.format(quality=quality), encoding="utf-8")
    return path


def told(path: Path) -> list[str]:
    """What is said of the one number of the page, which has one."""
    report = report_of(path, path.parent)
    assert report.results[0].digits is not None
    return said_of(report, report.results[0])


NAN = "The training is not that of the reference: b/GPT-2_bs12_N1C1/1/train.log prints a loss that is NaN"


@pytest.mark.parametrize(
    ("has_reference", "losses", "said"),
    [
        (True, {"loss": 1.04}, "Loss differs from the reference by +4.0% at step "),
        (True, {"nan": (50,)}, NAN),
        (False, {}, "Loss not compared"),
    ],
)
def test_runs_that_do_not_train_as_the_reference_are_told(
    has_reference: bool, losses: dict[str, Any], said: str, tmp_path: Path
) -> None:
    if has_reference:
        make_side(tmp_path / "a", STEADY)
    make_side(tmp_path / "b", STEADY, **losses)
    assert any(one.startswith(said) for one in told(page(tmp_path)))


def test_losses_within_the_tolerance_are_told_with_the_evidence_only(tmp_path: Path) -> None:
    make_side(tmp_path / "a", STEADY)
    make_side(tmp_path / "b", STEADY, loss=1.01)
    report = report_of(page(tmp_path), tmp_path)
    assert any(remark.code == Remark.LOSS_AGREES for remark in report.results[0].details)
    assert [note for table in report.page.tables for note in table.notes] == []


def test_a_reference_that_leads_out_of_the_folder_of_logs_is_not_read(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    make_side(tmp_path / "elsewhere", STEADY)
    make_side(logs / "b", STEADY)
    (logs / "a").symlink_to(tmp_path / "elsewhere")
    assert [said for said in told(page(logs)) if "cannot be used" in said] != []


def test_an_archive_holds_the_reference_and_is_verified_with_its_note(tmp_path: Path) -> None:
    make_side(tmp_path / "a", STEADY)
    make_side(tmp_path / "b", STEADY, loss=1.04)
    path = page(tmp_path)
    assert [*reference_logs(load(path), tmp_path)] == [f"a/GPT-2_bs12_N1C1/{at}/train.log" for at in (1, 2, 3)]
    done = run("archive", path, "--logs", tmp_path, "--out", tmp_path / "page.tach.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert run("verify", tmp_path / "page.tach.zip").returncode == 0


def points(random: np.random.Generator) -> dict[str, object]:
    """Reference convergence points, one of which is slower than its neighbours."""
    sizes = (32, 64, 128, 256, 512)
    centres = {size: 30 + size / 40 + (6 if size == 128 else 0) for size in sizes}
    return {
        f"ref_{size}": {
            "Benchmark": "bert",
            "BS": size,
            "Hyperparams": {},
            "Epochs to converge": [round(centres[size] + float(random.normal(0, 1.5)), 2) for _ in range(20)],
        }
        for size in sizes
    }


def make_results(folder: Path, size: int, converged: Sequence[float | None]) -> list[Path]:
    """The result files of some runs as mllog prints them; None is a run that was aborted."""
    folder.mkdir(parents=True)
    for number, epochs in enumerate(converged):
        status = "aborted" if epochs is None else "success"
        said = [
            ("submission_benchmark", "bert", {}),
            ("global_batch_size", size, {}),
            ("eval_accuracy", 0.5, {"epoch_num": 1}),
            ("eval_accuracy", 0.7, {"epoch_num": epochs or 2}),
            ("run_stop", None, {"status": status}),
        ]
        lines = (json.dumps({"key": key, "value": value, "metadata": told}) for key, value, told in said)
        text = "".join(f"0: :::MLLOG {line}\n" for line in lines)
        (folder / f"result_{number}.txt").write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())


def passes(told: object, files: Sequence[Path], size: int) -> bool:
    try:
        mean, lowest = convergence_test(told, "bert", size, [mllog_convergence(file).converged for file in files])
    except NoEvidenceError:
        return False
    return mean >= lowest


@pytest.mark.slow
def test_the_test_of_convergence_agrees_with_that_of_mlperf(environment: Environment, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    told, folders, own = points(random), [], []
    (tmp_path / "points.json").write_text(json.dumps(told), encoding="utf-8")
    for number in range(60):
        size = int(random.choice((16, 32, 48, 64, 100, 128, 200, 256, 300, 512, 600)))
        centre = 30 + size / 40 + random.uniform(-4, 2)
        took = [round(value, 3) for value in random.normal(centre, 1, 10).tolist()]
        converged = [None if at == 0 and number % 7 == 0 else epochs for at, epochs in enumerate(took)]
        files = make_results(tmp_path / str(number), size, converged)
        own.append(passes(told, files, size))
        folders.append(str(tmp_path / str(number)))
    program = [str(environment("mlperf-logging") / "python"), str(HERE / "rcp_checker.py")]
    command = [*program, str(tmp_path / "points.json"), *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert own == json.loads(done.stdout.splitlines()[-1])
    assert 10 < sum(own) < 50


OTHER = {"a": {"Benchmark": "gnmt", "BS": 8, "Epochs to converge": [1.0, 2.0, 3.0]}}


@pytest.mark.parametrize("told", [{}, [], None, "a", {"a": 1}, {"a": {"Benchmark": "bert", "BS": 1}}, OTHER])
def test_a_file_of_other_contents_is_told(told: object) -> None:
    with pytest.raises(NoEvidenceError) as error:
        convergence_test(told, "bert", 8, [1.0, 2.0, 3.0])
    assert error.value.diagnostic.code == "no_reference_points"


def test_a_test_of_convergence_without_its_extra_is_refused_and_leaves_no_cell_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, result in enumerate(make_results(tmp_path / "results", 64, [31.0, 31.5, 32.0]), 1):
        log = log_of(100.0, seed=number) + result.read_bytes()
        make_run(tmp_path / "b/GPT-2_bs12_N1C1" / str(number), log, case=CASE)
    (tmp_path / "rcps.json").write_text(json.dumps(points(np.random.default_rng(1))), encoding="utf-8")
    path = page(tmp_path, 'quality = { convergence_points = "rcps.json" }')
    assert any("the runs converge in" in said for said in told(path))
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(ExtraError, match="Tests of convergence need the package scipy"):
        told(path)
