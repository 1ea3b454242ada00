"""Stretches: a time that each line gives for several steps is that of all these, and of no single one."""

from pathlib import Path

import pytest

from parsers.general.drafting import Draft
from tests.parsers.drafting import drafted, found_in, refused

FORMS = {
    "a count behind": "step {n} loss 0.{m} {t:.2f} sec/50 steps",
    "for so many": "step {n} loss 0.{m} ({t:.3f}s for 50 steps)",
    "a count before": "step {n}: loss 0.{m}, 50 steps took {t:.3f} s",
    "in brackets": "Iter: {n} Time(50 iters): {t:.3f}s Loss: 0.{m}",
    "in milliseconds": "iter {n} loss 0.{m} 50 batches in {t:.3f} ms",
}
OTHERS = {
    "a mean": "step {n} loss 0.{m} avg time over 50 steps: {t:.3f} s",
    "a mean behind": "step {n} loss 0.{m} mean {t:.3f} s for 50 steps",
    "of an evaluation": "step {n} loss 0.{m} eval: 50 steps took {t:.3f} s",
    "of the data": "step {n} loss 0.{m} data time (50 iters): {t:.3f} s",
    "of a solver": "step {n} loss 0.{m} solver: 50 iterations in {t:.3f} s",
    "of samples drawn": "step {n} loss 0.{m} drawn with 50 steps in {t:.3f} s",
    "of another loop": "step {n} loss 0.{m} inner {t:.3f} s/50 steps",
    "of steps that lines do not stand apart": "step {n} loss 0.{m} (20 iters: {t:.3f} s)",
}


def text(line: str) -> str:
    return "".join(line.format(n=50 * n, m=10 + n, t=5 + n % 3 / 8) + "\n" for n in range(1, 9))


@pytest.mark.parametrize("line", FORMS.values(), ids=FORMS)
def test_a_time_of_so_many_steps_as_lines_stand_apart_is_that_of_all_between(tmp_path: Path, line: str) -> None:
    found = drafted(tmp_path, text(line))
    assert found.reading.records["duration"].tolist()[:2] == [pytest.approx(5.125, abs=0.006), 5.25]
    assert "step_time" not in found.columns


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_a_time_that_is_not_that_of_all_steps_between_is_not_read(tmp_path: Path, line: str) -> None:
    found = found_in(tmp_path, text(line))
    assert not isinstance(found, Draft) or "duration" not in found.columns


def test_an_epoch_may_begin_anew_behind_a_whole_stretch(tmp_path: Path) -> None:
    line = "epoch {e} iter {n} loss 0.{n} 50 batches in {t:.2f} s\n"
    log = "".join(line.format(e=e, n=50 * n, t=5 + n / 8) for e in (1, 2, 3) for n in (1, 2, 3, 4))
    assert len(drafted(tmp_path, log).reading.records["duration"]) == 12


def test_an_epoch_that_begins_with_a_line_of_its_own_leaves_it_open_what_the_time_holds(tmp_path: Path) -> None:
    line = "epoch {e} iter {n} loss 0.{n} 50 batches in {t:.2f} s\n"
    log = "".join(line.format(e=e, n=50 * n, t=5 + n / 8) for e in (1, 2, 3) for n in (0, 1, 2, 3))
    assert not found_in(tmp_path, log).is_found


def test_stamps_that_stand_farther_apart_contradict_the_time_of_a_stretch(tmp_path: Path) -> None:
    line = "2031-02-03 04:0{n}:00 step {s} loss 0.1{n} 50 steps: {t:.3f} s\n"
    log = "".join(line.format(n=n, s=50 * n, t=0.5 + n / 64) for n in range(1, 9))
    assert "not that many steps, or not that long, apart" in refused(tmp_path, log)


def test_stamps_show_that_the_time_is_that_of_all_steps(tmp_path: Path) -> None:
    line = "2031-02-03 04:00:{s:02d} step {n} loss 0.1{n} 50 steps: {t:.3f} s\n"
    log = "".join(line.format(s=5 * n, n=50 * n, t=5 + n / 64) for n in range(1, 9))
    assert "and not their mean" not in " ".join(map(str, drafted(tmp_path, log).assumed))
