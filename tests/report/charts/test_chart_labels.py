"""Labels: any text is one short line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.charts.chart_words import label, wrapped
from wcwidth import wcswidth


@given(st.text(), st.integers(4, 40))
def test_a_label_takes_no_more_columns_than_it_may(raw: str, columns: int) -> None:
    assert wcswidth(label(raw, columns)) <= columns


@given(st.text(), st.integers(4, 40))
def test_a_label_holds_no_control_characters_and_no_marks_of_direction(raw: str, columns: int) -> None:
    assert not {unicodedata.category(character) for character in label(raw, columns)} & {"Cc", "Cf", "Cs"}


@pytest.mark.parametrize("raw", ["x" * 10_000, "字" * 10_000, "e" + "\u0301" * 10_000], ids=["long", "wide", "marks"])
def test_a_long_word_is_shortened_with_an_ellipsis(raw: str) -> None:
    shown = label(raw, 20)
    assert shown.endswith("…")
    assert len(shown) <= 40


@given(st.text(), st.integers(4, 40))
def test_no_line_of_a_wrapped_text_takes_more_columns_than_it_may(raw: str, columns: int) -> None:
    assert all(wcswidth(line) <= columns for line in wrapped(raw, columns))


@given(st.text("ab 字，（）", max_size=200))
def test_a_wrapped_text_loses_nothing_but_blanks(raw: str) -> None:
    words = raw.replace("a", "a ").replace("b", "b ")  # no word is longer than a line
    assert "".join(wrapped(words, 20)).replace(" ", "") == words.replace(" ", "")
