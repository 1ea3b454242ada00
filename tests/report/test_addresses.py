"""Addresses of numbers: TABLE/ROW/COLUMN of cases, so that they outlive titles, translations and other numbers."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.pagefile.page_file import FOLDER, load, names, parse
from tests.report.quoted_page import PAGE

ADDRESS = re.compile(r"[^\W_]+(-[^\W_]+)*(/[^\W_]+(-[^\W_]+)*){2}(\.\d+)?")


def addresses(text: str) -> list[str]:
    return [place.id for place in parse(text, Path("page.toml")).places()]


def test_an_address_is_made_of_the_case_of_the_row_and_of_what_the_column_shows() -> None:
    assert addresses(PAGE)[:4] == ["t/1/a", "t/1/b", "t/1/a-vs-b", "t/1/a-scaling-efficiency"]


@pytest.mark.parametrize("page", names())
def test_all_numbers_of_a_published_page_have_addresses_of_their_own(page: str) -> None:
    found = [place.id for place in load(FOLDER / f"{page}.toml").places()]
    assert len(set(found)) == len(found)
    assert [one for one in found if not ADDRESS.fullmatch(one)] == []


def test_other_titles_and_a_row_before_it_leave_an_address_as_it_is() -> None:
    changed = PAGE.replace('"Scores"', '"Results"').replace('title = "A over B"', 'title = "Ratio"')
    changed = changed.replace("rows = [", 'rows = [{ title = "four", case = { cards = 4 } }, ')
    assert addresses(changed)[4:] == addresses(PAGE)


@given(st.text(min_size=1), st.text(min_size=1))
def test_whatever_values_are_called_no_two_numbers_have_one_address(first: str, second: str) -> None:
    page = load(FOLDER / "vgg16.toml")
    rows = [
        row.model_copy(update={"case": {"device": value}})
        for row, value in zip(page.tables[0].rows, (first, second), strict=False)
    ]
    table = page.tables[0].model_copy(update={"rows": rows})
    found = [place.id for place in page.model_copy(update={"tables": [table]}).places()]
    assert len(set(found)) == len(found)
    assert all(len(part) <= 64 for one in found for part in one.split("/"))
