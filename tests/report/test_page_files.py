"""Page files: what a mistake in one is told as."""

import re
from pathlib import Path

import pytest

from report.pagefile.page_file import PageError, find, load, names
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

SAME_NAME = """
[[tables]]
name = "t"
title = "Another"
columns = [{ column = "a" }]
rows = [{ title = "1" }]
"""


def complaint(text: str, folder: Path) -> str:
    path = folder / "page.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(path)
    return str(raised.value)


def test_a_page_without_mistake_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8")
    assert load(path).tables[0].rows[0].case == {"cards": 1}


def test_the_mark_that_an_editor_puts_before_a_text_does_not_belong_to_it(tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8-sig")
    assert load(path).tables[0].rows[0].case == {"cards": 1}


@pytest.mark.parametrize(
    ("found", "put", "said"),
    [
        ('unit = "images/s"', 'units = "images/s"', "units is not a valid key; did you mean unit?"),
        ('title = "A"', 'titel = "A"', "columns.a.titel is not a valid key; did you mean title?"),
        ('protocol = "plain"', 'protocol = "tipk"', '"tipk" is not a named protocol; use one of tipc'),
        (
            'protocol = "plain"',
            'protocol = "plain"\nabc = 1',
            "allowed keys: when, logs, launched, protocol, spellings, launcher, repeats, options, launch_case, extra.",
        ),
        ('column = "a"', 'column = "b"', "table t refers to an unknown column 'b'; columns: a."),
        (
            '{ column = "a" }',
            '{ column = "a", protocol = "record=step" }',
            "table t overrides the protocol of column 'a': \"record\" is not a key of a protocol",
        ),
        (
            '{ column = "a" }',
            '{ column = "a", protocol = "estimate=clock,trim=0.1" }',
            "estimate=clock gives one value",
        ),
        (
            "cards = 1 }",
            'colour = "red" }',
            "tables.t.rows.case.colour is not a valid key; allowed keys: model, ",
        ),
        ('logs = "{cards}.log"', 'logs = "../{cards}.log"', "leaves the log folder"),
        ('logs = "{cards}.log"', 'logs = "/{cards}.log"', "leaves the log folder"),
        ('unit = "images/s"', "", "unit is missing."),
        ('title = "{cards}"', 'title = "{cards.real}"', "{cards.real} cannot be used in '{cards.real}'"),
        ('title = "{cards}"', 'title = "{nodes}"', "{nodes} cannot be used in '{nodes}'; cards can"),
        ('title = "{cards}"', 'title = "{"', "tables.t.rows.title"),
        (
            'logs = "{cards}.log"',
            'logs = "{card}.log"',
            "{card} cannot be used in '{card}.log'; did you mean {cards}?",
        ),
        (
            '"plain"',
            '"plain"\noptions = { cards = 8 }',
            "'cards' is not an option; use a variable of the launcher in lower case",
        ),
        ('"plain"', '"plain"\noptions = { STEPS = 8 }', "'STEPS' is not an option"),
        (
            '"plain"',
            '"plain"\nlaunch_case = { model = "x" }',
            "'model' is not an axis that a launcher takes; use nodes",
        ),
        ('"plain"', '"plain"\nrepeats = 0', "columns.a.runs.repeats: must be at least 1."),
        (
            '"a" }',
            '"a", quantity = "fastness" }',
            "tables.t.columns.a.quantity: must be one of throughput, median_of_runs",
        ),
        (
            '"a" }',
            '"a", decimals = 2 }',
            "set the decimals of a throughput with its protocol: protocol = 'decimals=2'.",
        ),
        ('unit = "images/s"', "unit = ", "is not valid TOML: Invalid value (at line 4"),
        ("[[tables]]", SAME_NAME + "[[tables]]", "two tables are named 't'; use unique names."),
    ],
)
def test_a_mistake_names_the_file_the_key_and_what_is_allowed(found: str, put: str, said: str, tmp_path: Path) -> None:
    assert found in PAGE
    sentence = complaint(PAGE.replace(found, put, 1), tmp_path)
    assert sentence.startswith(str(tmp_path / "page.toml"))
    assert said in sentence
    assert re.search(r"[^.][.?]$", sentence)


@pytest.mark.parametrize(
    ("found", "put", "key"),
    [
        ('"plain"', '"plain"\nextra = ["--steps", "1\\n2"]', "columns.a.runs.extra"),
        ('"plain"', '"plain"\noptions = { steps = "1\\n2" }', "columns.a.runs.options.steps"),
        ('"plain"', '"plain"\noptions = { note = "1\\n2" }', "columns.a.runs.options.note"),
        ('"plain"', '"plain"\nspellings = { precision = { "a\\nb" = "c" } }', "columns.a.runs.spellings.precision"),
        ('title = "A"', 'title = "A\\r"', "columns.a.title"),
        ('title = "T"', 'title = "T\\n# Another"', "title"),
        ('unit = "images/s"', 'unit = """\nimages/s\n"""', "unit"),
        ('model = "M"', 'model = "M\\u2028N"', "model"),
        ('title = "Table"', 'title = "Table"\ncorner = "a\\u0085b"', "tables.t.corner"),
        ('title = "{cards}"', 'title = "{cards}\\f"', "tables.t.rows.title"),
        ("cards = 1 }", 'cards = 1, device = "a\\nb" }', "tables.t.rows.case.device"),
        (
            '["What is tested."]',
            '[{ columns = ["a"], rows = [["b"], ["c\\n| d |"]] }]',
            "tested.rows",
        ),
        ('["What is tested."]', '[{ code = "a", language = "b\\nc" }]', "tested.language"),
    ],
)
def test_a_text_of_a_heading_a_cell_or_a_command_has_one_line(found: str, put: str, key: str, tmp_path: Path) -> None:
    assert found in PAGE
    sentence = complaint(PAGE.replace(found, put, 1), tmp_path)
    assert re.match(rf"{re.escape(str(tmp_path / 'page.toml'))}, line \d+: {re.escape(key)}: '", sentence)
    assert sentence.endswith(" has several lines; use a single line.")
    assert sentence.count("\n") == 0


@pytest.mark.parametrize("put", ['["One\\n\\nTwo"]', '[{ code = "a\\nb\\n" }]', '["""\nOne\nTwo\n"""]'])
def test_paragraphs_and_code_have_several_lines(put: str, tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE.replace('["What is tested."]', put), encoding="utf-8")
    assert load(path).tested


def test_an_unknown_page_is_reported_with_the_known_ones() -> None:
    with pytest.raises(PageError, match="cpu-demo"):
        find("nosuch")


@pytest.mark.parametrize("name", names())
def test_every_page_of_the_project_is_valid(name: str) -> None:
    assert load(find(name)).tables
