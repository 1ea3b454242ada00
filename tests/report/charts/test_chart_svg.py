"""Charts as SVG: well-formed, told in words, and without anything from elsewhere."""

import re
from pathlib import Path

import pytest
from report.charts.chart import Chart, svg
from report.charts.palette import LOOKS
from report.charts.panels import PanelChart

from report.wording.words import languages
from tests.commandline import PROJECT
from tests.report.charts.charted_page import PAGE, SVG, charts, parsed, points, runs, texts, with_quote

HOSTILE = '<script>alert(1)</script> | `code` \\u202egnol \\" & 字' + "w" * 10_000
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
RUN = 'over_time = [{ column = "a", case = { cards = 1 } }]\n'
PARTS = {
    "svg", "title", "desc", "style", "g", "path", "line", "rect", "text", "defs", "clipPath", "pattern", "circle",
    "tspan",
}  # fmt: skip

every_language = pytest.mark.parametrize("language", languages())


def files(folder: Path, language: str = "en", page: str = PAGE) -> dict[str, tuple[Chart | PanelChart, str]]:
    """All charts of a page, each with its file."""
    of_tables = charts(folder, language, page=page)
    of_runs = runs(folder, language, page=page + RUN)
    drawn: dict[str, tuple[Chart | PanelChart, str]] = {name: (one, one.svg()) for name, one in of_tables.items()}
    return drawn | {name: (one, svg(one, standalone=True)) for name, one in of_runs.items()}


def hostile(folder: Path) -> dict[str, tuple[Chart | PanelChart, str]]:
    page = (
        PAGE.replace('"A"', f'"{HOSTILE}"')
        .replace('"Scores"', f'"{HOSTILE}"')
        .replace('"{cards} cards"', f'"{HOSTILE}"')
    )
    return files(folder, page=page.replace('name = "t"', 'name = "../../t <b>"'))


@every_language
def test_a_file_is_well_formed_and_an_image_with_title_and_description(language: str, tmp_path: Path) -> None:
    found = files(tmp_path, language)
    assert len(found) == 2
    for chart, drawn in found.values():
        root = parsed(drawn)
        assert root.get("role") == "img"
        told = [(part.tag, part.text) for part in root[:2]]
        assert told == [(f"{SVG}title", chart.title), (f"{SVG}desc", chart.alternative)]
        assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"


def test_a_file_has_no_script_and_refers_to_nothing_elsewhere(tmp_path: Path) -> None:
    for _, drawn in [*files(tmp_path).values(), *hostile(tmp_path).values()]:
        assert {part.tag.removeprefix(SVG) for part in parsed(drawn).iter()} <= PARTS
        assert set(re.findall(r"https?://[^\"'\s<]+", drawn)) <= NAMESPACES
        assert "href" not in drawn
        assert not any(name.startswith("on") for part in parsed(drawn).iter() for name in part.attrib)


def test_inside_a_page_a_chart_brings_no_style(tmp_path: Path) -> None:
    chart = charts(tmp_path)["1-t-bars"]
    drawn = [chart.hatch, *(panel.drawn(chart.name, lambda _: "e1") for panel in chart.panels)]
    assert not any("style" in part for part in drawn)
    assert 'href="#e1"' in drawn[1]
    assert "style" not in svg(runs(tmp_path, page=PAGE + RUN)["1-t-run-1-throughput"])


def test_the_pages_have_the_colours_of_the_files() -> None:
    style = (PROJECT / "report/templates/site/site.css").read_text(encoding="utf-8")
    missing = [name for name, pair in LOOKS.items() if f"--{name}: light-dark({pair[0]}, {pair[1]});" not in style]
    assert missing == []


def test_hostile_titles_are_shown_as_short_text(tmp_path: Path) -> None:
    found = hostile(tmp_path).values()
    shown = [text for _, drawn in found for text in texts(drawn)]
    assert any(text.startswith("<script>alert(1)</script>") for text in shown)
    assert max(map(len, shown)) <= 200
    assert not any("\u202e" in text for text in (*shown, *(chart.alternative for chart, _ in found)))


@pytest.mark.parametrize("language", [language for language in languages() if language != "en"])
def test_languages_differ_in_words_only(language: str, tmp_path: Path) -> None:
    english, other = with_quote(tmp_path), with_quote(tmp_path, language)
    for name, chart in other.items():
        both = [[(point.at, point.digits) for _, _, point in points(one)] for one in (chart, english[name])]
        assert both[0] == both[1] != []
        assert sorted(digits(chart.alternative)) == sorted(digits(english[name].alternative)) != []
        assert chart.alternative != english[name].alternative


def digits(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def test_the_same_page_gives_the_same_bytes(tmp_path: Path) -> None:
    once, again = (files(tmp_path, "zh") for _ in range(2))
    assert [drawn for _, drawn in once.values()] == [drawn for _, drawn in again.values()]


def test_ids_are_of_their_chart_so_that_several_can_stand_in_one_page(tmp_path: Path) -> None:
    drawn = [re.findall(r'\bid="([^"]+)"', text) for _, text in files(tmp_path).values()]
    ids = [name for names in drawn for name in names]
    assert len(set(ids)) == len(ids) >= 4
