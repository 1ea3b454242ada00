"""Logs of programs that nobody described: `show` reads them without a format, `format` drafts one."""

import json
import shlex
from pathlib import Path

import pytest

from tests.commandline import run

# The first two records are skipped as warm-up: they are slower than the second half.
RATE = pytest.approx(4 / sum(1 / rate for rate in range(103, 107)))
LOG = "".join(f"[acme] step {n} loss {2 - n / 10:.3f} speed: {100 + n}.0 images/s\n" for n in range(1, 7))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text("acme 1.0 starts\n" + LOG, encoding="utf-8")
    return path


def test_show_reads_a_log_that_no_format_claims(log: Path) -> None:
    found = json.loads(run("show", "--json", log, cwd=log.parent).stdout)
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (RATE, "images/s")


def test_format_drafts_a_grammar_that_reads_the_log(log: Path) -> None:
    run("format", log, "--out", "my.lark", cwd=log.parent)
    found = json.loads(run("show", "--json", log, "--format", "my.lark", cwd=log.parent).stdout)
    assert (found["format"], found["throughput"]["value"]) == ("my", RATE)


@pytest.mark.parametrize("scope", ["card", "node", "job"])
def test_whose_a_rate_is_can_be_stated_as_it_is_read(scope: str, log: Path) -> None:
    grammar = log.with_name("formats") / "acme.lark"
    run("format", log, "--scope", scope, "--out", grammar)
    read = run("show", "--json", log, "--read", f"speed=images/s of {scope}")
    for done in (read, run("show", "--json", log, "--format", grammar)):
        found = json.loads(done.stdout)["throughput"]
        assert (found["value"], found["scope"]) == (RATE, scope)


def test_a_question_is_answered_by_one_of_its_options(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("".join(f"iter {n}0 loss 2.5{n} dt 12{n}.5\n" for n in range(1, 9)), encoding="utf-8")
    asked = json.loads(run("show", "--json", log).stdout)
    assert (asked["status"], asked["throughput"]) == ("refused", None)
    gives = {offer["option"]: offer["gives"]["value"] for offer in asked["options"]}
    for option, value in gives.items():
        read = json.loads(run("show", "--json", log, *shlex.split(option)).stdout)
        assert read["throughput"]["value"] == value


def test_the_question_of_a_script_that_prints_only_bars_names_the_command_that_drafts_a_grammar(tmp_path: Path) -> None:
    log = tmp_path / "bars.log"
    states = [
        f"\r {n:2}%|#    | {n}/100 [00:{n // 2:02}<00:{50 - n // 2:02}, 2.0{n % 9}it/s]" for n in range(0, 101, 2)
    ]
    log.write_text("\n".join(["".join(states)] * 2) + "\n", encoding="utf-8")
    *_, number, command = run("show", log).stdout.splitlines()
    assert number.split()[:2] == ["2.000", "steps/s:"]
    drafts = shlex.split(command.partition("tachograph ")[2].replace("NAME.lark", str(tmp_path / "bars.lark")))
    run(*drafts)
    found = json.loads(run("show", "--json", log, "--format", tmp_path / "bars.lark").stdout)["throughput"]
    assert (found["value"], found["unit"]) == (pytest.approx(2), "steps/s")


def test_what_is_said_of_a_number_counts_before_its_format(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    line = "step     {n} | loss: 10.9 | lr 8e-07 | norm: 15.2 | dt: 900.50ms | tok/sec: 9097.17\n"
    log.write_text("".join(line.format(n=n) for n in range(8)), encoding="utf-8")
    found = json.loads(run("show", "--json", log, "--read", "tok/sec=tokens/s of card").stdout)["throughput"]
    assert (found["value"], found["unit"], found["scope"]) == (9097.17, "tokens/s", "card")
    refused = json.loads(run("show", "--json", log, "--read", "tps=tokens/s").stdout)
    assert (refused["throughput"], refused["diagnostics"]) == (None, [{"code": "no_such_number", "name": "tps"}])


def test_a_text_that_is_no_option_is_refused_with_an_example(log: Path) -> None:
    done = run("show", log, "--read", "speed")
    assert (done.returncode, done.stdout) == (2, "")
    assert "dt=ms/step" in done.stderr


def test_format_puts_some_of_the_lines_into_a_folder_of_tests(log: Path) -> None:
    run("format", log, "--out", "my.lark", cwd=log.parent)
    assert (log.parent / "my/train.log").read_text(encoding="utf-8") == log.read_text(encoding="utf-8")


def test_format_refuses_a_log_of_a_known_format(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        "step     0 | loss: 10.9 | lr 8e-07 | norm: 15.2 | dt: 900.50ms | tok/sec: 9097.17\n", encoding="utf-8"
    )
    assert "is of the known format" in run("format", log, "--out", "my.lark", cwd=tmp_path).stderr


def test_format_refuses_a_log_without_a_speed(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("hello\n", encoding="utf-8")
    done = run("format", log, "--out", "my.lark", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "my.lark").exists()) == (2, False)


@pytest.mark.parametrize("cards", [(), ("--cards", "2")], ids=["cards unknown", "two cards"])
def test_of_a_rate_of_nobody_both_answers_are_offered_with_what_they_give(
    cards: tuple[str, ...], tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    log.write_text("".join(f"step {step}: loss 2.5, {1000 + step % 3} tokens/s\n" for step in range(40)))
    found = json.loads(run("show", log, "--json", *cards).stdout)
    assert found["throughput"]["scope"] == "unknown"
    offered = [(shlex.split(one["option"]), one["gives"]) for one in found["options"]]
    assert [typed for typed, _ in offered] == [["--read", f"tokens/s=tokens/s of {whose}"] for whose in ("job", "card")]
    for typed, gives in offered:
        again = json.loads(run("show", log, "--json", *cards, *typed).stdout)["throughput"]
        assert (again["unit"], again["scope"]) == (gives["unit"], gives["scope"])
        assert again["value"] == pytest.approx(gives["value"], rel=1e-14)
