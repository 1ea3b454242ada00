"""Golden logs: a log dropped in ``golden/<format>/`` is a test; its JSON is what reading it must give."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parsers.grammar.format import METRICS, Format
from parsers.runs.reading import read, survey
from parsers.scanning.detection import detect, formats
from parsers.scanning.source import clean
from tests.conftest import Compare
from tests.parsers.golden_logs import FORMATS, GOLDEN, LOGS, as_json, columns_as_json, name
from tests.parsers.judging import kinds, lines_of

every_log = pytest.mark.parametrize("log", LOGS, ids=name)
every_format = pytest.mark.parametrize("format", [fmt.name for fmt in formats()])


@every_log
def test_a_golden_log_reads_as_its_json_says(log: Path, compare: Compare) -> None:
    compare(log.with_suffix(".json"), as_json(read(log)))


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_columns_of_golden_logs_mean_what_the_json_of_their_format_says(folder: Path, compare: Compare) -> None:
    readings = {log.stem: read(log) for log in LOGS if log.parent == folder}
    compare(folder / "columns.json", columns_as_json(readings))


@pytest.mark.slow
def test_golden_logs_are_read_alike_without_a_compiler() -> None:
    asked = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "json_says or json_of_their_format", __file__]
    environment = {**os.environ, "TACHOGRAPH_KERNEL": "numpy"}
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout  # that no test was found is another code


@every_log
def test_the_json_of_a_golden_log_is_json(log: Path) -> None:
    assert json.loads(log.with_suffix(".json").read_text(encoding="utf-8"))["format"] == log.parent.name


def test_every_golden_json_has_its_log() -> None:
    golden = {log.with_suffix(".json") for log in LOGS} | {folder / "columns.json" for folder in FORMATS}
    assert set(GOLDEN.glob("*/*.json")) == golden


@every_format
def test_a_format_has_a_golden_log_with_records(format: str) -> None:
    assert any(len(read(log).records) for log in LOGS if log.parent.name == format)


@every_log
def test_a_golden_log_is_detected_as_the_format_of_its_folder(log: Path) -> None:
    found = detect(log, formats())
    assert found is not None
    assert found.name == log.parent.name


@every_log
def test_no_other_format_finds_as_many_metric_lines_as_its_own(log: Path) -> None:
    own, text = len(read(log).records), clean(log.read_bytes())
    others = [fmt for fmt in formats() if fmt.name != log.parent.name and _may_read(fmt, text)]
    assert [fmt.name for fmt in others if len(survey(log, format=fmt.name).records) >= own] == []


def _may_read(fmt: Format, text: bytes) -> bool:
    return any(variant.record in METRICS and variant.may_stand_in(text) for variant in fmt.variants)


@every_log
def test_no_golden_line_is_of_two_kinds(log: Path) -> None:
    fmt = next(fmt for fmt in formats() if fmt.name == log.parent.name)
    assert [line for line in lines_of(log) if len(kinds(fmt, line)) > 1] == []
