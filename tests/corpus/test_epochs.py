"""Epochs of real logs: what their steps print and what they print themselves are of one unit and one scope."""

import pytest

from parsers.runs.reading import Reading, survey
from report.measure.diagnostics import NoMeasurement
from report.measure.measure import measure
from report.measure.measurement import Measurement
from report.measure.protocol import Protocol
from tests.parsers.corpus_logs import REAL_LOGS, RealLog, parameters


def of(kind: str, reading: Reading) -> Measurement | None:
    try:
        return measure(reading, Protocol.parse(f"records={kind}"))
    except NoMeasurement:
        return None


@pytest.mark.parametrize("log", parameters([log for log in REAL_LOGS if log.family == "paddle_parameter_server"]))
def test_the_steps_of_a_parameter_server_job_are_as_fast_as_its_epochs(log: RealLog) -> None:
    reading = survey(log.path)
    steps, epochs = of("step", reading), of("epoch", reading)
    assert epochs is not None
    if steps is not None:
        assert (steps.unit, steps.scope) == (epochs.unit, epochs.scope)
        assert steps.value == pytest.approx(epochs.value, rel=0.03)
