"""Findings that somebody accepts: they no longer fail, and are told when they are found no more."""

from pathlib import Path

import pytest

from report.audit.finding import AcceptedError, read_accepted
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


def test_what_is_accepted_does_not_fail(tmp_path: Path) -> None:
    done = run("audit", site(tmp_path), "--accept", tmp_path / "known.toml")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("found", "put_there"), [("3500.125", "3500.126"), ('"8"', '"1"'), ("impossible", "unexplained"), ("README", "a")]
)
def test_another_number_row_verdict_or_page_is_not_accepted(found: str, put_there: str, tmp_path: Path) -> None:
    done = run("audit", site(tmp_path, KNOWN.replace(found, put_there)), "--accept", tmp_path / "known.toml")
    assert done.returncode == 1


def test_what_is_found_no_more_is_reported_and_does_not_fail(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "known.toml").write_text(KNOWN, encoding="utf-8")
    done = run("audit", tmp_path, "--accept", tmp_path / "known.toml")
    assert (done.returncode, "3500.125" in done.stderr) == (0, True)


@pytest.mark.parametrize(
    "text",
    [
        "[[accepted",
        KNOWN.replace("impossible", "bad"),
        KNOWN.replace("Nobody knows any more.", ""),
        KNOWN + "line = 7\n",
        KNOWN.replace('row = "8"\n', ""),
        "[[known]]\n",
    ],
)
def test_a_mistake_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(text, encoding="utf-8")
    with pytest.raises(AcceptedError) as raised:
        read_accepted(tmp_path / "known.toml")
    assert str(raised.value).isprintable()
