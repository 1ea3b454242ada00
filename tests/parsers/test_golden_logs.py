"""Golden logs: a log dropped in ``golden/<format>/`` is a test; its JSON is what reading it must give."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.grammar.format import METRICS, Format
from parsers.runs.reading import Reading, known_format, read, survey
from parsers.scanning.detection import detect, formats
from parsers.scanning.source import clean
from tests.conftest import Compare
from tests.parsers.golden_logs import FORMATS, GOLDEN, LOGS, as_json, columns_as_json, every_golden_format
from tests.parsers.judging import kinds, lines_of


@every_golden_format
def test_golden_logs_of_a_format_read_as_their_json_says(folder: Path, compare: Compare) -> None:
    readings = {log.stem: read(log) for log in sorted(folder.glob("*.log"))}
    for stem, reading in readings.items():
        compare(folder / f"{stem}.json", as_json(reading))
    compare(folder / "columns.json", columns_as_json(readings))
    assert any(len(reading.records) for reading in readings.values())


def test_every_format_has_golden_logs_and_every_golden_json_its_log() -> None:
    assert {fmt.name for fmt in formats()} == {folder.name for folder in FORMATS}
    golden = {log.with_suffix(".json") for log in LOGS} | {folder / "columns.json" for folder in FORMATS}
    assert set(GOLDEN.glob("*/*.json")) == golden


@every_golden_format
def test_golden_logs_are_of_their_format_alone_and_each_line_is_counted_once(folder: Path) -> None:
    fmt = known_format(folder.name)
    wrong = {log.name: list(_wrong(log, fmt, read(log))) for log in folder.glob("*.log")}
    assert {name: found for name, found in wrong.items() if found} == {}


def _wrong(log: Path, fmt: Format, reading: Reading) -> Iterator[object]:
    """What is wrong with the reading of a golden log, beside what its JSON would show."""
    data, account = log.read_bytes(), reading.account
    if not (found := detect(log, formats())) or found.name != fmt.name:
        yield "detected as", found and found.name
    if reading.sha256 != hashlib.sha256(data).hexdigest():
        yield "sha256"
    whole = data.count(b"\n") + (not data.endswith(b"\n"))
    if not account.matched + account.ignored + account.unmatched == account.total == whole:
        yield "lines", whole, account
    others = [other for other in formats() if other.name != fmt.name and _may_read(other, clean(data))]
    counts = {other.name: len(survey(log, format=other.name).records) for other in others}
    if claimed := {name: count for name, count in counts.items() if count >= len(reading.records)}:
        yield "claimed by", claimed
    if torn := [line for line in lines_of(log) if len(kinds(fmt, line)) > 1]:
        yield "of two kinds", torn


def _may_read(fmt: Format, text: bytes) -> bool:
    return any(variant.record in METRICS and variant.may_stand_in(text) for variant in fmt.variants)


@pytest.mark.slow
def test_golden_logs_are_read_alike_without_a_compiler() -> None:
    asked = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "json_says", __file__]
    environment = {**os.environ, "TACHOGRAPH_KERNEL": "numpy"}
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout  # that no test was found is another code
