"""What is done to the bytes of a log on its way never changes a number in silence."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from parsers.io.errors import LogError, ParserError
from parsers.runs.reading import survey
from parsers.scanning.prefix import without_prefix
from report.results.measured_log import MeasuredLog, measured_log
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN, LOGS, name
from tests.parsers.toy_logs import write
from tests.parsers.transformations import NAMES, TRANSFORMATIONS, Transformation, each, fold

pytestmark = pytest.mark.slow

EVERY = 34
NUMBERS = re.compile(r"[0-9.]+")


def written(log: Path, folder: Path, data: bytes) -> Path:
    """A copy of a log, whose name and folder state the same, without what lies beside it."""
    (folder / log.parent.name).mkdir(exist_ok=True)
    return write(folder / log.parent.name, data, name=log.name)


def summary(log: Path, folder: Path, data: bytes) -> MeasuredLog | None:
    """The summary of such a copy; None where it is refused in a sentence."""
    try:
        return measured_log(written(log, folder, data))
    except ParserError:
        return None


def text_of(log: Path, folder: Path) -> bytes:
    """The whole lines of a log: what is put after half a line makes another one of it.

    Of a log put together of records with a rank and without, a prefix makes another one: the ranks are taken off.
    """
    data = log.read_bytes()
    text = data[: data.rfind(b"\n") + 1]
    found = summary(log, folder, text)
    has_ranks = found is not None and "rank" in found.reading.parts[0].table
    ranks = np.isnan(found.reading.parts[0].table["rank"]) if found and has_ranks else np.zeros(1)
    return text if ranks.all() or not ranks.any() else each(without_prefix)(text)


def said(found: MeasuredLog) -> Iterator[str]:
    yield from (str(one.code) for one in found.diagnostics)
    yield from (NUMBERS.sub("0", str(warning)) for warning in found.warnings)


def changed_in_silence(before: MeasuredLog | None, now: MeasuredLog | None) -> str | None:
    """What changed of the number of a log though nothing says so; None where all is well."""
    old, new = (found.measurement.value if found and found.measurement else None for found in (before, now))
    if before is None or now is None or new is None or (old is not None and abs(new - old) <= abs(old) / 1000):
        return None
    return None if set(said(now)) - set(said(before)) else f"{old} became {new}"


def changed(log: Path, folder: Path, change: Transformation, name: str | None = None) -> str | None:
    """What a transformation, or another name, changes of the number of a log in silence."""
    text = text_of(log, folder)
    before = summary(log, folder, text)
    return changed_in_silence(before, summary(log.with_name(name or log.name), folder, change(text)))


@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_a_harmless_transformation_changes_no_number_in_silence(change: str, tmp_path: Path) -> None:
    logs = LOGS[list(TRANSFORMATIONS).index(change) % EVERY :: EVERY]  # so that each log is changed in several ways
    found = {name(log): changed(log, tmp_path, TRANSFORMATIONS[change]) for log in logs}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize("other", NAMES)
def test_another_name_changes_no_number_in_silence(other: str, tmp_path: Path) -> None:
    found = {name(log): changed(log, tmp_path, bytes, other) for log in LOGS[::EVERY]}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("log", "width"),
    [("dllogger/ncf", 60), ("dllogger/ncf", 65), ("megatron_lm/stamped", 127), ("megatron_deepspeed/pdsh", 139)],
)
def test_a_log_is_refused_whose_cut_lines_are_metric_lines_of_other_numbers(
    log: str, width: int, tmp_path: Path
) -> None:
    path = GOLDEN / f"{log}.log"
    copy = written(path, tmp_path, fold(width)(text_of(path, tmp_path)))
    with pytest.raises(ParserError):
        measured_log(copy)
    assert run("ingest", copy.parent, "--into", tmp_path / "suite").returncode == 1
    assert not list((tmp_path / "suite").rglob("*.log"))


LINE = b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"


def test_a_log_cut_at_one_width_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    text = b"=> creating model 'resnet50'\n" + b"".join(LINE % step for step in range(10, 200, 10))
    with pytest.raises(LogError, match=r"cut at 40 columns, first in line 2"):
        survey(write(tmp_path, fold(40)(text)))


WHOLE = b"steps: %d loss: 6.5 iter time (s): 0.640 samples/sec: 50.000\n"


@pytest.mark.parametrize(
    ("line", "following"),
    [
        (WHOLE, b"2031-02-03 04:05:06 saved\n"),
        (WHOLE, b"12 shards\n"),
        (WHOLE, b'{"saved": 1}\n'),
        (WHOLE, b"0: saved\n"),
        (LINE, b"saved\n"),
    ],
)
def test_lines_of_one_length_that_nothing_cut_are_read(line: bytes, following: bytes, tmp_path: Path) -> None:
    log = write(tmp_path, *(line % step + following for step in range(100, 130)))
    assert len(survey(log).records) == 30
