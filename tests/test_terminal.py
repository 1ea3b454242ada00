"""What every command prints of texts from outside: nothing that a terminal obeys, and no line that is not ours."""

import atexit
import gc
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import click
import pytest

import tachograph
from parsers.io.printable import shell_quoted, shell_script
from tachograph.cli import command_line
from tests.commandline import PROJECT
from tests.hostile_text import FORGED, HOSTILE, NAME, Hostile, unseen, write_hostile

NUMBER = "11.9"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm", "COLUMNS": "160"}
VARIABLES = ("CUDA_VISIBLE_DEVICES", "NCCL_DEBUG", "NCCL_SOCKET_IFNAME", "OMP_NUM_THREADS", "PADDLE_X", "LANGUAGE")
# Of each command: arguments that make it print what is in logs, run.json, pages, names and arguments, or refuse it.
DRIVEN: dict[str, list[list[str]]] = {
    "formats": [[], ["--json"], ["{hostile}"], ["--{hostile}"]],
    "parse": [
        ["{log}", "--out", "{top}/{name}.csv"],
        ["{log}", "--out", "{top}/{name}.xls"],
        ["{log}", "--out", "{top}/{name}/no/where.csv"],
        ["{broken}", "{top}/{name}.none", "--out", "{top}/a.csv"],
        ["{log}", "--out", "{top}/a.csv", "--format", "{hostile}"],
    ],
    "ingest": [
        ["{top}", "--into", "{top}/into {name}", "--verbose", "--jobs", "1"],
        ["{top}", "--into", "{top}/into {name}", "--json", "--jobs", "1"],
        ["{top}/{name}.none", "--into", "{top}/into"],
        ["{page}", "--into", "{log}"],
        ["{page}", "--into", "{top}/into", "--jobs", "{hostile}"],
    ],
    "scrub": [
        ["{log}", "--out", "{top}/copies {name}"],
        ["{broken}", "{top}/{name}.none", "--out", "{log}"],
        ["{log}", "--out", "{top}/copies", "--format", "{hostile}"],
    ],
    "format": [
        ["{log}", "--out", "{top}/{name}.lark"],
        ["{broken}", "--out", "{top}/{name}.lark"],
        ["{top}/{name}.none", "--out", "{top}/a.lark"],
        ["{page}", "--out", "{hostile}"],
    ],
    "show": [
        ["{log}"],
        ["{log}", "--json"],
        ["{folder}", "--format", "paddleclas"],
        ["{undone}"],
        ["{broken}"],
        ["{log}", "{broken}", "{top}/{name}.none"],
        ["{log}", "--protocol", "{hostile}"],
        ["{log}", "--format", "{hostile}"],
        ["{log}", "--cards", "{hostile}"],
    ],
    "compare": [
        ["{folder}", "{folder}"],
        ["{log}", "{top}"],
        ["{log}", "{broken}", "--markdown"],
        ["{hostile}", "{top}/{name}.none"],
        ["{log}", "{log}", "--gate", "{hostile}"],
        ["{log}", "{log}", "--protocol", "{hostile}"],
    ],
    "history": [
        ["{folder}", "{top}"],
        ["{top}", "--by", "commit", "--store", "{top}/{name}.sqlite"],
        ["{broken}", "--markdown"],
        ["{top}", "--json"],
        ["{log}", "--store", "{page}"],
        ["{hostile}", "{top}/{name}.none"],
        ["{log}", "--gate", "{hostile}"],
        ["{log}", "--protocol", "{hostile}"],
    ],
    "init": [
        ["{top}/draft {name}", "{log}"],
        ["{top}/draft", "{broken}", "{top}/{name}.none"],
        ["{page}", "{log}"],
        ["{top}/draft", "{log}", "--logs", "{top}/{name}"],
    ],
    "archive": [
        ["{page}", "--logs", "{top}", "--out", "{top}/{name}.tach.zip"],
        ["{bad_page}", "--out", "{top}/a.tach.zip"],
        ["{hostile}"],
    ],
    "verify": [
        ["{log}"],
        ["{page}"],
        ["{top}/{name}.none"],
    ],
    "report": [
        ["{page}", "--logs", "{top}", "--out", "{top}/out {name}"],
        ["{page}", "--logs", "{top}", "--out", "{top}/out {name}", "--json"],
        ["{page}", "--logs", "{top}", "--out", "{top}/out {name}", "--html"],
        ["{page}", "--logs", "{top}", "--out", "{log}"],
        ["{bad_page}"],
        ["{hostile}"],
        ["{page}", "--lang", "{hostile}"],
    ],
    "why": [
        ["{log}"],
        ["{log}", "--json"],
        ["{log}", "--protocol", "{hostile}"],
        ["{page}", "only/2/a", "--logs", "{top}"],
        ["{page}", "only/2/a", "--logs", "{top}", "--json"],
        ["{page}", "{hostile}", "--logs", "{top}"],
        ["{page}"],
        ["{bad_page}", "only/2/a"],
        ["{broken}"],
        ["{top}/{name}.none"],
    ],
    "export": [
        ["csv", "{page}", "--logs", "{top}"],
        ["github-action-benchmark", "{page}", "--logs", "{top}"],
        ["openmetrics", "{log}", "{page}", "--logs", "{top}"],
        ["{hostile}", "{log}"],
        ["csv", "{log}", "--out", "{top}/{name}/no/where.csv"],
        ["csv", "{bad_page}"],
        ["csv", "{broken}"],
        ["csv", "{top}/{name}.none"],
    ],
    "audit": [
        ["{markdown}", "--logs", "{top}", "--all"],
        ["{markdown}", "--logs", "{top}", "--all", "--json"],
        ["{markdown}", "--logs", "{top}", "--markdown"],
        ["{markdown}", "--baseline", "{page}"],
        ["{top}/{name}.none"],
    ],
    "recover": [
        ["{log}", "--published", NUMBER],
        ["{log}", "--published", NUMBER, "--json"],
        ["{log}", "--published", "{hostile}"],
        ["{broken}", "--published", NUMBER],
    ],
    "run": [
        ["--into", "{top}/runs {name}", "--model", "{hostile}", "--", "true", "{hostile}"],
        ["--into", "{top}/runs {name}", "--", "{hostile}"],
        ["--into", "{log}", "--", "true"],
        ["--model", "{hostile}", "--dry-run", "--", "echo", "{hostile}"],
        ["--lang", "{hostile}", "--into", "{top}/runs", "--", "true"],
        ["--{hostile}"],
    ],
    "launch": [
        ["{hostile}"],
        ["{bad_page}"],
        ["{page}", "--into", "{top}", "--repo", "{repo}", "--dry-run"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--into", "{top}/runs {name}", "--dry-run", "--device", "cpu"],
        ["paddleclas_resnet50", "--repo", "{top}/{name}.none"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--data", "{top}/{name}.none"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--into", "{log}", "--device", "cpu"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--only", "{hostile}"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--dry-run", "--", "{hostile}"],
    ],
    "collect": [
        ["{top}"],
        ["{log}"],
        ["{hostile}"],
    ],
    "launchers": [
        [],
        ["--json"],
    ],
    "doctor": [
        ["paddleclas_resnet50", "--repo", "{repo}", "--data", "{repo}"],
        ["paddleclas_resnet50", "--repo", "{repo}", "--data", "{repo}", "--json"],
        ["{hostile}"],
        ["--repo", "{top}/{name}.none"],
    ],
    "observe": [["{top}/{name}.none", "--node", "0", "--until", "1"], ["{top}", "--node", "{hostile}", "--until", "1"]],
    "images": [["--kind", "imagenet", "--count", "1", "{log}"], ["--kind", "{hostile}", "{top}/{name}"]],
}
RUNS = [(command, words) for command, lines in DRIVEN.items() for words in lines]
IN_PROSE = [run for run in RUNS if "--json" not in run[1]]


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return write_hostile(tmp_path)


Said = Callable[[str, Sequence[str]], str]


@pytest.fixture
def said(hostile: Hostile, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    """What the whole program prints in a hostile environment for words whose ``{names}`` are parts of the folder."""
    parts = parts_of(hostile)
    for name in VARIABLES:
        monkeypatch.setenv(name, HOSTILE)

    def run(command: str, words: Sequence[str]) -> str:
        for stream in ("stdout", "stderr"):
            monkeypatch.setattr(sys, stream, getattr(sys, stream))  # which it replaces
        monkeypatch.setattr(gc, "set_threshold", lambda *_: None)
        monkeypatch.setattr(atexit, "register", lambda *_: None)
        monkeypatch.setattr(sys, "argv", ["tachograph", command, *(word.format(**parts) for word in words)])
        with pytest.raises(SystemExit):
            tachograph.main()
        return "".join(capfd.readouterr())

    return run


def parts_of(hostile: Hostile) -> dict[str, str]:
    names = ("top", "log", "broken", "undone", "page", "bad_page", "markdown", "repo")
    found = {name: str(getattr(hostile, name)) for name in names}
    return {**found, "hostile": HOSTILE, "name": NAME, "folder": str(hostile.log.parent)}


def program(words: list[str]) -> list[str]:
    return [sys.executable, "-c", "import tachograph; tachograph.main()", *words]


def test_every_command_is_driven() -> None:
    group = command_line()
    assert set(DRIVEN) == set(group.list_commands(click.Context(group)))


@pytest.mark.slow
@pytest.mark.parametrize(("command", "words"), IN_PROSE, ids=[" ".join([c, *w]) for c, w in IN_PROSE])
def test_nothing_that_a_terminal_obeys_is_printed(command: str, words: list[str], said: Said) -> None:
    printed = said(command, words)
    assert printed != "" or command == "images"
    assert_obeyed_by_no_terminal(printed)


def assert_obeyed_by_no_terminal(printed: str) -> None:
    assert unseen(printed) == set()
    assert [line for line in printed.splitlines() if line.lstrip().startswith(FORGED)] == []


@pytest.mark.parametrize(("command", "words"), [run for run in RUNS if "--json" in run[1]], ids=str)
def test_json_says_the_same_without_what_a_terminal_obeys(command: str, words: list[str], said: Said) -> None:
    printed = said(command, words)
    assert_obeyed_by_no_terminal(printed)
    assert [json.loads(line) for line in printed.splitlines() if line.startswith("{")] != [], printed


SHOWN_IN_COLOUR = [
    ["show", "{undone}"],
    ["why", "{log}"],
    ["audit", "{markdown}", "--logs", "{top}", "--all"],
    ["ingest", "{top}", "--into", "{top}/terminal", "--jobs", "1"],
]


@pytest.mark.slow
@pytest.mark.parametrize("words", SHOWN_IN_COLOUR, ids=" ".join)
def test_a_terminal_gets_the_colours_of_the_program_alone(words: list[str], hostile: Hostile) -> None:
    shown = on_a_terminal([word.format(**parts_of(hostile)) for word in words])
    own = re.compile(r"\x1b\[(?:[0-9]|[34][0-7]|9[0-7]|1;3[0-7])?(?:m|A|K)|\x1b\[\?25[lh]|\r")
    assert ("\x1b" in shown, unseen(own.sub("", shown))) == (True, set())


def on_a_terminal(words: list[str]) -> str:
    """What a terminal gets of a child process."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(program(words), env=ENVIRONMENT, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # that is how Linux tells that the other end is closed
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    return shown.decode()


FILLERS = "\u3164\u115f\ufe0f\u034f\u180b"  # which no font draws


@pytest.mark.parametrize("text", [HOSTILE, NAME, "it's", "批", "a\\b'\n", "\udcff", *FILLERS])
def test_a_quoted_word_is_the_same_word_in_bash_and_all_of_it_is_seen(text: str) -> None:
    word = shell_quoted(f"a{text}b")
    done = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert done.stdout.decode("utf-8", "surrogateescape") == f"a{text}b"
    assert (unseen(word), {*word} & {"\n", *FILLERS}) == (set(), set())


@pytest.mark.parametrize("text", ["\u202e it's \\ \x1b", "plain\t", *FILLERS])
def test_a_script_that_is_quoted_as_a_whole_does_the_same_and_all_of_it_is_seen(text: str) -> None:
    script = shell_script(f"cat <<'END'\n{text}\nEND\necho done\n")
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True)
    assert (done.stdout, unseen(script), {*script} & {*FILLERS}) == (f"{text}\ndone\n", set(), set())
