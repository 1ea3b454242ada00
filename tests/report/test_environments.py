"""The environment of a page, and when and with what its runs were measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from report.views.publish import publish
from tests.parsers.run_folders import make_run
from tests.report.compared_page import make
from tests.report.page_text import HEAD, column, results_of, table

LOG = b"".join(f"step {step}: loss 2.5, 1000 images/s/gpu\n".encode() for step in range(20))
PAGE = (
    HEAD
    + """environment = ["As stated."]
"""
    + column("a", "a/*/train.log")
    + column("b", "b/*/train.log")
    + table('"a", "b"', "cards = 1")
)
MACHINE = {"gpus": ["H100", "H100"], "gpu_memory_mib": [81920, 81920], "driver": "580", "cuda_driver": "13.0"}


def environment(folder: Path, language: str = "en", **runs: dict[str, object]) -> list[str]:
    """The lines of the environment of a page whose columns have a run with what is said of it."""
    for name, said in runs.items():
        make_run(folder / "logs" / name / "1", LOG, **said)
    (folder / "page.toml").write_text(PAGE, encoding="utf-8")
    (page,) = publish([str(folder / "page.toml")], folder / "logs", [language], folder / "pages")
    text = page.files[0].read_text(encoding="utf-8")
    heading = {"en": "## Environment\n", "zh": "## 测试环境\n"}[language]
    section = text.split(heading)[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line and not line.startswith("| :")]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_columns_that_ran_on_other_machines_stand_side_by_side_before_the_text_of_the_page(tmp_path: Path) -> None:
    head, gpu, driver, text = environment(tmp_path, a={"environment": MACHINE}, b={"environment": {"gpus": []}})
    assert (cells(head), text) == (["", "A", "B"], "As stated.")
    assert (cells(gpu), cells(driver)[1]) == (["GPU", "2 × H100 (80 GiB)", "none"], "580 (CUDA 13.0)")


NODES = [{"cpu": "EPYC", "cores": 64}, {"cpu": "Xeon", "cores": 32}]
SOURCE = {"repository": "https://github.com/acme/trainer.git", "commit": "0123456789abcdef", "dirty": True}
CHANGED = "[trainer `0123456789`](https://github.com/acme/trainer/tree/0123456789abcdef) (changed)"
SAID: list[tuple[dict[str, object], list[list[str]]]] = [
    ({"environment": NODES[0], "nodes": NODES}, [["CPU", "EPYC (cores: 64)<br>Xeon (cores: 32)"]]),
    ({"environment": {}, "source": SOURCE}, [["Model code", CHANGED]]),
    ({"environment": {"cpu": "<b>|[x](y)", "os": "a\nb"}}, [["CPU", r"&lt;b&gt;\|\[x\](y)"]]),
    ({}, []),
    ({"environment": 7}, []),
    ({"environment": {"cpu": 7, "gpus": "x", "frameworks": []}}, []),
]


@pytest.mark.parametrize(("said", "rows"), SAID)
def test_what_a_run_says_of_its_machine_and_its_code_is_shown_as_it_is(
    said: dict[str, object], rows: list[list[str]], tmp_path: Path
) -> None:
    *table, text = environment(tmp_path, a=said)
    assert ([row.strip("| ").split(" | ") for row in table[1:]], text) == (rows, "As stated.")


def test_variables_are_those_that_all_runs_set_alike(tmp_path: Path) -> None:
    make_run(tmp_path / "logs/a/2", LOG, environment={"variables": {"NCCL_ALGO": "Ring", "OMP_NUM_THREADS": "4"}})
    other = {"variables": {"NCCL_ALGO": "Ring", "OMP_NUM_THREADS": "8"}}
    _, variables, _ = environment(tmp_path, a={"environment": other})
    assert cells(variables) == ["Environment variables of all runs", "`NCCL_ALGO=Ring`"]


ENVIRONMENT = {"frameworks": {"torch": {"version": "2.9.1", "cuda": "12.4", "cudnn": None}}, "driver": "550.54.15"}


def say(folder: Path, run: str, **said: Any) -> None:
    """Let the run.json of a run say more."""
    path = folder / "logs" / run / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **said}), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"environment": ENVIRONMENT, "start": "2031-05-03T22:00:00-02:00"},
            {"framework_version": "2.9.1", "cuda": "12.4", "driver": "550.54.15"},
        ),
        ({"environment": "none", "start": 2030}, {}),
        ({"environment": {"frameworks": ["torch"], "driver": ["550"]}, "start": "2030-99-01"}, {}),
        ({"environment": {"frameworks": {"torch": {"version": "2"}, "paddle": {"version": "3"}}}}, {}),
    ],
    ids=["day and versions", "no environment", "other kinds", "two frameworks"],
)
def test_run_json_says_the_day_and_the_versions_and_nothing_is_said_that_it_does_not_say(
    said: dict[str, Any], told: dict[str, str], folder: Path
) -> None:
    say(folder, "a1", **said)
    first, *_ = results_of(folder / "page.toml", folder / "logs")
    assert first.circumstances == {"date": "2031-05-04", **told}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_head_of_a_column_names_the_framework_of_a_version(language: str, folder: Path) -> None:
    versions = {"a1": {"torch": {"version": "2.9.1"}}, "b1": {"ours": {"version": "0.9"}}}
    for run, frameworks in versions.items():
        say(folder, run, environment={"frameworks": frameworks})
    (page,) = publish([str(folder / "page.toml")], folder / "logs", [language], folder / "out")
    text = page.files[0].read_text(encoding="utf-8")
    assert "A<br>*PyTorch 2.9.1* |" in text
    assert "B<br>*ours 0.9* |" in text
