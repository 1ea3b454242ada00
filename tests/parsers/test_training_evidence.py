"""What shows that lines are of training: what the lines around them tell, where they tell nothing of it themselves."""

from pathlib import Path

import pytest
from pytest import approx

from parsers.general.gathered import MOST_OF_A_FORM
from parsers.general.proofs.training_evidence import UNNAMED
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import number, read

TICK = "tick {n} kimg {kimg}.1 time {n}m 07s sec/tick 31.{n} sec/kimg 6.3{n} iters/sec 2.4{n} maintenance 0.0\n"


def ticks(announced: str, *, line: str = TICK, behind: str = "") -> str:
    return f"{announced}\n" + "".join(line.format(n=n, kimg=50 * n) for n in range(9)) + behind


def test_lines_that_count_up_what_is_announced_are_of_training(tmp_path: Path) -> None:
    found = drafted(tmp_path, ticks("Training for 5000 kimg..."))
    assert found.reading.records["step_rate"].tolist() == approx([2.4 + n / 100 for n in range(9)])
    assert any('count up to what line 1 announces ("Training for 5000 kimg")' in str(one) for one in found.assumed)


def test_the_records_of_an_announced_count_are_steps_and_no_summary(tmp_path: Path) -> None:
    assert set(drafted(tmp_path, ticks("Training for 5000 kimg...")).reading.records["record"]) == {"step"}


UNANNOUNCED = {
    "nothing is announced": ticks("Network of 5000 kimg"),
    "something else is announced": ticks("Training for 5000 samples"),
    "less is announced than is counted": ticks("Training for 300 kimg"),
    "it is announced behind": ticks("", behind="Training for 5000 kimg\n"),
    "the count does not rise": ticks("Training for 5000 kimg", line=TICK.replace("{kimg}.1", "50")),
    "lines of an evaluation": ticks(
        "Training for 5000 kimg", line="Evaluating kimg {kimg}: fid 3.{n}, 2.4{n} iters/sec\n"
    ),
}


@pytest.mark.parametrize("text", UNANNOUNCED.values(), ids=UNANNOUNCED)
def test_lines_that_may_count_anything_are_refused(tmp_path: Path, text: str) -> None:
    refused(tmp_path, text)


def test_a_unit_in_a_name_of_its_own_is_not_that_of_the_number_before_it(tmp_path: Path) -> None:
    line = "step {n} loss 2.5 sec/kimg 146.5{n} iters/sec 2.4{n}\n"
    found = drafted(tmp_path, "".join(line.format(n=n) for n in range(1, 9)))
    assert found.reading.records["step_rate"].tolist() == approx([2.4 + n / 100 for n in range(1, 9)])


def of_epochs(
    *, head: str = "", told: str = "  validation accuracy: 0.5", name: str = "Epoch run time in seconds"
) -> str:
    """Epochs that a line numbers, what is told of each, and a time behind: 16 seconds as a rule."""
    return head + "".join(f"Epoch number: {n}\n{told.format(n=n)}\n  {name}: {16 + n % 3}.25\n" for n in range(1, 13))


STEP_SIZE = "Epoch number: 0\n  Current stepsize: 0.10000\n"
NUMBERED = {
    "a learning rate once": of_epochs(head=STEP_SIZE),
    "a loss in each": of_epochs(told="  training loss: 0.{n}"),
    "another name": of_epochs(told="  loss: 0.{n}", name="Time elapsed for this epoch (s)"),
}


@pytest.mark.parametrize("text", NUMBERED.values(), ids=NUMBERED)
def test_the_time_behind_each_numbered_epoch_is_that_of_one(tmp_path: Path, text: str) -> None:
    assert number(read(tmp_path, text)) == (approx(1 / 17.25, rel=0.01), "epochs/s")


UNSHOWN = {
    "an evaluation of one checkpoint after the other": of_epochs(),
    "a learning rate before the first": of_epochs(head="lr: 0.1\n"),
    "two for each epoch": of_epochs(head=STEP_SIZE, told="  Epoch run time in seconds: 2.5{n}"),
    "the time of a validation": of_epochs(head=STEP_SIZE, name="Validation epoch run time in seconds"),
    "the time of all epochs": of_epochs(head=STEP_SIZE, name="Time for all epochs in seconds"),
    "no name of an epoch": of_epochs(head=STEP_SIZE, name="Time in seconds"),
}


@pytest.mark.parametrize("text", UNSHOWN.values(), ids=UNSHOWN)
def test_a_time_behind_numbered_epochs_that_may_be_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).measurement is None


def test_the_times_of_epochs_are_believed_behind_more_lines_of_losses_than_are_examined(tmp_path: Path) -> None:
    losses = "".join(f"Iteration: {n:06d}, Generator Loss: 1.{n:06d}\n" for n in range(MOST_OF_A_FORM // 4))
    text = "".join(f"{losses}Time elapsed for this epoch: 00:02:4{n % 3 + 5}\n" for n in range(9))
    assert number(read(tmp_path, text)) == (approx(1 / 166, rel=0.01), "epochs/s")


def test_the_time_since_an_epoch_began_is_not_that_of_an_epoch(tmp_path: Path) -> None:
    text = "".join(f"loss: 0.{n}\nTime elapsed for this epoch: {10 * (n % 6) + 10}.5 s\n" for n in range(1, 24))
    assert read(tmp_path, text).measurement is None


COUNTED = "{word}step {n} time 12.{n}5 ms\n"


def counted(word: str, *, head: str = "") -> str:
    return head + "".join(COUNTED.format(word=word, n=n) for n in range(1, 9))


def test_that_steps_are_of_training_is_assumed_aloud_where_no_line_of_the_log_says_so(tmp_path: Path) -> None:
    assert UNNAMED in {one.key for one in drafted(tmp_path, counted("")).assumed}


@pytest.mark.parametrize("head", ["Start of training\n", "Epoch 1\n", "loss 2.5\n"])
def test_nothing_of_that_is_said_where_a_line_tells_of_training(tmp_path: Path, head: str) -> None:
    assert UNNAMED not in {one.key for one in drafted(tmp_path, counted("", head=head)).assumed}


@pytest.mark.parametrize("word", ["matmul ", "denoising ", "Translated ", "allreduce busbw 97.5 "])
def test_lines_that_count_the_steps_of_something_else_are_refused(tmp_path: Path, word: str) -> None:
    refused(tmp_path, counted(word))


def test_the_time_of_a_part_of_the_passes_of_a_step_is_not_that_of_the_step(tmp_path: Path) -> None:
    lines = (f"step {n} loss 2.5 micro-step time 0.0{n}5s\n" for n in range(1, 9))
    refused(tmp_path, "".join(lines))
