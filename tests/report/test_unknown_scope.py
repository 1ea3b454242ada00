"""A rate of which the log does not say whose it is, or that counts something else, is on no page."""

import json
from pathlib import Path

import pytest

from parsers.runs.reading import survey
from report.measure.diagnostics import Code, NoMeasurement, Remark
from report.measure.measure import measure
from report.measure.protocol import Protocol
from tests.commandline import run
from tests.report.page_text import results_of
from tests.report.rank_logs import PAGE

GRAMMAR = """// drafted: lines such as `drafted step 1 rate 10.5 samples/s`
start: step_line
step_line: "drafted" "step" step{"1"} "rate" throughput{samples, unknown, unknown} "samples/s"
%import .vocabulary (step, throughput, samples, unknown, BLANK)
%ignore BLANK
"""
DRAFTED = "drafted step {step} rate 10.5 samples/s\n"
SPEECH = (
    "DLL 2035-05-06 07:08:{step:02d}.5 - epoch 1 | iter {step}/9 | loss 40.5 | {rate} | took 1.5 s | lrate 3.0e-06\n"
)
ITEMS = "DLL 2035-06-04 10:00:{step:02d}.5 - (0, {step}) train_items_per_sec : 17000.5 items/s\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/drafted.lark").write_text(GRAMMAR)
    (tmp_path / "page.toml").write_text(PAGE)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))
    return tmp_path


def put(folder: Path, line: str, *rates: str) -> Path:
    log = folder / "train.log"
    log.write_text("".join(line.format(step=step, rate=rate) for step, rate in enumerate(rates, 1)))
    return log


@pytest.mark.parametrize(
    ("line", "rate", "unit", "scope"),
    [
        (DRAFTED, "", "samples/s", "unknown"),
        (SPEECH, "5000.5 frames/s", "frames/s", None),
        (SPEECH, "5000.5 items/s", "items/s", None),
        (SPEECH, "utts/s 300 samples/s", "samples/s", None),
        (ITEMS, "", "items/s", None),
    ],
)
def test_the_unit_is_what_the_line_counts_and_an_unknown_scope_is_told(
    line: str, rate: str, unit: str, scope: str | None, folder: Path
) -> None:
    found = json.loads(run("show", "--json", put(folder, line, *[rate] * 8)).stdout)
    assert found["throughput"]["unit"] == unit
    told = found["throughput"]["scope"], "scope_unknown" in [one["code"] for one in found["diagnostics"]]
    assert scope is None or told == (scope, True)


@pytest.mark.parametrize(
    ("line", "rate", "code"), [(DRAFTED, "", Remark.SCOPE_UNKNOWN), (SPEECH, "5000.5 frames/s", Remark.OTHER_UNIT)]
)
def test_a_page_refuses_what_is_not_shown_to_be_its_own(line: str, rate: str, code: Remark, folder: Path) -> None:
    put(folder, line, *[rate] * 8)
    (cell,) = results_of(folder / "page.toml", folder)
    assert cell.digits is None and cell.reason is not None
    assert (cell.reason.code, cell.reason.values["log"]) == (code, "train.log")


def test_records_that_count_different_things_give_no_throughput(folder: Path) -> None:
    log = put(folder, SPEECH, "5000.5 frames/s", "5000.5 items/s")
    with pytest.raises(NoMeasurement) as error:
        measure(survey(log), Protocol.parse("estimate=reported"))
    assert error.value.diagnostic is not None
    assert (error.value.diagnostic.code, error.value.diagnostic.values["kinds"]) == (Code.UNLIKE_UNITS, "frames, items")
