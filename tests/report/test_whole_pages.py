"""Whole pages: a golden page in each language, and what both languages have in common."""

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from parsers.runs.provenance import line
from report.pagefile.page_file import FOLDER
from report.views.publish import PublishedPage, publish
from report.wording.words import languages
from tests.conftest import Compare
from tests.report.published_pages import every_published_page

GOLDEN = Path(__file__).parent / "golden"
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")

every_language = pytest.mark.parametrize("language", languages())


def rendered(name: str, folder: Path) -> PublishedPage:
    """A golden page in all languages beside a copy of its logs."""
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    (page,) = publish([str(GOLDEN / f"{name}.toml")], folder / "logs", [], folder / "pages")
    return page


@pytest.fixture
def toy(tmp_path: Path) -> PublishedPage:
    return rendered("toy", tmp_path)


@pytest.mark.parametrize("name", ["toy", "toy_gpu", "llm_example"])
def test_a_whole_page_is_as_it_was_with_its_figures_in_every_language_and_its_links(
    name: str, tmp_path: Path, compare: Compare
) -> None:
    page = rendered(name, tmp_path)
    for language in languages():
        for file in (language, f"evidence.{language}"):
            compare(GOLDEN / f"{name}.{file}.md", text(page, file))
        assert tables(text(page, language)) == tables(text(page, "en")) != []
    links = re.findall(r"\]\((\.\./[^)]+)\)", text(page, "evidence.en"))
    assert [link for link in links if not (page.files[0].parent / unquote(link)).is_file()] == []
    assert links


def text(page: PublishedPage, language: str) -> str:
    """The page in a language; that of its evidence, such as ``evidence.en``, as well."""
    (file,) = [path for path in page.files if path.name == f"{page.name}.{language}.md"]
    return file.read_text(encoding="utf-8")


def tables(markdown: str) -> list[list[str]]:
    """The cells of all rows of all tables, without their words."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[" ".join(NUMBER.findall(cell)) for cell in row.split("|")] for row in rows]


@every_published_page
def test_the_published_pages_hold_the_same_figures_in_the_same_places_every_time(
    page: str, logs: Path, tmp_path: Path
) -> None:
    (published,) = publish([page], logs, ["zh", "en"], tmp_path)
    assert tables(text(published, "zh")) == tables(text(published, "en")) != []
    first = [path.read_bytes() for path in published.files]
    (again,) = publish([page], logs, ["zh", "en"], tmp_path)
    assert [path.read_bytes() for path in again.files] == first


@every_language
def test_names_of_logs_are_escaped(language: str, toy: PublishedPage) -> None:
    assert "<b>" not in text(toy, language)


@every_language
def test_a_missing_cell_is_a_dash_with_its_reason(language: str, toy: PublishedPage) -> None:
    empty = [str(one.reason) for one in toy.report.results if one.digits is None and one.row == "32"]
    assert empty[:2] == [
        "The page file does not name any logs for this case.",
        "Log A100/tf_gpu32_fp32_bs64*.txt not found in the log folder.",
    ]
    assert re.search(r"(?m)^\| 32 (\| - )+\|$", text(toy, language))


def test_a_label_that_its_log_contradicts_is_reported(toy: PublishedPage) -> None:
    axis = toy.report.by_id["cards/8/b"].case["batch_size"]
    assert (axis.value, axis.state, axis.said, axis.source) == (64, "contradicted", 32, line(2).message)
    assert "(toy.evidence.en.md#cards/8/b)<br>(BS=32)" in text(toy, "en")


def test_every_number_leads_to_its_evidence(toy: PublishedPage) -> None:
    links = re.findall(r"\]\(toy\.evidence\.en\.md#(\w+/[^)]+)\)", text(toy, "en"))
    assert [link for link in links if f'<a id="{link}"></a>' not in text(toy, "evidence.en")] == []
    assert len(set(links)) == 6


def test_pages_with_neither_log_nor_quote_are_left_out_when_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (FOLDER / "cpu-demo.toml", GOLDEN / "toy.toml"):
        shutil.copy(path, tmp_path)
    shutil.copytree(FOLDER / "cpu-demo", tmp_path / "cpu-demo")
    monkeypatch.setattr("report.pagefile.page_file.FOLDER", tmp_path)
    pages = list(publish([], GOLDEN / "logs", ["en"], tmp_path))
    assert [page.name for page in pages if not page.files] == ["cpu-demo"]
