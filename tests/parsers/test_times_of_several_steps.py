"""Times of several steps: a line says how many steps took the time that stands beside."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import refused
from tests.parsers.timed_logs import headline, read

EACH = {
    "took": "step {n}/900 loss: {x:.3f}, 10 iterations took {t:.3f} s",
    "in brackets": "step {n}: loss {x:.3f} (10 steps in {t:.2f}s)",
    "the count first": "step {n} loss {x:.3f} time for 10 steps: {t:.3f}s",
    "the last ones": "step {n} loss {x:.3f} | time for the last 10 batches: {t:.3f} sec",
    "milliseconds": "iter {n}, loss {x:.3f}, 10 iters took {ms:.0f} ms",
    "the time first": "step {n} loss {x:.3f} {t:.3f} s for 10 steps",
    "a colon": "step {n} loss {x:.3f} | 10 iters: {t:.3f} sec",
    "in Chinese": "迭代 {n}/900, loss: {x:.3f}, 10 步用时 {t:.3f} 秒",
}


def text(line: str, steps: Iterable[int] = range(10, 210, 10)) -> str:
    """Lines of steps that took a quarter of a second each."""
    return "".join(
        line.format(n=n, x=3 / (1 + n), t=t, ms=1000 * t) + "\n" for n in steps for t in (2.5 + (n // 10) % 3 / 100,)
    )


def steps_per_second(at: Path, said: str) -> float:
    found = headline(read(at, said))
    assert found is not None
    assert found.unit == "steps/s"
    return found.value


@pytest.mark.parametrize("line", EACH.values(), ids=EACH)
def test_a_time_of_as_many_steps_as_lie_between_lines_is_read(tmp_path: Path, line: str) -> None:
    assert steps_per_second(tmp_path, text(line)) == approx(4, rel=0.01)


def test_the_first_line_of_a_run_that_goes_on_counts_no_more_than_others(tmp_path: Path) -> None:
    assert steps_per_second(tmp_path, text(EACH["took"], range(5010, 5210, 10))) == approx(4, rel=0.01)


def test_steps_that_begin_anew_in_each_epoch_are_counted(tmp_path: Path) -> None:
    line = "epoch {e} " + EACH["took"]
    said = "".join(text(line.replace("{e}", str(epoch)), range(10, 60, 10)) for epoch in range(5))
    assert steps_per_second(tmp_path, said) == approx(4, rel=0.01)


OTHERS = {
    "more steps than lie between lines": "step {n} loss {x:.3f}, 100 iterations took {t:.3f} s",
    "a mean": "step {n} loss {x:.3f}, average time for 10 iterations: {t:.3f} s",
    "steps of an evaluation": "step {n} loss {x:.3f}, 10 validation steps took {t:.3f} s",
    "the loading of batches": "step {n} loss {x:.3f}, data loading of 10 batches took {t:.3f} s",
    "what was loaded": "step {n} loss {x:.3f}, loaded 10 batches in {t:.3f} s",
    "steps of an environment": "iter {n} loss {x:.3f} rollout: 10 steps in {t:.3f} s",
    "a mean of each": "step {n} loss {x:.3f}, mean {t:.3f} s for 10 steps",
    "no unit": "step {n} loss {x:.3f}, 10 iterations took {t:.3f}",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_other_times_beside_a_count_are_not_read(tmp_path: Path, line: str) -> None:
    refused(tmp_path, text(line))


def test_where_an_epoch_begins_with_a_line_of_its_own_nothing_is_read(tmp_path: Path) -> None:
    line = "epoch {e} " + EACH["took"]
    said = "".join(text(line.replace("{e}", str(epoch)), range(0, 60, 10)) for epoch in range(5))
    assert "not that many steps, or not that long, apart" in refused(tmp_path, said)


def test_steps_that_begin_anew_within_an_epoch_may_be_of_an_evaluation(tmp_path: Path) -> None:
    line = "epoch {e} " + EACH["took"]
    said = "".join(text(line.replace("{e}", str(epoch // 2)), range(10, 60, 10)) for epoch in range(10))
    assert "not that many steps, or not that long, apart" in refused(tmp_path, said)


def test_a_time_of_all_steps_so_far_is_a_clock(tmp_path: Path) -> None:
    said = "".join(f"step {n} loss {3 / n:.3f}, {n} iterations took {n / 4 + 0.1:.2f} s\n" for n in range(10, 210, 10))
    assert steps_per_second(tmp_path, said) == approx(4, rel=0.01)


LAST_STEP = "{n}/{n} step time: {t:.3f} s, loss: {x:.3f}\n"


def passes(*totals: int) -> str:
    """The last lines of passes of so many steps each."""
    return "".join(LAST_STEP.format(n=n, t=n / 5000 + k % 3 / 1000, x=2 / (1 + k)) for k, n in enumerate(totals))


def test_passes_of_two_lengths_that_take_turns_are_not_told_apart(tmp_path: Path) -> None:
    assert "two loops that take turns" in refused(tmp_path, passes(*(391, 100) * 6))


def test_steps_of_two_loops_that_take_turns_are_not_told_apart(tmp_path: Path) -> None:
    line = LAST_STEP.replace("{n}/", "{k}/")
    steps = [(n, k) for n in (40, 9) * 3 for k in range(1, n + 1)]
    said = "".join(line.format(k=k, n=n, t=n / 5000 + k % 3 / 1000, x=2 / k) for n, k in steps)
    assert "two loops that take turns" in refused(tmp_path, said)


def test_passes_of_one_length_are_read(tmp_path: Path) -> None:
    assert steps_per_second(tmp_path, passes(*(391,) * 12)) == approx(12.6, rel=0.01)
