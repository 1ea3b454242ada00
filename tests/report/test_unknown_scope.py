"""A rate of which nobody knows whose it is: printed without a word on that, and on no page."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import PAGE
from parsers.runs.reading import read
from report.measure.diagnostics import NoMeasurement
from report.measure.measure import measure
from report.measure.measurement import combine
from report.measure.protocol import Protocol
from report.results.remarks import Remark
from tests.commandline import run
from tests.report.page_text import results_of
from tests.report.rank_logs import PAGE as PAGE_FILE

GRAMMAR = """// drafted: lines such as `drafted step 1 rate 10.5 samples/s`
start: step_line
step_line: "drafted" "step" step{"1"} "rate" throughput{samples, unknown, unknown} "samples/s"
%import .vocabulary (step, throughput, samples, unknown, BLANK)
%ignore BLANK
"""
LOG = "".join(f"drafted step {number} rate 10.5 samples/s\n" for number in range(1, 9))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/drafted.lark").write_text(GRAMMAR)
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "page.toml").write_text(PAGE_FILE)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))
    return tmp_path


def test_show_says_that_a_scope_is_unknown(folder: Path) -> None:
    found = json.loads(run("show", "--json", folder / "train.log").stdout)
    assert found["throughput"]["scope"] == "unknown"
    assert "scope_unknown" in [one["code"] for one in found["diagnostics"]]


def test_a_page_refuses_a_rate_of_unknown_scope_and_asks_for_the_scope(folder: Path) -> None:
    (cell,) = results_of(folder / "page.toml", folder)
    assert cell.digits is None and cell.reason is not None
    assert (cell.reason.code, cell.reason.values["log"]) == (Remark.SCOPE_UNKNOWN, "train.log")


def test_repeats_of_an_unknown_scope_are_not_combined_with_those_of_the_job(folder: Path) -> None:
    protocol, reading = Protocol.parse("plain"), read(folder / "train.log")
    of_job = replace(reading, facts=Facts([Fact("cards", 1, PAGE)]))
    known, unknown = measure(of_job, protocol), measure(reading, protocol)
    assert (known.scope, unknown.scope) == ("job", "unknown")
    with pytest.raises(NoMeasurement):
        combine([known, unknown], protocol)
