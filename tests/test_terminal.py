"""What every command prints of texts from outside: nothing that a terminal obeys, and no line that is not ours."""

import atexit
import gc
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import tachograph
from parsers.io.printable import shell_quoted
from tachograph.cli import command_line
from tests.commandline import ENVIRONMENT, PROGRAM, on_a_terminal
from tests.hostile_text import FORGED, HOSTILE, NAME, unseen, write_hostile

VARIABLES = ("CUDA_VISIBLE_DEVICES", "NCCL_DEBUG", "NCCL_SOCKET_IFNAME", "OMP_NUM_THREADS", "PADDLE_X", "LANGUAGE")
# What makes each command print what is in logs, run.json, pages, names and arguments, or refuse it.
DRIVEN = """\
formats
formats {hostile}
formats --{hostile}
parse {log} --out {top}/{name}.csv
parse {log} --out {top}/{name}.xls
parse {log} --out {top}/{name}/no/where.csv
parse {broken} {top}/{name}.none --out {top}/a.csv
ingest {top} --into '{top}/into {name}' --jobs 1
ingest {top} --into '{top}/into {name}' --json --jobs 1
ingest {top}/{name}.none --into {top}/into
ingest {page} --into {log}
scrub {log} --out '{top}/copies {name}'
scrub {broken} {top}/{name}.none --out {log}
format {log} --out {top}/{name}.lark
format {broken} --out {top}/{name}.lark
format {top}/{name}.none --out {top}/a.lark
show {log}
show {log} --json
show {folder} --format paddleclas
show {undone}
show {broken}
show {log} {broken} {top}/{name}.none
show {log} --protocol {hostile}
show {log} --format {hostile}
compare {folder} {folder}
compare {log} {top}
compare {log} {broken} --markdown
compare {hostile} {top}/{name}.none
history {folder} {top}
history {top} --by commit
history {broken} --markdown
history {top} --json
init '{top}/draft {name}' {log}
init {top}/draft {broken} {top}/{name}.none
init {page} {log}
init {top}/draft {log} --logs {top}/{name}
archive {page} --logs {top} --out {top}/{name}.tach.zip
archive {bad_page} --out {top}/a.tach.zip
archive {hostile}
verify {log}
verify {page}
verify {top}/{name}.none
report {page} --logs {top} --out '{top}/out {name}'
report {page} --logs {top} --out '{top}/out {name}' --json
report {page} --logs {top} --out '{top}/out {name}' --html
report {page} --logs {top} --out {log}
report {bad_page}
report {hostile}
why {log}
why {page} only/2/a --logs {top}
why {page} {hostile} --logs {top}
why {page}
why {broken}
export csv {page} --logs {top}
export github-action-benchmark {page} --logs {top}
export {hostile} {page}
export csv {page} --logs {top} --out {top}/{name}/no/where.csv
audit {markdown} --logs {top} --all
audit {markdown} --logs {top} --all --json
audit {markdown} --logs {top} --markdown
audit {markdown} --baseline {page}
audit {top}/{name}.none
recover {log} --published 11.9
recover {log} --published 11.9 --json
recover {log} --published {hostile}
run --into '{top}/runs {name}' --model {hostile} -- true {hostile}
run --into '{top}/runs {name}' -- {hostile}
run --into {log} -- true
run --model {hostile} --dry-run -- echo {hostile}
run --{hostile}
launch {hostile}
launch {page} --into {top} --repo {repo} --dry-run
launch paddleclas_resnet50 --repo {repo} --into '{top}/runs {name}' --dry-run --device cpu
launch paddleclas_resnet50 --repo {repo} --into {log} --device cpu
launch paddleclas_resnet50 --repo {repo} --only {hostile}
launch paddleclas_resnet50 --repo {repo} --dry-run -- {hostile}
collect {top}
collect {log}
launchers
launchers --json
doctor paddleclas_resnet50 --repo {repo} --data {repo}
doctor paddleclas_resnet50 --repo {repo} --data {repo} --json
doctor {hostile}
doctor --repo {top}/{name}.none
observe {top}/{name}.none --node 0 --until 1
images --kind imagenet --count 1 {log}
images --kind {hostile} {top}/{name}
""".splitlines()


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, str]:
    """What the ``{names}`` of a command stand for: the parts of a hostile folder, which is written."""
    made = write_hostile(tmp_path)
    named = {name: str(path) for name, path in made._asdict().items()}
    return {**named, "hostile": HOSTILE, "name": NAME, "folder": str(made.log.parent)}


def words(command: str, parts: dict[str, str]) -> list[str]:
    return [word.format(**parts) for word in shlex.split(command)]


def test_every_command_is_driven() -> None:
    group = command_line()
    assert {line.split()[0] for line in DRIVEN} == set(group.list_commands(click.Context(group)))


@pytest.mark.parametrize(
    "command", [pytest.param(line, marks=() if "--json" in line else pytest.mark.slow) for line in DRIVEN]
)
def test_nothing_that_a_terminal_obeys_is_printed_and_no_line_that_is_not_ours(
    command: str, parts: dict[str, str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, HOSTILE)
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, getattr(sys, stream))  # which it replaces
    monkeypatch.setattr(gc, "set_threshold", lambda *_: None)
    monkeypatch.setattr(atexit, "register", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["tachograph", *words(command, parts)])
    with pytest.raises(SystemExit):
        tachograph.main()
    printed = "".join(capfd.readouterr())
    assert printed != "" or command.startswith("images")
    assert unseen(printed) == set()
    assert [line for line in printed.splitlines() if line.lstrip().startswith(FORGED)] == []
    if "--json" in command:
        assert [json.loads(line) for line in printed.splitlines() if line.startswith("{")] != [], printed


@pytest.mark.slow
def test_a_terminal_gets_the_colours_of_the_program_alone(parts: dict[str, str]) -> None:
    _, shown = on_a_terminal([*PROGRAM, *words("show {undone}", parts)], ENVIRONMENT)
    own = re.compile(r"\x1b\[(?:[0-9]|[34][0-7]|9[0-7]|1;3[0-7])?(?:m|A|K)|\x1b\[\?25[lh]|\r")
    assert ("\x1b" in shown, unseen(own.sub("", shown))) == (True, set())


FILLERS = "\u3164\u115f\ufe0f\u034f\u180b"  # which no font draws


@pytest.mark.parametrize("text", [HOSTILE, NAME, "it's", "批", "a\\b'\n", "\udcff", *FILLERS])
def test_a_quoted_word_is_the_same_word_in_bash_and_all_of_it_is_seen(text: str) -> None:
    word = shell_quoted(f"a{text}b")
    done = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert done.stdout.decode("utf-8", "surrogateescape") == f"a{text}b"
    assert (unseen(word), {*word} & {"\n", *FILLERS}) == (set(), set())
