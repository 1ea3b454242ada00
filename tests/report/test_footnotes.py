"""Footnotes: what is said of several numbers of a table is one note, and a note says no more than a reader needs."""

from pathlib import Path

import pytest

from tests.report.compared_page import TWO_ROWS, edit, make, put, rendered

ONE_ROW = "{ cards = 1 } }]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside logs of two rows that are alike."""
    make(tmp_path)
    edit(tmp_path, ONE_ROW, TWO_ROWS)
    for name in ("a8", "b8"):
        put(tmp_path, name, cards=8)
    return tmp_path


def notes(folder: Path, language: str = "en") -> list[str]:
    """The notes below the table."""
    lines = rendered(folder, language).splitlines()
    return [line.partition(". ")[2] for line in lines if line[:3] in ("1. ", "2. ", "3. ")]


def test_a_name_of_a_file_that_says_fp16_for_amp_is_told_with_the_evidence_only(folder: Path) -> None:
    edit(folder, 'precision = "fp32"', 'precision = "amp"')
    for cards in (1, 8):
        name = f"tf_gpu{cards}_fp16_bs64.log"
        (folder / f"logs/b{cards}/train.log").rename(folder / f"logs/b{cards}" / name)
    assert notes(folder) == []
    assert "Label: precision amp; file name: fp16." in rendered(folder, "en")
