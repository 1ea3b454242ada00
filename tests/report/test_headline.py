"""The throughput that `show` gives where no protocol is stated: of the steady part of one run."""

from pathlib import Path

import pytest

from parsers.runs.reading import Reading, survey
from report.evidence.log_summary import Summary, as_json, summarise
from report.measuring.crosscheck import OWN
from report.measuring.headline import CONSTANT, FEW_STEADY, ONE_RECORD, OWN_INSTEAD, WARM_UP, headline
from report.measuring.measurement import Measurement, NoMeasurement, measure
from report.measuring.protocol import Protocol
from report.measuring.window import SEVERAL_RUNS
from tests.parsers.test_appended_runs import megatron

GRAMMAR = """// Toy that prints its own figures
//
// For tests.

start: step_line | epoch_line | summary_line | event_line

step_line: "step" step{"1"} "speed" throughput{images, job, instant} ("took" step_time{seconds, instant})?
epoch_line: "epoch" epoch{"1"} "speed" throughput{images, job, window_mean}
summary_line: "in all" throughput{images, job, total}
event_line: "begin" run_start{"training"}

%import .vocabulary (step, step_time, throughput, epoch, run_start)
%import .vocabulary (images, seconds, job, instant, window_mean, total, BLANK)
%ignore BLANK
"""


def grammar(folder: Path) -> Path:
    path = folder / "toy.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


def reading(folder: Path, *lines: str) -> Reading:
    log = folder / "a.log"
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return survey(log, format=grammar(folder))


def speeds(*values: float) -> list[str]:
    return [f"step {number} speed {value}" for number, value in enumerate(values, 1)]


def measured(found: Reading, protocol: str = "") -> Measurement:
    return headline(found.parts[0], found, Protocol.parse(protocol) if protocol else None)


def told(found: Measurement) -> set[str]:
    return {said.key for said in found.warnings}


def summary(folder: Path, text: str, protocol: str = "") -> Summary:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    return summarise(log, Protocol.parse(protocol) if protocol else None, ())


def value(found: Summary) -> float:
    assert found.measurement is not None
    return found.measurement.value


def test_the_first_records_that_are_slower_by_more_than_a_tenth_are_left_out(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(10, 80, 89, 95, 100, 100, 100, 100)))
    assert found.value == 99
    assert "skip_records=3" in found.protocol.words()
    (said,) = [said for said in found.warnings if said.key == WARM_UP]
    assert "the first 3 of 8 records" in str(said)
    assert "Mean of all 8: 84.25 images/s" in str(said)


def test_a_slow_record_amid_the_run_is_no_warm_up(tmp_path: Path) -> None:
    assert measured(reading(tmp_path, *speeds(100, 10, 100, 100))).value == 77.5


def test_at_most_half_of_the_records_are_warm_up(tmp_path: Path) -> None:
    assert measured(reading(tmp_path, *speeds(1, 2, 3, 4, 100, 100, 100, 100))).lines == (5, 6, 7, 8)


def test_a_stated_protocol_decides_by_itself_what_is_warm_up(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(10, 100, 100, 100)), "estimate=reported")
    assert (found.value, told(found) & {WARM_UP}) == (77.5, set())


def test_a_run_with_two_steady_records_says_that_it_is_short(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(1, 100, 102)))
    assert found.value == 101
    assert FEW_STEADY in told(found)


def test_a_run_of_warm_up_and_one_record_more_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement, match=r"only 2 step records \(line 1 to 2\), and the first is warm-up"):
        measured(reading(tmp_path, *speeds(33000, 468000)))


def test_a_run_of_the_first_step_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement, match="only one step record, at line 1: the first step"):
        measured(reading(tmp_path, *speeds(33000)))


def test_a_record_that_is_not_the_first_step_counts_with_a_warning(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, "step 100 speed 50"))
    assert (found.value, ONE_RECORD in told(found)) == (50, True)


def test_a_short_run_gives_what_the_program_prints_of_its_epoch(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(33000, 468000), "epoch 1 speed 460000"))
    assert (found.value, found.lines) == (460000, (3,))
    assert OWN_INSTEAD in told(found)


def test_few_records_that_agree_are_no_warm_up(tmp_path: Path) -> None:
    found = measured(reading(tmp_path, *speeds(100, 101), "epoch 1 speed 460000"))
    assert found.value == 100.5


def test_a_speed_of_zero_throughout_gives_way_to_the_next_estimate(tmp_path: Path) -> None:
    lines = [f"{line} took 0.5" for line in speeds(0, 0, 0)]
    found = reading(tmp_path, *lines, "in all 12.5")
    assert measured(found).value == 12.5
    assert "throughput is 0 in all 3 records, first at line 1, and is not used." in map(str, measured(found).warnings)


def test_a_speed_of_zero_throughout_is_no_throughput(tmp_path: Path) -> None:
    found = reading(tmp_path, *speeds(0, 0, 0))
    with pytest.raises(NoMeasurement, match="throughput is 0 in all 3 records, first at line 1"):
        measured(found)


def test_a_single_zero_counts_as_it_is_printed(tmp_path: Path) -> None:
    assert measured(reading(tmp_path, *speeds(100, 0, 100, 100))).value == 75


def test_a_speed_that_never_changes_is_told(tmp_path: Path) -> None:
    assert CONSTANT in told(measured(reading(tmp_path, *speeds(*[7.25] * 10))))
    assert CONSTANT not in told(measured(reading(tmp_path, *speeds(*[7.25] * 9, 7.5))))


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


def test_the_last_run_can_be_named_without_its_number(tmp_path: Path) -> None:
    found = reading(tmp_path, *TWO_RUNS)
    last = measure(found.records, found.fields, found.facts, Protocol.parse("estimate=reported,run=last"))
    assert (last.value, last.left_out) == (102, {"other_run": (1, 2, 3)})


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement, match="no such records in run=3; runs that have them: 1, 2"):
        measured(reading(tmp_path, *TWO_RUNS), "run=3")


def test_the_summary_of_an_earlier_run_is_not_that_of_the_last(tmp_path: Path) -> None:
    found = reading(tmp_path, *speeds(50, 52, 54), "in all 52", "begin training", *speeds(100, 102, 104))
    with pytest.raises(NoMeasurement, match="no such records in run=last; runs that have them: 1"):
        measured(found, "summary,run=last")


def test_a_last_run_without_a_number_leaves_that_of_the_run_before(tmp_path: Path) -> None:
    found = reading(tmp_path, *speeds(50, 52, 54), "begin training", *speeds(1))
    assert (measured(found).value, measured(found).protocol.run) == (52, 1)


def test_show_lists_each_run_with_its_lines_and_number(tmp_path: Path) -> None:
    run = megatron((1, 500, 32), (2, 500, 32), (3, 500, 32))
    slower = megatron((1, 500, 8), (2, 500, 8), (3, 500, 8))
    found = as_json(summary(tmp_path, run + slower))
    assert [(one["run"], one["lines"], one["throughput"]["value"]) for one in found["runs"]] == [
        (1, [1, 3], 64),
        (2, [4, 6], 16),
    ]
    assert found["throughput"]["value"] == 16


def test_a_batch_size_on_a_line_counts_before_one_that_was_stated_once(tmp_path: Path) -> None:
    stated = "  global_batch_size ............................... 32\n"
    run = megatron((1, 500, 8), (2, 500, 8), (3, 500, 8), (4, 500, 8))
    assert value(summary(tmp_path, stated + run, "estimate=step_time")) == 16


def test_each_record_counts_with_the_batch_size_of_its_own(tmp_path: Path) -> None:
    ramp = megatron((1, 1000, 32), (2, 1000, 32), (3, 500, 8), (4, 500, 8))
    found = summary(tmp_path, ramp, "estimate=step_time")
    assert value(found) == pytest.approx(80 / 3)  # 80 samples in 3 seconds
    assert any("The batch size of a step changes (8 to 32 samples)" in str(said) for said in found.warnings)
    assert value(summary(tmp_path, ramp, "estimate=step_time,statistic=median")) == 24
    assert value(summary(tmp_path, ramp, "estimate=step_time,statistic=last")) == 16


def test_what_a_program_prints_itself_is_held_against_what_is_computed(tmp_path: Path) -> None:
    log = tmp_path / "own.log"
    log.write_text("\n".join([*speeds(100, 100, 101), "epoch 1 speed 101", "in all 150", ""]), encoding="utf-8")
    found = summarise(log, None, (), str(grammar(tmp_path)))
    assert value(found) == pytest.approx(100.333, abs=0.001)
    own = [str(said) for said in found.warnings if "times the throughput measured" in str(said)]
    assert own == ["The summary records (line 5) give 150 images/s, 1.495 times the throughput measured (line 1 to 3)."]


def own(found: Summary) -> list[str]:
    return [str(said) for said in found.warnings if said.key == OWN]


GNMT = "0: TRAIN [0][{step}/3880]\tTime 0.125 (0.125)\tData 1.25e-04 (1.25e-04)\tTok/s {speed} ({speed})\n"
TABLE = """|**GPUs**|**Batch Size / GPU**|**Accuracy - FP16 (BLEU)**|**Throughput - FP16 (tok/s)**|**Time to Train - FP16 (min)**|
|-------:|-------------------:|-------------------------:|----------------------------:|-----------------------------:|
|       8|                 128|                     24.25|                     500000.0|                         10.01|
"""  # noqa: E501 - printed so


def test_eight_cards_of_gnmt_in_a_short_run_give_what_its_performance_line_says(tmp_path: Path) -> None:
    steps = GNMT.format(step=0, speed=4200) + GNMT.format(step=10, speed=58000)
    found = summary(tmp_path, steps + "0: Performance: Epoch: 0\tTraining: 468000 Tok/s\n")
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.scope) == (468000, "job")


def test_the_table_of_gnmt_is_held_against_its_performance_lines(tmp_path: Path) -> None:
    steps = GNMT.format(step=0, speed=4200) + GNMT.format(step=10, speed=58000)
    found = summary(tmp_path, f"{steps}0: Performance: Epoch: 0\tTraining: 468000 Tok/s\n{TABLE}")
    assert own(found) == [
        "The summary records (line 4) give 500000 tokens/s, 1.068 times the throughput measured (line 3)."
    ]


def test_the_training_performance_of_ssd_is_held_against_what_one_process_counts(tmp_path: Path) -> None:
    ends = (
        "Done benchmarking. Total images: 960\ttotal time: 4.561\tAverage images/sec: 210.480\tMedian images/sec: 212.0"
    )
    found = summary(tmp_path, f"{ends}\nTraining performance = 1696.0 FPS\n")
    assert value(found) == 210.48
    assert own(found) == [
        "The summary records (line 2) give 1696 samples/s, 8.058 times the throughput measured (line 1)."
    ]


STEP = (
    "[2031-05-17 09:30:00,000] [INFO] [timer.py:199:stop] epoch=0/micro_step={n}/global_step={n}, "
    "RunningAvgSamplesPerSec=20.0, CurrSamplesPerSec={speed}, MemAllocated=1.0GB, MaxMemAllocated=2.0GB\n"
)
LATENCIES = "|E2E latency=12.50s |Others=1.00 (8.00%)|CurSamplesPerSec=2.5 |AvgSamplesPerSec=2.5\n"


def test_the_running_mean_and_the_mean_of_all_latencies_are_held_against_the_steps_of_deepspeed(tmp_path: Path) -> None:
    found = summary(tmp_path, "".join(STEP.format(n=n, speed=40.0 + n / 10) for n in range(10, 14)) + LATENCIES)
    assert value(found) == 41.15
    assert [said.split(" give ")[1].split(",")[0] for said in own(found)] == ["20 samples/s", "2.5 samples/s"]


def test_complete_epochs_are_held_against_bars_that_were_interrupted(tmp_path: Path) -> None:
    bar = "  {epoch}/3  2.54G  1.213  1.508  30  640: {part}%|███| {step}/100 [00:10<00:00, {rate:.2f}it/s]\n"
    epochs = "".join(bar.format(epoch=epoch, part=100, step=100, rate=10) for epoch in (1, 2))
    bars = "".join(bar.format(epoch=3, part=part, step=part, rate=5) for part in (20, 30, 40))
    found = summary(tmp_path, "engine/trainer: task=detect, mode=train, batch=16, device=0\n" + epochs + bars)
    assert value(found) == 80
    assert own(found) == [
        "The epoch records (line 2 to 3) give 160 samples/s, 2.000 times the throughput measured (line 4 to 6)."
    ]


def test_the_speed_that_an_epoch_of_paddlerec_ends_with_is_read(tmp_path: Path) -> None:
    epoch = "2021-02-22 19:19:34,487 - INFO - Epoch: 0, using time 178.0 second, ips 15446 example/sec.\n"
    assert value(summary(tmp_path, epoch)) == 15446


def test_the_throughput_of_mlperf_is_held_against_the_lines_of_the_program(tmp_path: Path) -> None:
    lines = [f"Iteration: {n}, Loss function: 2.5, Average Loss: 2.5, avg. samples / sec: 2500.0" for n in (20, 40, 60)]
    own_line = (
        ':::MLLOG {"namespace": "", "time_ms": 1700000000004, "event_type": "POINT_IN_TIME", "key": "throughput", '
        '"value": 2900.0, "metadata": {"file": "/toy/train.py", "lineno": 3, "epoch_num": 1}}'
    )
    found = summary(tmp_path, "\n".join([*lines, own_line, ""]))
    assert value(found) == 2500
    assert own(found) == [
        "The epoch records (line 4) give 2900 samples/s, 1.160 times the throughput measured (line 1 to 3)."
    ]
