"""The files of charts: beside the page, shown by it, and only where they are asked for."""

import re
from pathlib import Path

from report.charts.page_charts import chart_files

from report.views.publish import PublishedPage, publish
from tests.commandline import run
from tests.report.charts.charted_page import SVG, make, parsed


def published(folder: Path, *, charts: bool) -> PublishedPage:
    make(folder)
    draw = chart_files if charts else None
    (page,) = publish([str(folder / "page.toml")], folder / "logs", ["en", "zh"], folder / "out", draw)
    return page


def test_the_page_shows_its_charts_under_the_table_with_their_titles(tmp_path: Path) -> None:
    published(tmp_path, charts=True)
    page = (tmp_path / "out/page.en.md").read_text(encoding="utf-8")
    shown = re.findall(r"^!\[(.+)\]\((.+)\)$", page, re.MULTILINE)
    drawn = [parsed((tmp_path / "out" / name).read_text(encoding="utf-8")) for _, name in shown]
    assert [chart.get("role") for chart in drawn] == ["img"]
    assert [chart.findtext(f"{SVG}title") for chart in drawn] == [title for title, _ in shown]
    assert page.index("| 32 cards") < page.index("![") < page.index("## What is tested")


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
