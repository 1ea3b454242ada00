"""The general reader, held against all grammars: without the one of a family it gives the same speed, or none."""

from pathlib import Path

import pytest

from parsers.general.drafting import draft
from parsers.runs.reading import survey
from tests.parsers.corpus_logs import RealLog, every_known_log
from tests.parsers.general_families import SAME, WRONG, samples_of_step, verdict
from tests.parsers.golden_logs import GOLDEN, LOGS

FAMILIES = sorted(path.name for path in GOLDEN.iterdir())
LEAST_SAME = 0.70
# Beside the rate that it refines NeMo prints one that leaves out the accumulation; without its grammar both look alike.
LOOKS_RIGHT = {GOLDEN / "nemo" / "accumulated.log"}


@pytest.fixture(scope="module")
def verdicts() -> dict[Path, tuple[str, str]]:
    """What the general reader gives for each golden log: it knows no grammar but the one that it drafts."""
    return {log: verdict(log, draft(log)) for log in LOGS}


@pytest.mark.slow
def test_no_golden_log_gives_a_wrong_number(verdicts: dict[Path, tuple[str, str]]) -> None:
    assert {log for log, (which, _) in verdicts.items() if which == WRONG} == LOOKS_RIGHT


@pytest.mark.slow
def test_most_families_are_read_as_by_their_grammars(verdicts: dict[Path, tuple[str, str]]) -> None:
    same = {log.parent.name for log, (which, _) in verdicts.items() if which == SAME}
    refused = sorted(set(FAMILIES) - same)
    assert len(same) >= LEAST_SAME * len(FAMILIES), f"not read the same: {', '.join(refused)}"


@pytest.mark.slow
@every_known_log
def test_a_real_log_gives_no_wrong_number_and_no_other_batch_size_of_a_step_without_its_grammar(log: RealLog) -> None:
    found = draft(log.path)
    assert verdict(log.path, found)[0] != WRONG
    if not found.is_found:
        return
    grammar = survey(log.path).facts
    if "accumulation" in grammar.keys() - found.reading.facts.keys():
        return  # the passes of a step are told by lines that only its own grammar knows
    own, stated = samples_of_step(grammar), samples_of_step(found.reading.facts)
    assert stated is None or own is None or stated == own
