"""An audit for CI: SARIF, baselines, pages changed since a revision, and what fails where nothing was checked."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from report.audit.audited_pages import audit_files
from report.audit.finding import read_accepted, with_accepted
from report.audit.findings.known_findings import allowed, baseline
from report.audit.findings.sarif import FINGERPRINT, sarif
from tests.commandline import run
from tests.report.audit.small_site import make

WRONG = ("3119.765", "3500.125")
# What SARIF 2.1.0 requires of the parts that are used, and what code scanning does.
LOG = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "additionalProperties": False,
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "properties": {
                "tool": {"required": ["driver"], "properties": {"driver": {"$ref": "#/$defs/driver"}}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
            "additionalProperties": False,
        },
        "driver": {
            "required": ["name", "rules"],
            "properties": {
                "name": {"type": "string"},
                "semanticVersion": {"type": "string"},
                "rules": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/rule"}},
            },
            "additionalProperties": False,
        },
        "rule": {
            "required": ["id", "shortDescription"],
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "defaultConfiguration": {"properties": {"level": {"$ref": "#/$defs/level"}}},
            },
            "additionalProperties": False,
        },
        "message": {"required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "result": {
            "required": ["message", "locations", "partialFingerprints", "ruleId"],
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/message"},
                "locations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "suppressions": {"type": "array", "items": {"$ref": "#/$defs/suppression"}},
            },
            "additionalProperties": False,
        },
        "location": {
            "required": ["physicalLocation"],
            "properties": {
                "physicalLocation": {
                    "required": ["artifactLocation", "region"],
                    "properties": {
                        "artifactLocation": {
                            "required": ["uri"],
                            "properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}},
                        },
                        "region": {
                            "required": ["startLine"],
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                        },
                    },
                }
            },
        },
        "suppression": {"required": ["kind"], "properties": {"kind": {"enum": ["inSource", "external"]}}},
    },
}


def said(page: Path, *accepted: Path) -> dict[str, Any]:
    """The SARIF log of an audit."""
    found = audit_files([page], None, [], 0.0).findings
    for path in accepted:
        found, _ = with_accepted(found, read_accepted(path), path.parent)
    log: dict[str, Any] = json.loads(sarif(found, str))
    jsonschema.validate(log, LOG)
    return log


def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    return list(log["runs"][0]["results"])


def test_sarif_has_a_result_for_what_is_to_be_mended_only(tmp_path: Path) -> None:
    (result,) = results(said(make(tmp_path, WRONG)))
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], result["level"], place["region"]["startLine"]) == ("impossible", "error", 8)
    assert place["artifactLocation"]["uri"] == "README.md"
    assert "3500.125: impossible. Every value in the log is between" in result["message"]["text"]


def test_every_result_of_sarif_is_of_the_rule_at_its_index(tmp_path: Path) -> None:
    log = said(make(tmp_path, WRONG, ("| 1 |", "| 32 |")))
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in results(log)] == [one["ruleId"] for one in results(log)] != []


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


@pytest.mark.slow
def test_a_page_that_git_does_not_know_has_changed_and_one_that_is_the_same_has_not(checkout: Path) -> None:
    make(checkout / "new")
    done = run("audit", ".", "--json", "--since", "HEAD", cwd=checkout)
    assert {json.loads(line)["page"] for line in done.stdout.splitlines()} == {"new/README.md"}


def test_where_no_page_changed_an_audit_says_so_and_ends_well(checkout: Path) -> None:
    done = run("audit", ".", "--since", "HEAD", cwd=checkout)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "No page changed since HEAD.\n")


@pytest.mark.parametrize("revision", ["none", "--output=x"])
def test_a_revision_that_is_not_there_is_reported(revision: str, checkout: Path) -> None:
    done = run("audit", ".", f"--since={revision}", cwd=checkout)
    assert (done.returncode, f"has no revision '{revision}'" in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_baseline_is_written_and_then_holds(checkout: Path) -> None:
    written = run("audit", ".", "--baseline", "known.toml", "--write-baseline", cwd=checkout)
    again = run("audit", ".", "--baseline", "known.toml", "--sarif", "out.sarif", cwd=checkout)
    log = json.loads((checkout / "out.sarif").read_text(encoding="utf-8"))
    assert (written.returncode, again.returncode, again.stderr) == (0, 0, "")
    assert {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results(log)} == {
        "one/README.md",
        "two/README.md",
    }


def test_a_baseline_holds_for_some_of_its_pages_and_says_nothing_of_the_others(checkout: Path) -> None:
    found = audit_files([checkout / "one/README.md", checkout / "two/README.md"], None, [], 0.0).findings
    (checkout / "known.toml").write_text(baseline(found, checkout), encoding="utf-8")
    done = run("audit", "README.md", "--baseline", "../known.toml", cwd=checkout / "one")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_baseline_is_not_written_nowhere(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path), "--write-baseline")
    assert (done.returncode, "--write-baseline needs a file: give --baseline." in done.stderr) == (2, True)
