"""The cells and logs that can be asked about, and what is said of others."""

import shutil
from pathlib import Path

import pytest

from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from report.why.cell_name import NoCellError, named
from report.why.explanation import of_cell
from report.wording.language_option import told_in
from report.wording.words import Translator
from tests.commandline import PROJECT, run
from tests.parsers.run_folders import make_run, put_gpu
from tests.report.page_text import HEAD, column

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
    definition = load(page)
    try:
        cell = named(definition, list(cells(definition, page.parent)), name)
    except NoCellError as error:
        return told_in(error, Translator("en").translate)
    return f"{cell.slug} {cell.row} {cell.column}"


@pytest.mark.parametrize("name", ["t/2/a.2", "#t/2/a.2", "t/two/B", "Scores/two/B", "e4", "4", "#e4"])
def test_a_cell_is_found_by_its_address_by_its_titles_and_by_its_former_number(page: Path, name: str) -> None:
    assert asked(page, name) == "t/2/a.2 two B"


def test_a_cell_is_found_by_digits_that_no_other_prints() -> None:
    explained = of_cell(str(DEMO), "6.523", PROJECT / "logs")
    assert (explained.printed, explained.title) == (
        "6.523",
        "cpu-demo resnet50/1/paddleclas: 1, PaddleClas, FP32 (BS=4)",
    )


def test_a_pattern_that_names_the_model_takes_that_of_the_page_where_the_case_states_none(page: Path) -> None:
    page.write_text(PAGE.replace("{cards}/train.log", "{model}{cards}/train.log"), encoding="utf-8")
    assert not any(cell.printed for cell in cells(load(page), page.parent))
    for cards in ("1", "2"):
        (page.parent / cards).rename(page.parent / f"M{cards}")
    assert [bool(cell.printed) for cell in cells(load(page), page.parent)] == [True] * 4 + [False] * 2


@pytest.mark.parametrize("name", ["252.68", "main/FP32, 32/1 × 1", "#main/fp32-bs32/fleetx-n1-1"])
def test_a_quoted_figure_says_where_it_is_from(name: str) -> None:
    vgg16 = load(PROJECT / "report/pages/vgg16.toml")
    with pytest.raises(NoCellError, match=r"252\.68 is quoted from 'VGG16 baseline"):
        named(vgg16, list(cells(vgg16, PROJECT / "logs")), name)


def test_a_quantity_of_telemetry_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.toml").write_text(
        PAGE.replace('title = "B", protocol = "decimals=3"', 'quantity = "peak_memory"')
    )
    put_gpu(make_run(tmp_path / "1", TOY.read_bytes(), nodes=[{}]), "1935619200,0,90,1000,300,1980,2619,55")
    assert asked(tmp_path / "page.toml", "1000") == (
        "t/1/a-peak-memory shows peak memory; only what is read from the records of logs can be explained."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("cpu-demo",), 2, "cpu-demo is a page; pass a cell as well, such as main/1/paddle."),
        (("cpu-demo", "e99"), 2, "No cell of the page matches 'e99'"),
        (("nowhere", "e1"), 2, "No page is named 'nowhere'"),
        (("cpu-demo", "e1", "--cards", "2"), 2, "--cards is for a log; the page says it of the cell e1."),
        (("nowhere.log",), 2, "nowhere.log: file not found."),
        ((LOG, "--logs", "logs"), 2, "--logs applies to a page; pass a page and a cell."),
        ((LOG, "--protocol", "nonsense"), 2, '"nonsense" is not a named protocol'),
        (("README.md",), 1, "README.md: "),
    ],
)
def test_wrong_use_is_reported_in_one_sentence(arguments: tuple[str, ...], status: int, said: str) -> None:
    done = run("why", *arguments, cwd=PROJECT)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (status, True, False)
