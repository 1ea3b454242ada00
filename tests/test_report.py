"""The command `tachograph report`."""

import shutil
from pathlib import Path

from report.results.model import Result, parsed
from tests.commandline import PROJECT, run

GOLDEN = PROJECT / "tests/report/golden"


def results(*arguments: str | Path, cwd: Path) -> list[Result]:
    """The results of the report that is printed, on one line."""
    done = run("report", "--json", *arguments, cwd=cwd)
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
    return parsed(done.stdout, Path("printed")).results


def test_json_prints_the_report_with_every_number_or_a_reason(tmp_path: Path) -> None:
    found = results(GOLDEN / "toy.toml", "--logs", GOLDEN / "logs", cwd=tmp_path)
    assert len(found) == 9
    assert [one.id for one in found if (one.digits is None) != (one.reason is not None)] == []


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
    assert sum(one.value is not None for one in results(GOLDEN / "toy.toml", "--logs", "logs", cwd=tmp_path)) == 5


def test_a_folder_called_like_shell_code_is_only_a_name(tmp_path: Path) -> None:
    place = tmp_path / "a'; echo foo"
    shutil.copytree(GOLDEN / "logs", place)
    assert len(results(GOLDEN / "toy.toml", "--logs", place, cwd=tmp_path)) == 9
