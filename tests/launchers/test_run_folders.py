"""The folder of a run holds what was printed and how it came about; no other run writes there, and none is lost."""

import csv
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from checkouts import METRIC, PRINT, TOP, Native, git, make_native, run_file

from launchers.commands import Executor
from launchers.machine.telemetry import RunLoad
from launchers.run.folder import RunFolder
from parsers.io.files import data_of, opener, replace_file, text_of
from parsers.runs.run_folder import SCHEMA

slow = pytest.mark.slow  # what launches several runs, or a long one
RAW = b"\x00\xff\x1b[32mgreen\r" + METRIC.encode() + b"no newline at the end"
IS_PIPE = "it is a pipe, not a file"
FAILING = "print('half'); raise SystemExit(3)\n"


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
    line = METRIC.encode() * 1000
    native.trains(f"import sys\nfor _ in range({20_000_000 // len(line)}):\n    sys.stdout.buffer.write({line!r})\n")
    native.launch()
    lines = 20_000_000 // len(line) * 1000
    assert (native.facts()["log"]["lines"], native.facts()["metric_lines"]) == (lines, lines)


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
def test_the_cards_are_named_and_sampled_during_a_run(native: Native) -> None:
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.launch("--device", "gpu")
    assert native.facts()["case"]["device"] == native.facts()["environment"]["gpus"][0]
    with (native.run / "gpu.csv").open() as file:
        assert {row["card"] for row in csv.DictReader(file)} == {"0", "1"}


@slow
def test_what_others_took_is_recorded_and_said_at_the_end(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {"cpu_percent": 51.5, "load_average": 3.1, "gpu_processes": ["gmx"]}
    monkeypatch.setattr(RunLoad, "foreign", lambda _: others)
    answer = native.launch()
    assert (native.facts()["foreign"], "51%" in answer.stderr or "52%" in answer.stderr) == (others, True)


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
    assert (answer.returncode, "(STEPS=" in answer.stderr) == (1, True)


@slow
def test_what_a_failed_run_printed_and_wrote_is_kept_and_the_run_repeated(native: Native) -> None:
    native.trains("import os; open(os.environ['WORK'] + '/checkpoint', 'x')\n" + FAILING)
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


@slow
def test_a_run_that_trained_nothing_or_was_killed_is_no_success(native: Native) -> None:
    native.trains("print('nothing to do')\n")
    answer = native.launch()
    assert (answer.returncode, native.facts()["status"], native.facts()["metric_lines"]) == (1, "failed", 0)
    native.trains("import os; os.kill(os.getpid(), 9)\n")
    native.launch()
    assert "SIGKILL" in native.facts()["reason"]


LINE = (
    "[{now}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/32]lr(PiecewiseDecay): 0.10000000, top1: 0.00000, "
    "batch_cost: 0.8{step:03}7s, reader_cost: 0.00014, ips: {ips:.5f} samples/s, eta: 0:00:17"
)


def printing(*steps: int, batch: int = 64) -> str:
    """A program that prints the lines of these steps."""
    text = "\n".join(LINE.format(now="{now}", step=step, ips=batch / float(f"0.8{step:03}7")) for step in steps)
    return f"import datetime\nprint({text!r}.format(now=datetime.datetime.now().strftime('%Y/%m/%d %H:%M:%S')))\n"


@slow
def test_a_log_that_contradicts_what_was_asked_or_is_that_of_another_run_makes_a_failed_run(native: Native) -> None:
    programs = {
        printing(*range(32)): "done",
        printing(*range(32), *range(16)): "failed",  # more records than steps
        printing(*range(32), batch=48): "failed",
    }
    for number, (program, status) in enumerate(programs.items()):
        native.trains(program)
        suite = native.top / "logs" / str(number)
        native.launch("--steps", "32", "--into", str(suite))
        assert run_file(suite / "ResNet50_bs64_fp32_N1C1" / "1")["status"] == status
    done = native.top / "logs" / "0" / "ResNet50_bs64_fp32_N1C1"
    native.trains(f"print(open({str(done / '1/train.log')!r}).read(), end='')\n")
    native.launch("--steps", "32", "--repeats", "2", "--into", str(native.top / "logs/0"))
    assert run_file(done / "2")["status"] == "failed"


def test_a_done_run_whose_log_was_changed_is_not_taken_for_done(native: Native) -> None:
    native.launch()
    with (native.run / "train.log").open("a") as log:
        log.write("more\n")
    answer = native.launch()
    assert (answer.returncode, "is not the log that its run.json describes" in answer.stderr) == (1, True)


def test_a_folder_without_facts_is_left_alone(native: Native) -> None:
    native.run.mkdir(parents=True)
    (native.run / "train.log").write_text("someone else's")
    answer = native.launch()
    assert (answer.returncode, "move the folder away" in answer.stderr.splitlines()[-1]) == (1, True)
    assert native.log == "someone else's"


def test_a_launch_goes_on_in_a_folder_of_an_older_schema_and_refuses_a_newer_one(native: Native) -> None:
    native.launch()
    path, facts = native.run / "run.json", native.facts()
    newer, without = {**facts, "schema": SCHEMA + 1}, ("tachograph", "native", "metric_lines", "redacted")
    older = {key: value for key, value in facts.items() if key not in without} | {"schema": 1}
    for changed, status, said in (
        (newer, 1, "run.json: has schema 3"),
        (newer | {"status": "failed"}, 1, "run.json: has schema 3"),
        (older, 0, "is already done"),
    ):
        path.write_text(json.dumps(changed))
        answer = native.launch()
        assert (answer.returncode, said in answer.stderr, path.read_text()) == (status, True, json.dumps(changed))


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
    assert (answer.returncode, answer.stderr.splitlines()[-1].startswith("Error: No working `python`")) == (1, True)
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
ALONE = f"""# model: M
# framework: F
# repository: https://example.com/owner/checkout
# commit: {"0" * 40}
# licence: unknown
# cpu: fp32
# metric: batch_cost
# data: none
# needs: nothing
# alone: yes
: "${{REPO:?}}" "${{NODES:=1}}" "${{CARDS:=1}}" "${{PRECISION:=fp32}}" "${{BATCH_SIZE:=64}}" "${{STEPS:=1}}"
: "${{EXTRA:=}}" "${{DEVICE:=cpu}}"
. "$TACHOGRAPH_LAUNCHERS/native.bash"
cd "$REPO"
native python tools/train.py
"""


@slow
def test_two_runs_at_once_share_no_folder_and_leave_none(native: Native) -> None:
    native.trains(MEET + PRINT)
    both = [native.started("--into", str(native.top / "logs" / name)) for name in ("a", "b")]
    for process in both:
        process.communicate(timeout=90)
    assert [process.returncode for process in both] == [0, 0]
    runs = sorted(native.top.glob("logs/*/*/1"))
    told = [(run / "train.log").read_text().split()[:2] for run in runs]
    assert [folders[0] for folders in told] == [str(run.with_name(".1.work").resolve()) for run in runs]
    assert told[0][1] != told[1][1]
    assert not any(Path(folder).exists() for folders in told for folder in folders)
    assert {path.name for path in (native.repo / "tools").iterdir()} == {"train.py", "train.py.begun"}


@slow
def test_a_recipe_that_writes_into_its_checkout_runs_there_once_at_a_time(native: Native) -> None:
    own = native.top / "own.sh"
    own.write_text(ALONE, encoding="utf-8")
    words = ["launch", str(own), "--repo", str(native.repo), "--repeats", "1", "--into", str(native.suite)]
    held = os.open(native.repo, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert (native.tachograph(*words).returncode, list(native.suite.glob("*/1"))) == (1, [])
    os.close(held)
    assert native.tachograph(*words).returncode == 0


def appended(path: Path) -> None:
    with open(path, "a", opener=opener):
        pass


@pytest.mark.parametrize("use", [data_of, text_of, appended, lambda path: replace_file(path, b"x")])
def test_a_pipe_is_not_waited_for(use: Callable[[Path], object], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=IS_PIPE):
        use(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_a_pipe_in_place_of_a_site_file_of_facts_or_of_a_log_is_told(native: Native) -> None:
    native.run.mkdir(parents=True)
    os.mkfifo(native.run / "run.json")
    with pytest.raises(click.ClickException, match=IS_PIPE):
        RunFolder(native.run).status()
    with pytest.raises(click.UsageError, match=f"cannot be read: {IS_PIPE}"):
        assert Executor(on="slurm", site=native.run / "run.json").place
    (native.run / "run.json").unlink()
    native.run.rmdir()
    log = str(native.unfinished / "train.log")
    native.trains(f"import os\nos.unlink({log!r}); os.mkfifo({log!r})\nprint({METRIC!r})\n")
    answer = native.launch()
    assert (answer.returncode, IS_PIPE in answer.stderr) == (1, True)


def test_the_lock_of_a_run_is_not_made_behind_a_link(native: Native) -> None:
    native.run.parent.mkdir(parents=True)
    native.run.with_name(".1.lock").symlink_to(native.top / "elsewhere")
    answer = native.launch()
    assert (answer.returncode, "could not be written" in answer.stderr) == (1, True)
    assert not (native.top / "elsewhere").exists()
