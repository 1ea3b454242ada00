"""An audit for CI: SARIF, baselines, pages changed since a revision, and what fails where nothing was checked."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from report.audit.audited_pages import audit_files
from report.audit.finding import read_accepted, with_accepted
from report.audit.findings.known_findings import allowed, baseline
from report.audit.findings.sarif import FINGERPRINT, sarif
from report.wording.words import Translator
from tests.commandline import run
from tests.report.audit.small_site import make

WRONG = ("3119.765", "3500.125")


def said(page: Path, *accepted: Path) -> dict[str, Any]:
    """The SARIF log of an audit."""
    found = audit_files([page], None, [], 0.0).findings
    for path in accepted:
        found, _ = with_accepted(found, read_accepted(path), path.parent)
    log: dict[str, Any] = json.loads(sarif(found, Translator("en").translate))
    return log


def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    return list(log["runs"][0]["results"])


def test_sarif_has_a_result_for_what_is_to_be_mended_only(tmp_path: Path) -> None:
    log = said(make(tmp_path, WRONG))
    (result,), driver = results(log), log["runs"][0]["tool"]["driver"]
    place = {"artifactLocation": {"uri": "README.md"}, "region": {"startLine": 8}}
    assert (log["version"], driver["rules"][result["ruleIndex"]]["id"]) == ("2.1.0", result["ruleId"])
    assert (result["ruleId"], result["level"]) == ("impossible", "error")
    assert result["locations"] == [{"physicalLocation": place}]
    assert "3500.125: impossible" in result["message"]["text"]


def test_a_fingerprint_stays_when_lines_move_and_changes_with_the_number(tmp_path: Path) -> None:
    page = make(tmp_path, WRONG)
    (first,) = results(said(page))
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("Throughput in", "\n\nThroughput in"), encoding="utf-8")
    (moved,) = results(said(page))
    page.write_text(text.replace("3500.125", "3500.126"), encoding="utf-8")
    (other,) = results(said(page))
    prints = [one["partialFingerprints"][FINGERPRINT] for one in (first, moved, other)]
    assert (prints[0] == prints[1], prints[0] == prints[2]) == (True, False)


def test_two_findings_have_two_fingerprints_even_if_they_are_alike(tmp_path: Path) -> None:
    page = make(tmp_path, WRONG)
    rows = page.read_text(encoding="utf-8").replace("| 8 | 3500.125 |", "| 8 | 3500.125 |\n| 8 | 3500.125 |")
    page.write_text(rows, encoding="utf-8")
    assert len({one["partialFingerprints"][FINGERPRINT] for one in results(said(page))}) == 2


def test_a_baseline_accepts_all_that_was_found_and_nothing_else(tmp_path: Path) -> None:
    page = make(tmp_path, WRONG)
    (tmp_path / "known.toml").write_text(
        baseline(audit_files([page], None, [], 0.0).findings, tmp_path), encoding="utf-8"
    )
    (known,) = results(said(page, tmp_path / "known.toml"))
    assert known["suppressions"] == [{"kind": "external", "justification": "in the baseline"}]
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("399.532", "388.1"), encoding="utf-8")
    assert ["suppressions" in one for one in results(said(page, tmp_path / "known.toml"))] == [False, True]


@pytest.mark.parametrize("name", ['"; x = 1 #', "a\\b\tc\u202e\x7f", "\udcff", "图 😀"])
def test_a_baseline_knows_pages_of_any_name(name: str, tmp_path: Path) -> None:
    ((_, finding), *_) = audit_files([make(tmp_path, ("399.532", "1.5"))], None, [], 0.0).findings
    found = [(name, replace(finding, number=replace(finding.number, page=tmp_path / name)))]
    (tmp_path / "known.toml").write_text(baseline(found, tmp_path), encoding="utf-8")
    ((_, marked),), past = with_accepted(found, read_accepted(tmp_path / "known.toml"), tmp_path)
    assert (marked.is_good, past) == (True, [])


def test_a_page_without_numbers_is_a_finding_unless_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Words\n", encoding="utf-8")
    ((_, finding),) = found = audit_files([tmp_path / "README.md"], None, [], 0.0).findings
    assert (finding.verdict, finding.is_good) == ("no numbers", False)
    assert [one.is_good for _, one in allowed(found, ["no-numbers"])] == [True]


def test_a_number_without_a_log_is_a_finding_unless_that_is_allowed(tmp_path: Path) -> None:
    found = audit_files([make(tmp_path, ("| 8 |", "| 32 |"), ("399.532", "1.5"))], None, [], 0.0).findings
    marked = [(one.verdict, one.is_good) for _, one in allowed(found, ["no-log"])]
    assert marked == [("impossible", False), ("no evidence", True)]


def test_a_page_that_could_not_be_checked_is_not_one_without_a_log(copy: Path) -> None:
    (copy / "pages/toy.evidence.json").unlink()
    found = audit_files([copy / "pages/toy.en.md"], None, [], 0.0).findings
    assert [one.is_good for _, one in allowed(found, ["no-log"])] == [False]


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with two pages that have a wrong number each."""
    for name in ("one", "two"):
        make(tmp_path / name, WRONG)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Two pages")
    return tmp_path


def test_only_pages_changed_since_a_revision_are_told(checkout: Path) -> None:
    page = checkout / "two/README.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nMore words.\n", encoding="utf-8")
    git(checkout, "commit", "-qam", "More words")
    done = run("audit", ".", "--json", "--since", "HEAD~1", cwd=checkout)
    assert [json.loads(line)["page"] for line in done.stdout.splitlines()] == ["two/README.md"] * 2
    assert done.returncode == 1


@pytest.mark.parametrize("revision", ["none", "--output=x"])
def test_a_revision_that_is_not_there_is_reported(revision: str, checkout: Path) -> None:
    done = run("audit", ".", f"--since={revision}", cwd=checkout)
    assert (done.returncode, revision in done.stderr) == (2, True)


def test_a_baseline_holds_for_some_of_its_pages_and_says_nothing_of_the_others(checkout: Path) -> None:
    found = audit_files([checkout / "one/README.md", checkout / "two/README.md"], None, [], 0.0).findings
    (checkout / "known.toml").write_text(baseline(found, checkout), encoding="utf-8")
    done = run("audit", "README.md", "--baseline", "../known.toml", cwd=checkout / "one")
    assert (done.returncode, done.stderr) == (0, "")


def test_where_no_page_changed_an_audit_ends_well(checkout: Path) -> None:
    assert run("audit", ".", "--since", "HEAD", cwd=checkout).returncode == 0


@pytest.mark.slow
def test_a_baseline_is_written_and_then_holds(checkout: Path) -> None:
    written = run("audit", ".", "--baseline", "known.toml", "--write-baseline", cwd=checkout)
    again = run("audit", ".", "--baseline", "known.toml", cwd=checkout)
    assert (written.returncode, again.returncode, again.stderr) == (0, 0, "")
