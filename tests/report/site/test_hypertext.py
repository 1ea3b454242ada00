"""Markdown as HTML: nothing in it is HTML already, and its tables say what their heads are."""

import os
from unicodedata import bidirectional, category

from hypothesis import example, given
from hypothesis import strategies as st
from report.site.hypertext import gapped, html, inline, plain
from report.site.log_excerpts import all_shown, script_json, shown
from report.site.panel import ranges
from report.site.web_page import copy_of

from report.wording.markdown import seen, text


@given(st.text())
def test_plain_text_comes_back_as_it_was_shown(raw: str) -> None:
    assert plain(text(raw)).split() == seen(raw).split()


def test_html_in_markdown_is_shown() -> None:
    assert "&lt;script&gt;" in html("<script>alert(1)</script>")


def test_a_link_that_would_run_is_none() -> None:
    assert "<a" not in inline("[link](javascript:alert(1))")


def test_a_picture_from_elsewhere_is_not_loaded() -> None:
    assert "<img" not in html("![picture](https://example.org/picture.png)")


@given(st.lists(st.integers(1, 60), min_size=1).map(sorted))
def test_ranges_hold_just_the_lines(lines: list[int]) -> None:
    held = [line for first, last in ranges(lines) for line in range(first, last + 1)]
    assert held == sorted(set(lines))


BIDIRECTIONAL = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
@example("é\x1b[2J\u202e\x85".encode())
def test_a_line_shows_no_control_and_turns_no_text_around(line: bytes) -> None:
    said = shown(line).replace("\t", "")
    assert [one for one in said if category(one) == "Cc" or bidirectional(one) in BIDIRECTIONAL] == []


@given(st.text())
def test_nothing_ends_the_script_that_holds_a_text(raw: str) -> None:
    assert not {"<", ">", "&", "\u2028"} & set(script_json(raw))


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), min_size=1))
def test_lines_are_shown_together_as_each_is_alone(lines: list[bytes]) -> None:
    assert all_shown(lines) == [shown(line) for line in lines]


PATHS = st.lists(
    st.sampled_from(["a", "a.txt", "a,txt", "a%2Ctxt", "a.txt_", "a.txt.txt", "," * 120, "é" * 127]),
    min_size=1,
    max_size=3,
).map("/".join)


@given(
    st.lists(
        st.lists(st.sampled_from([".shtml", ".SVGZ", ".txt", "_", "x"]), min_size=1).map("".join),
        min_size=1,
        max_size=3,
    ).map("/".join),
    PATHS,
    PATHS,
)
def test_the_copy_of_any_log_is_a_text_and_is_in_the_way_of_no_other(name: str, one: str, other: str) -> None:
    assert copy_of(name).suffixes == [".txt"]
    assert len(os.fsencode(copy_of(one).name)) <= 255
    if one != other:
        assert copy_of(one) not in (copy_of(other), *copy_of(other).parents)


@given(st.integers(0, 10**15), st.sampled_from(["", ".5", ".4367"]))
def test_a_gap_stands_before_each_three_digits_of_the_whole_part_and_adds_none(whole: int, fraction: str) -> None:
    made = gapped(f"{whole}{fraction}")
    assert made.striptags() == f"{whole}{fraction}"
    assert made.replace("</span>", ",").replace('<span class="k">', "") == f"{whole:,}{fraction}"
