"""Charts as SVG and HTML: well-formed, told in words, and without anything from elsewhere."""

import os
import re
from pathlib import Path

import altair
import pytest

from report.charts.chart import Chart, size, svg
from report.wording.words import languages
from tests.report.charts.charted_page import PAGE, SVG, charts, numbers, parsed, texts, with_quote

HOSTILE = '<script>alert(1)</script> | `code` \\u202egnol \\" & 字' + "w" * 10_000
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}

every_language = pytest.mark.parametrize("language", languages())


def hostile(folder: Path) -> list[Chart]:
    page = (
        PAGE.replace('"A"', f'"{HOSTILE}"')
        .replace('"Scores"', f'"{HOSTILE}"')
        .replace('"{cards} cards"', f'"{HOSTILE}"')
    )
    return list(charts(folder, page=page.replace('name = "t"', 'name = "../../t <b>"')).values())


@every_language
def test_an_svg_is_well_formed_and_an_image_with_title_and_description(language: str, tmp_path: Path) -> None:
    for chart in charts(tmp_path, language).values():
        root = parsed(svg(chart))
        assert root.get("role") == "img"
        assert [(part.tag, part.text) for part in root[:2]] == [
            (f"{SVG}title", chart.title),
            (f"{SVG}desc", chart.alternative),
        ]
        assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"


@pytest.mark.parametrize("standalone", [False, True])
def test_an_svg_has_no_script_and_refers_to_nothing_elsewhere(standalone: bool, tmp_path: Path) -> None:
    for chart in [*charts(tmp_path).values(), *hostile(tmp_path)]:
        drawn = svg(chart, standalone=standalone)
        assert {part.tag.removeprefix(SVG) for part in parsed(drawn).iter()} <= {
            "svg", "title", "desc", "style", "g", "path", "line", "rect", "text", "defs", "clipPath",
        }  # fmt: skip
        assert set(re.findall(r"https?://[^\"'\s<]+", drawn)) <= NAMESPACES
        assert "href" not in drawn
        assert not any(name.startswith("on") for part in parsed(drawn).iter() for name in part.attrib)


def test_inside_a_page_an_svg_brings_no_style_and_takes_the_colour_of_its_text(tmp_path: Path) -> None:
    drawn = svg(charts(tmp_path)["1-t-bars"])
    assert "style" not in drawn
    assert "currentColor" in drawn


def test_as_a_file_an_svg_has_colours_for_light_and_for_dark(tmp_path: Path) -> None:
    assert "prefers-color-scheme:dark" in svg(charts(tmp_path)["1-t-bars"], standalone=True)


def test_hostile_titles_are_shown_as_short_text(tmp_path: Path) -> None:
    found = hostile(tmp_path)
    shown = [text for chart in found for text in texts(svg(chart))]
    assert any(text.startswith("<script>alert(1)</script>") for text in shown)
    assert max(map(len, shown)) <= 100
    assert not any("\u202e" in text for text in (*shown, *(chart.alternative for chart in found)))


def test_the_name_of_a_chart_can_stand_in_a_path_whatever_its_table_is_called(tmp_path: Path) -> None:
    assert [chart.name for chart in hostile(tmp_path)] == ["1-t-b-bars", "1-t-b-scaling"]


@pytest.mark.parametrize("language", [language for language in languages() if language != "en"])
def test_languages_differ_in_words_only(language: str, tmp_path: Path) -> None:
    english, other = with_quote(tmp_path), with_quote(tmp_path, language)
    fields = ("value", "digits", "quoted")
    for name, chart in other.items():
        assert numbers(chart, *fields) == numbers(english[name], *fields) != []
        assert sorted(digits(chart.alternative)) == sorted(digits(english[name].alternative)) != []
        assert chart.alternative != english[name].alternative


def digits(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def test_chinese_text_stays_text(tmp_path: Path) -> None:
    assert "卡数" in texts(svg(charts(tmp_path, "zh")["1-t-scaling"]))


def test_the_same_page_gives_the_same_bytes(tmp_path: Path) -> None:
    once, again = (charts(tmp_path, "zh") for _ in range(2))
    assert [svg(chart) for chart in once.values()] == [svg(chart) for chart in again.values()]


def test_every_chart_is_valid_by_the_schema_of_vega_lite(tmp_path: Path) -> None:
    for chart in with_quote(tmp_path).values():
        altair.VConcatChart.from_dict(chart.spec, validate=True)


def test_a_chart_is_as_large_in_every_language(tmp_path: Path) -> None:
    sizes = [{name: size(svg(chart)) for name, chart in charts(tmp_path, said).items()} for said in languages()]
    assert sizes == [sizes[0]] * len(sizes)


def test_ids_are_of_their_chart_so_that_several_can_stand_in_one_page(tmp_path: Path) -> None:
    drawn = [re.findall(r'\bid="([^"]+)"', svg(chart)) for chart in charts(tmp_path).values()]
    ids = [name for names in drawn for name in names]
    assert len(set(ids)) == len(ids) >= 4


@pytest.mark.parametrize("before", ["/etc/fonts/fonts.conf", None])
def test_drawing_leaves_the_settings_of_fonts_as_they_were(
    before: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if before is None:
        monkeypatch.delenv("FONTCONFIG_FILE", raising=False)
    else:
        monkeypatch.setenv("FONTCONFIG_FILE", before)
    assert [svg(chart) for chart in charts(tmp_path).values()]
    assert os.environ.get("FONTCONFIG_FILE") == before
