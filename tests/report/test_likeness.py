"""Like with like: what is told of numbers that stand side by side."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from report.results.comparability import Unlike
from tests.report.compared_page import STEADY, TWO_ROWS, edit, make, put, unlike

Change = Callable[[Path], None]


def edited(found: str, put_there: str) -> Change:
    return partial(edit, found=found, put_there=put_there)


def of(run: str, *speeds: float, year: int = 2031, **case: object) -> Change:
    return lambda folder: put(folder, run, speeds or STEADY, year=year, case=case)


def again(folder: Path) -> None:
    shutil.copy(folder / "logs/b1/train.log", folder / "logs/b1/again.log")


MEAN = edited('{ column = "b" }', '{ column = "b", protocol = "repeats=mean" }')
DOWN = edited('{ column = "a" }, { column = "b" }', '{ column = "a", title = "FP32" }')
ROWS = edited("{ cards = 1 } }]", TWO_ROWS)
LATE_A, LATE_B = of("a8", year=2033, cards=8), of("b8", year=2033, cards=8)
DIFFERENCES: dict[str, tuple[list[Change], list[Unlike]]] = {
    "nothing differs": ([], []),
    "how numbers are printed": (
        [edited('{ column = "b" }', '{ column = "b", protocol = "decimals=1,rounding=truncate" }')],
        [],
    ),
    "how repeats are put together, without repeats": ([MEAN], []),
    "how repeats are put together": ([MEAN, again], [Unlike.RULES]),
    "a slow last record that no statistic counts": (
        [of("b1", *STEADY, 40.0), edited('protocol = "plain"', 'protocol = "statistic=median"')],
        [],
    ),
    "what all sides lose alike": ([of("a1", *STEADY, 40.0), of("b1", *STEADY, 40.0)], []),
    "few records beside many": ([of("b1", *STEADY[:4])], [Unlike.FEW]),
    "a precision that the label compares": (
        [
            of("a1", precision="fp32"),
            of("b1", precision="amp"),
            edited('{ column = "b" }', '{ column = "b", case = { precision = "amp" } }'),
        ],
        [],
    ),
    "down the columns of one framework": ([LATE_A, ROWS, DOWN], [Unlike.DATES]),
    "down the columns of several": ([LATE_A, LATE_B, ROWS], []),
}


@pytest.mark.parametrize(("changes", "codes"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_favours_one_of_two_sides_is_told_and_nothing_else(
    changes: list[Change], codes: list[Unlike], tmp_path: Path
) -> None:
    make(tmp_path)
    for change in changes:
        change(tmp_path)
    assert [one.code for line in unlike(tmp_path) for one in line.differences] == codes


@pytest.mark.parametrize(
    ("axis", "label", "said"), [("batch_size", 64, 32), ("cards", 1, 8), ("precision", "fp32", "amp")]
)
def test_a_fact_that_differs_under_one_label_is_told_with_its_sides(
    axis: str, label: object, said: object, tmp_path: Path
) -> None:
    make(tmp_path)
    put(tmp_path, "a1", case={axis: label})
    put(tmp_path, "b1", case={axis: said})
    (line,) = unlike(tmp_path)
    assert line.is_row and line.differences[0].each == {str(label): ("A",), str(said): ("B",)}
