"""logs/README.md says what a run folder holds: it is held against what is written, what is read, and both rooms."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from native_checkout import TOP, Native, make_native
from own_program import OwnProgram, make_program
from run_contract import COLUMNS, FILES, KEYS, lacking, misfits, walked

from launchers.run import folder as folders
from launchers.run.execution import MARKED
from parsers.ingesting import suite
from parsers.runs import run_folder
from tests.parsers.ingesting import logs, member, run_file, tar
from tests.parsers.toy_logs import step, write


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Native:
    native = make_native(tmp_path_factory.mktemp("launched"))
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.launch()
    return native


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Native:
    native = make_native(tmp_path_factory.mktemp("failed"))
    native.trains("raise SystemExit(3)\n")
    native.launch()
    return native


@pytest.fixture(scope="module")
def commanded(tmp_path_factory: pytest.TempPathFactory) -> OwnProgram:
    program = make_program(tmp_path_factory.mktemp("commanded"))
    program.change("print('loss 1')  # changed\n")
    program.run("--cards", "1", "--", "env", "CUDA_VISIBLE_DEVICES=0", "python", "train.py")
    program.run("--read", "loss=samples/s", "--", "torchrun", "--nproc_per_node", "1", "train.py")
    return program


def checkout(folder: Path) -> Path:
    """A git checkout with one log."""
    folder.mkdir()
    write(folder, step(1), name="a.log")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "a")):
        subprocess.run(["git", "-C", folder, *who, *words], check=True)
    return folder


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The run.json of logs that were ingested from each kind of source."""
    top = tmp_path_factory.mktemp("ingested")
    (top / "lab").mkdir()
    sources = {
        "file": write(top / "lab", step(1), name="a.log"),
        "archive": top / "lab.tar",
        "checkout": checkout(top / "work"),
        "packed": top / "b.log.gz",
        "run": TOP / "logs" / "cpu-demo" / "ResNet50_bs4_fp32_N1C1" / "1",
    }
    sources["packed"].write_bytes(gzip.compress(step(1)))
    sources["archive"].write_bytes(tar(member("v100/a.log", step(1))))
    for name, source in sources.items():
        logs(top / "logs" / name, source)
    return {name: run_file(top / "logs" / name) for name in sources}


def test_the_run_json_of_every_kind_of_run_is_as_the_contract_says(
    launched: Native, failed: Native, commanded: OwnProgram, ingested: dict[str, Any]
) -> None:
    kinds = [(launched.facts(), ["launched", "recipe"]), (failed.facts(), ["launched", "recipe", "failed"])]
    kinds += [(facts, ["launched", "command"]) for facts in commanded.all_facts()]
    kinds += [(ingested[source], ["ingested"]) for source in ("file", "archive", "checkout")]
    for facts, names in kinds:
        assert (misfits(facts), lacking(facts, *names)) == ([], set())
    assert {source: misfits(facts) for source, facts in ingested.items() if misfits(facts)} == {}


def test_the_run_json_of_a_published_run_is_as_the_contract_says() -> None:
    found = {path: misfits(json.loads(path.read_text(encoding="utf-8"))) for path in TOP.glob("logs/*/*/*/run.json")}
    assert [path for path, wrong in found.items() if wrong] == []
    assert len(found) > 10


def test_every_key_of_the_contract_is_written(
    launched: Native, failed: Native, commanded: OwnProgram, ingested: dict[str, Any]
) -> None:
    published = (json.loads(path.read_text(encoding="utf-8")) for path in TOP.glob("logs/*/*/*/run.json"))
    written = [launched.facts(), failed.facts(), *commanded.all_facts(), *ingested.values(), *published]
    found = {key for document in written for key, _ in walked(document)}
    # Those of a broken framework, of a download and of a container are held by the tests of these.
    of_a_container = {key for key in KEYS if key.startswith("environment.container_")}
    assert KEYS.keys() - found == {"environment.frameworks.<name>.error", "source.url"} | of_a_container


def test_the_contract_tells_the_columns_of_the_side_files() -> None:
    of_cards = run_folder.TELEMETRY_COLUMNS
    assert tuple(COLUMNS) == (*run_folder.CLOCK_COLUMNS, *of_cards, *run_folder.PROCESS_COLUMNS)


def test_the_contract_tells_the_keys_of_run_json() -> None:
    """Of the objects in it, too, but those whose names are anybody's."""
    parts = {"": run_folder.RunJson, "environment.": run_folder.Environment, "source.": run_folder.Source}
    parts |= {"log.": run_folder.LogFile, "scheduler.": run_folder.Scheduler, "foreign.": run_folder.Foreign}
    told = {f"{part}{key}" for part, keys in parts.items() for key in keys.__annotations__}
    assert told == {key for key in KEYS if "<name>" not in key and not key.startswith("case.")}


def test_the_contract_tells_every_file_of_a_run_folder() -> None:
    names = {
        run_folder.LOG,
        run_folder.RUN_FILE,
        run_folder.CLOCK,
        run_folder.TELEMETRY,
        run_folder.SCRIPT,
    }
    names |= {run_folder.PROCESSES, run_folder.PATCH, MARKED, suite.STAGING}
    names |= {f"{folders.NODE}<number>{ending}" for ending in (".json", ".csv", ".foreign.json")}
    assert names <= FILES


def test_the_contract_tells_the_hidden_folders_of_a_run(tmp_path: Path) -> None:
    folder = folders.RunFolder(tmp_path / "1")
    assert {
        folder.beside(what).name for what in ("unfinished", folders.LOCK, folders.SUBMITTED, folders.SLURM_OUTPUT)
    } <= FILES
    for status in (run_folder.FAILED, run_folder.INTERRUPTED):
        folder.path.mkdir()
        (folder.path / run_folder.RUN_FILE).write_text(json.dumps({"case": {}, "status": status}), encoding="utf-8")
        (aside,) = folder.put_aside()
        assert f"{aside.name.rpartition('-')[0]}-<time>" in FILES
    folder.unfinished.mkdir()
    (aside,) = folder.put_aside()
    assert f"{aside.name.rpartition('-')[0]}-<time>" in FILES


def test_a_launch_makes_only_files_that_the_contract_tells(native: Native) -> None:
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.trains(f"import os; print(*os.listdir({str(native.unfinished)!r}))\n")
    native.launch()
    during = (native.run / run_folder.LOG).read_text(encoding="utf-8").split()
    assert {run_folder.LOG, MARKED, run_folder.CLOCK} <= set(during) <= FILES
    assert {path.name for path in native.run.iterdir()} <= FILES
