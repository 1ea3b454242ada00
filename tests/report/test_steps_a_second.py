"""Steps a second: what a log gives by no protocol where nobody knows how many samples a step has."""

from pathlib import Path

import pytest

from report.evidence.log_summary import Summary, summarise
from report.measuring.headline import ONLY_STEPS
from report.measuring.protocol import Protocol

STEPS = "".join(f"2031-02-03 04:05:{2 * n:02d} step {n} loss: 2.5 time: {2 + n % 2 / 100}s\n" for n in range(1, 25))
RATES = "".join(f"step {n} loss: 2.5 steps/sec: {4 + n % 2 / 100}\n" for n in range(1, 25))
UNKNOWN = "step {n} loss: 2.5 images/s: {y}.0\n"


def summary(tmp_path: Path, text: str, protocol: str | None = None) -> Summary:
    log = tmp_path / "train.log"
    log.write_text(text, encoding="utf-8")
    return summarise(log, Protocol.parse(protocol) if protocol else None, ())


@pytest.mark.parametrize(("text", "value"), [(STEPS, 1 / 2.005), (RATES, 1 / ((1 / 4 + 1 / 4.01) / 2))])
def test_a_log_of_no_batch_size_gives_steps_a_second(tmp_path: Path, text: str, value: float) -> None:
    found = summary(tmp_path, text).measurement
    assert found is not None
    assert found.value == pytest.approx(value)
    assert (found.unit, found.scope) == ("steps/s", "job")


def test_what_is_missing_for_samples_is_told(tmp_path: Path) -> None:
    (told,) = [said for said in summary(tmp_path, STEPS).warnings if said.key == ONLY_STEPS]
    assert "pass --batch-size and --cards" in str(told)


def test_a_log_of_a_known_batch_size_gives_samples_a_second(tmp_path: Path) -> None:
    found = summary(tmp_path, "global batch size: 64\n" + STEPS).measurement
    assert found is not None
    assert found.value == pytest.approx(64 / 2.005)
    assert found.unit == "samples/s"


def test_a_protocol_that_reads_step_times_still_asks_for_the_batch_size(tmp_path: Path) -> None:
    found = summary(tmp_path, STEPS, "estimate=step_time")
    assert found.measurement is None
    assert "pass --batch-size" in str(found.reason)


def test_a_protocol_that_reads_steps_gives_them_whatever_the_batch_size(tmp_path: Path) -> None:
    found = summary(tmp_path, "global batch size: 64\n" + STEPS, "estimate=steps,statistic=median").measurement
    assert found is not None
    assert found.value == pytest.approx(1 / 2.005)
    assert found.unit == "steps/s"


def test_a_printed_throughput_is_not_taken_for_steps(tmp_path: Path) -> None:
    text = "".join(UNKNOWN.format(n=n, y=100 + n % 3) for n in range(1, 25))
    found = summary(tmp_path, text, "estimate=steps")
    assert found.measurement is None
    assert "needs step_time or step_rate" in str(found.reason)
