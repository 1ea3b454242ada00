"""Findings that somebody accepts: they no longer fail, and are told when they are found no more."""

from pathlib import Path

import pytest

from report.audit.audited_pages import audit_files
from report.audit.finding import AcceptedError, read_accepted, with_accepted
from tests.commandline import run
from tests.report.audit.small_site import make

KNOWN = """
[[accepted]]
page = "README.md"
row = "8"
column = "PaddlePaddle FP32 (BS=64)"
published = "3500.125"
verdict = "impossible"
reason = "Nobody knows any more."
"""


def site(folder: Path, known: str = KNOWN) -> Path:
    make(folder, ("3119.765", "3500.125"))
    (folder / "known.toml").write_text(known, encoding="utf-8")
    return folder


def test_an_accepted_finding_is_good(tmp_path: Path) -> None:
    page = site(tmp_path) / "README.md"
    found = audit_files([page], None, [], 0.0).findings
    marked, gone = with_accepted(found, read_accepted(tmp_path / "known.toml"))
    assert [finding.is_good for _, finding in found] == [True, False]
    assert [finding.is_good for _, finding in marked] == [True, True]
    assert gone == []


def test_what_is_accepted_does_not_fail(tmp_path: Path) -> None:
    done = run("audit", site(tmp_path), "--accept", tmp_path / "known.toml")
    said = "2 numbers, 2 with a log: 1 exact, 1 impossible (1 accepted).\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("found", "put_there"), [("3500.125", "3500.126"), ('"8"', '"1"'), ("impossible", "unexplained"), ("README", "a")]
)
def test_another_number_row_verdict_or_page_is_not_accepted(found: str, put_there: str, tmp_path: Path) -> None:
    done = run("audit", site(tmp_path, KNOWN.replace(found, put_there)), "--accept", tmp_path / "known.toml")
    assert (done.returncode, "is no longer" in done.stderr) == (1, True)


def test_what_is_found_no_more_is_reported_and_does_not_fail(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "known.toml").write_text(KNOWN, encoding="utf-8")
    done = run("audit", tmp_path, "--accept", tmp_path / "known.toml")
    assert done.returncode == 0
    assert done.stderr.endswith("known.toml: README.md: 3500.125 is no longer 'impossible'.\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[accepted", "is not valid TOML"),
        (KNOWN.replace("impossible", "bad"), "accepted.0.verdict: must be one of exact, near"),
        (KNOWN.replace("Nobody knows any more.", ""), "accepted.0.reason"),
        (KNOWN + "line = 7\n", "accepted.0.line is not a valid key; allowed keys: page, row"),
        (KNOWN.replace('row = "8"\n', ""), "accepted.0.row is missing."),
        ("[[known]]\n", "known is not a valid key; allowed keys: accepted."),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(text, encoding="utf-8")
    with pytest.raises(AcceptedError) as raised:
        read_accepted(tmp_path / "known.toml")
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AcceptedError, match=r"none\.toml: cannot be read: No such file"):
        read_accepted(tmp_path / "none.toml")


def test_an_empty_file_accepts_nothing(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text("", encoding="utf-8")
    assert read_accepted(tmp_path / "known.toml") == []
