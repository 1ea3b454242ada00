"""The cells and logs that can be asked about, and what is said of others."""

import shutil
from pathlib import Path

import pytest

from report.views.why import NoCellError, named
from tests.commandline import PROJECT, run
from tests.report.page_text import HEAD, column, report_of, results_of

GOLDEN = Path(__file__).parent / "golden"
LOG = "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"
DEMO = PROJECT / "report/pages/cpu-demo.toml"

PAGE = (
    HEAD
    + column("a", "{cards}/train.log", "tipc")
    + """
[[tables]]
name = "t"
title = "Scores"
columns = [{ column = "a" }, { column = "a", title = "B", protocol = "decimals=3" }]
rows = [
    { title = "one", case = { cards = 1 } },
    { title = "two", case = { cards = 2 } },
    { title = "none", case = { cards = 3 } },
]
"""
)
TOY = GOLDEN / "logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of six cells, of which four have a number."""
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8")
    for cards in ("1", "2"):
        (tmp_path / cards).mkdir()
        shutil.copy(TOY, tmp_path / cards / "train.log")
    return path


def asked(page: Path, name: str) -> str:
    """The place of the cell of a name, or what is said where there is none."""
    try:
        result = named(report_of(page, page.parent), name)
    except NoCellError as error:
        return str(error)
    return f"{result.id} {result.row} {result.column}"


@pytest.mark.parametrize("name", ["t/2/a.2", "#t/2/a.2", "t/two/B", "Scores/two/B"])
def test_a_cell_is_found_by_its_address_and_by_its_titles(page: Path, name: str) -> None:
    assert asked(page, name) == "t/2/a.2 two B"


def test_a_cell_is_found_by_digits_that_no_other_prints() -> None:
    result = named(report_of(DEMO, PROJECT / "logs"), "6.523")
    assert (result.id, result.row, result.column) == ("resnet50/1/paddleclas", "1", "PaddleClas, FP32 (BS=4)")


def test_a_pattern_that_names_the_model_takes_that_of_the_page_where_the_case_states_none(page: Path) -> None:
    page.write_text(PAGE.replace("{cards}/train.log", "{model}{cards}/train.log"), encoding="utf-8")
    assert not any(one.digits for one in results_of(page, page.parent))
    for cards in ("1", "2"):
        (page.parent / cards).rename(page.parent / f"M{cards}")
    assert [bool(one.digits) for one in results_of(page, page.parent)] == [True] * 4 + [False] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("cpu-demo",), 2, "cpu-demo is a page; pass a cell as well, such as main/1/paddle."),
        (("cpu-demo", "9.99"), 2, "No cell of the page matches '9.99'"),
        (("nowhere", "e1"), 2, "No page is named 'nowhere'"),
        (("cpu-demo", "t/1/a", "--cards", "2"), 2, "--cards is for a log; the page says it of the cell t/1/a."),
        (("nowhere.log",), 2, "nowhere.log: file not found."),
        ((LOG, "--logs", "logs"), 2, "--logs applies to a page; pass a page and a cell."),
        ((LOG, "--protocol", "nonsense"), 2, '"nonsense" is not a named protocol'),
        (("README.md",), 1, "README.md: "),
    ],
)
def test_wrong_use_is_reported_in_one_sentence(arguments: tuple[str, ...], status: int, said: str) -> None:
    done = run("why", *arguments, cwd=PROJECT)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (status, True, False)
