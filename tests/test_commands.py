"""The command line as a whole: its help, what is typed wrong, and the commands that no other module is about."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from report.results.model import Result, parsed
from tests.commandline import PROJECT, run

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
