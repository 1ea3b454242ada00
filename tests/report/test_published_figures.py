"""The figures of the reports that the pages follow, held against the pages as they are rendered."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from report.pagefile.page_file import find, load
from report.views.publish import PublishedPage, publish
from report.wording.words import Translator, languages
from tests.parsers.corpus_logs import ABSENT, CORPUS

PERF = CORPUS / "PaddlePaddle-Perf"
PROJECT = Path(__file__).parents[2]
FIGURES = tomllib.loads(Path(__file__).with_name("published_figures.toml").read_text(encoding="utf-8"))
LOGS = {"deeplabv3p": PERF, "resnet50": PERF}  # whose pages are not written without them
LINK = re.compile(r"\[([\d.]+)\]\([\w.-]+#[^)]+/[^)]+\)%?(‡?(?:<br>)?)")

every_language = pytest.mark.parametrize("language", languages())


def rows() -> list[ParameterSet]:
    """Every row of a report: its page, its table, and what it holds."""
    found = [(page, table, row) for page, tables in FIGURES.items() for table, rows in tables.items() for row in rows]
    absent = pytest.mark.skipif(not PERF.is_dir(), reason=ABSENT)
    return [
        pytest.param(
            page,
            table,
            row,
            marks=[absent] if page in LOGS else [],
            id=f"{page}-{row.get('group', table)}-{row['row']}",
        )
        for page, table, row in found
    ]


@cache
def rendered(page: str, folder: Path) -> PublishedPage:
    (published,) = publish([page], LOGS.get(page, PROJECT / "logs"), [], folder / page)
    return published


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def row_of(page: str, table: str, row: dict[str, Any], language: str, folder: Path) -> list[tuple[str, str]]:
    """The digits and marks in a row of a results table, as the Markdown of a language has them."""
    stated = load(find(page))
    (place,) = [one.title for one in stated.tables if one.name == table]
    say = Translator(language, stated.words.get(language, {})).translate
    heading, group = f"### {say(place)}\n", f"**{say(row['group'])}**" if "group" in row else ""
    (file,) = [path for path in rendered(page, folder).files if path.name == f"{page}.{language}.md"]
    section = file.read_text(encoding="utf-8").partition(heading)[2].partition("\n### ")[0]
    lines = section.partition(group)[2].splitlines() if group else section.splitlines()
    (line,) = [line for line in lines if re.match(rf"\| {re.escape(row['row'])}( \(|[^\w|-])[^|]*\| +\[", line)][:1]
    return LINK.findall(line)


@every_language
@pytest.mark.parametrize(("page", "table", "row"), rows())
def test_every_figure_of_a_report_stands_in_its_place(
    page: str, table: str, row: dict[str, Any], language: str, folder: Path
) -> None:
    found = row_of(page, table, row, language, folder)
    known = len(row["figures"]) - row.get("contradicted", 0)
    assert [digits for digits, _ in found[:known]] == row.get("today", row["figures"])[:known]
    of_other_cases = found[known : len(row["figures"])]
    assert [marks for _, marks in of_other_cases] == ["<br>"] * len(of_other_cases)


@every_language
@pytest.mark.parametrize("page", ["benchmark-guide", "vgg16"])
def test_every_figure_without_public_logs_is_marked(page: str, language: str, folder: Path) -> None:
    (file,) = [path for path in rendered(page, folder).files if path.name == f"{page}.{language}.md"]
    found = [marks for _, marks in LINK.findall(file.read_text(encoding="utf-8"))]
    assert set(found) == {"‡"}


def test_no_figure_of_a_report_is_left_out() -> None:
    figures = {page: sum(len(row["figures"]) for rows in FIGURES[page].values() for row in rows) for page in FIGURES}
    assert figures == {"benchmark-guide": 10, "resnet50": 6, "vgg16": 44, "deeplabv3p": 12}
