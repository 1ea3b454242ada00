"""What speaks against a run: losses, time, copies, and how it ended."""

from pathlib import Path

import pytest

from parsers.runs.reading import survey

GRAMMAR = """// Toy with everything
//
// For tests.

start: step_line | event_line

step_line: "toy" time{STAMP} "step" step{"1"} ("loss" loss)? "speed" throughput{samples, job, instant}
event_line: "saved at" checkpoint{INTEGER}
    | "again" restart{"from the last checkpoint"}

%import .vocabulary (time, step, loss, throughput, checkpoint, restart, samples, job, instant, STAMP, INTEGER, BLANK)
%ignore BLANK
"""

BAR = """// Bars that start anew with each epoch
//
// For tests.

start: step_line

step_line: "bar" step{"1"} "/" steps_per_epoch "loss" loss "speed" throughput{samples, job, instant}

%import .vocabulary (step, steps_per_epoch, loss, throughput, samples, job, instant, BLANK)
%ignore BLANK
"""


def line(number: int, *, second: int | None = None, loss: str = "0.5", speed: str = "10.5") -> str:
    said = f"loss {loss} " if loss else ""
    return f"toy 2031-05-17 09:30:{number if second is None else second:02d} step {number} {said}speed {speed}\n"


def warnings(folder: Path, *lines: str) -> list[str]:
    grammar, log = folder / "toy.lark", folder / "a.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(lines), encoding="utf-8")
    return [str(said) for said in survey(log, format=grammar).warnings]


def test_a_sound_run_has_no_warning(tmp_path: Path) -> None:
    assert warnings(tmp_path, line(1), line(2), "saved at 2\n", line(3)) == []


@pytest.mark.parametrize("loss", ["nan", "-nan", "inf", "NaN", "-Inf"])
def test_losses_that_are_no_finite_numbers_are_counted_with_the_first_line(tmp_path: Path, loss: str) -> None:
    said = "Loss is NaN or infinite in 2 of 3 records, first at line 2."
    assert warnings(tmp_path, line(1), line(2, loss=loss), line(3, loss=loss)) == [said]


def test_a_line_without_a_loss_is_not_one_with_a_wrong_loss(tmp_path: Path) -> None:
    assert warnings(tmp_path, line(1), line(2, loss=""), line(3)) == []


def test_time_that_runs_backwards_is_reported(tmp_path: Path) -> None:
    said = "Timestamps go backwards, first at line 2 (1 in total)."
    assert warnings(tmp_path, line(1, second=30), line(2), line(3)) == [said]


def test_the_time_of_each_rank_runs_by_itself(tmp_path: Path) -> None:
    ranks = [
        f"[1,{rank}]<stdout>:{line(step, second=second)}" for step, rank, second in ((1, 0, 5), (1, 1, 3), (2, 1, 4))
    ]
    assert warnings(tmp_path, *ranks) == []
    assert warnings(tmp_path, *ranks, f"[1,1]<stdout>:{line(3, second=2)}") == [
        "Timestamps go backwards, first at line 4 (1 in total)."
    ]


def test_a_record_that_stands_in_the_log_twice_is_reported(tmp_path: Path) -> None:
    said = "Duplicate records, first at line 3 (1 in total)."
    assert said in warnings(tmp_path, line(1), line(2), line(2), line(3))


def test_ranks_that_print_the_same_are_no_copies_of_each_other(tmp_path: Path) -> None:
    both = [f"[1,{rank}]<stdout>:{line(step)}" for step in (1, 2) for rank in (0, 1)]
    assert warnings(tmp_path, *both) == []
    assert warnings(tmp_path, *both, both[-1]) == ["Duplicate records, first at line 5 (1 in total)."]


def test_steps_of_two_epochs_that_nothing_tells_apart_may_print_the_same(tmp_path: Path) -> None:
    grammar, log = tmp_path / "bar.lark", tmp_path / "a.log"
    grammar.write_text(BAR, encoding="utf-8")
    log.write_text("bar 1/2 loss 0.5 speed 10\nbar 2/2 loss 0.4 speed 10\n" * 2, encoding="utf-8")
    assert survey(log, format=grammar).warnings == ()


def test_a_restart_is_reported(tmp_path: Path) -> None:
    said = "The run restarts, first at line 2 (1 in total)."
    assert warnings(tmp_path, line(1), "again from the last checkpoint\n", line(2)) == [said]


def test_a_failure_after_the_last_record_ended_the_run(tmp_path: Path) -> None:
    said = "The run failed, at line 2: RuntimeError: CUDA out of memory."
    assert warnings(tmp_path, line(1), "RuntimeError: CUDA out of memory.\n") == [said]


def test_a_failure_that_the_run_survived_did_not_end_it(tmp_path: Path) -> None:
    assert warnings(tmp_path, line(1), "KeyError: 'x'\n", line(2)) == []


@pytest.mark.parametrize("then", ["saved at 3\n", "again from the last checkpoint\n", line(3)])
def test_a_failure_of_the_set_up_is_none_of_a_run_that_goes_on(tmp_path: Path, then: str) -> None:
    said = warnings(tmp_path, "srun: error: toy-node: task 0: Exited with exit code 1\n", "hello\n", then)
    assert [told for told in said if "failure" in told] == []


@pytest.mark.parametrize(
    "text",
    [
        "slurmstepd: error: *** JOB 7 ON a CANCELLED AT 2031-05-17T09:30:00 DUE TO TIME LIMIT ***",
        "  0: slurmstepd: error: Detected 1 oom-kill event(s)",
        "[rank1]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "ppdet.utils.SomeError",
        "Killed",
        "/var/spool/job: line 7: 123 Segmentation fault      (core dumped) python train.py",
    ],
)
def test_what_ends_a_log_without_metric_lines_is_reported(tmp_path: Path, text: str) -> None:
    (told,) = warnings(tmp_path, "hello\n", f"{text}\n")
    assert told.startswith("The run failed, at line 2: ")


def test_a_loss_scale_that_overflows_is_reported(tmp_path: Path) -> None:
    text = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 4096.0\n"
    said = "Loss scale overflows, first at line 1 (2 in total): such steps do not update parameters."
    assert warnings(tmp_path, text, line(1), text, line(2)) == [said]


def test_the_failure_that_says_why_is_reported(tmp_path: Path) -> None:
    (told,) = warnings(tmp_path, "hello\n", "ValueError: no such model\n", "torch.errors.ChildFailedError:\n")
    assert told == "The run failed, at line 2: ValueError: no such model"


@pytest.mark.parametrize("text", ["ValidationError rate 0.5", "an Exception to the rule", "Check failed: never"])
def test_a_word_of_a_failure_amid_a_line_is_none(tmp_path: Path, text: str) -> None:
    assert warnings(tmp_path, "hello\n", f"{text}\n") == []
