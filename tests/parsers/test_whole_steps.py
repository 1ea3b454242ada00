"""A step whose time a log prints in two parts takes both."""

from pathlib import Path

import pytest

from parsers.runs.reading import survey

LINE = (
    "INFO 2031-05-01 09:0{at}:00 ot_train.py:357 step:{at}00 smpl:{at}K ep:9 epch:0.5 loss:1.0 grdn:2.0 lr:1.0e-05 "
    "updt_s:{work:.3f} data_s:{wait:.3f}\n"
)
LOG = "".join(LINE.format(at=at, work=0.5, wait=wait) for at, wait in enumerate((0.25, 0.0, 0.125), 1))


def test_the_time_of_a_step_is_that_of_its_work_and_of_its_wait_for_data(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(LOG, encoding="utf-8")
    found = survey(log)
    assert found.records["step_time"].tolist() == pytest.approx([0.75, 0.5, 0.625])
    field = found.fields["step", "step_time"]
    assert (field.unit, field.kind) == ("seconds", "window_mean")


def test_a_line_that_prints_the_whole_time_beside_its_parts_keeps_it(tmp_path: Path) -> None:
    whole = LINE.format(at=4, work=0.5, wait=0.25).replace(
        "updt_s:0.500 data_s:0.250", "data_s:0.250 updt_s:0.500 step_s:0.800"
    )
    log = tmp_path / "train.log"
    log.write_text(LOG + whole, encoding="utf-8")
    assert survey(log).records["step_time"].tolist() == pytest.approx([0.75, 0.5, 0.625, 0.8])
