"""What a page says of itself first and last, its notes, and that nothing unseen is in it."""

from pathlib import Path

import pytest

from report.results.model import read_report
from report.views.publish import publish
from report.views.site import publish_site
from report.wording.markdown import shown_address
from tests.hostile_text import Hostile, unseen, write_hostile
from tests.report import compared_page
from tests.report.compared_page import TWO_ROWS, edit, make, put, rendered

SOURCE = """
[source]
repository = "{repository}"
commit = "0123456"
licence = "MIT"
url = "https://example.org/{{commit}}/{{path}}"
"""


def page(folder: Path, language: str = "en") -> str:
    """The Markdown of the page that compares two columns."""
    (made,) = publish([str(folder / "page.toml")], folder / "logs", [], folder / "out")
    return next(file for file in made.files if file.name == f"page.{language}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("years", "said"), [((2031, 2031), "Runs: 2031-05."), ((2031, 2029), "Runs: 2029-05 to 2031-05.")]
)
def test_a_page_says_first_in_which_months_its_runs_began(years: tuple[int, int], said: str, tmp_path: Path) -> None:
    compared_page.make(tmp_path)
    for run, year in zip(("a1", "b1"), years, strict=True):
        compared_page.put(tmp_path, run, year=year)
    assert said in page(tmp_path).split("\n## ")[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_links_to_the_repository_of_its_logs(language: str, tmp_path: Path) -> None:
    compared_page.make(tmp_path)
    with (tmp_path / "page.toml").open("a", encoding="utf-8") as file:
        file.write(SOURCE.format(repository="https://example.org/logs"))
    assert "<https://example.org/logs>" in page(tmp_path, language)


@pytest.mark.parametrize("address", ["javascript://%0aalert(1)", "../Perf", "https://example.org/a b>", "git@host:x"])
def test_only_what_is_an_address_of_the_web_is_a_link(address: str) -> None:
    assert not shown_address(address).startswith("<")


ONE_ROW = "{ cards = 1 } }]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside logs of two rows that are alike."""
    make(tmp_path)
    edit(tmp_path, ONE_ROW, TWO_ROWS)
    for name in ("a8", "b8"):
        put(tmp_path, name, cards=8)
    return tmp_path


def notes(folder: Path, language: str = "en") -> list[str]:
    """The notes below the table."""
    lines = rendered(folder, language).splitlines()
    return [line.partition(". ")[2] for line in lines if line[:3] in ("1. ", "2. ", "3. ")]


def test_a_name_of_a_file_that_says_fp16_for_amp_is_told_with_the_evidence_only(folder: Path) -> None:
    edit(folder, 'precision = "fp32"', 'precision = "amp"')
    for cards in (1, 8):
        name = f"tf_gpu{cards}_fp16_bs64.log"
        (folder / f"logs/b{cards}/train.log").rename(folder / f"logs/b{cards}" / name)
    assert notes(folder) == []
    assert "Label: precision amp; file name: fp16." in rendered(folder, "en")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return write_hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def files(hostile: Hostile) -> list[Path]:
    """The pages of a hostile page file, and the file of their evidence."""
    (published,) = publish([str(hostile.page)], hostile.top, [], hostile.top / "pages")
    return list(published.files)


def test_markdown_and_the_report_hold_only_what_is_seen(files: list[Path]) -> None:
    assert {path.suffix: unseen(path.read_text(encoding="utf-8")) for path in files} == {".md": set(), ".json": set()}


def test_the_report_names_the_true_log(files: list[Path], hostile: Hostile) -> None:
    (report,) = (read_report(path) for path in files if path.suffix == ".json")
    assert [*report.logs] == [hostile.log.relative_to(hostile.top).as_posix()]


def test_a_site_holds_only_what_is_seen(hostile: Hostile) -> None:
    (published,) = publish_site([str(hostile.page)], hostile.top, ["en"], hostile.top / "site")
    texts = {path.name: path.read_text(encoding="utf-8") for path in published.files if path.suffix in (".html", ".js")}
    assert {name: found for name, text in texts.items() if (found := unseen(text))} == {}
