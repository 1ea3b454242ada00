"""Logs of programs that nobody described: `show` reads them without a format, `format` drafts one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commandline import run

# The first record is skipped as warm-up: it is slower than the second half.
RATE = pytest.approx(5 / sum(1 / rate for rate in range(102, 107)))
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
def test_whose_a_rate_is_can_be_stated_as_its_grammar_is_drafted(scope: str, log: Path) -> None:
    grammar = log.with_name("formats") / "acme.lark"
    run("format", log, "--scope", scope, "--out", grammar)
    found = json.loads(run("show", "--json", log, "--format", grammar).stdout)["throughput"]
    assert (found["value"], found["scope"]) == (RATE, scope)
    assert f"// By the option --scope, the throughput is that of one {scope}." in grammar.read_text(encoding="utf-8")


def test_a_scope_is_refused_where_no_rate_lacks_one(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("".join(f"step {n} loss 2.5 time: 0.5{n} s\n" for n in range(9)), encoding="utf-8")
    found = run("format", log, "--scope", "job", "--out", tmp_path / "my.lark")
    assert (found.returncode, (tmp_path / "my.lark").exists()) == (2, False)
    assert "has no throughput whose scope is unknown; omit --scope." in found.stderr


def test_format_puts_some_of_the_lines_into_a_folder_of_tests(log: Path) -> None:
    run("format", log, "--out", "my.lark", cwd=log.parent)
    assert (log.parent / "my/train.log").read_text(encoding="utf-8") == log.read_text(encoding="utf-8")


def test_format_refuses_a_log_of_a_known_format(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        "step     0 | loss: 10.9 | lr 8e-07 | norm: 15.2 | dt: 900.50ms | tok/sec: 9097.17\n", encoding="utf-8"
    )
    assert "is of the known format" in run("format", log, "--out", "my.lark", cwd=tmp_path).stderr


def test_format_says_why_there_is_no_grammar(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("hello\n", encoding="utf-8")
    done = run("format", log, "--out", "my.lark", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"Error: {log}: no grammar can be drafted for it: no number in it is recognised as a training speed.\n",
    )


def test_a_log_of_a_known_format_does_not_load_the_general_reader() -> None:
    code = (
        "import sys; from pathlib import Path; from report.evidence.measured_log import measured_log;"
        "measured_log(Path('tests/parsers/golden/nanogpt/older.log')).throughput();"
        "print([name for name in sys.modules if name.startswith('parsers.general.drafting')])"
    )
    assert run_python(code) == "[]\n"


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
