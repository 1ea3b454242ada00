"""What is done to the bytes of a log on its way never changes a number in silence."""

from pathlib import Path

import numpy as np
import pytest

from parsers.io.errors import LogError
from parsers.runs.reading import survey
from parsers.scanning.prefix import without_prefix
from report.results.measured_log import MeasuredLog
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN, LOGS, name
from tests.parsers.transformations import (
    NAMES,
    TRANSFORMATIONS,
    Transformation,
    each,
    fold,
)
from tests.parsers.unchanged import changed_in_silence, summary

pytestmark = pytest.mark.slow

EVERY = 34


def text_of(log: Path) -> bytes:
    """The whole lines of a log: what is put after half a line makes another one of it."""
    data = log.read_bytes()
    return data[: data.rfind(b"\n") + 1]


def written(log: Path, folder: Path, data: bytes) -> Path:
    """A copy of a log, whose name and folder state the same, without what lies beside it."""
    copy = folder / log.parent.name / log.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(data)
    return copy


def is_of_one_launcher(found: MeasuredLog) -> bool:
    """Whether all records name a rank, or none does: of a log put together of both a prefix makes another one."""
    if "rank" not in found.reading.parts[0].table:
        return True
    return bool(np.isnan(found.reading.parts[0].table["rank"]).sum() in (0, len(found.reading.parts[0].table)))


def changed(log: Path, folder: Path, change: Transformation) -> str | None:
    """What a transformation changes of the number of a log in silence."""
    text = text_of(log)
    before = summary(written(log, folder, text))
    if before is not None and not is_of_one_launcher(before):
        text = each(without_prefix)(text)
        before = summary(written(log, folder, text))
    if before is None:
        return None
    return changed_in_silence(before, summary(written(log, folder, change(text))))


@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_a_harmless_transformation_changes_no_number_in_silence(change: str, tmp_path: Path) -> None:
    logs = LOGS[list(TRANSFORMATIONS).index(change) % EVERY :: EVERY]  # so that each log is changed in several ways
    found = {name(log): changed(log, tmp_path, TRANSFORMATIONS[change]) for log in logs}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize("width", [50, 60])
def test_ingest_refuses_a_wrapped_log_as_show_does(width: int, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/train.log").write_bytes(fold(width)((GOLDEN / "dllogger/ncf.log").read_bytes()))
    done = run("ingest", tmp_path / "logs", "--into", tmp_path / "suite")
    assert done.returncode == 1
    assert not list((tmp_path / "suite").rglob("*.log"))


def test_another_name_changes_no_number_in_silence(tmp_path: Path) -> None:
    for log in LOGS[::EVERY]:
        before = summary(written(log, tmp_path, text_of(log)))
        assert before
        for other in NAMES:
            now = summary(written(log.with_name(other), tmp_path, text_of(log)))
            assert changed_in_silence(before, now) is None, (name(log), other)


def test_a_log_cut_at_one_width_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    line = (
        b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"
    )
    text = b"=> creating model 'resnet50'\n" + b"".join(line % step for step in range(10, 200, 10))
    log = tmp_path / "train.log"
    log.write_bytes(fold(40)(text))
    with pytest.raises(LogError, match=r"cut at 40 columns, first in line 2"):
        survey(log)


@pytest.mark.parametrize(
    ("log", "width"),
    [("dllogger/ncf", 60), ("dllogger/ncf", 65), ("megatron_lm/stamped", 127), ("megatron_deepspeed/pdsh", 139)],
)
def test_a_log_is_refused_whose_cut_lines_are_metric_lines_of_other_numbers(
    log: str, width: int, tmp_path: Path
) -> None:
    text = fold(width)(text_of(GOLDEN / f"{log}.log"))
    assert summary(written(GOLDEN / f"{log}.log", tmp_path, text)) is None


@pytest.mark.parametrize(
    "following", [b"2031-02-03 04:05:06 saved\n", b"12 shards\n", b'{"saved": 1}\n', b"0: saved\n"]
)
def test_a_line_that_begins_anew_goes_on_with_none(following: bytes, tmp_path: Path) -> None:
    line = b"steps: %d loss: 6.5 iter time (s): 0.640 samples/sec: 50.%03d\n"
    log = tmp_path / "train.log"
    log.write_bytes(b"".join(line % (step, step) + following for step in range(100, 130)))
    assert len(survey(log).records) == 30


def test_lines_of_one_length_that_nothing_cut_are_read(tmp_path: Path) -> None:
    line = (
        b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"
    )
    log = tmp_path / "train.log"
    log.write_bytes(b"".join(line % step + b"saved\n" for step in range(100, 200, 10)))
    assert len(survey(log).records) == 10
