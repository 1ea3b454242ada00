"""Tables that are stated as the values of axes: their rows, what each column takes a case for, notes and findings."""

from pathlib import Path

import pytest

from report.pagefile.page import Page
from report.pagefile.page_file import PageError, load
from report.results.model import Result
from report.views.publish import publish
from tests.report.page_text import HEAD, results_of

PAGE = """
fastest = [{ device = "V100", cards = 8, precision = "half" }]
[sources.paper]
title = "Paper"
url = "https://example.org/paper"
date = "2031"
note = "None."
[names]
precision = { fp32 = "FP32", fp16 = "FP16", amp = "AMP", half = "half precision" }
[columns.a]
title = "A"
names.precision.half = { case = "fp16", label = "FP16 (O2)" }
[columns.b]
title = "B"
names.precision.half = { case = "amp" }
[columns.c]
title = "C"
names.precision.half = { case = "fp16" }
[columns.d]
title = "D"
logs = "none/{cards}.log"
[[tables]]
name = "main"
title = "Main"
corner = "Cards"
rows.device = ["V100", "A100"]
rows.precision = ["fp32", "half"]
rows.cards = [1, 8]
rows.except = [{ device = "A100", cards = 8 }, { precision = "fp32", cards = 8 }]
columns = [{ column = "a" }, { column = "b" }, { column = "c" }, { column = "d" }]
[[tables]]
name = "ratio"
title = "Ratio"
case = { device = "V100", precision = "half" }
rows = { cards = [8] }
columns = [
    { column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } },
    { column = "a", title = "A over C", quantity = "speed_up", against = { column = "c" } },
]
"""
QUOTES = """column,device,precision,cards,value,source
a,V100,fp16,8,300,paper
b,V100,amp,8,200,paper
c,V100,fp16,8,150,paper
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.toml"
    path.write_text(HEAD + PAGE, encoding="utf-8")
    (tmp_path / "page.quotes.csv").write_text(QUOTES, encoding="utf-8")
    return path


def found(page: Path) -> list[Result]:
    return results_of(page, page.parent)


def text(page: Path, language: str) -> str:
    (published,) = publish([str(page)], page.parent, [language], page.parent / "out")
    return published.files[0].read_text(encoding="utf-8")


def test_there_is_a_row_of_each_combination_that_is_not_left_out(page: Path) -> None:
    of_main: Page = load(page)
    assert [(row.group, row.title, row.case) for row in of_main.tables[0].rows] == [
        ("{device} · {precision}", "{cards}", {"device": device, "precision": precision, "cards": cards})
        for device, precision, cards in [
            ("V100", "fp32", 1),
            ("V100", "half", 1),
            ("V100", "half", 8),
            ("A100", "fp32", 1),
            ("A100", "half", 1),
        ]
    ]


def test_a_column_takes_a_value_for_its_own(page: Path) -> None:
    assert [one.case["precision"].value for one in found(page)[8:12]] == ["fp16", "amp", "fp16", "half"]


def test_a_group_of_rows_says_what_each_column_takes_it_for(page: Path) -> None:
    (line,) = [line for line in text(page, "en").splitlines() if line.startswith("| **V100 · half precision**")]
    assert [cell.strip() for cell in line.split("|")[2:-1]] == ["*FP16 (O2)*", "*AMP*", "*FP16*", ""]


def test_a_ratio_is_withheld_where_precision_differs_and_its_cell_leads_to_the_reason(page: Path) -> None:
    withheld, ratio = found(page)[-2:]
    assert str(withheld.reason) == "Not comparable: precision FP16 and AMP."
    assert ratio.digits == "2.00"
    assert "-<br>(note 1)" in text(page, "en")
    assert "\n1. Not comparable: precision FP16 and AMP.\n" in text(page, "en")


@pytest.mark.parametrize(
    ("was", "put", "said"),
    [
        ("cards = 8, precision", "cards = 9, precision", "fastest matches no cell: "),
        ("rows.cards = [1, 8]", "rows.cards = 1", "tables.main.rows.cards: Input should be a valid list, not 1."),
        ("rows.cards = [1, 8]", "rows.cats = [1]", "rows.cats is not a valid key; did you mean cards?"),
        ("rows.cards = [1, 8]", f"rows.cards = {list(range(1, 500))}", "more than 1000 rows"),
        ("rows.cards = [1, 8]", f"rows.nodes = []\nrows.cards = {[1] * 1001}", "more than 1000 rows"),
        ("rows.cards = [1, 8]", "rows.cards = [1, 8, 1]", "cards has 1 twice"),
        ("rows.cards = [1, 8]", "rows.cards = [0, 1]", "cards is 0"),
        ('rows.except = [{ device = "A100"', 'rows.except = [{ dev = "A100"', "tables.main.rows.except.dev"),
    ],
)
def test_a_mistake_is_named_by_its_key(page: Path, was: str, put: str, said: str) -> None:
    page.write_text(page.read_text(encoding="utf-8").replace(was, put), encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(page)
    assert said in str(raised.value)
    assert str(raised.value).count("\n") == 0
