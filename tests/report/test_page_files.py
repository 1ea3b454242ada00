"""Page files: what a mistake in one is told as."""

import re
from pathlib import Path

import pytest

from report.pagefile.page_file import PageError, find, load
from tests.report.page_text import HEAD, column

PAGE = (
    HEAD
    + column("a", "{cards}.log")
    + """
[[tables]]
name = "t"
title = "Table"
columns = [{ column = "a" }]
rows = [{ title = "{cards}", case = { cards = 1 } }]
"""
)


def complaint(text: str, folder: Path) -> str:
    path = folder / "page.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(path)
    return str(raised.value)


def test_the_mark_that_an_editor_puts_before_a_text_does_not_belong_to_it(tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8-sig")
    assert load(path).tables[0].rows[0].case == {"cards": 1}


@pytest.mark.parametrize(
    ("found", "put", "named"),
    [
        ('protocol = "plain"', 'protocol = "tipk"', "columns.a.runs.protocol"),
        ('protocol = "plain"', 'protocol = "plain"\nabc = 1', "columns.a.runs.abc"),
        ('{ column = "a" }', '{ column = "a", protocol = "record=step" }', "record is not a valid key"),
        ('{ column = "a" }', '{ column = "a", protocol = "estimate=clock,trim=0.1" }', "estimate=clock"),
        ("cards = 1 }", 'colour = "red" }', "tables.t.rows.case.colour"),
        ('logs = "{cards}.log"', 'logs = "../{cards}.log"', "columns.a.runs.logs"),
        ('unit = "images/s"', "", "unit"),
        ('title = "{cards}"', 'title = "{cards.real}"', "{cards.real}"),
        ('title = "{cards}"', 'title = "{nodes}"', "{nodes}"),
        ('title = "{cards}"', 'title = "{"', "tables.t.rows.title"),
        ('"a" }', '"a", decimals = 2 }', "protocol = 'decimals=2'"),
    ],
)
def test_a_mistake_names_the_file_and_what_is_wrong(found: str, put: str, named: str, tmp_path: Path) -> None:
    assert found in PAGE
    sentence = complaint(PAGE.replace(found, put, 1), tmp_path)
    assert sentence.startswith(str(tmp_path / "page.toml"))
    assert named in sentence


@pytest.mark.parametrize(
    ("found", "put", "key"),
    [
        ('"plain"', '"plain"\nnames.precision = { "a\\nb" = "c" }', "columns.a.runs.names.precision"),
        ('title = "A"', 'title = "A\\r"', "columns.a.title"),
        ('title = "T"', 'title = "T\\n# Another"', "title"),
        ('unit = "images/s"', 'unit = """\nimages/s\n"""', "unit"),
        ('model = "M"', 'model = "M\\u2028N"', "model"),
        ('title = "Table"', 'title = "Table"\ncorner = "a\\u0085b"', "tables.t.corner"),
        ('title = "{cards}"', 'title = "{cards}\\f"', "tables.t.rows.title"),
        ("cards = 1 }", 'cards = 1, device = "a\\nb" }', "tables.t.rows.case.device"),
    ],
)
def test_a_text_of_a_heading_a_cell_or_a_command_has_one_line(found: str, put: str, key: str, tmp_path: Path) -> None:
    assert found in PAGE
    sentence = complaint(PAGE.replace(found, put, 1), tmp_path)
    assert re.match(rf"{re.escape(str(tmp_path / 'page.toml'))}, line \d+: {re.escape(key)}: '", sentence)
    assert sentence.count("\n") == 0


@pytest.mark.parametrize("put", ['["One\\n\\nTwo"]', '[{ en = "a\\nb\\n" }]', '["""\nOne\nTwo\n"""]'])
def test_paragraphs_have_several_lines(put: str, tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE.replace('["What is tested."]', put), encoding="utf-8")
    assert load(path).tested


def test_an_unknown_page_is_reported_with_the_known_ones() -> None:
    with pytest.raises(PageError, match="cpu-demo"):
        find("nosuch")
