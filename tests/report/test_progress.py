"""The progress of a running job: statistics in a steady memory, held against those of the whole log."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.facts import Fact
from parsers.field import Field
from parsers.reading import read
from report.look import Look
from report.measurement import Measurement, NoMeasurement, measure
from report.progress import KEPT, Progress, Rate, Running
from report.protocol import Protocol
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.toy_logs import step, write

FIELDS = {("step", "throughput"): Field("throughput", "NUMBER", "images", "card", "instant")}
GIVEN = (Fact("cards", 8, "--cards"), Fact("batch_size", 2, "--batch-size"))


def table(**columns: list[float]) -> pd.DataFrame:
    length = len(columns["throughput"])
    return pd.DataFrame({"line": range(1, length + 1), "record": ["step"] * length, **columns})


@given(st.lists(st.lists(st.floats(0, 1e9), min_size=1), min_size=1))
def test_running_statistics_are_those_of_all_numbers(parts: list[list[float]]) -> None:
    running, all_ = Running(), np.concatenate(parts)
    for part in parts:
        running.add(np.array(part))
    assert (running.count, running.low, running.high) == (len(all_), all_.min(), all_.max())
    assert running.mean == pytest.approx(all_.mean(), abs=1e-6)


def outcome(found: Callable[[], Measurement | None]) -> tuple[object, ...] | str:
    try:
        told = found()
        return (told.value, told.unit, told.scope, told.lines) if told else ()
    except NoMeasurement as error:
        return str(error)


# Formats of one line a record, whose logs are of one rank.
FORMATS = (
    "dllogger_mxnet",
    "dllogger_pytorch",
    "dllogger_tensorflow",
    "mmcv",
    "paddleclas",
    "paddleclas_static",
    "paddleseg",
)
FOLLOWED = [log for log in LOGS if log.parent.name in FORMATS]


@pytest.mark.parametrize("stated", ["plain", "tipc", "skip_records=1,statistic=median", "estimate=clock"])
@pytest.mark.parametrize("log", FOLLOWED, ids=name)
def test_while_all_records_are_kept_the_protocol_gives_what_it_gives_of_the_whole_log(log: Path, stated: str) -> None:
    whole = read(log, facts=GIVEN)
    with Look(log, Protocol.parse(stated), GIVEN, None) as look:
        list(look.news())
        now = outcome(lambda: look.progress.measured(look.log.facts))
        assert now == outcome(lambda: measure(whole.records, whole.fields, whole.facts, look.progress.used))


def test_a_record_that_prints_no_number_does_not_count() -> None:
    progress = Progress(Protocol())
    points = list(progress.add(table(throughput=[1.0, np.nan, np.inf, -1.0, 3.0]), FIELDS))
    assert [(point.number, point.statistic, point.records) for point in points] == [(1, 1, 1), (3, 2, 2)]


def test_only_the_lowest_rank_counts() -> None:
    progress = Progress(Protocol())
    progress.add(table(throughput=[1.0, 2.0], rank=[1, 3]), FIELDS)
    progress.add(table(throughput=[5.0, 9.0], rank=[0, 1]), FIELDS)
    assert (progress.all.count, progress.all.mean) == (1, 5)


def test_so_many_records_are_kept_and_no_more() -> None:
    progress = Progress(Protocol())
    for first in range(0, 3 * KEPT, 100):
        progress.add(table(throughput=[float(first + number) for number in range(100)]), FIELDS)
    assert len(progress.last) == len(progress.records) == KEPT
    assert progress.records["throughput"].tolist() == progress.last.tolist()


def test_the_throughput_of_a_time_is_the_samples_of_a_step_over_it() -> None:
    assert Rate(16, "samples/s", "job", of_time=True).of(0.5) == 32


def test_without_a_speed_in_the_records_the_reason_is_told() -> None:
    progress = Progress(Protocol())
    assert list(progress.add(table(throughput=[np.nan]), FIELDS)) == []
    assert "they print no measure of speed" in progress.reason


def test_without_the_batch_size_the_time_of_a_step_is_shown(tmp_path: Path) -> None:
    fields = {("step", "step_time"): Field("step_time", "NUMBER", "milliseconds", kind="instant")}
    progress = Progress(Protocol())
    progress.add(table(throughput=[np.nan], step_time=[250.0]), fields)
    rate = progress.rate({})
    assert (rate.words(0.25, progress.protocol), rate.scope) == ("0.250 seconds", None)
    assert rate.warnings == ("estimate=step_time needs the batch size per card: give --batch-size.",)


def test_a_rotated_log_goes_on_with_the_same_statistics(tmp_path: Path) -> None:
    log = write(tmp_path, step(0, "100"))
    with Look(log, Protocol(), (), None) as look:
        list(look.news())
        log.rename(tmp_path / "old")
        write(tmp_path, step(1, "300"))
        list(look.news())
        assert look.all() == "mean of all 2 records 200.000 images/s of the whole job, 100.000 to 300.000"
