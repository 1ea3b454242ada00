"""What a page says of itself first and last: when its runs began, and a link to who published its logs."""

from pathlib import Path

import pytest

from report.views.publish import publish
from report.wording.markdown import shown_address
from tests.report import compared_page

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
