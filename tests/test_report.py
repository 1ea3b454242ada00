"""The command `tachograph report`."""

import json
import shutil
from pathlib import Path

from tests.commandline import PROJECT, run

GOLDEN = PROJECT / "tests/report/golden"
KEYS = [
    "page",
    "table",
    "row",
    "column",
    "quantity",
    "value",
    "number",
    "unit",
    "protocol",
    "log",
    "sha256",
    "lines",
    "records_used",
]


def cells(*arguments: str | Path, cwd: Path) -> list[dict[str, object]]:
    done = run("report", "--json", *arguments, cwd=cwd)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_json_prints_every_cell_with_the_promised_keys_or_a_reason(tmp_path: Path) -> None:
    found = cells(GOLDEN / "toy.toml", "--logs", GOLDEN / "logs", cwd=tmp_path)
    assert (len(found), list(found[0])[:13]) == (9, KEYS)
    assert (found[-1]["value"], bool(found[-1]["reason"])) == (None, True)


def test_of_several_repeats_the_evidence_is_a_list(tmp_path: Path) -> None:
    first = cells("cpu-demo", "--logs", PROJECT / "logs", cwd=tmp_path)[0]
    assert [str(log).split("/")[-2] for log in first["log"]] == ["1", "2", "3"]  # type: ignore[attr-defined]


def test_one_language_writes_one_page_and_its_evidence(tmp_path: Path) -> None:
    run("report", GOLDEN / "toy.toml", "--logs", GOLDEN / "logs", "--lang", "zh", "--out", "site", cwd=tmp_path)
    assert {path.name for path in (tmp_path / "site").iterdir()} == {
        "toy.zh.md",
        "toy.evidence.zh.md",
        "toy.report.json",
    }


def test_an_unknown_language_lists_the_known_ones(tmp_path: Path) -> None:
    done = run("report", GOLDEN / "toy.toml", "--logs", GOLDEN / "logs", "--lang", "tlh", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n"), "en, zh" in done.stderr) == (2, 1, True)


def test_a_page_that_names_a_broken_log_is_rendered_all_the_same(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "logs", tmp_path / "logs")
    next((tmp_path / "logs/A100").glob("*N1C1_log")).write_bytes(b"")
    found = cells(GOLDEN / "toy.toml", "--logs", "logs", cwd=tmp_path)
    assert sum(cell["value"] is not None for cell in found) == 5


def test_a_folder_called_like_shell_code_is_only_a_name(tmp_path: Path) -> None:
    place = tmp_path / "a'; echo foo"
    shutil.copytree(GOLDEN / "logs", place)
    assert len(cells(GOLDEN / "toy.toml", "--logs", place, cwd=tmp_path)) == 9
