"""Rates of steps of environments: they are no samples and no steps of the optimizer, and say so."""

from pathlib import Path

import pytest

from report.evidence.log_summary import summarise
from tests.parsers.drafting import drafted, lines, refused
from tests.parsers.toy_logs import write

RATES = {
    "a name": "update {n} loss: {x:.3f} env_steps_per_second: {y}.5",
    "words": "update: {n}, loss: {x:.3f}, environment steps/s: {y}.5",
    "of a simulation": "update: {n}, loss: {x:.3f}, sim steps/sec={y}.5",
    "timesteps": "update: {n}, loss: {x:.3f}, timesteps/s: {y}.5",
}


@pytest.mark.parametrize("line", RATES.values(), ids=RATES)
def test_steps_of_environments_have_a_unit_of_their_own(tmp_path: Path, line: str) -> None:
    found = summarise(write(tmp_path, lines(line).encode()), None, ()).measurement
    assert found is not None
    assert (found.unit, found.scope) == ("environment steps/s", "unknown")


OTHERS = {
    "steps of each agent": "update: {n}, loss: {x:.3f}, agent steps/s: {y}.5",
    "episodes": "update: {n}, loss: {x:.3f}, episodes/s: {y}.5",
    "games": "update: {n}, loss: {x:.3f}, games per second: {y}.5",
    "the time of one of them": "update: {n}, loss: {x:.3f}, ms/env_step: {y}.5",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_what_is_neither_is_refused(tmp_path: Path, line: str) -> None:
    refused(tmp_path, lines(line))


def test_steps_of_the_optimizer_are_read_beside_those_of_environments(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines("update: {n}, loss: {x:.3f}, env steps/s: {y}.5, steps/s: 2.{n}"))
    assert found.reading.fields["step", "throughput"].unit == "environment_steps"
    assert found.reading.records["step_rate"].tolist()[0] == 2.1
