"""The general reader, held against all grammars: without the one of a family it gives the same speed, or none."""

from pathlib import Path

import pytest

from parsers.general.drafting import draft
from parsers.runs.reading import read
from tests.parsers.general_families import SAME, WRONG, speeds, verdict
from tests.parsers.golden_logs import LOGS

# The issue asks for 70 % of the families; of those whose lines print a speed at all.
LEAST_SAME = 0.7


@pytest.fixture(scope="module")
def verdicts() -> dict[Path, tuple[str, str]]:
    """What the general reader gives for each golden log: it knows no grammar but the one that it drafts."""
    return {log: verdict(log, draft(log)) for log in LOGS}


@pytest.mark.slow
def test_no_golden_log_gives_a_wrong_number(verdicts: dict[Path, tuple[str, str]]) -> None:
    assert {log: said for log, (which, said) in verdicts.items() if which == WRONG} == {}


@pytest.mark.slow
def test_most_families_are_read_as_by_their_grammars(verdicts: dict[Path, tuple[str, str]]) -> None:
    same = {log.parent.name for log, (which, _) in verdicts.items() if which == SAME}
    refused = sorted({log.parent.name for log in LOGS if speeds(read(log))} - same)
    assert len(same) >= LEAST_SAME * len({*same, *refused}), f"not read the same: {', '.join(refused)}"
