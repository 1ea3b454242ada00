"""docs/audit.md is what the program wrote: its sums add up, and it says what the findings of today are called."""

import re
from collections.abc import Mapping

import pytest

from report.audit.finding import VERDICTS
from tests.report.audit.outcome import DOCUMENT, TEXT, tables

WRITTEN = DOCUMENT.read_text(encoding="utf-8")
PERF, EXAMPLES = tables(WRITTEN)
every_table = pytest.mark.parametrize("table", [PERF, EXAMPLES], ids=["perf", "examples"])

Counts = Mapping[str, list[str]]


@every_table
def test_the_last_row_is_the_sum_of_the_pages(table: Counts) -> None:
    pages = [list(map(int, counts)) for name, counts in table.items() if name not in ("", "all")]
    assert [sum(column) for column in zip(*pages, strict=True)] == list(map(int, table["all"]))


@every_table
def test_each_number_of_a_page_has_one_verdict(table: Counts) -> None:
    counts = {name: list(map(int, row)) for name, row in table.items() if name}
    assert {name: row[0] for name, row in counts.items()} == {name: sum(row[2:]) for name, row in counts.items()}


@every_table
def test_no_page_has_more_logs_than_numbers(table: Counts) -> None:
    assert [name for name, row in table.items() if name and int(row[1]) > int(row[0])] == []


@every_table
def test_the_sentence_above_says_the_same(table: Counts) -> None:
    numbers, backed, *verdicts = table["all"]
    each = ", ".join(f"{count} {name}" for count, name in zip(verdicts, table[""][2:], strict=True))
    assert f"\n{numbers} numbers, {backed} with a log: {each}.\n" in WRITTEN


def test_the_findings_are_all_that_is_not_exact_and_what_is_inconsistent() -> None:
    listed = re.findall(rf"^\| (?:{'|'.join(VERDICTS)}) +\| \S+ +\| (\d+) ", WRITTEN, re.MULTILINE)
    perf, examples = (dict(zip(table[""], map(int, table["all"]), strict=True)) for table in (PERF, EXAMPLES))
    assert sum(map(int, listed)) == perf["Numbers"] - perf["exact"] + examples["inconsistent"]


def test_pages_without_logs_are_judged_by_their_arithmetic_alone() -> None:
    assert EXAMPLES[""] == ["Numbers", "With a log", "consistent", "inconsistent", "no evidence"]
    assert EXAMPLES["all"][1] == "0"


def test_its_text_is_that_of_the_program() -> None:
    fixed = [part.strip() for part in re.split(r"\{\w+\}", TEXT.read_text(encoding="utf-8"))]
    assert [part for part in fixed if part not in WRITTEN] == []
