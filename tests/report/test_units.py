"""What a throughput counts is what the line says: frames, items and audio samples are not all samples."""

from pathlib import Path

import pytest

from report.evidence.case_evidence import cells
from report.evidence.log_summary import Summary, summarise
from report.measure.protocol import Protocol
from report.pagefile.page_file import load
from tests.report.rank_logs import PAGE

SPEECH = (
    "DLL 2035-05-06 07:08:{second:02d}.5 - epoch 1 | iter {step}/9 | loss 40.5 | {rate} | took 1.5 s | lrate 3.0e-06\n"
)
ITEMS = "DLL 2035-06-04 10:00:{second:02d}.5 - (0, {step}) train_items_per_sec : 17000.5 items/s\n"


def summary(folder: Path, line: str, *rates: str, protocol: Protocol | None = None) -> Summary:
    lines = (line.format(second=number, step=number, rate=rate) for number, rate in enumerate(rates, 1))
    (folder / "train.log").write_text("".join(lines))
    return summarise(folder / "train.log", protocol, ())


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
    found = summary(tmp_path, line, rate, rate).measurement
    assert found is not None
    assert found.unit == unit


def test_records_that_count_different_things_give_no_throughput(tmp_path: Path) -> None:
    found = summary(tmp_path, SPEECH, "5000.5 frames/s", "5000.5 items/s", protocol=Protocol.parse("estimate=reported"))
    assert str(found.reason) == "The throughputs of the records count different things: frames, items."


def test_a_page_of_samples_takes_no_frames(tmp_path: Path) -> None:
    summary(tmp_path, SPEECH, "5000.5 frames/s", "5001.5 frames/s")
    (tmp_path / "page.toml").write_text(PAGE)
    (cell,) = cells(load(tmp_path / "page.toml"), tmp_path)
    assert str(cell.reason) == "The page uses samples/s, but train.log gives frames/s."
