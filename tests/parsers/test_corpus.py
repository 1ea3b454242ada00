"""Logs of the corpus read as the signs in their bytes say, and texts that are no logs are none."""

from contextlib import suppress
from pathlib import Path

import pytest

from parsers.runs.reading import known_format, survey
from parsers.scanning.detection import formats
from report.measure.diagnostics import NoMeasurement
from report.measure.measure import measure
from report.measure.protocol import Protocol
from report.results.measured_log import measured_log
from tests.parsers.corpus_logs import REAL_LOGS, SIGNS, Counts, RealLog, every_real_log, parameters
from tests.parsers.judging import agree, kinds, lines_of


def records(log: RealLog) -> dict[str, Counts]:
    """How many records of each kind a log has, by format."""
    parts = {part.format.name: part.records["record"].value_counts() for part in survey(log.path).parts if part.format}
    return {name: {str(k): int(n) for k, n in counts.items() if n} for name, counts in parts.items() if counts.any()}


def test_signs_are_those_of_a_known_format() -> None:
    assert SIGNS.keys() <= {fmt.name for fmt in formats()}


@every_real_log
def test_a_real_log_has_just_the_metric_lines_that_the_signs_in_its_bytes_tell(log: RealLog) -> None:
    assert records(log) == log.counts
    account, data = survey(log.path).account, log.path.read_bytes()
    whole = data.count(b"\n") + (not data.endswith(b"\n"))
    assert account.matched + account.ignored + account.unmatched == account.total == whole


@every_real_log
def test_no_real_line_is_of_two_kinds(log: RealLog) -> None:
    for fmt in (fmt for fmt in formats() if fmt.name in log.counts):
        assert [line for line in lines_of(log.path) if len(kinds(fmt, line)) > 1] == []


@pytest.mark.slow
@every_real_log
def test_lark_judges_every_real_line_as_the_compiled_form_does(log: RealLog) -> None:
    lines = dict.fromkeys(lines_of(log.path))
    assert [line for name in log.counts for line in lines if not agree(known_format(name), line)] == []


NON_LOGS = sorted((Path(__file__).parent / "non_logs").glob("*.txt"))


@pytest.mark.parametrize("path", NON_LOGS, ids=lambda path: path.stem)
def test_what_is_no_log_gives_no_throughput(path: Path) -> None:
    found = measured_log(path)
    assert found.status == "refused"
    assert found.diagnostics


@pytest.mark.parametrize("log", parameters([log for log in REAL_LOGS if log.family == "paddle_parameter_server"]))
def test_the_steps_of_a_parameter_server_job_are_as_fast_as_its_epochs(log: RealLog) -> None:
    reading = survey(log.path)
    epochs = measure(reading, Protocol.parse("records=epoch"))
    with suppress(NoMeasurement):
        steps = measure(reading, Protocol.parse("records=step"))
        assert (steps.unit, steps.scope) == (epochs.unit, epochs.scope)
        assert steps.value == pytest.approx(epochs.value, rel=0.03)
