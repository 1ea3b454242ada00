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


TIMES = "".join(f"iter {n}0 loss 2.5{n} dt 12{n}.5\n" for n in range(1, 9))
RATES = "".join(f"step {step}: loss 2.5, {1000 + step % 3} tokens/s\n" for step in range(40))


@pytest.mark.parametrize(
    ("text", "stated", "asks", "offered"),
    [
        (TIMES, [], "refused", ["dt=ms/step", "dt=ms/line", "dt=s/line"]),
        *(
            (RATES, cards, "unchecked", [f"tokens/s=tokens/s of {whose}" for whose in ("job", "card")])
            for cards in ([], ["--cards", "2"])
        ),
    ],
)
def test_each_option_that_is_offered_gives_what_is_said_of_it(
    text: str, stated: list[str], asks: str, offered: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    log.write_text(text, encoding="utf-8")
    found = json.loads(run("show", "--json", log, *stated).stdout)
    assert found["status"] == asks
    options = [(shlex.split(one["option"]), one["gives"]) for one in found["options"]]
    assert [typed for typed, _ in options] == [["--read", option] for option in offered]
    for typed, gives in options:
        again = json.loads(run("show", "--json", log, *stated, *typed).stdout)["throughput"]
        assert (again["unit"], again["scope"]) == (gives["unit"], gives["scope"])
        assert again["value"] == pytest.approx(gives["value"], rel=1e-14)


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


KNOWN = "step     0 | loss: 10.9 | lr 8e-07 | norm: 15.2 | dt: 900.50ms | tok/sec: 9097.17\n"


@pytest.mark.parametrize(
    ("text", "said"), [(KNOWN, "is of the known format"), ("hello\n", "")], ids=["known", "no speed"]
)
def test_format_refuses_a_log_of_a_known_format_and_one_without_a_speed(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    done = run("format", "a.log", "--out", "my.lark", cwd=tmp_path)
    assert (done.returncode, said in done.stderr, (tmp_path / "my.lark").exists()) == (2, True, False)
