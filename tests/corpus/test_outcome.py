"""The outcome of the corpus in the docs: what it says of itself adds up, and it is what the logs give."""

import re

import pytest

from tests.conftest import Compare
from tests.corpus.outcome import DOCUMENT, document, outcomes
from tests.parsers.corpus_logs import ABSENT, CORPUS

PAGE = DOCUMENT.read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| log ")]


def test_the_page_has_a_row_for_each_log() -> None:
    (logs,) = re.findall(r"- (\d+) logs,", PAGE)
    assert len(ROWS) == int(logs)


def test_the_page_counts_its_published_numbers_right() -> None:
    exact = sum(row[-1].strip(" |") == "exact" for row in ROWS)
    published = sum(bool(row[3].strip()) for row in ROWS)
    assert f"- {published} with a published number: {exact} exact, {published - exact} not" in PAGE


@pytest.mark.skipif(not (CORPUS / "INDEX.csv").is_file(), reason=ABSENT)
def test_the_page_is_what_the_logs_give(compare: Compare) -> None:
    compare(DOCUMENT, document(outcomes()))
