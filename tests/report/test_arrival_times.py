"""Throughput by the clock of a run, for a log that prints neither a throughput that counts nor a time."""

from pathlib import Path

from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import PAGE
from parsers.runs.reading import read
from report.measure.protocol import Protocol
from report.measuring.caveats import ARRIVED
from report.measuring.measurement import Measurement, measure
from tests.parsers.run_folders import make_run, put_clock
from tests.parsers.toy_logs import steps, write_grammar

FACTS = [Fact("cards", 8, PAGE), Fact("batch_size", 4, PAGE)]


def measured(folder: Path, *clock: str) -> Measurement:
    """By the clock, a log of a line for each of the steps 1 to 4."""
    log = make_run(folder, b"".join(b"toy %d speed 1\n" % step for step in range(1, 5)))
    if clock:
        put_clock(log, *clock)
    reading = read(log, format=write_grammar(folder, "toy"), facts=FACTS)
    return measure(reading.records, reading.fields, reading.facts, Protocol.parse("estimate=clock"))


def test_samples_between_two_arrivals_over_the_time_between_them_are_a_throughput(tmp_path: Path) -> None:
    found = measured(tmp_path, "1,1935619200.000", "2,1935619200.500", "3,1935619201.000", "4,1935619201.500")
    assert (found.value, found.unit, found.lines) == (64, "samples/s", (1, 4))  # 3 steps x 4 x 8 / 1.5 s


def test_times_from_clock_csv_are_reported_as_such(tmp_path: Path) -> None:
    assert measured(tmp_path, "1,1935619200.000", "3,1935619201.500").warnings == (Message(ARRIVED),)


def test_times_that_the_log_prints_are_not_reported(tmp_path: Path) -> None:
    reading = read(make_run(tmp_path, b"".join(steps(9))), facts=FACTS)
    found = measure(reading.records, reading.fields, reading.facts, Protocol.parse("estimate=clock"))
    assert ARRIVED not in [said.key for said in found.warnings]
