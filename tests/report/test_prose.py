"""Prose: the text of a page in Markdown files of several languages beside the page file, safe and told in sentences."""

from pathlib import Path

import pytest

from report.pagefile.page_file import PageError, load
from report.views.publish import PublishedPage, publish
from tests.report.audit.small_site import audited
from tests.report.page_text import column

PAGE = (
    """
title = { en = "Speed of Acme", zh = "Acme 的速度" }
model = "Acme"
unit = "images/s"
prose = "acme"
[sources.paper]
title = "A paper"
url = "https://example.org/paper"
date = "2031"
note = "No logs."
"""
    + column("a", "{cards}/*.log", "tipc")
    + """
[[tables]]
name = "main"
title = { en = "Throughput of all", zh = "全部吞吐量" }
columns = ["a"]
rows = { cards = [1, 8] }

[[tables.tables]]
name = "scaling"
title = "Scaling"
quantity = "scaling_efficiency"
"""
)
QUOTES = "column,cards,value,source\na,1,100,paper\na,8,700.5,paper\n"
TEXTS = {
    "tested.en.md": "What *Acme* does.\n\n```bash\n# a comment\n```\n",
    "tested.zh.md": "Acme 的用途。\n",
    "setup.en.md": "Install it.\n",
    "table-main.zh.md": "仅供参考。\n",
}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page file beside its texts."""
    (tmp_path / "acme").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "acme" / name).write_text(text, encoding="utf-8")
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8")
    (tmp_path / "page.quotes.csv").write_text(QUOTES, encoding="utf-8")
    return path


def rendered(page: Path) -> PublishedPage:
    (page.parent / "logs").mkdir(exist_ok=True)
    (published,) = publish([str(page)], page.parent / "logs", ["en", "zh"], page.parent / "out")
    return published


def text(published: PublishedPage, language: str) -> str:
    (file,) = [path for path in published.files if path.name == f"page.{language}.md"]
    return file.read_text(encoding="utf-8")


def test_each_language_has_its_own_texts_and_titles(page: Path) -> None:
    published = rendered(page)
    english, chinese = text(published, "en"), text(published, "zh")
    assert all(
        said in english for said in ("# Speed of Acme", "### Throughput of all", "What *Acme* does.", "# a comment")
    )
    assert all(said in chinese for said in ("# Acme 的速度", "### 全部吞吐量", "Acme 的用途。", "仅供参考。"))


def test_a_text_that_a_language_lacks_stands_there_in_english(page: Path) -> None:
    assert "Install it." in text(rendered(page), "zh")


def test_a_page_is_audited_with_its_texts_whatever_the_files_say_by_then(page: Path) -> None:
    rendered(page)
    (page.parent / "acme/tested.en.md").unlink()
    assert [finding for finding in audited(page.parent / "out") if finding.fails()] == []


def test_a_table_has_the_columns_and_rows_of_another_and_shows_something_else(page: Path) -> None:
    assert [(one.id, one.digits) for one in rendered(page).report.results] == [
        ("main/1/a", "100"),
        ("main/8/a", "700.5"),
        ("scaling/1/a-scaling-efficiency", "100.0"),
        ("scaling/8/a-scaling-efficiency", "87.6"),
    ]


def complaint(page: Path) -> str:
    with pytest.raises(PageError) as raised:
        load(page)
    return str(raised.value).partition(": ")[2]


FILES = [
    ("setpu.en.md", "x", "setup.en.md"),
    ("table-mian.en.md", "x", "table-main.en.md"),
]


@pytest.mark.parametrize(("name", "text", "named"), FILES)
def test_a_mistake_of_a_text_is_told(name: str, text: str, named: str, page: Path) -> None:
    (page.parent / "acme" / name).write_text(text, encoding="utf-8")
    assert named in complaint(page)


@pytest.mark.parametrize("name", ["setup.zh.md", None], ids=["a file", "the folder"])
def test_no_text_is_read_from_elsewhere(name: str | None, page: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "setup.zh.md").write_text("secret", encoding="utf-8")
    place = page.parent / "acme"
    if name is None:
        place.rename(page.parent / "old")
        place.symlink_to(elsewhere)
    else:
        (place / name).symlink_to(elsewhere / name)
    assert "leads out of the folder of the page file" in complaint(page)
