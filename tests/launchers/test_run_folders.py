"""The runner keeps what was printed, and says how it came about."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest
from native_checkout import METRIC, PRINT, TOP, Native, make_native

from launchers.machine.telemetry import RunLoad
from parsers.runs.run_folder import SCHEMA

# They call the program.
pytestmark = pytest.mark.slow

RAW = b"\x00\xff\x1b[32mgreen\r" + METRIC.encode() + b"no newline at the end"
WRITE_RAW = f"import sys; sys.stdout.buffer.write({RAW!r})\n"
KEYS = [
    "schema",
    "tachograph",
    "suite",
    "case",
    "repeat",
    "recipe",
    "launcher",
    "command",
    "native",
    "variables",
    "environment",
    "source",
]
OUTCOME = ["start", "end", "foreign", "exit_status", "status", "metric_lines", "redacted", "log"]


def test_the_log_holds_every_byte_and_the_terminal_shows_all_of_it_escaped(native: Native) -> None:
    native.trains(WRITE_RAW)
    assert native.launch().stdout == RAW.replace(b"\x00\xff", rb"\x00\xff") + b"\x1b[0m"
    assert (native.run / "train.log").read_bytes() == RAW
    digest = hashlib.sha256(RAW).hexdigest()
    assert native.facts()["log"] == {"file": "train.log", "sha256": digest, "bytes": len(RAW), "lines": 2}


def test_standard_output_and_standard_error_stay_in_order(native: Native) -> None:
    native.trains("import sys\nfor number in range(9):\n    print(number, file=(sys.stdout, sys.stderr)[number % 2])\n")
    native.launch()
    assert (native.run / "train.log").read_text().split() == list("012345678")


def test_twenty_megabytes_of_output_are_kept_whole(native: Native) -> None:
    line = METRIC.encode() * 1000
    native.trains(f"import sys\nfor _ in range({20_000_000 // len(line)}):\n    sys.stdout.buffer.write({line!r})\n")
    native.launch()
    lines = 20_000_000 // len(line) * 1000
    assert (native.facts()["log"]["lines"], native.facts()["metric_lines"]) == (lines, lines)


def test_the_facts_are_in_order_and_hold_the_case_but_no_path_of_the_machine(native: Native) -> None:
    native.environment["BATCH_SIZE"] = "7"  # which does not reach the launcher
    answer = native.launch()
    facts = native.facts()
    of_checkout = {"tachograph_commit", "tachograph_dirty"}  # only where Tachograph runs from one
    assert [key for key in facts if key not in of_checkout] == KEYS + OUTCOME
    expected = {"model": "ResNet50", "framework": "PaddleClas", "nodes": 1, "cards": 1, "precision": "fp32"}
    assert facts["case"] == {**expected, "batch_size": 64, "device": "CPU", "data": "real"}
    assert (facts["status"], facts["exit_status"], facts["variables"]["BATCH_SIZE"]) == ("done", 0, "64")
    assert facts["native"].startswith('cd "$REPO" && env -u CUDA_VISIBLE_DEVICES python tools/train.py -c ')
    assert facts["command"] == ["bash", "launchers/paddleclas_resnet50.sh"]
    assert str(native.top) not in (native.run / "run.json").read_text()
    assert (facts["source"]["commit"], b"commit of the checkout is unknown" in answer.stderr) == (None, True)


def test_the_cards_are_named_and_sampled_during_a_run(native: Native) -> None:
    native.environment["PYTHONPATH"] = str(TOP / "tests" / "launchers" / "nvml")
    native.launch("--device", "gpu")
    assert native.facts()["case"]["device"] == native.facts()["environment"]["gpus"][0]
    with (native.run / "gpu.csv").open() as file:
        assert {row["card"] for row in csv.DictReader(file)} == {"0", "1"}


def test_what_others_took_is_recorded_and_said_at_the_end(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {"cpu_percent": 51.5, "load_average": 3.1, "gpu_processes": ["gmx"]}
    monkeypatch.setattr(RunLoad, "foreign", lambda _: others)
    answer = native.launch()
    assert (native.facts()["foreign"], b"51%" in answer.stderr or b"52%" in answer.stderr) == (others, True)


def test_a_launch_repeats_no_done_run_and_goes_on_with_those_that_are_missing(native: Native) -> None:
    native.launch()
    before = (native.run / "run.json").read_bytes()
    answer = native.launch()
    assert (answer.returncode, answer.stdout) == (0, b"")
    native.launch("--repeats", "3")
    assert sorted(path.name for path in native.run.parent.iterdir()) == ["1", "2", "3"]
    assert (native.run / "run.json").read_bytes() == before
    answer = native.launch("--steps", "7")
    assert (answer.returncode, b"(STEPS=" in answer.stderr) == (1, True)


def test_a_failed_run_is_repeated_and_its_log_kept_aside(native: Native) -> None:
    native.trains("print('half'); raise SystemExit(3)\n")
    answer = native.launch("--repeats", "2")
    facts = native.facts()
    assert (facts["status"], facts["exit_status"], facts["last_lines"]) == ("failed", 3, ["half"])
    assert (answer.returncode, [path.name for path in native.run.parent.iterdir()]) == (1, ["1"])
    native.trains(PRINT)
    answer = native.launch()
    [kept] = native.run.parent.glob(".1.failed-*")
    assert ((kept / "train.log").read_text(), kept.name in answer.stderr.decode()) == ("half\n", True)
    assert (native.facts()["status"], (native.run / "train.log").read_text()) == ("done", METRIC)


def test_a_done_run_whose_log_was_changed_is_not_taken_for_done(native: Native) -> None:
    native.launch()
    with (native.run / "train.log").open("a") as log:
        log.write("more\n")
    answer = native.launch()
    assert (answer.returncode, b"is not the log that its run.json describes" in answer.stderr) == (1, True)


def test_a_folder_without_facts_is_left_alone(native: Native) -> None:
    native.run.mkdir(parents=True)
    (native.run / "train.log").write_text("someone else's")
    answer = native.launch()
    assert (answer.returncode, b"move the folder away" in answer.stderr.splitlines()[-1]) == (1, True)
    assert (native.run / "train.log").read_text() == "someone else's"


def with_schema(native: Native, schema: int, without: Collection[str] = ()) -> bytes:
    """Make the first repeat one that another version wrote, and give its run.json."""
    facts = {key: value for key, value in native.facts().items() if key not in without}
    text = json.dumps({**facts, "schema": schema}).encode()
    (native.run / "run.json").write_bytes(text)
    return text


@pytest.mark.parametrize("program", [PRINT, "raise SystemExit(3)\n"], ids=["done", "failed"])
def test_a_launch_refuses_to_go_on_in_a_folder_of_a_newer_schema(native: Native, program: str) -> None:
    native.trains(program)
    native.launch()
    newer = with_schema(native, SCHEMA + 1)
    answer = native.launch()
    assert (answer.returncode, b"run.json: has schema 3" in answer.stderr) == (1, True)
    assert (native.run / "run.json").read_bytes() == newer


def test_a_launch_goes_on_in_a_folder_of_an_older_schema(native: Native) -> None:
    native.launch()
    older = with_schema(native, 1, ["tachograph", "native", "metric_lines", "redacted"])
    answer = native.launch()
    assert (answer.returncode, b"is already done" in answer.stderr) == (0, True)
    assert (native.run / "run.json").read_bytes() == older


def test_a_run_in_progress_cannot_be_taken_for_a_run(native: Native) -> None:
    native.trains(f"import os; print(sorted(os.listdir({str(native.run.parent)!r})))\n{PRINT}")
    assert native.launch().stdout.startswith(b"['.1.lock', '.1.unfinished', '.1.work']\n")


def test_what_a_killed_launch_left_is_kept_aside(native: Native) -> None:
    native.unfinished.mkdir(parents=True)
    (native.unfinished / "train.log").write_text("half")
    native.launch()
    [kept] = native.run.parent.glob(".1.unfinished-*")
    assert ((kept / "train.log").read_text(), (native.run / "train.log").read_text()) == ("half", METRIC)


@pytest.mark.parametrize("name", ["a 0", "a'; echo foo", "a\nb", 'a"$(touch made)'])
def test_hostile_folder_names_change_nothing(tmp_path: Path, name: str) -> None:
    native = make_native(tmp_path / name)
    assert native.launch().stdout == METRIC.encode()
    assert native.facts()["variables"]["DATA"] == "data"
    assert not list(tmp_path.rglob("made"))


def test_extra_arguments_reach_the_native_program_unchanged(native: Native) -> None:
    native.trains(f"import sys; print(sys.argv[-2:])\n{PRINT}")
    assert native.launch("--", "it's a", "[{'x': 1}]").stdout.startswith(b'["it\'s a", "[{\'x\': 1}]"]\n')


def test_the_commit_of_the_checkout_is_recorded_beside_the_pinned_one(native: Native) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(native.repo)], check=True)
    subprocess.run(["git", "-C", str(native.repo), *identity, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    expected = subprocess.check_output(["git", "-C", str(native.repo), "rev-parse", "HEAD"], text=True).strip()
    answer = native.launch()
    source = native.facts()["source"]
    assert (source["commit"], source["dirty"], len(source["pinned"])) == (expected, False, 40)
    assert b"git checkout" in answer.stderr


def test_a_missing_python_is_said_in_one_sentence(native: Native) -> None:
    (native.top / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    answer = native.launch()
    assert (answer.returncode, answer.stderr.splitlines()[-1].startswith(b"Error: No working `python`")) == (1, True)
    assert not native.run.exists()
