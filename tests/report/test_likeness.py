"""Like with like: what is told of numbers that stand side by side."""

import shutil
from pathlib import Path

import pytest

from report.results.comparability import Difference, Unlike
from tests.report.compared_page import STEADY, TWO_ROWS, edit, make, put, unlike


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside two logs that are alike."""
    return make(tmp_path)


def differences(folder: Path) -> list[Difference]:
    return [one for comparison in unlike(folder) for one in comparison.differences]


def test_nothing_is_reported_where_nothing_differs(folder: Path) -> None:
    assert unlike(folder) == []


def test_how_numbers_are_printed_is_no_difference(folder: Path) -> None:
    edit(folder, '{ column = "b" }', '{ column = "b", protocol = "decimals=1,rounding=truncate" }')
    assert unlike(folder) == []


def test_how_repeats_are_put_together_is_a_difference_where_there_are_repeats(folder: Path) -> None:
    edit(folder, '{ column = "b" }', '{ column = "b", protocol = "repeats=mean" }')
    assert unlike(folder) == []
    shutil.copy(folder / "logs/b1/train.log", folder / "logs/b1/again.log")
    assert [one.code for one in differences(folder)] == [Unlike.RULES]


def test_a_slow_last_record_that_no_statistic_counts_is_not_reported(folder: Path) -> None:
    put(folder, "b1", (*STEADY, 40.0))
    edit(folder, 'protocol = "plain"', 'protocol = "statistic=median"')
    assert unlike(folder) == []


def test_what_all_sides_lose_alike_favours_none(folder: Path) -> None:
    put(folder, "a1", (*STEADY, 40.0))
    put(folder, "b1", (*STEADY, 40.0))
    assert unlike(folder) == []


def test_few_records_beside_many_are_reported(folder: Path) -> None:
    put(folder, "b1", STEADY[:4])
    assert [one.code for one in differences(folder)] == [Unlike.FEW]


@pytest.mark.parametrize(
    ("axis", "label", "said"), [("batch_size", 64, 32), ("cards", 1, 8), ("precision", "fp32", "amp")]
)
def test_a_fact_that_differs_under_one_label_is_reported(axis: str, label: object, said: object, folder: Path) -> None:
    put(folder, "a1", case={axis: label})
    put(folder, "b1", case={axis: said})
    assert differences(folder)[0].each == {str(label): ("A",), str(said): ("B",)}


def test_a_precision_that_the_label_compares_is_no_difference(folder: Path) -> None:
    put(folder, "a1", case={"precision": "fp32"})
    put(folder, "b1", case={"precision": "amp"})
    edit(folder, '{ column = "b" }', '{ column = "b", case = { precision = "amp" } }')
    assert unlike(folder) == []


def test_a_table_of_one_framework_is_compared_down_its_columns(folder: Path) -> None:
    put(folder, "a8", year=2033, case={"cards": 8})
    edit(folder, "{ cards = 1 } }]", TWO_ROWS)
    edit(folder, '{ column = "a" }, { column = "b" }', '{ column = "a", title = "FP32" }')
    (only,) = unlike(folder)
    assert (only.at, only.is_row, only.common) == (0, False, {})
    assert [one.code for one in only.differences] == [Unlike.DATES]


def test_side_by_side_no_column_is_compared_with_itself(folder: Path) -> None:
    for column in ("a8", "b8"):
        put(folder, column, year=2033, case={"cards": 8})
    edit(folder, "{ cards = 1 } }]", TWO_ROWS)
    assert unlike(folder) == []
