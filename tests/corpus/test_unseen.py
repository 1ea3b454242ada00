"""Logs that nothing was written from: what is counted, and which numbers a clock contradicts in silence."""

from hashlib import sha256
from typing import Any

import pytest

from tests.corpus.fetch import SOURCES, sources
from tests.corpus.unseen import judgements, silent

LOGS = [listed for listed in judgements().values() if listed["set"] != "nonlogs"]


def test_no_listed_log_is_of_a_repository_of_the_corpus() -> None:
    assert {listed["repository"] for listed in LOGS}.isdisjoint(source.repository for source in sources(SOURCES))


def test_the_name_of_a_repository_alone_decides_whether_its_logs_are_held_back() -> None:
    halves = {listed["repository"]: listed["set"] for listed in LOGS if "blind" not in listed["set"]}
    assert halves == {name: ("dev", "held")[sha256(name.encode()).digest()[-1] % 2] for name in halves}


@pytest.mark.parametrize(
    ("status", "source", "ratio", "is_silent"),
    [
        ("unchecked", "step.time", 3, True),
        ("unchecked", "step.elapsed", 0.3, True),
        ("unchecked", "step.time", 1.9, False),  # pauses may explain it
        ("contradicted", "step.time", 3, False),
        ("confirmed", "step.step_time", 3, False),  # no clock
    ],
)
def test_a_clock_that_is_more_than_twice_off_contradicts_in_silence(
    status: str, source: str, ratio: float, *, is_silent: bool
) -> None:
    check: dict[str, Any] = {"source": source, "ratio": ratio, "tolerance": 0.1, "value": 5.0}
    assert bool(silent({"status": status, "checks": [check]})) == is_silent
