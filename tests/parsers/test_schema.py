"""The schema of a run.json is read: an older one is understood, and what this version does not know is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.io.errors import LogError
from parsers.runs.reading import read
from parsers.runs.run_folder import SCHEMA
from parsers.runs.runfile import run_file
from tests.parsers.ingesting import left_out, logs
from tests.parsers.run_folders import make_run
from tests.parsers.toy_logs import step

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


def test_a_run_of_the_first_schema_is_read(tmp_path: Path) -> None:
    reading = read(make_run(tmp_path, step(1), **OLDEST))
    assert (reading.facts["batch_size"].value, reading.facts["device"].value, reading.warnings) == (2, "CPU", ())


def test_a_run_of_the_first_schema_is_ingested_with_all_that_it_says(tmp_path: Path) -> None:
    make_run(tmp_path / "old/net/1", step(1), **OLDEST)
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
