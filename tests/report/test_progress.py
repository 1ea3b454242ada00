"""The progress of a running job: statistics in a steady memory, held against those of the whole log."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.field import Field
from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import read
from parsers.scanning.tail import Change
from report.measuring.headline import headline
from report.measuring.measurement import Measurement, NoMeasurement
from report.measuring.protocol import Protocol
from report.terminal.meter import Rate
from report.terminal.progress import KEPT, Progress, Running
from report.terminal.snapshot import Snapshot
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.toy_logs import step, write

FIELDS = {("step", "throughput"): Field("throughput", "NUMBER", "images", "card", "instant")}
GIVEN = (Fact("cards", 8, option("cards")), Fact("batch_size", 2, option("batch-size")))


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
    with Snapshot(log, Protocol.parse(stated), GIVEN, None) as look:
        list(look.news())
        now = outcome(lambda: look.progress.measured(look.log.facts))
        assert now == outcome(lambda: headline(whole.parts[0], whole, Protocol.parse(stated))[0])


def test_a_record_that_prints_no_number_does_not_count() -> None:
    progress = Progress(Protocol())
    points = list(progress.add(table(throughput=[1.0, np.nan, np.inf, -1.0, 3.0]), FIELDS, {}))
    assert [(point.number, point.statistic, point.records) for point in points] == [(1, 1, 1), (3, 2, 2)]


def test_only_the_lowest_rank_counts() -> None:
    progress = Progress(Protocol())
    progress.add(table(throughput=[1.0, 2.0], rank=[1, 3]), FIELDS, {})
    progress.add(table(throughput=[5.0, 9.0], rank=[0, 1]), FIELDS, {})
    assert (progress.all.count, progress.all.mean) == (1, 5)


def test_so_many_records_are_kept_and_no_more() -> None:
    progress = Progress(Protocol())
    for first in range(0, 3 * KEPT, 100):
        progress.add(table(throughput=[float(first + number) for number in range(100)]), FIELDS, {})
    assert len(progress.last) == len(progress.records) == KEPT
    assert progress.records["throughput"].tolist() == progress.last.tolist()


def test_the_throughput_of_a_time_is_the_samples_of_a_step_over_it() -> None:
    assert Rate(16, "samples/s", "job", of_time=True).of(0.5) == 32


def test_without_a_speed_in_the_records_the_reason_is_reported() -> None:
    progress = Progress(Protocol())
    assert list(progress.add(table(throughput=[np.nan]), FIELDS, {})) == []
    assert "they do not contain any speed metric" in str(progress.reason)


def test_without_the_batch_size_the_time_of_a_step_is_shown(tmp_path: Path) -> None:
    fields = {("step", "step_time"): Field("step_time", "NUMBER", "milliseconds", kind="instant")}
    progress = Progress(Protocol())
    progress.add(table(throughput=[np.nan], step_time=[250.0]), fields, {})
    rate = progress.rate({})
    assert (rate.words(0.25, progress.protocol), rate.scope) == ("0.250 seconds", None)
    assert tuple(map(str, rate.warnings)) == (
        "estimate=step_time needs the batch size per card and the number of cards: pass --batch-size and --cards.",
    )


def test_a_rotated_log_goes_on_with_the_same_statistics(tmp_path: Path) -> None:
    log = write(tmp_path, step(0, "100"))
    with Snapshot(log, Protocol(), (), None) as look:
        list(look.news())
        log.rename(tmp_path / "old")
        write(tmp_path, step(1, "300"))
        list(look.news())
        assert look.all() == "mean of all 2 records 200.000 images/s of the whole job, 100.000 to 300.000"


# Formats whose logs print a speed of epochs only, or none but what their counts and times give.
CHOSEN = (
    "keras_fit",
    "fairseq",
    "dllogger_mxnet",
    "paddle_gpu_log",
    "llamafactory",
    "mlperf_log",
    "megatron_lm",
    "caffe_train",
)


def shown(log: Path) -> tuple[object, ...] | str:
    """What `show` measures without a protocol."""
    whole = read(log, facts=GIVEN)
    return outcome(lambda: headline(whole.parts[0], whole, None)[0])


@pytest.mark.parametrize("log", [log for log in LOGS if log.parent.name in CHOSEN], ids=name)
def test_without_a_protocol_a_log_gives_what_show_chooses(log: Path) -> None:
    with Snapshot(log, None, GIVEN, None) as look:
        list(look.news())
        if look.progress.all.count:
            assert outcome(lambda: look.progress.measured(look.log.facts)) == shown(log)
        else:
            assert isinstance(shown(log), str) or look.log.format is None


def epochs(**columns: list[float]) -> pd.DataFrame:
    length = len(next(iter(columns.values())))
    return pd.DataFrame({"line": range(1, length + 1), "record": ["epoch"] * length, **columns})


STEPS_IN_TIME = {("step", name): Field(name, "NUMBER", unit="seconds") for name in ("elapsed", "step", "step_time")}
SIZES = {fact.name: fact for fact in GIVEN}


def timed(**columns: list[float]) -> pd.DataFrame:
    return table(throughput=[np.nan] * len(next(iter(columns.values()))), **columns).drop(columns="throughput")


def test_without_a_protocol_the_epochs_of_a_log_without_steps_count() -> None:
    fields = {("epoch", "throughput"): Field("throughput", "NUMBER", "images", "job", "window_mean")}
    progress = Progress(None)
    points = list(progress.add(epochs(throughput=[10.0, 30.0]), fields, {}))
    assert [(point.number, point.statistic) for point in points] == [(10, 10), (30, 20)]


def test_what_is_done_between_two_records_by_the_clock_is_the_number_of_the_later_one() -> None:
    progress = Progress(None)
    parts = [timed(elapsed=[seconds], step=[steps]) for seconds, steps in ((5.0, 10), (10.0, 20), (12.5, 30))]
    found = [point for part in parts for point in progress.add(part, STEPS_IN_TIME, SIZES)]
    assert [point.number for point in found] == [32, 64]
    for part in parts:
        progress.hear(part)
    measured = progress.measured(SIZES)
    assert measured is not None
    assert measured.value == pytest.approx(16 * 20 / 7.5)
    assert measured.unit == "samples/s"


def test_one_record_by_the_clock_gives_no_number_and_says_so() -> None:
    progress = Progress(None)
    assert list(progress.add(timed(elapsed=[5.0], step=[10]), STEPS_IN_TIME, SIZES)) == []
    assert str(progress.reason).startswith("No record gives a number so far: the clock needs two records")


def test_where_a_better_number_is_printed_later_those_before_it_do_not_count() -> None:
    progress = Progress(None)
    progress.add(timed(elapsed=[5.0, 10.0], step=[10, 20]), STEPS_IN_TIME, SIZES)
    progress.add(timed(elapsed=[15.0], step=[30], step_time=[0.25]), STEPS_IN_TIME, SIZES)
    assert (progress.protocol.estimate, progress.all.count, progress.rate(SIZES).of(progress.all.mean)) == (
        "step_time",
        1,
        64,
    )


def followed(log: Path, *pieces: bytes) -> tuple[list[float], str, list[str]]:
    """Of a log that grows by pieces the numbers that count, the result, and what is remarked at the end."""
    log.write_bytes(b"")
    numbers = []
    with Snapshot(log, None, (), None) as look:
        for piece in pieces:
            with log.open("ab") as file:
                file.write(piece)
            numbers += [point.number for news in look.news() if not isinstance(news, Change) for point in news]
        return numbers, look.result(), [str(said) for said in look.remarks()]


def as_shown(log: Path) -> str:
    whole = read(log)
    found, _ = headline(whole.parts[0], whole, None)
    return f"{found.value:.3f} {found.unit}"


def yolox(size: str, *times: str) -> bytes:
    head = "2031-05-17 09:30:00.000 | INFO     | yolox.core.trainer:"
    rows = "".join(
        f"{head}after_iter:246 - epoch: 1/9, iter: {10 * n}/90, mem: 900Mb, iter_time: {time}s, data_time: 0.001s, "
        "total_loss: 2.5, lr: 1.000e-04, size: 640, ETA: 0:01:00\n"
        for n, time in enumerate(times, 1)
    )
    return f"{head}before_train:126 - args: Namespace({size}devices=1, num_machines=1)\n{rows}".encode()


@pytest.mark.parametrize("size", ["batch_size=8, ", ""])
def test_the_run_under_way_is_told_apart_from_those_before_it_as_show_does(tmp_path: Path, size: str) -> None:
    log, second = tmp_path / "train_log.txt", yolox(size, "0.500", "0.500", "0.500", "0.500")
    pieces = [yolox("batch_size=64, ", "0.100", "0.100", "0.100"), *second.splitlines(keepends=True)]
    numbers, result, remarks = followed(log, *pieces)
    assert numbers == [0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5]
    assert result.startswith(f"{as_shown(log)} ")
    assert remarks[0] == "Run 2 begins at line 5; earlier runs do not count."


def test_the_result_of_a_log_whose_ranks_each_print_their_own_is_their_sum_as_show_has_it(tmp_path: Path) -> None:
    line = "[rank{rank}]:2031-05-17 09:30:0{n},000 - root - INFO - step: {n}  loss:  2.5000  memory: 1.00GiB(2.00%)"
    rows = [f"{line}  tps: {900 + 100 * rank}\n".format(rank=rank, n=n) for n in range(1, 6) for rank in (0, 1)]
    numbers, result, remarks = followed(tmp_path / "c2.log", *map(str.encode, ["world_size: 2\n", *rows]))
    assert numbers == [900] * 5
    assert result.startswith("1900.000 tokens/s of the whole job")
    assert remarks == [
        "2 ranks print numbers: those shown are of the lowest rank, and the result at the end is of all of them."
    ]
