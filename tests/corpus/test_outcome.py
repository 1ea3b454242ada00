"""The outcome of the corpus: the page and the table of it add up, and they are what the logs give."""

import pytest

from tests.conftest import Compare
from tests.corpus.fetch import SOURCES, sources
from tests.corpus.outcome import DOCUMENT, EXACT, OUTCOMES, Outcome, document, outcomes, rows, table
from tests.parsers.corpus_logs import ABSENT, CORPUS


def kept() -> list[Outcome]:
    return [Outcome(**{**row, "records": int(row["records"])}) for row in rows()]  # type: ignore[arg-type]


def test_the_page_sums_up_the_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(kept())


def test_the_table_has_exact_verdicts_only_where_a_number_was_published() -> None:
    assert [row.log for row in kept() if row.verdict == EXACT and not row.published] == []
    assert any(row.verdict == EXACT for row in kept())


def test_every_log_of_the_table_can_be_fetched() -> None:
    assert [source.log for source in sources(SOURCES)] == [row.log for row in kept()]


@pytest.mark.skipif(not (CORPUS / "INDEX.csv").is_file(), reason=ABSENT)
def test_the_page_and_the_table_are_what_the_logs_give(compare: Compare) -> None:
    found = outcomes()
    compare(OUTCOMES, table(found))
    compare(DOCUMENT, document(found))
