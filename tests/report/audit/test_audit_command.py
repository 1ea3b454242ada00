"""The commands `tachograph audit` and `recover`: what they print, for people and for programs, and how they end."""

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from report.audit.audited import FINGERPRINT, Audit
from report.audit.output import terminal
from report.audit.rulings import Ruling
from report.wording.words import Translator
from tests.commandline import PROJECT, run
from tests.conftest import Compare
from tests.report.audit.small_site import EIGHT, LOGS, ONE, PAGE, SPEED_UPS, audit, change, log_of, make, write

SCHEMA = json.loads((PROJECT / "report/audit.schema.json").read_text(encoding="utf-8"))
WRONG = ("3119.765", "3500.125")


def rows(*arguments: str | Path) -> list[dict[str, Any]]:
    done = run("audit", "--json", *arguments)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_number_that_its_log_does_not_give_is_shown_and_fails_a_strict_audit_only(tmp_path: Path) -> None:
    assert run("audit", make(tmp_path / "right"), "--strict").returncode == 0
    page = make(tmp_path / "wrong", WRONG)
    done = run("audit", page)
    assert (done.returncode, done.stderr, "README.md:8" in done.stdout) == (0, "", True)
    assert run("audit", page, "--strict").returncode == 1


def test_a_number_that_its_column_contradicts_fails(tmp_path: Path) -> None:
    done = run("audit", write(tmp_path, page=SPEED_UPS))
    assert (done.returncode, "README.md:8" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "none.md"],
        ["audit", "README.md", "--baseline", "none.sarif"],
        ["audit", "README.md", "--logs", "none"],
        ["audit", "README.md", "--sarif", "none/x.json"],
        ["audit", "README.md", "--board", "none"],
        ["audit", "README.md", "--lang", "fr"],
        ["recover", LOGS / ONE],
        ["recover", LOGS / ONE, "--published", "1.5", "--published", "2.5"],
        *(["recover", LOGS / ONE, "--published", digits] for digits in ("1.5e3", "-5", "٣", "0.0", "9" * 400)),
        ["recover", "none.log", "--published", "1.5"],
        ["recover", "README.md", "--published", "1.5"],
    ],
)
def test_wrong_use_ends_with_status_2(arguments: list[str | Path], tmp_path: Path) -> None:
    make(tmp_path)
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_json_has_a_line_a_number_and_an_account_that_adds_up(tmp_path: Path) -> None:
    make(tmp_path / "a", WRONG)
    write(tmp_path / "b", page=SPEED_UPS)
    write(tmp_path / "c", page="# Words\n")
    found = rows(tmp_path)
    for row in found:
        jsonschema.validate(row, SCHEMA)
    numbers = [row for row in found if "ruling" in row]
    accounts = {row["document"]: row["account"] for row in found if "account" in row}
    assert list(accounts) == ["a/README.md", "b/README.md", "c/README.md"]
    for document, account in accounts.items():
        assert account == Counter(row["ruling"] for row in numbers if row["document"] == document)
    (proved,) = [row for row in numbers if row["digits"] == "399.532"]
    assert (proved["line"], proved["column"], proved["ruling"], proved["how"]["means"]) == (7, 7, "proved", "protocol")
    assert proved["labels"] == {"agreement": "confirmed", "axes": proved["labels"]["axes"]}


def test_markdown_holds_no_markup_of_the_page(tmp_path: Path) -> None:
    write(tmp_path, ("| 8 |", "| 8 `cards` &lt;b&gt; |"), page=SPEED_UPS)
    done = run("audit", "--markdown", tmp_path)
    assert "&lt;b&gt;" not in done.stdout.replace("&amp;lt;b&amp;gt;", "")
    assert done.returncode == 1


def test_outputs_of_hostile_text_are_well_formed(tmp_path: Path) -> None:
    make(tmp_path, WRONG, ("| 8 |", "| 8 \x01\x1b[31m]]><a b='\"&\ufffe\ud7ff |"), ("Toy50", "<x>&amp;\x0b\x85"))
    assert len(results(tmp_path)) >= 1
    assert run("audit", tmp_path, "--all").stdout.count("\x1b") == 0


def test_names_that_are_no_text_are_printed_all_the_same(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "logs" / EIGHT).rename(tmp_path / "logs" / os.fsdecode(b"\xff N1C8_log"))
    assert any(row.get("ruling") == "proved" and "\udcff" in row["where"]["path"] for row in rows(tmp_path))
    for arguments in (["--all"], ["--markdown"], ["--sarif", str(tmp_path / "x.json")]):
        assert run("audit", tmp_path, *arguments).returncode == 0


# What is accepted, or was there before


def results(folder: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    """The results of the SARIF log of an audit."""
    run("audit", folder, "--sarif", folder / "out.sarif", *arguments)
    return list(json.loads((folder / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"])


def test_alike_findings_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    make(tmp_path, ("| 8 | 3119.765 |", "| 8 | 3500.125 |\n| 8 | 3500.125 |"))
    prints = [one["partialFingerprints"][FINGERPRINT] for one in results(tmp_path)]
    assert len(set(prints)) == len(prints) >= 2


def baseline(folder: Path) -> Path:
    """What an audit of a folder finds, in a file."""
    run("audit", folder, "--sarif", folder / "baseline.sarif")
    return folder / "baseline.sarif"


def test_what_was_found_before_does_not_fail_and_is_suppressed(tmp_path: Path) -> None:
    write(tmp_path, page=SPEED_UPS)
    before = baseline(tmp_path)
    write(tmp_path, ("# Toy", "# Toy\n\nMore words."), page=SPEED_UPS)
    assert run("audit", tmp_path, "--baseline", before).returncode == 0
    assert all(one["suppressions"] for one in results(tmp_path, "--baseline", before))


@pytest.mark.parametrize(("found", "put_there"), [("3.50", "3.60"), ("| 8 |", "| 9 |"), ("Speed-up", "Speedup")])
def test_another_number_row_or_column_is_not_accepted(found: str, put_there: str, tmp_path: Path) -> None:
    write(tmp_path, page=SPEED_UPS)
    before = baseline(tmp_path)
    write(tmp_path, (found, put_there), page=SPEED_UPS)
    assert run("audit", tmp_path, "--baseline", before).returncode == 1


@pytest.mark.parametrize("text", ["{", '{"runs": [{}]}', "[1]", "7", "\udcff"])
def test_a_baseline_that_no_audit_printed_is_one_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "known.sarif").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("audit", write(tmp_path, page=SPEED_UPS), "--baseline", tmp_path / "known.sarif")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_document_of_hostile_size_and_shape_is_ruled_on(tmp_path: Path) -> None:
    write(tmp_path, page=PAGE + "| " * 50_000 + "\n" + "[" * 10_000 + "\n" + "1.5 " * 50_000 + "a <![ 3 <!-- b")
    assert run("audit", tmp_path).returncode == 0


def test_no_document_is_written_over(tmp_path: Path) -> None:
    page = write(tmp_path, page=SPEED_UPS)
    assert run("audit", page, "--sarif", page).returncode == 2
    assert page.read_text(encoding="utf-8") == SPEED_UPS


def test_a_folder_without_documents_is_an_error_and_a_link_that_no_file_can_have_is_dead(tmp_path: Path) -> None:
    assert run("audit", tmp_path).returncode == 2
    write(tmp_path, page=f"# Runs\n\n| run | images/s |\n|:--|--:|\n| [log]({'中' * 100}.log) | 399.532 |\n")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    assert run("audit", tmp_path).returncode == 0


@pytest.mark.parametrize("pattern", ["/etc", "", ".", "e**", "../*"])
def test_a_board_names_its_records_by_patterns_below_a_checkout(pattern: str, tmp_path: Path) -> None:
    rules = f'records = ["{pattern}"]\nclaims = ["*.md"]\nlogs = ["*.log"]\nmetric = {{ series = ["loss"] }}\n'
    (tmp_path / "board.toml").write_text(rules, encoding="utf-8")
    done = run("audit", write(tmp_path / "record", page=SPEED_UPS), "--board", tmp_path / "board.toml")
    assert (done.returncode, done.stdout) == (2, "")


def test_sarif_says_which_rules_of_a_board_a_record_breaks(tmp_path: Path) -> None:
    rules = 'records = ["record"]\nclaims = ["README.md"]\nfiles = ["README.md", "a.py"]\nlogs = ["*.log"]\nseeds = 2\n'
    (tmp_path / "board.toml").write_text(f'{rules}metric = {{ series = ["loss"] }}\n', encoding="utf-8")
    record = write(tmp_path / "record", page="# Run\n").parent
    (record / "a.log").write_text("loss: 3.25\nend\n", encoding="utf-8")
    board = ("--board", tmp_path / "board.toml")
    assert {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results(record, *board)} == {
        "record"
    }
    assert Counter(one["ruleId"] for one in results(record, *board)) == {"board": 2}


GOLDEN = Path(__file__).parent / "golden"
MORE_ROWS = ("| 8 | 3119.765 |", "| 8 | 3500.125 |\n| 8 | 3000 |\n| 32 | 77123.5 |")
QUOTES = PAGE.partition("[1 card]")[0].replace("399.532", "401.532").replace("# Toy50", "# Quotes of Toy50")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, site: Path) -> Audit:
    """What is found on pages of our own and of others."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(site / "logs", folder / "logs")
    (folder / "own").mkdir()
    for name in ("toy.en.md", "toy.report.json"):
        shutil.copy(site / "pages" / name, folder / "own")
    change(folder / "own/toy.en.md", "| Static |", "| Dynamic |")
    make(folder / "rows", MORE_ROWS)
    make(folder / "proved")
    link = ("| 1 | 399.532 |", "| [1](../proved/README.md) | 399.532 |")
    write(folder / "links", link, page=QUOTES.replace("401.532", "399.532"))
    write(folder / "speed-ups", page=SPEED_UPS)
    write(folder / "dead", ("| 1 |", "| [1](gone.log) |"), page=PAGE)
    return audit(folder)


def test_the_golden_audit_has_nearly_every_ruling(found: Audit) -> None:
    assert {finding.ruling for finding in found.findings} >= set(Ruling) - {Ruling.AGREES, Ruling.DERIVED}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_audit_on_a_terminal(language: str, found: Audit, compare: Compare) -> None:
    text = terminal(found, everything=False, strict=True, translate=Translator(language).translate)
    compare(GOLDEN / f"audit.{language}.txt", text)


TIPC = "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"


def test_it_names_the_protocol_how_many_logs_it_explains_and_the_chance() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3,119.765")
    first, second = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert (TIPC in first, TIPC in second) == (True, True)


def test_a_number_that_nothing_explains_ends_with_status_1() -> None:
    done = run("recover", LOGS / ONE, "--published", "399.9876")
    assert (done.returncode, "unexplained" in done.stdout) == (1, True)


def test_what_accident_gives_is_not_sold_as_a_finding() -> None:
    done = run("recover", LOGS / ONE, "--published", "400")
    assert (done.returncode, "agrees" in done.stdout) == (1, True)


def test_json_is_one_object_a_number() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3119.999", "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["how"]["name"], first["ruling"], first["digits"]) == (TIPC, "proved", "399.532")
    assert 0 < first["chance"] < 0.01
    assert (second["how"], second["ruling"], done.returncode) == (None, "unexplained", 1)


def test_the_simplest_rule_is_named_where_several_give_the_digits(tmp_path: Path) -> None:
    """The last record is a plainer rule than a window that happens to have the same mean."""
    log = tmp_path / "train.log"
    log.write_text(log_of(np.array([500.25, 10.0, 20.0, 5.0, 123.4567])), encoding="utf-8")
    done = run("recover", log, "--published", "123.4567", "--json")
    assert "statistic=last" in json.loads(done.stdout)["how"]["name"]
