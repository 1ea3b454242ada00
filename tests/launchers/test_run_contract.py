"""logs/README.md says what a run folder holds: it is held against what is written, what is read, and both rooms."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkouts import PRINT, TOP, Native, make_native, make_program

from launchers.run import folder as folders
from launchers.run.execution import MARKED
from parsers.io.files import PREFIX
from parsers.runs import run_folder
from tests.commandline import git
from tests.parsers.ingesting import logs, member, run_file, tar
from tests.parsers.toy_logs import step, write

CONTRACT = (TOP / "logs" / "README.md").read_text(encoding="utf-8")
TYPES: dict[str, Any] = {"text": str, "whole number": int, "number": (int, float), "object": dict, "null": type(None)}
TYPES |= {"true": bool, "false": bool}
# The same keys stand in several places; the contract tells them once.
SAME = {"nodes": "environment", "ingested": "source"}
PUBLISHED = [json.loads(path.read_text(encoding="utf-8")) for path in TOP.glob("logs/*/*/*/run.json")]


def rows(head: str) -> list[list[str]]:
    """The cells of the tables of the contract that have this head."""
    tables = re.findall(rf"^\| {head} \|.*\n\| ---.*\n((?:\|.*\n)+)", CONTRACT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for table in tables for row in table.splitlines()]


# The keys of run.json with their types and the kinds of runs of which each has them.
KEYS = {key.strip(" `"): (types, {*kinds.split("; ")}) for key, types, kinds, *_ in rows("key")}
COLUMNS = tuple(row[0].strip(" `") for row in rows("column"))
FILES = {name for head in ("file", "name") for row in rows(head) for name in re.findall("`([^`]+)`", row[0])}


def walked(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its key as the contract spells it."""
    if path:
        yield path, value
    path = SAME.get(path, path)
    for child in value if path and isinstance(value, list) else [value]:
        for name, inner in child.items() if isinstance(child, dict) else ():
            spelt = "<name>" if f"{path}.<name>" in KEYS else name
            yield from walked(inner, f"{path}.{spelt}" if path else spelt)


def fits(value: Any, types: str) -> bool:
    """Whether a value is of the types that the contract states."""
    if types.startswith("list of "):
        return isinstance(value, list) and all(fits(item, types.removeprefix("list of ")) for item in value)
    possible = [TYPES[name] for name in re.split(", | or ", types)]
    # A truth value is a whole number to Python.
    return bool in possible if isinstance(value, bool) else any(isinstance(value, one) for one in possible)


def misfits(document: Any) -> list[tuple[str, Any]]:
    """The values of a run.json that the contract does not tell, or tells otherwise."""
    return [(key, value) for key, value in walked(document) if key not in KEYS or not fits(value, KEYS[key][0])]


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Native:
    """A checkout with a done run, whose log tells the files that it had meanwhile."""
    native = make_native(tmp_path_factory.mktemp("launched"))
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.trains(f"import os; print(*os.listdir({str(native.unfinished)!r}))\n{PRINT}")
    native.launch()
    return native


@pytest.fixture(scope="module")
def written(launched: Native, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], set[str]]]:
    """The run.json of each kind of run, and the names of its kinds: launched, failed, of a command, ingested."""
    top = tmp_path_factory.mktemp("runs")
    failed, program = make_native(top / "failed"), make_program(top)
    failed.trains("raise SystemExit(3)\n")
    failed.launch()
    program.change("print('loss 1')  # changed\n")
    program.run("--cards", "1", "--", "env", "CUDA_VISIBLE_DEVICES=0", "python", "train.py")
    program.run("--read", "loss=samples/s", "--", "torchrun", "--nproc_per_node", "1", "train.py")
    first, second = map(program.facts, program.cases())
    return [
        (launched.facts(), {"all", "launched", "recipe"}),
        (failed.facts(), {"all", "launched", "recipe", "failed"}),
        *((facts, {"all", "launched", "command"}) for facts in (first, second)),
        *((facts, {"all", "ingested"} if "end" not in facts else set()) for facts in ingested(top)),
        *((facts, set()) for facts in PUBLISHED),
    ]


def ingested(top: Path) -> Iterator[dict[str, Any]]:
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
    for number, source in enumerate((top / "lab/a.log", top / "lab.tar", top / "work", top / "b.log.gz", run)):
        logs(top / "ingested" / str(number), source)
        yield run_file(top / "ingested" / str(number))


def test_the_run_json_of_every_kind_of_run_is_as_the_contract_says_which_has_no_other_key(
    written: list[tuple[dict[str, Any], set[str]]],
) -> None:
    found = set[str]()
    for facts, kinds in written:
        keys = {key for key, _ in walked(facts)}
        lacking = {key for key, (_, each) in KEYS.items() if each & kinds} - keys
        assert (misfits(facts), lacking) == ([], set())
        found |= keys
    # Those of a broken framework, of a download and of a container are held by the tests of these.
    of_a_container = {key for key in KEYS if key.startswith("environment.container_")}
    assert KEYS.keys() - found == {"environment.frameworks.<name>.error", "source.url"} | of_a_container
    assert len(PUBLISHED) > 10


def test_the_contract_tells_the_columns_of_the_side_files_and_the_keys_of_run_json() -> None:
    """Those of the objects in run.json, too, but for those whose names are anybody's."""
    columns = (*run_folder.CLOCK_COLUMNS, *run_folder.TELEMETRY_COLUMNS, *run_folder.PROCESS_COLUMNS)
    assert columns == COLUMNS
    parts = {"": run_folder.RunJson, "environment.": run_folder.Environment, "source.": run_folder.Source}
    parts |= {"log.": run_folder.LogFile, "scheduler.": run_folder.Scheduler, "foreign.": run_folder.Foreign}
    known = {f"{part}{key}" for part, keys in parts.items() for key in keys.__annotations__}
    assert known == {key for key in KEYS if "<name>" not in key and not key.startswith("case.")}


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
