"""What a stranger's grammar makes the program match ends in time, in a sentence that names the grammar and the line."""

import os
import socket
import time
from pathlib import Path

import pytest

from parsers.grammar.format import load
from parsers.io.box import LimitError, boxed
from parsers.io.errors import GrammarError, LogError
from parsers.runs.reading import survey
from parsers.scanning import detection
from report.views.archive import ArchiveError, verify
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN
from tests.report.test_archives import files_of, make, sealed, write

NESTED = r"""// Nested repeats
start: step_line
step_line: "speed:" throughput{images, job, instant} "at" WORDS "end"
WORDS: /(?:[a-z]+[a-z]*)+!/
%import .vocabulary (throughput, images, job, instant, BLANK)
%ignore BLANK
"""
SLOW = "speed: 1.5 at abc! end\nspeed: 1.5 at " + "a" * 60 + " end\n"


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    grammar = tmp_path / "formats/nested.lark"
    grammar.parent.mkdir()
    grammar.write_text(NESTED, encoding="utf-8")
    return grammar


def test_a_grammar_that_takes_too_long_on_a_line_is_refused(
    nested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection, "SECONDS", 1)
    (tmp_path / "train.log").write_text(SLOW, encoding="utf-8")
    begun = time.monotonic()
    with pytest.raises(GrammarError, match=r"nested.lark: takes more than 1 s .*train.log, at line 2;"):
        survey(tmp_path / "train.log", format=nested)
    assert time.monotonic() - begun < 20
    monkeypatch.setenv(detection.VARIABLE, str(nested.parent))
    with pytest.raises(GrammarError, match=r"nested\.lark: takes more than 1 s"):
        detection.detect(tmp_path / "train.log", detection.formats())
    done = run("show", tmp_path / "train.log", "--format", nested)
    assert (done.returncode, done.stderr.count("\n"), "at line 2" in done.stderr) == (2, 1, True)


def test_a_grammar_that_takes_too_long_to_compile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.grammar.format.COMPILING", 1)
    grammar = tmp_path / "endless.lark"
    endless = 'grow{x}: x grow{more{x}}\nmore{x}: x "," x\n'
    grammar.write_text(NESTED.replace('"at" WORDS "end"', "grow{WORDS}") + endless, encoding="utf-8")
    with pytest.raises(GrammarError, match=r"endless\.lark: takes more time or memory to compile"):
        load(grammar)


def test_a_log_reads_in_a_box_as_outside(tmp_path: Path) -> None:
    ours = next(fmt for fmt in detection.formats() if fmt.name == "paddleseg")
    copy = tmp_path / "paddleseg.lark"
    copy.write_bytes(ours.path.read_bytes())
    log = min((GOLDEN / "paddleseg").glob("*.log"))
    inside, outside = survey(log, format=copy), survey(log, format=ours)
    assert inside.records.equals(outside.records)
    assert (inside.facts, inside.events.equals(outside.events)) == (outside.facts, True)
    assert inside.format is load(copy)


def test_an_error_in_a_box_is_raised_outside(nested: Path, tmp_path: Path) -> None:
    with pytest.raises(LogError, match="file not found"):
        survey(tmp_path / "missing.log", format=nested)


def test_what_takes_too_much_memory_is_ended_and_a_child_that_is_killed_gives_no_result() -> None:
    with pytest.raises(LimitError) as caught:
        boxed(lambda: bytes(1 << 30), 10, memory=1 << 28)
    assert caught.value.seconds == 0
    with pytest.raises(LimitError):
        boxed(lambda: os.kill(os.getpid(), 9), 10)


def test_a_box_has_no_network() -> None:
    def network() -> str:
        return os.readlink("/proc/self/ns/net")  # noqa: PTH115 - it is no path

    if boxed(network, 10) == network():
        pytest.skip("this system lets no process leave its network")
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(OSError, match="unreachable"):
        boxed(lambda: socket.create_connection(server.getsockname()), 10)


def test_an_archive_that_holds_a_grammar_is_refused(tmp_path: Path) -> None:
    evil = {**files_of(make(tmp_path)), "formats/nested.lark": NESTED.encode()}
    with pytest.raises(ArchiveError):
        verify(write(sealed(evil), tmp_path / "evil.tach.zip"))


def test_an_error_that_holds_what_no_other_process_can_have_keeps_its_class_and_its_message() -> None:
    def fail() -> None:
        error = GrammarError.at("my.lark", "is wrong")
        error.held = lambda: None  # type: ignore[attr-defined]
        raise error

    with pytest.raises(GrammarError) as raised:
        boxed(fail, 10)
    assert raised.value.what == "is wrong"
