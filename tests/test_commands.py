"""The command line as a whole: help, what is typed wrong, and nothing of texts from outside that a terminal obeys."""

import atexit
import gc
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pandas as pd
import pytest

import tachograph
from parsers.io.printable import shell_quoted
from report.results.model import Result, parsed
from tachograph.cli import command_line
from tests.commandline import ENVIRONMENT, PROGRAM, PROJECT, on_a_terminal, run
from tests.hostile_text import FORGED, HOSTILE, NAME, unseen, write_hostile

READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "csv": pd.read_csv,
    "parquet": pd.read_parquet,
}
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"
GOLDEN = PROJECT / "tests/report/golden"


def test_what_makes_no_dataframe_does_not_wait_for_pandas(tmp_path: Path) -> None:
    page = f"report {GOLDEN}/toy.toml --logs {GOLDEN}/logs --out {tmp_path}"
    program = f"""import sys, tachograph
for words in ("--help", "{page}", "show {LOG}"):
    sys.argv[1:] = words.split()
    try:
        tachograph.main()
    except SystemExit as end:
        assert end.code == 0 and 'pandas' not in sys.modules, words"""
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert [word for word in ("Commands:", "wrote", "CONFIRMED") if word not in done.stdout] == []


def test_every_command_has_help_that_teaches_by_example() -> None:
    listed = re.findall(r"^  (\w+)  ", run("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    told = {command: run(command, "--help").stdout for command in listed}
    assert len(told) >= 10
    assert [name for name, said in told.items() if f"\n    tachograph {name}" not in said] == []


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [
        ("shwo x.log", "show"),
        ("show x.log --protcol plain", "--protocol"),
        ("show x.log --protocol skip_record=5", "skip_records"),
        ("show x.log --format timmm", "timm"),
        ("report", "cpu-demo"),
        ("report cpu-dmo", "cpu-demo"),
        ("report x.log", "tachograph init my-page x.log"),
        ("report cpu-demo --lang tlh", "en, zh"),
        ("export cvs cpu-demo", "csv"),
        ("launch paddleclas_resnt50 --repo .", "paddleclas_resnet50"),
        ("show x.log --scheduler nowhere --jobs 2", "not both"),
        ("why cpu-dmo", "cpu-demo"),
        ("verify gone.tach.zip", "No such file"),
        ("audit words.txt --board parameter-golv", "parameter-golf"),
        ("show words.txt", "tachograph show words.txt --read NAME=tokens/s"),
    ],
)
def test_what_is_typed_wrong_is_told_what_it_is_like(typed: str, nearest: str, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(LOG.read_bytes())
    (tmp_path / "words.txt").write_text("nothing to measure\n", encoding="utf-8")
    done = run(*typed.split(), cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert nearest in (done.stderr or done.stdout).splitlines()[-1]


def test_formats_lists_every_grammar() -> None:
    listed = {line.split()[0] for line in run("formats").stdout.splitlines()}
    assert listed == {path.stem for path in (PROJECT / "parsers/formats").glob("*.lark")}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_parse_writes_every_record_with_its_log_and_line(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"records.{ending}"
    assert run("parse", LOG, "--out", out).returncode == 0
    records = READERS[ending](out)
    numbers = [n for n, line in enumerate(LOG.read_text().splitlines(), 1) if "][Iter: " in line]
    assert records[records["record"] == "step"]["line"].tolist() == numbers


def results(logs: Path, cwd: Path) -> list[Result]:
    """The results of the report that is printed, on one line."""
    done = run("report", "--json", GOLDEN / "toy.toml", "--logs", logs, cwd=cwd)
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
    return parsed(done.stdout, Path("printed")).results


def test_report_prints_every_number_or_a_reason_also_where_a_log_is_broken(tmp_path: Path) -> None:
    logs = tmp_path / "a'; echo foo"  # which is only a name
    shutil.copytree(GOLDEN / "logs", logs)
    found = results(logs, tmp_path)
    assert len(found) == 9
    assert [one.id for one in found if (one.digits is None) != (one.reason is not None)] == []
    next((logs / "A100").glob("*N1C1_log")).write_bytes(b"")
    assert sum(one.value is not None for one in results(logs, tmp_path)) == 5


def test_report_in_one_language_writes_one_page_and_its_evidence(tmp_path: Path) -> None:
    run("report", GOLDEN / "toy.toml", "--logs", GOLDEN / "logs", "--lang", "zh", "--out", tmp_path / "site")
    written = {path.name for path in (tmp_path / "site").iterdir()}
    assert written == {"toy.zh.md", "toy.evidence.zh.md", "toy.report.json"}


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
