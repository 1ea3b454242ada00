"""The folder of a run holds what was printed and how it came about; no other run writes there, and none is lost."""

import csv
import fcntl
import gzip
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkouts import METRIC, PRINT, TOP, Native, make_native, make_program, run_file

from launchers.machine.facts import NoPythonError
from launchers.machine.telemetry import RunLoad
from launchers.run import folder as folders
from launchers.run.execution import MARKED
from parsers.io.files import PREFIX
from parsers.runs import run_folder
from tests.commandline import files, git
from tests.parsers.run_folders import logs, member, tar
from tests.parsers.toy_logs import step, write

slow = pytest.mark.slow  # what launches several runs, or a long one
RAW = b"\x00\xff\x1b[32mgreen\r" + METRIC.encode() + b"no newline at the end"


def test_the_log_holds_every_byte_and_the_terminal_shows_all_of_it_escaped(native: Native) -> None:
    native.trains(f"import sys; sys.stdout.buffer.write({RAW!r})\n")
    assert native.launch().stdout == RAW.replace(b"\x00\xff", rb"\x00\xff").decode() + "\x1b[0m"
    assert (native.run / "train.log").read_bytes() == RAW
    digest = hashlib.sha256(RAW).hexdigest()
    assert native.facts()["log"] == {"file": "train.log", "sha256": digest, "bytes": len(RAW), "lines": 2}


def test_both_outputs_stay_in_order_and_extra_arguments_are_unchanged(native: Native) -> None:
    program = "import sys\nfor number in range(9):\n    print(number, file=(sys.stdout, sys.stderr)[number % 2])\n"
    native.trains(f"{program}print(sys.argv[-2:])\n{PRINT}")
    native.launch("--", "it's a", "[{'x': 1}]")
    *numbers, arguments, _ = native.log.splitlines()
    assert (numbers, arguments) == (list("012345678"), '["it\'s a", "[{\'x\': 1}]"]')


@slow
def test_twenty_megabytes_of_output_are_kept_whole(native: Native) -> None:
    count = 200_000
    native.trains(f"import sys\nfor _ in range({count // 1000}):\n    sys.stdout.write({METRIC * 1000!r})\n")
    native.launch()
    assert (native.facts()["log"]["lines"], native.facts()["metric_lines"]) == (count, count)


@slow
def test_the_clock_tells_when_each_line_arrived_with_its_last_byte(native: Native) -> None:
    program = "import sys, time\nprint('one', flush=True); time.sleep(0.2); print('half', end='', flush=True)\n"
    program += "time.sleep(0.2); now = time.time(); print(flush=True); time.sleep(0.2)\n"
    program += f"{PRINT}sys.stdout.flush(); time.sleep(0.2); print(now, end='')\n"
    native.trains(program)
    start = time.time()
    native.launch()
    with (native.run / "clock.csv").open() as file:
        rows = [(int(row["line"]), float(row["time"])) for row in csv.DictReader(file)]
    lines, moments = zip(*rows, strict=True)
    assert (lines, start < moments[0], moments[-1] < time.time()) == ((1, 2, 3, 4), True, True)
    assert moments[1] >= float(native.log.split()[-1]) - 0.001
    assert (moments[1] - moments[0] >= 0.3, moments[3] - moments[2] >= 0.1) == (True, True)


def test_the_facts_hold_the_case_and_the_commit_but_no_path_of_the_machine(native: Native) -> None:
    native.environment["BATCH_SIZE"] = "7"  # which does not reach the launcher
    git(native.repo, "init", "-q")
    git(native.repo, "commit", "-q", "--allow-empty", "-m", "a")
    answer = native.launch()
    facts = native.facts()
    expected = {"model": "ResNet50", "framework": "PaddleClas", "nodes": 1, "cards": 1, "precision": "fp32"}
    assert facts["case"] == {**expected, "batch_size": 64, "device": "CPU", "data": "real"}
    assert (facts["status"], facts["exit_status"], facts["variables"]["BATCH_SIZE"]) == ("done", 0, "64")
    assert facts["native"].startswith('cd "$REPO" && env -u CUDA_VISIBLE_DEVICES python tools/train.py -c ')
    assert facts["command"] == ["bash", "launchers/paddleclas_resnet50.sh"]
    assert str(native.top) not in (native.run / "run.json").read_text()
    source = facts["source"]
    assert (source["commit"], source["dirty"]) == (git(native.repo, "rev-parse", "HEAD"), False)
    assert source["pinned"] in answer.stderr  # which it is not


@slow
def test_cards_are_named_and_sampled_and_what_others_took_is_recorded_and_said(
    native: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.launch("--device", "gpu")
    assert native.facts()["case"]["device"] == native.facts()["environment"]["gpus"][0]
    with (native.run / "gpu.csv").open() as file:
        assert {row["card"] for row in csv.DictReader(file)} == {"0", "1"}
    del native.environment["PYTHONPATH"]
    others = {"cpu_percent": 51.5, "load_average": 3.1, "gpu_processes": ["gmx"]}
    monkeypatch.setattr(RunLoad, "foreign", lambda _: others)
    answer = native.launch("--into", str(native.top / "others"))
    (folder,) = (native.top / "others").glob("*/1")
    assert (run_file(folder)["foreign"], "3.1" in answer.stderr, "gmx" in answer.stderr) == (others, True, True)


@slow
def test_a_launch_repeats_no_done_run_and_goes_on_with_those_that_are_missing(native: Native) -> None:
    native.launch()
    before = (native.run / "run.json").read_bytes()
    answer = native.launch()
    assert (answer.returncode, answer.stdout) == (0, "")
    native.launch("--repeats", "3")
    assert sorted(path.name for path in native.run.parent.iterdir()) == ["1", "2", "3"]
    assert (native.run / "run.json").read_bytes() == before
    answer = native.launch("--steps", "7")
    assert (answer.returncode, "STEPS=" in answer.stderr) == (1, True)


@slow
def test_what_a_failed_run_printed_and_wrote_is_kept_and_the_run_repeated(native: Native) -> None:
    write = "import os; open(os.environ['WORK'] + '/checkpoint', 'x')\n"
    native.trains(f"{write}print('half'); raise SystemExit(3)\n")
    answer = native.launch("--repeats", "2")
    facts = native.facts()
    assert (facts["status"], facts["exit_status"], facts["last_lines"]) == ("failed", 3, ["half"])
    assert (answer.returncode, [path.name for path in native.run.parent.glob("[12]")]) == (1, ["1"])
    assert (native.run.with_name(".1.work") / "checkpoint").exists()
    native.launch()  # within a second
    native.trains(PRINT)
    answer = native.launch()
    kept = list(native.run.parent.glob(".1.failed-*"))
    assert [(path / "train.log").read_text() for path in kept] == ["half\n"] * 2
    assert any(path.name in answer.stderr for path in kept)
    assert (native.facts()["status"], native.log) == ("done", METRIC)
    assert not native.run.with_name(".1.work").exists()


LINE = (
    "[{now}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/32]lr(PiecewiseDecay): 0.10000000, top1: 0.00000, "
    "batch_cost: 0.8{step:03}7s, reader_cost: 0.00014, ips: {ips:.5f} samples/s, eta: 0:00:17"
)


def printing(*steps: int) -> str:
    """A program that prints the lines of these steps."""
    text = "\n".join(LINE.format(now="{now}", step=step, ips=64 / float(f"0.8{step:03}7")) for step in steps)
    return f"import datetime\nprint({text!r}.format(now=datetime.datetime.now().strftime('%Y/%m/%d %H:%M:%S')))\n"


@slow
@pytest.mark.parametrize(
    ("program", "status", "exit_status"),
    [
        (printing(*range(32)), "done", 0),
        (printing(*range(32), *range(16)), "failed", 0),  # more records than steps
        ("print('nothing to do')\n", "failed", 0),
        ("import os; os.kill(os.getpid(), 9)\n", "failed", 137),  # as a shell tells it
    ],
    ids=["whole", "too long", "without a metric line", "killed"],
)
def test_only_a_run_whose_log_can_be_that_of_what_was_asked_is_done(
    native: Native, program: str, status: str, exit_status: int
) -> None:
    native.trains(program)
    native.launch("--steps", "32")
    facts = native.facts()
    assert (facts["status"], abs(facts["exit_status"]) in (exit_status, exit_status - 128)) == (status, True)
    if status == "done":  # and a second one that prints what this one did is none
        native.trains(f"print(open({str(native.run / 'train.log')!r}).read(), end='')\n")
        native.launch("--steps", "32", "--repeats", "2")
        assert run_file(native.run.with_name("2"))["status"] == "failed"


def rewrite(run: Native, **changes: object) -> None:
    """Change what run.json says; None for a key that is not there."""
    facts = {key: value for key, value in {**run.facts(), **changes}.items() if value is not None}
    (run.run / "run.json").write_text(json.dumps(facts), encoding="utf-8")


# What takes the place of a done run, and of what a message names the path below the case.
OTHERS: dict[str, tuple[Callable[[Native], object], str]] = {
    "another log": (lambda native: (native.run / "train.log").write_text("more\n"), "1/train.log"),
    "no facts": (lambda native: (native.run / "run.json").unlink(), "1"),
    "a newer schema": (lambda native: rewrite(native, schema=run_folder.SCHEMA + 1), "1/run.json"),
    "a failed one of it": (lambda native: rewrite(native, schema=run_folder.SCHEMA + 1, status="failed"), "1/run.json"),
    "facts that are a pipe": (lambda native: replaced_by_pipe(native.run / "run.json"), "1/run.json"),
    "a submission of somebody": (
        lambda native: (native.run.parent / ".1.submitted").write_text('{"facts": 1}'),
        ".1.submitted",
    ),
}


def replaced_by_pipe(path: Path) -> None:
    """Put a pipe, which nobody fills, in the place of a file."""
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("what", OTHERS)
def test_what_is_no_run_of_ours_is_named_and_left_alone(native: Native, what: str) -> None:
    put, named = OTHERS[what]
    native.launch()
    put(native)
    before = files(native.suite)
    answer = native.launch()
    assert (answer.returncode, answer.stdout, str(native.run.parent / named) in answer.stderr) == (1, "", True)
    assert {path: text for path, text in files(native.suite).items() if not path.endswith("/.1.lock")} == before


def test_a_launch_goes_on_in_a_folder_of_an_older_schema(native: Native) -> None:
    native.launch()
    rewrite(native, schema=1, **dict.fromkeys(("tachograph", "native", "metric_lines", "redacted")))
    before = files(native.suite)
    answer = native.launch()
    assert (answer.returncode, answer.stdout, files(native.suite)) == (0, "", before)


@slow
def test_what_a_killed_launch_left_is_kept_aside_and_a_run_in_progress_is_none(native: Native) -> None:
    native.unfinished.mkdir(parents=True)
    (native.unfinished / "train.log").write_text("half")
    native.trains(f"import os; print(sorted(os.listdir({str(native.run.parent)!r})))\n{PRINT}")
    printed = native.launch().stdout
    [kept] = native.run.parent.glob(".1.unfinished-*")
    assert (kept / "train.log").read_text() == "half"
    assert printed == f"{['.1.lock', '.1.unfinished', kept.name, '.1.work']}\n{METRIC}"


def test_a_hostile_folder_name_changes_nothing(tmp_path: Path) -> None:
    native = make_native(tmp_path / "a'; echo 0\n\"$(touch made)")
    assert native.launch().stdout == METRIC
    assert native.facts()["variables"]["DATA"] == "data"
    assert not list(tmp_path.rglob("made"))


def test_a_missing_python_is_said_in_one_sentence(native: Native) -> None:
    (native.top / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    answer = native.launch()
    assert (answer.returncode, answer.stderr.splitlines()[-1]) == (1, f"Error: {NoPythonError()}")
    assert not native.run.exists()


# Each of two waits until the other has begun.
MEET = """
import os, sys, time
print(os.environ["WORK"], os.environ["TMPDIR"])
open(os.path.join(os.environ["WORK"], "checkpoint"), "w").write("x")
open(sys.argv[0] + ".begun", "a").write("x")
deadline = time.monotonic() + 30
while len(open(sys.argv[0] + ".begun").read()) < 2 and time.monotonic() < deadline:
    time.sleep(0.02)
"""


@slow
def test_two_runs_at_once_share_no_folder_and_leave_none(native: Native) -> None:
    native.trains(MEET + PRINT)
    both = [native.started("--into", str(native.top / "logs" / name)) for name in ("a", "b")]
    for process in both:
        process.communicate(timeout=90)
    assert [process.returncode for process in both] == [0, 0]
    runs = sorted(native.top.glob("logs/*/*/1"))
    printed = [(run / "train.log").read_text().split()[:2] for run in runs]
    assert [folders[0] for folders in printed] == [str(run.with_name(".1.work").resolve()) for run in runs]
    assert printed[0][1] != printed[1][1]
    assert not any(Path(folder).exists() for folders in printed for folder in folders)
    assert {path.name for path in (native.repo / "tools").iterdir()} == {"train.py", "train.py.begun"}


@slow
def test_a_recipe_that_writes_into_its_checkout_runs_there_once_at_a_time(native: Native) -> None:
    script = (TOP / "launchers" / "paddleclas_vgg16.sh").read_text(encoding="utf-8")
    (native.top / "own.sh").write_text(script.replace("# data: ", "# alone: yes\n# data: "), encoding="utf-8")
    launch = ["launch", str(native.top / "own.sh"), *native.options[2:]]
    held = os.open(native.repo, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert (native.tachograph(*launch).returncode, list(native.suite.glob("*/1"))) == (1, [])
    os.close(held)
    assert native.tachograph(*launch).returncode == 0


def test_a_pipe_in_place_of_a_log_is_named(native: Native) -> None:
    log = str(native.unfinished / "train.log")
    native.trains(f"import os\nos.unlink({log!r}); os.mkfifo({log!r})\nprint({METRIC!r})\n")
    answer = native.launch()
    assert (answer.returncode, str(native.unfinished) in answer.stderr, native.run.exists()) == (1, True, False)


def test_the_lock_of_a_run_is_not_made_behind_a_link(native: Native) -> None:
    native.run.parent.mkdir(parents=True)
    native.run.with_name(".1.lock").symlink_to(native.top / "elsewhere")
    answer = native.launch()
    assert (answer.returncode, str(native.run) in answer.stderr) == (1, True)
    assert not (native.top / "elsewhere").exists()


# logs/README.md says what a run folder holds: it is held against what is written, what is read, and both rooms.
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
        (made,) = (top / "ingested" / str(number)).glob("*/*")
        yield run_file(made)


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
