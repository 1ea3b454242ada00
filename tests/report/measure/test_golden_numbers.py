"""Stated protocols on the golden logs of all formats: each number with its unit, its scope and its lines."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from parsers.runs.ranks import read
from report.measure.diagnostics import NoMeasurement
from report.measure.measure import measure
from report.measure.protocol import Protocol
from tests.conftest import Compare
from tests.parsers.golden_logs import LOGS

PROTOCOLS = (
    "tipc-plain",
    "summary",
    "estimate=step_time,statistic=median",
    "estimate=clock,counts=steps,skip_records=2",
    "estimate=duration",
    "estimate=instant",
    "estimate=instant,counts=steps",
    "skip_steps=20,take_first=100 steps,estimate=reported",
    "records=epoch,estimate=clock,counts=epochs",
    "skip_fraction=0.7,statistic=harmonic_mean,drop_last=1",
)


def measured() -> Iterator[str]:
    """A line for each number that a protocol gives."""
    for log in LOGS:
        reading = read(log)
        for text in PROTOCOLS:
            with suppress(NoMeasurement):
                found = measure(reading, Protocol.parse(text))
                lines = f"{found.records_used} of lines {found.ends[0]} to {found.ends[1]}"
                number = f"{found.value:.15g} {found.unit} ({found.scope})"
                yield f"{log.parent.name}/{log.name} {text}: {number}, {lines}"


def test_every_stated_number_is_what_it_was(compare: Compare) -> None:
    compare(Path(__file__).parent / "golden/stated.txt", "\n".join(measured()) + "\n")
