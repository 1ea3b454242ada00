"""The throughput that `show` gives where no protocol is stated: of the steady part of one run."""

from pathlib import Path

import pytest

from parsers.runs.reading import Reading, survey
from report.measure.protocol import Protocol
from report.measuring.checking.epochs_a_second import ONLY_EPOCHS
from report.measuring.estimate import ALL_ZERO
from report.measuring.headline import (
    CONSTANT,
    FEW_STEADY,
    MOSTLY_WARM_UP,
    ONLY_FIRST_STEP,
    OWN_INSTEAD,
    WARM_UP,
    headline,
)
from report.measuring.measurement import Measurement, NoMeasurement, measure
from report.measuring.window import SEVERAL_RUNS
from report.why.explanation import of_log
from tests.parsers.toy_logs import megatron
from tests.report.summaries import grammar, speeds, summary, value


def reading(folder: Path, *lines: str) -> Reading:
    log = folder / "a.log"
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return survey(log, format=grammar(folder))


def measured(found: Reading, protocol: str = "") -> Measurement:
    return headline(found.parts[0], found, Protocol.parse(protocol) if protocol else None)[0]


def told(found: Measurement) -> set[str]:
    return {said.key for said in found.warnings}


@pytest.mark.parametrize(
    ("values", "value", "used", "said"),
    [
        ([10, 80, 89, 95, 100, 100, 100, 100], 99, 5, WARM_UP),
        ([1, 2, 3, 4, 100, 100, 100, 100], 100, 4, WARM_UP),
        ([100, 10, 100, 100], 77.5, 4, ""),
        ([100, 0, 100, 100], 75, 4, ""),
        ([100, 101], 100.5, 2, ""),
        ([1, 100, 102], 101, 2, FEW_STEADY),
        ([7.25] * 10, 7.25, 10, CONSTANT),
    ],
)
def test_the_first_records_that_are_slower_by_more_than_a_tenth_are_left_out(
    values: list[float], value: float, used: int, said: str, tmp_path: Path
) -> None:
    found = measured(reading(tmp_path, *speeds(*values)))
    assert (found.value, found.records_used) == (value, used)
    assert told(found) & {WARM_UP, FEW_STEADY, CONSTANT} == {said} - {""}


def test_a_stated_protocol_decides_by_itself_what_is_warm_up(tmp_path: Path) -> None:
    assert measured(reading(tmp_path, *speeds(10, 100, 100, 100)), "estimate=reported").value == 77.5


@pytest.mark.parametrize(
    ("values", "reason"), [((33000, 468000), MOSTLY_WARM_UP), ((33000,), ONLY_FIRST_STEP), ((0, 0, 0), ALL_ZERO)]
)
def test_a_run_without_a_steady_record_is_refused(values: tuple[float, ...], reason: str, tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement) as error:
        measured(reading(tmp_path, *speeds(*values)))
    assert error.value.message.key == reason


def test_a_short_run_gives_what_the_program_prints_of_its_epoch(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(33000, 468000), "epoch 1 speed 460000"))
    assert (found.value, found.lines) == (460000, (3,))
    assert OWN_INSTEAD in told(found)


TWO_RUNS = [*speeds(50, 52, 54), "begin training", *speeds(100, 102, 104)]


def test_of_two_runs_none_is_averaged_over_both(tmp_path: Path) -> None:
    found = reading(tmp_path, *TWO_RUNS)
    assert measured(found).value == 102
    assert (measured(found, "run=1").value, measured(found, "run=2").value) == (52, 102)


def test_a_protocol_that_names_no_run_of_several_gives_no_number(tmp_path: Path) -> None:
    found = reading(tmp_path, *TWO_RUNS)
    with pytest.raises(NoMeasurement) as error:
        measure(found.records, found.fields, found.facts, Protocol.parse("estimate=reported"))
    assert error.value.message.key == SEVERAL_RUNS
    assert "begin at lines 1, 5" in str(error.value)


def test_the_summary_of_an_earlier_run_is_not_that_of_the_last(tmp_path: Path) -> None:
    found = reading(tmp_path, *speeds(50, 52, 54), "in all 52", "begin training", *speeds(100, 102, 104))
    with pytest.raises(NoMeasurement, match="no such records in run=last; runs that have them: 1"):
        measured(found, "summary,run=last")


def test_a_last_run_without_a_number_leaves_that_of_the_run_before(tmp_path: Path) -> None:
    found = reading(tmp_path, *speeds(50, 52, 54), "begin training", *speeds(1))
    assert (measured(found).value, measured(found).protocol.run) == (52, 1)


def test_a_batch_size_on_a_line_counts_before_one_that_was_stated_once(tmp_path: Path) -> None:
    stated = "  global_batch_size ............................... 32\n"
    run = megatron((1, 500, 8), (2, 500, 8), (3, 500, 8), (4, 500, 8))
    assert value(summary(tmp_path, stated + run, "estimate=step_time")) == 16


@pytest.mark.parametrize("unused", ["", "instead"])
def test_a_rate_printed_as_0_gives_no_time_of_a_step(unused: str, tmp_path: Path) -> None:
    ups = {"": (0, 0, 0, 0), "instead": (0.1, 0, 0.1, 0.1)}[unused]
    lines = (
        f"| epoch 001:    {step}00 / 250 loss=9.500, wps=4800, ups={rate:g}, bsz=64.000, wall={step * 50}\n"
        for step, rate in enumerate(ups, 1)
    )
    found = summary(tmp_path, "| training on 4 GPUs\n" + "".join(lines))
    assert value(found) == 4800


def test_speeds_of_zero_are_told_where_the_time_of_epochs_takes_their_place(
    tmp_path: Path,
) -> None:
    lines = (
        f"INFO:root:Epoch[{epoch}] Batch [{batch}]\tSpeed: 0.00 samples/sec\taccuracy=0.1\n"
        + f"INFO:root:Epoch[{epoch}] Time cost=10.0\n" * (batch == 40)
        for epoch in range(4)
        for batch in (20, 40)
    )
    found = summary(tmp_path, "".join(lines))
    assert value(found) == 0.1
    keys = {said.key for said in found.warnings}
    assert ALL_ZERO in keys
    assert ONLY_EPOCHS not in keys


def test_each_record_counts_with_the_batch_size_of_its_own(tmp_path: Path) -> None:
    ramp = megatron((1, 1000, 32), (2, 1000, 32), (3, 500, 8), (4, 500, 8))
    found = summary(tmp_path, ramp, "estimate=step_time")
    assert value(found) == pytest.approx(80 / 3)  # 80 samples in 3 seconds
    assert any("The batch size of a step changes (8 to 32 samples)" in str(said) for said in found.warnings)
    assert value(summary(tmp_path, ramp, "estimate=step_time,statistic=median")) == 24
    assert value(summary(tmp_path, ramp, "estimate=step_time,statistic=last")) == 16


def test_no_explanation_of_a_changing_batch_size_takes_that_of_other_records(tmp_path: Path) -> None:
    log = tmp_path / "ramp.log"
    log.write_text(megatron((1, 1000, 32), (2, 1000, 32), (3, 500, 8), (4, 500, 8)), encoding="utf-8")
    for statistic, expected in (("mean", 80 / 3), ("median", 24)):
        explained = of_log(log, Protocol.parse(f"estimate=step_time,statistic={statistic}"), (), None)
        assert explained.number == pytest.approx(expected)
        assert all(14 < variation.value < 33 for variation in explained.variations)
        assert not any("without the first record" in str(variation.name) for variation in explained.variations)
