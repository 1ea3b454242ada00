"""Steps a second: what a log gives by no protocol where nobody knows how many samples a step has."""

from pathlib import Path

import pytest

from tests.report.summaries import summary

STEPS = "".join(f"2031-02-03 04:05:{2 * n:02d} step {n} loss: 2.5 time: {2 + n % 2 / 100}s\n" for n in range(1, 25))
RATES = "".join(f"step {n} loss: 2.5 steps/sec: {4 + n % 2 / 100}\n" for n in range(1, 25))
UNKNOWN = "step {n} loss: 2.5 images/s: {y}.0\n"


@pytest.mark.parametrize(("text", "value"), [(STEPS, 1 / 2.005), (RATES, 1 / ((1 / 4 + 1 / 4.01) / 2))])
def test_a_log_of_no_batch_size_gives_steps_a_second(tmp_path: Path, text: str, value: float) -> None:
    found = summary(tmp_path, text).measurement
    assert found is not None
    assert found.value == pytest.approx(value)
    assert (found.unit, found.scope) == ("steps/s", "job")


def test_a_log_of_a_known_batch_size_gives_samples_a_second(tmp_path: Path) -> None:
    found = summary(tmp_path, "global batch size: 64\n" + STEPS).measurement
    assert found is not None
    assert found.value == pytest.approx(64 / 2.005)
    assert found.unit == "samples/s"


def test_a_protocol_that_reads_steps_gives_them_whatever_the_batch_size(tmp_path: Path) -> None:
    found = summary(tmp_path, "global batch size: 64\n" + STEPS, "estimate=steps,statistic=median").measurement
    assert found is not None
    assert found.value == pytest.approx(1 / 2.005)
    assert found.unit == "steps/s"


def test_a_printed_throughput_is_not_taken_for_steps(tmp_path: Path) -> None:
    text = "".join(UNKNOWN.format(n=n, y=100 + n % 3) for n in range(1, 25))
    found = summary(tmp_path, text, "estimate=steps")
    assert found.measurement is None
    assert "needs step_time or step_rate" in str(found.reason)


def llamafactory(*seconds: int) -> str:
    return "".join(
        f'{{"current_steps": {10 * n}, "total_steps": 900, "loss": 1.5, "learning_rate": 1e-05, "epoch": 0.1, '
        f'"percentage": 1.1, "elapsed_time": "0:{at // 60:02d}:{at % 60:02d}", "remaining_time": "0:09:00"}}\n'
        for n, at in enumerate(seconds, 1)
    )


def test_a_log_of_steps_and_a_clock_alone_gives_steps_a_second(tmp_path: Path) -> None:
    found = summary(tmp_path, llamafactory(50, 75, 100, 125)).measurement
    assert found is not None
    assert found.value == pytest.approx(30 / 75)
    assert found.unit == "steps/s"
    assert found.protocol.words() == "records=step estimate=clock counts=steps"


def test_a_total_of_the_run_gives_its_steps_a_second(tmp_path: Path) -> None:
    text = "".join(f"step:{n}00/900 val_loss:4.5 train_time:{n * 20}.000s step_avg:200.00ms\n" for n in (1, 2, 3))
    found = summary(tmp_path, text).measurement
    assert found is not None
    assert found.value == pytest.approx(5)
    assert found.protocol.words() == "records=summary estimate=steps statistic=last"


def test_steps_are_counted_within_epochs_where_nobody_knows_their_length(tmp_path: Path) -> None:
    rows = [(epoch, step, 70 * epoch + step / 2) for epoch in range(3) for step in range(20, 101, 20)]
    text = "".join(f"Epoch {e}, Step {s}, total used time {at} (s), loss is 2.5\n" for e, s, at in rows)
    found = summary(tmp_path, text).measurement
    assert found is not None
    assert found.value == pytest.approx(2)


def test_a_bar_that_shows_now_seconds_per_step_and_now_steps_a_second_is_read_whole(tmp_path: Path) -> None:
    shown = ["2.00s/it", *["4.00it/s"] * 8, "1.00s/it"]
    text = "".join(f"Epoch 0:  {n}%|#  | {n}/10 [00:0{n}<00:09, {rate}, loss=2.5]\n" for n, rate in enumerate(shown, 1))
    found = summary(tmp_path, text, "records=step estimate=steps").measurement
    assert found is not None
    assert found.value == pytest.approx(9 / (2 + 8 / 4))  # the last one is of the epoch


def test_a_model_that_several_cards_share_gives_steps_where_the_global_batch_size_is_unknown(tmp_path: Path) -> None:
    found = summary(tmp_path, "tensor_model_parallel_size: 2\n" + STEPS)
    assert found.measurement is not None
    assert found.measurement.unit == "steps/s"
    assert "2 cards share one model" in " ".join(map(str, found.warnings))
