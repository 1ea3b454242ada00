"""The files of charts: beside the page, shown by it, and only where they are asked for."""

import re
from pathlib import Path

import pytest

from report.charts.page_charts import chart_files
from report.evidence.case_evidence import cells
from report.rendering.publish import PublishedPage, publish
from tests.commandline import run
from tests.report.charts.charted_page import PAGE, SVG, make, parsed, texts

SOURCE = """
[source]
repository = "https://example.org/logs"
commit = "0123456"
licence = "MIT"
url = "https://example.org/{commit}/{path}"
"""


def published(folder: Path, *, charts: bool) -> PublishedPage:
    make(folder)
    draw = chart_files if charts else None
    (page,) = publish([str(folder / "page.toml")], folder / "logs", ["en", "zh"], folder / "out", draw)
    return page


def test_a_page_without_charts_shows_none(tmp_path: Path) -> None:
    page = published(tmp_path, charts=False)
    assert [path.name for path in page.files] == [
        "page.en.md",
        "page.evidence.en.md",
        "page.zh.md",
        "page.evidence.zh.md",
        "page.evidence.json",
    ]
    assert "![" not in (tmp_path / "out/page.en.md").read_text(encoding="utf-8")


def test_every_chart_of_a_page_is_a_file_beside_it_in_every_language(tmp_path: Path) -> None:
    names = {path.name for path in published(tmp_path, charts=True).files if path.suffix == ".svg"}
    assert names == {f"page.1-t-bars.{language}.svg" for language in ("en", "zh")}


def test_the_page_shows_its_charts_under_the_table_with_their_titles(tmp_path: Path) -> None:
    published(tmp_path, charts=True)
    page = (tmp_path / "out/page.en.md").read_text(encoding="utf-8")
    shown = re.findall(r"^!\[(.+)\]\((.+)\)$", page, re.MULTILINE)
    drawn = [parsed((tmp_path / "out" / name).read_text(encoding="utf-8")) for _, name in shown]
    assert [chart.get("role") for chart in drawn] == ["img"]
    assert [chart.findtext(f"{SVG}title") for chart in drawn] == [title for title, _ in shown]
    assert page.index("| 32 cards") < page.index("![") < page.index("## What is tested")


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "T. Source: example.org/logs. Runs: 2031-05."),
        ("zh", "T。数据来源：example.org/logs。测试时间：2031-05。"),
    ],
)
def test_a_chart_taken_away_still_says_of_what_it_is_and_whose_logs_these_are(
    language: str, told: str, tmp_path: Path
) -> None:
    page = make(tmp_path, page=PAGE + SOURCE)
    drawn = chart_files("page", page, list(cells(page, tmp_path / "logs")), language).texts()
    assert [texts(one)[-1] for one in drawn.values()] == [told]


def test_charts_change_nothing_else_of_the_page(tmp_path: Path) -> None:
    plain, charted = tmp_path / "plain", tmp_path / "charted"
    for folder in (plain, charted):
        folder.mkdir()
        published(folder, charts=folder is charted)
    with_charts = (charted / "out/page.zh.md").read_text(encoding="utf-8")
    assert re.sub(r"!\[.+\]\(.+\)\n\n", "", with_charts) == (plain / "out/page.zh.md").read_text(encoding="utf-8")


def test_the_command_draws_charts_when_asked(tmp_path: Path) -> None:
    make(tmp_path)
    run(
        "report",
        tmp_path / "page.toml",
        "--logs",
        tmp_path / "logs",
        "--out",
        tmp_path / "out",
        "--charts",
        cwd=tmp_path,
    )
    assert len(list((tmp_path / "out").glob("*.svg"))) == 2
