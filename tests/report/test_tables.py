"""Tables: rows that are stated as the values of axes, what each column takes a case for, and units of their own."""

from pathlib import Path

import pytest

from report.pagefile.page import Page
from report.pagefile.page_file import load
from report.results.model import Result
from report.views.publish import publish, why_empty
from tests.parsers.run_folders import make_run
from tests.report.page_text import HEAD, column, report_of, results_of, table

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


A_OVER_B = '{ column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } }'
IMAGES = b"".join(f"step {step}: loss 2.5, 1000 images/s/gpu\n".encode() for step in range(20))
TOKENS = IMAGES.replace(b"images", b"tokens")
OF_TWO_UNITS = (
    HEAD
    + column("a", "a/*/train.log")
    + column("b", "b/*/train.log")
    + table('"a"', "cards = 1")
    + table('"b"', "cards = 1", name="u", keys='unit = "tokens/s"')
    + """
[[tables.tables]]
name = "v"
title = "Tokens again"
columns = [{ column = "b", quantity = "throughput_per_card" }]
"""
)


def page_file(folder: Path, page: str = OF_TWO_UNITS) -> Path:
    make_run(folder / "logs/a/1", IMAGES)
    make_run(folder / "logs/b/1", TOKENS)
    (folder / "page.toml").write_text(page, encoding="utf-8")
    return folder / "page.toml"


def test_a_column_in_another_unit_than_that_of_the_page_says_so(tmp_path: Path) -> None:
    (page,) = publish([str(page_file(tmp_path))], tmp_path / "logs", ["en"], tmp_path / "pages")
    shown = page.files[0].read_text(encoding="utf-8")
    assert " | A |\n" in shown
    assert " | B, throughput (tokens/s) |\n" in shown


@pytest.mark.parametrize(
    ("stated", "put", "told"),
    [
        (
            'unit = "images/s"',
            'unit = "words/s"',
            ["t/all/a is empty: The page uses words/s, but train.log gives images/s."],
        ),
        (
            'unit = "tokens/s"',
            'unit = "steps/s"',
            [
                "u/all/b is empty: The page uses steps/s, but train.log gives tokens/s.",
                "v/all/b-throughput-per-card is empty: Cannot compute a number from the log: "
                "The page uses steps/s, but the log gives tokens/s.",
            ],
        ),
    ],
    ids=["of the page", "of a table, and of one that is like it"],
)
def test_a_unit_that_the_logs_contradict_is_told(stated: str, put: str, told: list[str], tmp_path: Path) -> None:
    changed = OF_TWO_UNITS.replace(stated, put)
    (page,) = publish([str(page_file(tmp_path, changed))], tmp_path / "logs", ["en"], tmp_path / "pages")
    assert why_empty(page.report) == [f"page: {said}" for said in told]


@pytest.mark.parametrize("quantity", ["throughput", "throughput_per_card"])
def test_a_number_has_the_unit_that_the_page_calls_it_by(quantity: str, tmp_path: Path) -> None:
    path = page_file(tmp_path, OF_TWO_UNITS.replace('unit = "images/s"', 'unit = "samples/s"'))
    shown = path.read_text(encoding="utf-8").replace('["a"]', f'[{{ column = "a", quantity = "{quantity}" }}]')
    path.write_text(shown, encoding="utf-8")
    report = report_of(path, tmp_path / "logs")
    assert {run.measured_unit for run in report.runs_of(report.results[0])} == {"samples/s"}


def test_throughputs_in_two_units_have_no_ratio(tmp_path: Path) -> None:
    ratio = table(A_OVER_B, "cards = 1", name="w")
    *_, found = results_of(page_file(tmp_path, OF_TWO_UNITS + ratio), tmp_path / "logs")
    assert found.digits is None
    assert str(found.reason) == "Not comparable: unit images/s and tokens/s."
