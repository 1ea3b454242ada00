"""`why` of cells, logs and numbers of Markdown pages, and what is said of others."""

import shutil
from pathlib import Path

import pytest

from report.audit.recover import of_document, ruled
from report.results.model import Result
from report.views.why import NoCellError, named
from tests.commandline import PROJECT, run
from tests.report.audit.small_site import EIGHT, SPEED_UPS, make, write
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


@pytest.mark.parametrize("name", ["t/2/a.2", "#t/2/a.2"])
def test_a_cell_is_found_by_its_address(page: Path, name: str) -> None:
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
        (("cpu-demo",), 2, "cpu-demo is no log; of a page pass a cell as well, such as main/1/paddle."),
        (("cpu-demo", "9.99"), 2, "No cell of the page matches '9.99'"),
        (("nowhere", "e1"), 2, "No page is named 'nowhere'"),
        (("cpu-demo", "t/1/a", "--cards", "2"), 2, "--cards is for a log; the page says it of the cell t/1/a."),
        (("nowhere.log",), 2, "nowhere.log: file not found."),
        ((LOG, "--logs", "logs"), 2, "of a page pass a cell as well"),
        ((LOG, "--protocol", "nonsense"), 2, '"nonsense" is not a named protocol'),
        (("README.md",), 1, "README.md: "),
    ],
)
def test_wrong_use_is_reported_in_one_sentence(arguments: tuple[str, ...], status: int, said: str) -> None:
    done = run("why", *arguments, cwd=PROJECT)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (status, True, False)


def explained_by_log(page: Path, name: str) -> tuple[Result, str]:
    """The number of the log that explains a number of a page, and the ruling on this."""
    _, result, _, finding = of_document(page, name, None)
    assert result is not None
    return result, str(ruled(finding))


@pytest.mark.parametrize("name", ["3119.765", "3,119.765", "8/PaddlePaddle FP32 (BS=64)", "8:3119.765"])
def test_a_number_of_a_page_is_explained_from_its_log_by_the_rule_that_gives_it(name: str, tmp_path: Path) -> None:
    result, said = explained_by_log(make(tmp_path), name)
    assert (result.digits, Path(result.column).name) == ("3119.765", EIGHT)
    assert said.startswith("proved: ")


def test_a_number_that_its_log_does_not_give_is_explained_by_what_the_log_gives(tmp_path: Path) -> None:
    _, said = explained_by_log(make(tmp_path, ("3119.765", "3500.125")), "3500.125")
    assert said.startswith("differs: ")


def test_of_several_numbers_that_are_alike_the_places_are_told(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "399.532"))
    with pytest.raises(NoCellError, match=r"2 numbers .*7:399.532, 8:399.532"):
        of_document(page, "399.532", None)


def test_a_number_of_a_page_of_our_own_is_explained_by_its_evidence(site: Path) -> None:
    done = run("why", site / "pages/toy.zh.md", "cards/8/a")
    assert (done.returncode, "toy cards/8/a: 8, Static" in done.stdout) == (0, True)


@pytest.mark.parametrize(("name", "ruling"), [("2.49", "derived from unproved"), ("8:3.50", "contradicted")])
def test_a_number_without_a_log_is_explained_by_others_of_its_table(name: str, ruling: str, tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), name)
    assert (done.returncode, done.stdout.splitlines()[1].partition(":")[0]) == (0, ruling)


def test_a_number_without_a_log_has_no_values_to_print(tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), "2.49", "--values")
    assert (done.returncode, done.stdout) == (2, "")
