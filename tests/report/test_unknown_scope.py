"""A rate of which nobody knows whose it is: printed without a word on that, and on no page."""

import json
from pathlib import Path

import pytest

from report.evidence.case_evidence import NOT_THE_JOB, cells
from report.measure.protocol import Protocol
from report.measuring.measurement import NoMeasurement, Throughput, combine
from report.pagefile.page_file import load
from tests.commandline import run
from tests.report.rank_logs import PAGE

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
    (tmp_path / "page.toml").write_text(PAGE)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))
    return tmp_path


def test_show_says_that_a_scope_is_unknown(folder: Path) -> None:
    found = json.loads(run("show", "--json", folder / "train.log").stdout)
    assert found["throughput"]["scope"] == "unknown"
    assert "scope_unknown" in [one["code"] for one in found["diagnostics"]]


def test_a_page_refuses_a_rate_of_unknown_scope_and_asks_for_the_scope(folder: Path) -> None:
    (cell,) = cells(load(folder / "page.toml"), folder)
    assert (cell.printed, str(cell.reason)) == (None, NOT_THE_JOB["unknown"].format(log="train.log"))


def test_repeats_of_an_unknown_scope_are_not_combined_with_those_of_the_job() -> None:
    known, unknown = (Throughput(10, "samples/s", scope) for scope in ("job", "unknown"))
    with pytest.raises(NoMeasurement, match="found samples/s of one job and samples/s of unknown scope"):
        combine([known, unknown], Protocol())
