"""Times with their running mean in brackets, for the general reader: what shows that they are of one step."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest

from report.measure.diagnostics import Code
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import headline, number, read

TIMES = [3.0, *(0.4 + (n * 7 % 5) / 100 for n in range(1, 60))]


def line(step: int, time: float, mean: float, *, unit: str = "") -> str:
    return f"Epoch: [0][{step}/90]\tTime {time:.3f}{unit} ({mean:.3f})\tLoss 2.5 (2.6)\n"


def every(times: Sequence[float], interval: int, scale: float = 1.0) -> str:
    """Each tenth step or so, with the mean of all steps until then."""
    means = [total / n for n, total in enumerate(accumulate(times), 1)]
    return "".join(line(n, times[n] * scale, means[n] * scale) for n in range(0, len(times), interval))


def test_a_mean_of_all_steps_shows_that_a_time_is_that_of_one_step(tmp_path: Path) -> None:
    found = drafted(tmp_path, every(TIMES, 10))
    assert found.reading.fields["step", "step_time"].unit == "seconds"
    assert found.reading.records["step_time"].tolist() == [round(TIMES[n], 3) for n in range(0, 60, 10)]


def test_what_shows_it_is_told(tmp_path: Path) -> None:
    assert [str(said) for said in drafted(tmp_path, every(TIMES, 10)).assumed] == [
        "time is the time of one step, as the running mean beside it shows"
    ]


def test_a_mean_of_the_lines_shows_nothing(tmp_path: Path) -> None:
    printed = TIMES[::10]
    means = [total / n for n, total in enumerate(accumulate(printed), 1)]
    text = "".join(line(10 * n, time, mean) for n, (time, mean) in enumerate(zip(printed, means, strict=True)))
    assert "neither its unit" in refused(tmp_path, text)


def test_a_mean_of_something_else_shows_nothing(tmp_path: Path) -> None:
    text = "".join(line(10 * n, time, 0.05 / (n + 1)) for n, time in enumerate(TIMES[::10]))
    assert "neither its unit" in refused(tmp_path, text)


def test_a_time_that_may_be_in_milliseconds_is_refused(tmp_path: Path) -> None:
    assert "neither its unit" in refused(tmp_path, every(TIMES, 10, scale=1000.0))


def test_two_lines_show_nothing(tmp_path: Path) -> None:
    assert "neither its unit" in refused(tmp_path, every(TIMES[:20], 10))


MEAN = "[{epoch}, {step:4d}/ 100] - loss: 2.5 [lr: 7.5e-05] ({mean:.1f} ms)\n"


def means(times: Sequence[float]) -> list[float]:
    return [total / n for n, total in enumerate(accumulate(times), 1)]


def of_epochs(first: float, *, is_mean: bool = True) -> str:
    """Every fifth step of three epochs: what all until then took in the mean, or itself."""
    times = [first, *(400.0 + n * 7 % 5 for n in range(1, 100))]
    shown = means(times) if is_mean else times
    rows = [(epoch, step) for epoch in (1, 2, 3) for step in range(0, 100, 5)]
    return "".join(MEAN.format(epoch=epoch, step=step, mean=shown[step]) for epoch, step in rows)


def test_a_time_without_a_name_that_falls_from_the_first_step_on_as_a_mean_is_that_of_a_step(
    tmp_path: Path,
) -> None:
    found = drafted(tmp_path, of_epochs(3000.0))
    assert found.reading.fields["step", "step_time"].kind == "running_mean"
    assert "it falls from its first value as one does" in str(found.assumed[0])


@pytest.mark.parametrize(
    "text", [of_epochs(3000.0, is_mean=False), of_epochs(405.0)], ids=["of single steps", "hardly slower at first"]
)
def test_a_time_without_a_name_that_does_not_fall_as_a_mean_does_may_be_of_several_steps(
    tmp_path: Path, text: str
) -> None:
    assert "nothing shows that it is the time of one step" in refused(tmp_path, text)


def test_the_steps_that_running_means_cover_say_more_than_their_mean(tmp_path: Path) -> None:
    found = read(tmp_path, of_epochs(700.0))
    assert number(found) == (pytest.approx(1 / 0.405, rel=0.02), "steps/s")
    assert Code.UNDONE in {said.code for said in found.diagnostics}


NAMED = {
    "a batch": "({step}/90) LR: 0.001 | Batch: {t:.3f}s | Loss: 0.6",
    "an iteration": "step {step} loss 0.5 iter 0{t:.3f}s",
}


@pytest.mark.parametrize("line", NAMED.values(), ids=NAMED)
def test_what_a_time_is_called_after_is_what_took_so_long(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(step=step, t=1.5 + step % 3 / 100) + "\n" for step in range(10, 90, 10))
    assert drafted(tmp_path, text).reading.records["step_time"].tolist() == [
        1.5 + step % 3 / 100 for step in range(10, 90, 10)
    ]


EPOCHS = {
    "training": "Epoch {n:02d} loss 1.2394 | train {t:.1f}s | Acc 94.53% | infer 4.3s",
    "t": "Epoch {n}/199 train=0.46 t={t:.1f}s",
    "nothing": "epoch {n}: train loss 0.46, {t:.1f}s",
}


@pytest.mark.parametrize("line", EPOCHS.values(), ids=EPOCHS)
def test_the_time_of_training_in_a_line_of_each_epoch_is_that_of_the_epoch(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(n=n, t=2.0 + n % 2 / 10) + "\n" for n in range(1, 21))
    assert number(read(tmp_path, text)) == (pytest.approx(1 / 2.05), "epochs/s")


@pytest.mark.parametrize("line", ["[Ep {n:03d}/20] loss=0.5 | {t:.1f}s", "[{n}/20] loss 0.5, {t:.1f}s"])
def test_a_time_and_a_count_without_a_name_are_not_taken_for_those_of_a_step(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(n=n, t=2.0 + n % 2 / 10) + "\n" for n in range(1, 21))
    found = headline(read(tmp_path, text))
    assert found is None or found.unit == "epochs/s"


def test_the_run_time_of_an_epoch_is_that_of_the_epoch(tmp_path: Path) -> None:
    text = "".join(f"Epoch number: {n}\n\tloss: 0.5\n\tEpoch run time in seconds: 1.6{n % 3}\n" for n in range(1, 9))
    found = headline(read(tmp_path, text))
    assert found is not None
    assert found.unit == "epochs/s"
