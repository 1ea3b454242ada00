"""Stamps at the end of lines, behind what is counted: the moment of the line where nothing says that it is another."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import headline, number, read

EACH = 50  # seconds from line to line
START = datetime(2031, 2, 3, 4, 5, 6)


def log(line: str, *, each: int = EACH, count: int = 30) -> str:
    """Lines of an agent: ``{step}`` rises by 100, ``{length}`` does not rise, ``{stamp}`` is the moment."""
    return "".join(
        line.format(n=n, step=100 * n, length=90 + n * 7 % 13, loss=2 / n, stamp=START + timedelta(seconds=each * n))
        + "\n"
        for n in range(1, count + 1)
    )


AT_END = {
    "a time": "Episode {n} - Step {step} - Mean Reward 6.5 - Mean Loss {loss:.4f} - Time Delta 9.5 - Time {stamp}",
    "far behind": "Episode {n} - Step {step} - "
    + 12 * "Mean Length 99.5 - "
    + "Loss {loss:.4f} - Time {stamp:%Y-%m-%dT%X}",
    "brackets": "step {step} loss {loss:.4f} [{stamp:%Y-%m-%d %X}]",
    "a word": "step: {step}, loss: {loss:.4f}, at {stamp:%Y-%m-%d %X}",
    "JSON": '{{"step": {step}, "loss": {loss:.4f}, "timestamp": "{stamp:%Y-%m-%dT%X}"}}',
    "a bar": "step {step} | loss {loss:.4f} | {stamp:%Y-%m-%d %X}",
}


@pytest.mark.parametrize("line", AT_END.values(), ids=AT_END)
def test_steps_are_timed_by_stamps_at_the_end_of_their_lines(tmp_path: Path, line: str) -> None:
    found = headline(read(tmp_path, log(line)))
    assert found is not None
    assert (found.unit, found.estimate.source) == ("steps/s", "time")
    assert found.value == approx(100 / EACH)


OTHERS = {
    "the moment of the end": "step {step} loss {loss:.4f} ETA: {stamp:%Y-%m-%d %X}",
    "an expected moment": "step {step} loss {loss:.4f} expected end time {stamp:%Y-%m-%d %X}",
    "when it finishes": "step {step} loss {loss:.4f} - finishes at {stamp:%Y-%m-%d %X}",
    "the best so far": "step {step} loss {loss:.4f}, best at {stamp:%Y-%m-%d %X}",
    "when it started": "step {step} loss {loss:.4f} started {stamp:%Y-%m-%d %X}",
    "when it started, in JSON": '{{"step": {step}, "loss": {loss:.4f}, "started_at": "{stamp:%Y-%m-%dT%X}"}}',
    "the name of a file": "step {step} loss {loss:.4f} saved models/{stamp:%Y-%m-%d %X}",
    "an evaluation": "Eval: step {step} loss {loss:.4f} - Time {stamp:%Y-%m-%d %X}",
    "the length of an episode": "Episode {n} - Steps this episode {length} - Loss {loss:.4f} - Time {stamp}",
    "a length of time": "step {step} loss {loss:.4f} 1234 {stamp:%X}",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_another_moment_or_another_count_times_no_steps(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, log(line)).measurement is None


def test_what_is_called_steps_of_something_counts_them_where_it_only_rises(tmp_path: Path) -> None:
    line = "Episode {n} - Steps this episode {step} - Mean Reward 63.5 - Loss {loss:.4f} - Time {stamp:%Y-%m-%dT%X}"
    found = read(tmp_path, log(line))
    assert number(found) == (approx(100 / EACH), "steps/s")
