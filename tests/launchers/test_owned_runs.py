"""A run owns its folders and its log: no other run writes there, and a log that is not its own makes no done run."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from native_checkout import PRINT, Native
from room_commands import main

from tests.commandline import run

TELL = """
import os, sys, time
print(os.environ["WORK"], os.environ["TMPDIR"])
open(os.path.join(os.environ["WORK"], "checkpoint"), "w").write("x")
"""
# Each of two waits until the other has begun.
MEET = """
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
LINE = (
    "[{now}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/32]lr(PiecewiseDecay): 0.10000000, top1: 0.00000, "
    "batch_cost: 0.8{step:03}7s, reader_cost: 0.00014, ips: {ips:.5f} samples/s, eta: 0:00:17"
)


def facts_of(run: Path) -> dict[str, Any]:
    """The run.json of a run folder."""
    return dict(json.loads((run / "run.json").read_text(encoding="utf-8")))


def printing(*steps: int, batch: int = 64) -> str:
    """A program that prints the lines of these steps."""
    now = "{now}"
    lines = [LINE.format(now=now, step=step, ips=batch / float(f"0.8{step:03}7")) for step in steps]
    text = "\n".join(lines)
    return f"import datetime\nprint({text!r}.format(now=datetime.datetime.now().strftime('%Y/%m/%d %H:%M:%S')))\n"


def test_two_runs_at_once_share_no_folder_and_leave_none(native: Native) -> None:
    native.trains(TELL + MEET + PRINT)
    both = [native.started("--into", str(native.top / "logs" / name)) for name in ("a", "b")]
    assert [process.wait(timeout=90) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    runs = sorted(native.top.glob("logs/*/*/1"))
    told = [(run / "train.log").read_text().split()[:2] for run in runs]
    assert [folders[0] for folders in told] == [str(run.with_name(".1.work").resolve()) for run in runs]
    assert told[0][1] != told[1][1]
    assert not any(Path(folder).exists() for folders in told for folder in folders)
    assert {path.name for path in (native.repo / "tools").iterdir()} == {"train.py", "train.py.begun"}


def test_what_a_failed_run_wrote_is_kept_until_the_next_attempt(native: Native) -> None:
    native.trains(f"{TELL}raise SystemExit(3)\n")
    native.launch()
    assert (native.run.with_name(".1.work") / "checkpoint").exists()
    native.trains(PRINT)
    native.launch()
    assert not native.run.with_name(".1.work").exists()


def test_failures_within_one_second_are_all_kept(native: Native) -> None:
    native.trains("raise SystemExit(3)\n")
    for _ in range(4):
        native.launch()
    assert len(list(native.run.parent.glob(".1.failed-*"))) == 3


def test_a_log_that_contradicts_what_was_asked_makes_a_failed_run(native: Native) -> None:
    cases = {
        "asked": (printing(*range(32)), "done"),
        "more records than steps": (printing(*range(32), *range(16)), "failed"),
        "another batch size": (printing(*range(32), batch=48), "failed"),
    }
    found = {}
    for number, (name, (program, _)) in enumerate(cases.items()):
        native.trains(program)
        suite = native.top / "logs" / str(number)
        native.launch("--steps", "32", "--into", str(suite))
        found[name] = facts_of(suite / "ResNet50_bs64_fp32_N1C1" / "1")["status"]
    assert found == {name: status for name, (_, status) in cases.items()}


def test_the_log_of_another_run_makes_a_failed_run(native: Native) -> None:
    native.trains(printing(*range(32)))
    native.launch("--steps", "32")
    native.trains(f"print(open({str(native.run / 'train.log')!r}).read(), end='')\n")
    native.launch("--steps", "32", "--repeats", "2")
    assert [facts_of(native.run.with_name(number))["status"] for number in "12"] == ["done", "failed"]


def test_a_signal_that_ended_the_program_is_named(native: Native) -> None:
    native.trains("import os; os.kill(os.getpid(), 9)\n")
    native.launch()
    assert "SIGKILL" in native.facts()["reason"]


def test_a_recipe_that_writes_into_its_checkout_runs_there_once_at_a_time(native: Native, tmp_path: Path) -> None:
    (tmp_path / "own.sh").write_text(ALONE, encoding="utf-8")
    words: list[str | Path] = [
        "launch",
        tmp_path / "own.sh",
        "--repo",
        native.repo,
        "--repeats",
        "1",
        "--into",
        native.suite,
    ]
    held = os.open(native.repo, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert (run(*words, main=main).returncode, list(native.suite.glob("*/1"))) == (1, [])
    os.close(held)
    with patch.dict(os.environ, native.environment):
        assert run(*words, main=main).returncode == 0
