"""Remaining times: where lines of training tell no other time, what a step is expected to take is computed of them."""

import math
from datetime import timedelta
from pathlib import Path

import pytest

from parsers.general.drafting import Draft, draft
from parsers.runs.reading import survey
from report.evidence.measured_log import measured_log
from report.measure.diagnostics import Code
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import number

STEP = 0.5  # seconds that each step takes, but for some noise
NOISE = (0.97, 1.0, 1.04, 0.99, 1.02)


def write(folder: Path, text: str) -> Path:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    return log


def seconds(left: float, n: int) -> float:
    return left * STEP * NOISE[n % len(NOISE)]


def clock(left: float, n: int) -> str:
    return str(timedelta(seconds=round(seconds(left, n), 3)))


def of_run(line: str, *, epochs: int = 8, steps: int = 400, every: int = 20, first: int = 0, shown: int = 5) -> str:
    """Lines that tell how long the rest of the run takes."""
    return "".join(
        line.format(
            e=e + first, E=epochs, n=n, N=steps, loss=2 - n / steps, **_times((epochs - e) * steps - n, n // every)
        )
        for e in range(shown)
        for n in range(0, steps, every)
    )


def of_epoch(line: str, *, epochs: int = 8, steps: int = 400, every: int = 20, first: int = 0) -> str:
    """Lines that tell how long the rest of the epoch takes."""
    return "".join(
        line.format(e=e + first, E=epochs, n=n, N=steps, loss=2 - n / steps, **_times(steps - n, n // every))
        for e in range(5)
        for n in range(0, steps, every)
    )


def of_one_loop(line: str, *, steps: int = 4000, last: int = 4000) -> str:
    """Lines of a program that knows no epochs."""
    return "".join(
        line.format(n=n, N=steps, loss=2 - n / steps, **_times(steps - n, n // 40)) for n in range(40, last, 40)
    )


def of_epochs(line: str, *, epochs: int = 100) -> str:
    """One line for each epoch, each of which takes 120 seconds."""
    return "".join(
        line.format(e=e, E=epochs, loss=2 - e / epochs, **_times((epochs - e) * 240, e)) for e in range(1, epochs + 1)
    )


def _times(left: float, n: int) -> dict[str, object]:
    took = seconds(left, n)
    whole = round(took)
    spelt = f"{whole // 3600}h {whole // 60 % 60}m {whole % 60}s"
    return {
        "clock": clock(left, n),
        "minutes": f"{took / 60:.3f}",
        "hours": f"{took / 3600:.4f}",
        "spelt": spelt,
        "seconds": f"{took:.1f}",
        "mins": f"{whole // 60} mins {whole % 60} secs",
        "two": f"{whole // 60}:{whole % 60:02d}",
    }


READ = {
    "behind the number of an epoch and of a batch": of_run(
        "[Epoch {e}/{E}] [Batch {n}/{N}] [D loss: {loss:.4f}] [G loss: 0.7] ETA: {clock}\n"
    ),
    "of epochs that count from 1": of_run(
        "[Epoch {e}/{E}] [Batch {n}/{N}] [Perceptual Loss: {loss:.4f}] Time_left: {clock}\n", first=1
    ),
    "in minutes": of_run("Epoch [{e}/{E}] Iter [{n}/{N}] Loss: {loss:.4f} Remaining: {minutes} min\n"),
    "in hours, spelt": of_run("epoch {e}/{E} | step {n}/{N} | loss {loss:.4f} | time remaining: {spelt}\n"),
    "for the epoch": of_epoch("[Epoch {e}/{E}] [Batch {n}/{N}] [loss: {loss:.4f}] ETA: {clock}\n"),
    "for the epoch, in words": of_epoch("epoch {e}/{E}, batch {n}/{N}, loss {loss:.2f}, time left {mins}\n"),
    "of steps that begin anew in each epoch": of_epoch("Epoch {e} [{n}/{N}] loss: {loss:.4f} eta: {clock}\n"),
    "for all steps": of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {clock}\n"),
    "for all steps of a run that was cut": of_one_loop("step {n}/{N} loss {loss:.4f} eta: {seconds}s\n", last=900),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_step_takes_the_remaining_time_over_the_steps_that_are_left(tmp_path: Path, text: str) -> None:
    found = drafted(tmp_path, text)
    assert "remaining" in found.columns
    assert number(measured_log(write(tmp_path, text))) == (pytest.approx(1 / STEP, rel=0.03), "steps/s")


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {e}/{E} loss: {loss:.4f} ETA: {clock}\n",
        "Epoch [{e}/{E}] train_loss={loss:.4f} remaining time: {hours} hours\n",
        "epoch: {e}/{E}, 损失: {loss:.4f}, 预计剩余时间: {clock}\n",
    ],
)
def test_an_epoch_takes_the_remaining_time_over_the_epochs_that_are_left(tmp_path: Path, line: str) -> None:
    assert number(measured_log(write(tmp_path, of_epochs(line)))) == (pytest.approx(1 / 120, rel=0.03), "epochs/s")


def test_the_prediction_of_a_program_is_called_one(tmp_path: Path) -> None:
    told = measured_log(write(tmp_path, READ["for all steps"])).diagnostics
    assert Code.EXPECTED in {one.code for one in told}


def test_one_slow_step_of_many_predictions_does_not_make_their_speed(tmp_path: Path) -> None:
    lines = READ["behind the number of an epoch and of a batch"].splitlines(keepends=True)
    place, clock_of = 40, lines[40].rpartition(" ")[2]
    lines[place] = lines[place].replace(clock_of, "9 days, 10:00:00.5\n")
    assert number(measured_log(write(tmp_path, "".join(lines)))) == (pytest.approx(1 / STEP, rel=0.03), "steps/s")


REFUSED: dict[str, tuple[str, str]] = {
    "without a unit": (of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {seconds}\n"), "does not show its unit"),
    "of two parts": (
        of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {two}\n", last=3900),
        "it may be in minutes and seconds, or in hours and minutes",
    ),
    "that never falls": (
        "".join(f"iter: {n}/4000, loss: {n / 4000:.4f}, eta: 0:33:{n % 7:02d}\n" for n in range(40, 4000, 40)),
        "does not fall with what is left",
    ),
    "of an epoch of which hardly any is shown": (
        "".join(f"[Epoch 1/9] [Batch {n}/4000] [loss: {n}.5] ETA: 0:33:{n % 7:02d}\n" for n in range(1, 60)),
        "it may be the time left for the epoch or for the whole run",
    ),
    "of a run whose steps begin anew": (
        of_run("[{n}/{N}] loss: {loss:.4f} ETA: {clock}\n"),
        "it may be the time left for the epoch or for the whole run",
    ),
    "without a total": (of_one_loop("iter: {n}, loss: {loss:.4f}, eta: {clock}\n"), "do not show how many steps"),
    "of steps up to several totals": (
        of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {clock}\n")
        + of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {clock}\n", steps=900, last=900),
        "different totals",
    ),
    "of few lines": (of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {clock}\n", last=300), "too few of its lines"),
    "in whole minutes": (
        "".join(f"iter: {n}/4000, loss: {n / 4000:.4f}, eta: {(4000 - n) // 480} min\n" for n in range(40, 4000, 40)),
        "it is printed with too few digits",
    ),
    "of epochs whose first is not shown": (
        "".join(f"Epoch {e}/100 loss: {1 / e:.4f} ETA: {timedelta(seconds=(100 - e) * 120)}\n" for e in range(20, 70)),
        "count from 0 or 1",
    ),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_remaining_time_that_may_be_of_something_else_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refused(tmp_path, text)


@pytest.mark.parametrize("head", ["Test: ", "Validation ", "[val] ", "Evaluating: "])
def test_the_remaining_time_of_an_evaluation_is_no_speed(tmp_path: Path, head: str) -> None:
    text = of_one_loop(head + "[{n}/{N}] loss: {loss:.4f} eta: {clock}\n")
    assert not isinstance(draft(write(tmp_path, text)), Draft)


def test_a_time_that_is_spent_comes_before_one_that_is_left(tmp_path: Path) -> None:
    text = of_one_loop("iter: {n}/{N}, loss: {loss:.4f}, eta: {clock}, 3.0 it/s\n")
    assert "remaining" not in drafted(tmp_path, text).columns


GRAMMAR = """
start: step_line
step_line: "at" step{"1"} "of" steps_per_epoch "left" remaining{minutes}
%import .vocabulary (step, steps_per_epoch, remaining, minutes, NUMBER, INTEGER, BLANK)
%ignore BLANK
"""


def test_the_last_steps_have_no_expected_time(tmp_path: Path) -> None:
    grammar = tmp_path / "toy.lark"
    grammar.write_text("// Toy\n" + GRAMMAR, encoding="utf-8")
    log = write(tmp_path, "".join(f"at {n} of 100 left {(100 - n) / 4}\n" for n in (40, 80, 81, 100)))
    times = survey(log, format=str(grammar)).records["step_time"].tolist()
    assert times == pytest.approx([15.0, 15.0, math.nan, math.nan], nan_ok=True)
