"""logs/README.md says what a run folder holds: it is held against what is written, what is read, and both rooms."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from checkouts import PRINT, TOP, Native, git, make_native, make_program
from run_contract import COLUMNS, FILES, KEYS, lacking, misfits, walked

from launchers.run import folder as folders
from launchers.run.execution import MARKED
from parsers.io.files import PREFIX
from parsers.runs import run_folder
from tests.parsers.ingesting import logs, member, run_file, tar
from tests.parsers.toy_logs import step, write

PUBLISHED = [json.loads(path.read_text(encoding="utf-8")) for path in TOP.glob("logs/*/*/*/run.json")]


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Native:
    """A checkout with a done run, whose log tells the files that it had meanwhile."""
    native = make_native(tmp_path_factory.mktemp("launched"))
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.trains(f"import os; print(*os.listdir({str(native.unfinished)!r}))\n{PRINT}")
    native.launch()
    return native


@pytest.fixture(scope="module")
def written(launched: Native, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """The run.json of each kind of run, and the names of its kinds: launched, failed, of a command, ingested."""
    top = tmp_path_factory.mktemp("runs")
    failed, program = make_native(top / "failed"), make_program(top)
    failed.trains("raise SystemExit(3)\n")
    failed.launch()
    program.change("print('loss 1')  # changed\n")
    program.run("--cards", "1", "--", "env", "CUDA_VISIBLE_DEVICES=0", "python", "train.py")
    program.run("--read", "loss=samples/s", "--", "torchrun", "--nproc_per_node", "1", "train.py")
    commanded = [program.facts(case) for case in program.cases()]
    assert len(commanded) == 2
    return [
        (launched.facts(), ("launched", "recipe")),
        (failed.facts(), ("launched", "recipe", "failed")),
        *((facts, ("launched", "command")) for facts in commanded),
        *((facts, ("ingested",) if "end" not in facts else ()) for facts in ingested(top)),
        *((facts, ()) for facts in PUBLISHED),
    ]


def ingested(top: Path) -> list[dict[str, Any]]:
    """The run.json of logs that were ingested from each kind of source, and from a run folder."""
    for folder in ("lab", "work"):
        (top / folder).mkdir()
        write(top / folder, step(1), name="a.log")
    git(top / "work", "init", "-q")
    git(top / "work", "add", "-A")
    git(top / "work", "commit", "-qm", "a")
    (top / "b.log.gz").write_bytes(gzip.compress(step(1)))
    (top / "lab.tar").write_bytes(tar(member("v100/a.log", step(1))))
    run = TOP / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1"
    made = []
    for number, source in enumerate((top / "lab/a.log", top / "lab.tar", top / "work", top / "b.log.gz", run)):
        logs(top / "ingested" / str(number), source)
        made.append(run_file(top / "ingested" / str(number)))
    return made


def test_the_run_json_of_every_kind_of_run_is_as_the_contract_says_which_has_no_other_key(
    written: list[tuple[dict[str, Any], tuple[str, ...]]],
) -> None:
    for facts, kinds in written:
        assert (misfits(facts), lacking(facts, *kinds)) == ([], set())
    found = {key for facts, _ in written for key, _ in walked(facts)}
    # Those of a broken framework, of a download and of a container are held by the tests of these.
    of_a_container = {key for key in KEYS if key.startswith("environment.container_")}
    assert KEYS.keys() - found == {"environment.frameworks.<name>.error", "source.url"} | of_a_container
    assert len(PUBLISHED) > 10


def test_the_contract_tells_the_columns_of_the_side_files_and_the_keys_of_run_json() -> None:
    """Those of the objects in run.json, too, but for those whose names are anybody's."""
    of_cards = run_folder.TELEMETRY_COLUMNS
    assert tuple(COLUMNS) == (*run_folder.CLOCK_COLUMNS, *of_cards, *run_folder.PROCESS_COLUMNS)
    parts = {"": run_folder.RunJson, "environment.": run_folder.Environment, "source.": run_folder.Source}
    parts |= {"log.": run_folder.LogFile, "scheduler.": run_folder.Scheduler, "foreign.": run_folder.Foreign}
    told = {f"{part}{key}" for part, keys in parts.items() for key in keys.__annotations__}
    assert told == {key for key in KEYS if "<name>" not in key and not key.startswith("case.")}


def test_the_contract_tells_every_file_of_a_run_folder_and_the_hidden_ones_beside_it(tmp_path: Path) -> None:
    names = {run_folder.LOG, run_folder.RUN_FILE, run_folder.CLOCK, run_folder.TELEMETRY, run_folder.SCRIPT}
    names |= {run_folder.PROCESSES, run_folder.PATCH, MARKED, f"{PREFIX}<name>"}
    names |= {f"{folders.NODE}<number>{ending}" for ending in (".json", ".csv", ".foreign.json")}
    folder = folders.RunFolder(tmp_path / "1")
    hidden = ("unfinished", folders.LOCK, folders.SUBMITTED, folders.SLURM_OUTPUT)
    names |= {folder.beside(what).name for what in hidden}
    for status in (run_folder.FAILED, run_folder.INTERRUPTED, None):
        (folder.path if status else folder.unfinished).mkdir()
        if status:
            (folder.path / run_folder.RUN_FILE).write_text(json.dumps({"case": {}, "status": status}))
        (aside,) = folder.put_aside()
        names.add(f"{aside.name.rpartition('-')[0]}-<time>")
    assert names <= FILES


def test_a_launch_makes_only_files_that_the_contract_tells(launched: Native) -> None:
    during = launched.log.splitlines()[0].split()
    assert {run_folder.LOG, MARKED, run_folder.CLOCK} <= set(during) <= FILES
    assert {path.name for path in launched.run.iterdir()} <= FILES
