"""`why` explains a number of a Markdown page, of others or of our own."""

from pathlib import Path

import pytest

from report.why.cell_name import NoCellError
from report.why.published_cell import of_published
from tests.commandline import run
from tests.report.audit.small_site import EIGHT, make


@pytest.mark.parametrize("name", ["3119.765", "3,119.765", "8/PaddlePaddle FP32 (BS=64)", "8:3119.765"])
def test_a_number_of_a_page_is_explained_from_its_log_by_the_rule_that_gives_it(name: str, tmp_path: Path) -> None:
    explained = of_published(make(tmp_path), name, None)
    assert (explained.printed, Path(str(explained.derivations[0].log)).name) == ("3119.765", EIGHT)
    assert str(explained.warnings[0]).startswith("exact: The log gives these digits")


def test_a_number_that_its_log_does_not_give_is_explained_with_the_verdict(tmp_path: Path) -> None:
    explained = of_published(make(tmp_path, ("3119.765", "3500.125")), "3500.125", None)
    assert str(explained.warnings[0]).startswith("impossible: Every value in the log is between")


def test_of_several_numbers_that_are_alike_the_places_are_told(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "399.532"))
    with pytest.raises(NoCellError, match=r"2 numbers .*7:1/PaddlePaddle FP32 \(BS=64\) \(399.532\), 8:8/PaddlePaddle"):
        of_published(page, "399.532", None)


@pytest.mark.parametrize(
    ("name", "said"),
    [("1.5", "has no number '1.5'; numbers: 7:1/"), ("5", "5 cannot be explained: No log")],
)
def test_a_number_that_is_not_there_or_has_no_log_is_told_in_a_sentence(name: str, said: str, tmp_path: Path) -> None:
    page = make(tmp_path, ("| 8 | 3119.765 |", "| 8 | 3119.765 |\n| 32 | 5 |"))
    with pytest.raises(NoCellError) as raised:
        of_published(page, name, None)
    assert said in str(raised.value)


def test_a_number_of_a_page_of_our_own_is_explained_by_its_evidence(site: Path) -> None:
    done = run("why", site / "pages/toy.zh.md", "cards/8/a")
    assert (done.returncode, "toy cards/8/a: 8, Static" in done.stdout) == (0, True)
