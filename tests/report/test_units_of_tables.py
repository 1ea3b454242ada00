"""Units of tables: a page may hold tables in other units than its own."""

from pathlib import Path

import pytest

from report.views.publish import publish, why_empty
from tests.parsers.run_folders import make_run
from tests.report.page_text import HEAD, column, report_of, results_of

IMAGES = b"".join(f"step {step}: loss 2.5, 1000 images/s/gpu\n".encode() for step in range(20))
TOKENS = IMAGES.replace(b"images", b"tokens")
PAGE = (
    HEAD
    + column("a", "a/*/train.log")
    + column("b", "b/*/train.log")
    + """
[[tables]]
name = "t"
title = "Images"
case = { cards = 1 }
columns = ["a"]
rows = [{ title = "one" }]
[[tables]]
name = "u"
title = "Tokens"
unit = "tokens/s"
case = { cards = 1 }
columns = ["b"]
rows = [{ title = "one" }]
[[tables.tables]]
name = "v"
title = "Tokens again"
columns = [{ column = "b", quantity = "throughput_per_card" }]
"""
)


@pytest.fixture
def text(tmp_path: Path) -> str:
    """The page in English."""
    file = page_file(tmp_path)
    (page,) = publish([str(file)], tmp_path / "logs", ["en"], tmp_path / "pages")
    return page.files[0].read_text(encoding="utf-8")


def page_file(folder: Path, page: str = PAGE) -> Path:
    make_run(folder / "logs/a/1", IMAGES)
    make_run(folder / "logs/b/1", TOKENS)
    (folder / "page.toml").write_text(page, encoding="utf-8")
    return folder / "page.toml"


def test_a_column_in_another_unit_than_that_of_the_page_says_so(text: str) -> None:
    assert " | A |\n" in text
    assert " | B, throughput (tokens/s) |\n" in text


@pytest.mark.parametrize(
    ("stated", "put", "told"),
    [
        (
            'unit = "images/s"',
            'unit = "words/s"',
            ["t/all/a is empty: The page uses words/s, but train.log gives images/s."],
        ),
        (
            'unit = "tokens/s"',
            'unit = "steps/s"',
            [
                "u/all/b is empty: The page uses steps/s, but train.log gives tokens/s.",
                "v/all/b-throughput-per-card is empty: Cannot compute a number from the log: "
                "The page uses steps/s, but the log gives tokens/s.",
            ],
        ),
    ],
    ids=["of the page", "of a table, and of one that is like it"],
)
def test_a_unit_that_the_logs_contradict_is_told(stated: str, put: str, told: list[str], tmp_path: Path) -> None:
    changed = PAGE.replace(stated, put)
    (page,) = publish([str(page_file(tmp_path, changed))], tmp_path / "logs", ["en"], tmp_path / "pages")
    assert why_empty(page.report) == [f"page: {said}" for said in told]


@pytest.mark.parametrize("quantity", ["throughput", "throughput_per_card"])
def test_a_number_has_the_unit_that_the_page_calls_it_by(quantity: str, tmp_path: Path) -> None:
    path = page_file(tmp_path, PAGE.replace('unit = "images/s"', 'unit = "samples/s"'))
    shown = path.read_text(encoding="utf-8").replace('["a"]', f'[{{ column = "a", quantity = "{quantity}" }}]')
    path.write_text(shown, encoding="utf-8")
    report = report_of(path, tmp_path / "logs")
    assert {run.measured_unit for run in report.runs_of(report.results[0])} == {"samples/s"}


def test_throughputs_in_two_units_have_no_ratio(tmp_path: Path) -> None:
    ratio = """
[[tables]]
name = "w"
title = "Speed-up"
case = { cards = 1 }
columns = [{ column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } }]
rows = [{ title = "one" }]
"""
    *_, found = results_of(page_file(tmp_path, PAGE + ratio), tmp_path / "logs")
    assert found.digits is None
    assert str(found.reason) == "Not comparable: unit images/s and tokens/s."
