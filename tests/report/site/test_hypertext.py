"""Markdown as HTML: nothing in it is HTML already, and its tables say what their heads are."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.published.html_tables import html_tables
from report.site.hypertext import gapped, html, inline, paddings, plain
from report.site.log_excerpts import LINES, LONGEST, all_shown, pieces_of, script_json, shown
from report.site.panel import ranges
from report.site.web_page import copy_of
from report.wording.markdown import seen, text


@given(st.text())
def test_plain_text_comes_back_as_it_was_shown(raw: str) -> None:
    assert plain(text(raw)).split() == seen(raw).split()


def test_markup_of_a_log_stays_text() -> None:
    assert plain(text("<b> & `c` | *d* _e_")) == "<b> & `c` | *d* _e_"


def test_html_in_markdown_is_shown() -> None:
    assert "&lt;script&gt;" in html("<script>alert(1)</script>")


def test_a_link_that_would_run_is_none() -> None:
    assert "<a" not in inline("[link](javascript:alert(1))")


def test_a_picture_from_elsewhere_is_not_loaded() -> None:
    assert "<img" not in html("![picture](https://example.org/picture.png)")


def test_a_cell_has_the_anchor_of_its_number_and_its_link_the_former_one() -> None:
    table = html("| a | b |\n|---|--:|\n| 1 | [2.5](#t/1/b)† |", "Title", "results", {"t/1/b": "e7"})
    assert '<th scope="row">1</th>' in table
    assert '<td class="figure" id="t/1/b">' in table
    assert 'id="e7"' in table
    assert "<caption>Title</caption>" in table


@given(st.lists(st.integers(1, 60), min_size=1).map(sorted))
def test_ranges_hold_just_the_lines(lines: list[int]) -> None:
    held = [line for first, last in ranges(lines) for line in range(first, last + 1)]
    assert held == sorted(set(lines))


@given(st.integers(1, 10_000))
def test_the_pieces_hold_the_line_used(line: int) -> None:
    assert (line - 1) // LINES in pieces_of([line])


@given(st.binary())
def test_a_line_shows_no_control(line: bytes) -> None:
    assert shown(line).replace("\t", "").isprintable() or any(ord(character) > 127 for character in shown(line))


def test_a_line_that_is_too_long_says_how_much_is_missing() -> None:
    assert shown(b"x" * (LONGEST + 5)).endswith("x … (+5)")


@given(st.text())
def test_nothing_ends_the_script_that_holds_a_text(raw: str) -> None:
    assert not {"<", ">", "&", "\u2028"} & set(script_json(raw))


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), min_size=1))
def test_lines_are_shown_together_as_each_is_alone(lines: list[bytes]) -> None:
    assert all_shown(lines) == [shown(line) for line in lines]


def test_plain_lines_are_shown_as_they_are() -> None:
    assert all_shown([b"step 1\tspeed 2.5", b"", b"~ {}"]) == ["step 1\tspeed 2.5", "", "~ {}"]


@given(
    st.lists(
        st.lists(st.sampled_from([".shtml", ".SVGZ", ".txt", "_", "x"]), min_size=1).map("".join),
        min_size=1,
        max_size=3,
    ).map("/".join),
    st.lists(st.sampled_from(["a", "a.txt", "a.txt_", "a.txt.txt"]), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(["a", "a.txt", "a.txt_", "a.txt.txt"]), min_size=1, max_size=3).map("/".join),
)
def test_the_copy_of_any_log_is_a_text_and_is_in_the_way_of_no_other(name: str, one: str, other: str) -> None:
    assert copy_of(name).suffix == ".txt"
    if one != other:
        assert copy_of(one) not in (copy_of(other), *copy_of(other).parents)


@given(st.integers(0, 10**15), st.sampled_from(["", ".5", ".4367"]))
def test_a_gap_stands_before_each_three_digits_of_the_whole_part_and_adds_none(whole: int, fraction: str) -> None:
    made = gapped(f"{whole}{fraction}")
    assert made.striptags() == f"{whole}{fraction}"
    assert made.replace("</span>", ",").replace('<span class="k">', "") == f"{whole:,}{fraction}"


def test_what_is_no_number_has_no_gap() -> None:
    assert [str(gapped(text)) for text in ("AMP 1234", "2022-06-01", "-")] == ["AMP 1234", "2022-06-01", "-"]


@given(st.lists(st.from_regex(r"\A[0-9]{1,5}(\.[0-9]{1,4})?‡?\Z"), min_size=1))
def test_numbers_of_a_column_are_padded_to_one_width_behind_the_whole_part(column: list[str]) -> None:
    padded = [text + padding for text, padding in zip(column, paddings(column), strict=True)]
    behind = [text[len(text.split(".", 1)[0].replace("‡", "")) :] for text in column]
    lacking = [text[len(own) :] for text, own in zip(padded, column, strict=True)]
    assert (
        len({"".join(sorted(re.sub("[0-9]", "0", own + more))) for own, more in zip(behind, lacking, strict=True)}) == 1
    )


def test_a_missing_number_is_not_padded() -> None:
    assert paddings(["12.5", "-", "–", ""]) == ["", "", "", ""]


def test_a_head_has_a_short_form_for_narrow_screens_and_keeps_its_note() -> None:
    table = html("| a | Paddle¹ |\n|---|--:|\n| 1 | 2 |", "Title", "results", shorts=[("Paddle", "P")])
    assert '<span class="long">Paddle</span><abbr class="short" title="Paddle">P</abbr>¹</th>' in table


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            '<span>Model FLOPs utilization</span><abbr title="Model FLOPs utilization">MFU</abbr> (%)',
            "Model FLOPs utilization (%)",
        ),
        ('<abbr title="Model FLOPs utilization">MFU</abbr> (%)', "MFU (%)"),
        ('Batch size <abbr title="">BS</abbr>', "Batch size BS"),
        ('Paddle<abbr title="Paddle">P', "Paddle"),
    ],
)
def test_an_abbreviation_behind_what_it_stands_for_is_not_read_again(cell: str, said: str) -> None:
    (rows,) = html_tables(f"<table><tr><th>{cell}</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>")
    assert [head.text for head in rows[0]] == [said, "B"]


def test_the_heads_of_the_site_are_read_once(site: Path) -> None:
    tables = html_tables((site / "cpu-demo.en.html").read_text(encoding="utf-8"))
    assert "Scaling efficiency (%)" in [head.text for rows in tables for head in rows[0]]


@pytest.mark.parametrize("note", ["(注 2)", "(note 5, 6, 8)"])
def test_no_line_ends_within_the_numbers_of_notes(note: str) -> None:
    table = f"| Cards | A |\n|:--|--:|\n| 8 {note} | [4](#t/8/a)<br>{note} |"
    shown = html(table, kind="results")
    assert shown.count(f'<span class="whole">{note}</span>') == 2
