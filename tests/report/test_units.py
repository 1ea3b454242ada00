"""What a throughput counts is what the line says: frames, items and audio samples are not all samples."""

from pathlib import Path

import pytest

from parsers.runs.reading import survey
from report.measure.diagnostics import Code, NoMeasurement
from report.measure.measure import measure
from report.measure.measurement import Measurement
from report.measure.protocol import Protocol
from report.results.remarks import Remark
from tests.report.page_text import results_of
from tests.report.rank_logs import PAGE

SPEECH = (
    "DLL 2035-05-06 07:08:{second:02d}.5 - epoch 1 | iter {step}/9 | loss 40.5 | {rate} | took 1.5 s | lrate 3.0e-06\n"
)
ITEMS = "DLL 2035-06-04 10:00:{second:02d}.5 - (0, {step}) train_items_per_sec : 17000.5 items/s\n"


def measured(folder: Path, line: str, *rates: str, protocol: str = "run=last") -> Measurement:
    lines = (line.format(second=number, step=number, rate=rate) for number, rate in enumerate(rates, 1))
    (folder / "train.log").write_text("".join(lines))
    return measure(survey(folder / "train.log"), Protocol.parse(protocol))


@pytest.mark.parametrize(
    ("line", "rate", "unit"),
    [
        (SPEECH, "5000.5 frames/s", "frames/s"),
        (SPEECH, "5000.5 items/s", "items/s"),
        (SPEECH, "utts/s 300 samples/s", "samples/s"),
        (ITEMS, "", "items/s"),
    ],
)
def test_the_unit_is_what_the_line_counts(line: str, rate: str, unit: str, tmp_path: Path) -> None:
    assert measured(tmp_path, line, rate, rate).unit == unit


def test_records_that_count_different_things_give_no_throughput(tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement) as error:
        measured(tmp_path, SPEECH, "5000.5 frames/s", "5000.5 items/s", protocol="estimate=reported")
    assert error.value.diagnostic is not None
    assert (error.value.diagnostic.code, error.value.diagnostic.values["kinds"]) == (Code.UNLIKE_UNITS, "frames, items")


def test_a_page_of_samples_takes_no_frames(tmp_path: Path) -> None:
    measured(tmp_path, SPEECH, "5000.5 frames/s", "5001.5 frames/s")
    (tmp_path / "page.toml").write_text(PAGE)
    (cell,) = results_of(tmp_path / "page.toml", tmp_path)
    assert cell.digits is None and cell.reason is not None
    assert cell.reason.code == Remark.OTHER_UNIT
