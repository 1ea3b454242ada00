"""What speaks against a run: losses, time, copies, and how it ended."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.health import BACKWARDS, FAILED, NOT_A_NUMBER, OVERFLOW, RESTARTED, TWICE, repeated
from parsers.runs.reading import survey
from tests.parsers.golden_logs import GOLDEN

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


def on_rank(rank: int, text: str) -> str:
    return f"[1,{rank}]<stdout>:{text}"


OVERFLOWS = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 4096.0\n"
SRUN = "srun: error: toy-node: task 0: Exited with exit code 1\n"
RANKS = [on_rank(rank, line(step)) for step in (1, 2) for rank in (0, 1)]
TIMES = [on_rank(rank, line(step, second=second)) for step, rank, second in ((1, 0, 5), (1, 1, 3), (2, 1, 4))]
# Of each log, what is warned of and the line that is named first.
WARNED: dict[str, tuple[list[str], list[tuple[str, str]]]] = {
    "nothing": ([line(1), line(2), "saved at 2\n", line(3)], []),
    "losses that are no numbers": ([line(1), line(2, loss="-nan"), line(3, loss="NaN")], [(NOT_A_NUMBER, "2")]),
    "losses that are infinite": ([line(1), line(2, loss="inf"), line(3, loss="-Inf")], [(NOT_A_NUMBER, "2")]),
    "no loss": ([line(1), line(2, loss=""), line(3)], []),
    "time runs backwards": ([line(1, second=30), line(2), line(3)], [(BACKWARDS, "2")]),
    "time of each rank": (TIMES, []),
    "time of one rank runs backwards": ([*TIMES, on_rank(1, line(3, second=2))], [(BACKWARDS, "4")]),
    "a record twice": ([line(1), line(2), line(2), line(3)], [(TWICE, "3")]),
    "ranks print the same": (RANKS, []),
    "a record of a rank twice": ([*RANKS, RANKS[-1]], [(TWICE, "5")]),
    "a restart": ([line(1), "again from the last checkpoint\n", line(2)], [(RESTARTED, "2")]),
    "a failure": ([line(1), "RuntimeError: CUDA out of memory.\n"], [(FAILED, "2")]),
    "a failure that the run survived": ([line(1), "KeyError: 'x'\n", line(2)], []),
    "the failure that says why": (["hello\n", "ValueError: a\n", "torch.errors.ChildFailedError:\n"], [(FAILED, "2")]),
    "a failure before a checkpoint": ([SRUN, "hello\n", "saved at 3\n"], []),
    "a failure before a restart": ([SRUN, "hello\n", "again from the last checkpoint\n"], [(RESTARTED, "3")]),
    "a failure before a record": ([SRUN, "hello\n", line(3)], []),
    "a loss scale": ([OVERFLOWS, line(1), OVERFLOWS, line(2)], [(OVERFLOW, "1")]),
}


@pytest.mark.parametrize(("lines", "told"), WARNED.values(), ids=WARNED)
def test_what_speaks_against_a_run_is_told_with_its_first_line(
    tmp_path: Path, lines: list[str], told: list[tuple[str, str]]
) -> None:
    assert warned(tmp_path, lines) == told


def warned(folder: Path, lines: list[str]) -> list[tuple[str, object]]:
    grammar, log = folder / "toy.lark", folder / "a.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(lines), encoding="utf-8")
    return [(said.key, said.values["line"]) for said in survey(log, format=grammar).warnings]


def test_steps_of_two_epochs_that_nothing_tells_apart_may_print_the_same(tmp_path: Path) -> None:
    grammar, log = tmp_path / "bar.lark", tmp_path / "a.log"
    grammar.write_text(BAR, encoding="utf-8")
    log.write_text("bar 1/2 loss 0.5 speed 10\nbar 2/2 loss 0.4 speed 10\n" * 2, encoding="utf-8")
    assert survey(log, format=grammar).warnings == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("slurmstepd: error: *** JOB 7 ON a CANCELLED AT 2031-05-17T09:30:00 DUE TO TIME LIMIT ***", True),
        ("  0: slurmstepd: error: Detected 1 oom-kill event(s)", True),
        ("[rank1]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", True),
        ("ppdet.utils.SomeError", True),
        ("Killed", True),
        ("/var/spool/job: line 7: 123 Segmentation fault      (core dumped) python train.py", True),
        ("ValidationError rate 0.5", False),
        ("an Exception to the rule", False),
        ("Check failed: never", False),
    ],
)
def test_the_last_line_tells_whether_a_log_without_metric_lines_failed(tmp_path: Path, text: str, told: bool) -> None:
    assert warned(tmp_path, ["hello\n", f"{text}\n"]) == ([(FAILED, "2")] if told else [])


@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.5, np.nan]), st.sampled_from(["a", None])), min_size=1))
def test_repeated_rows_are_those_that_a_dataframe_finds(rows: list[tuple[float, str | None]]) -> None:
    table = pd.DataFrame(rows, columns=["number", "text"]).astype({"text": object})
    columns = [table["number"].to_numpy(), np.array([text for _, text in rows], object)]
    assert repeated(columns).tolist() == np.flatnonzero(table.duplicated()).tolist()


@pytest.mark.parametrize("name", ["fairseq/json", "tf_time_history/benchmark_metric"])
def test_a_log_that_stands_in_its_file_twice_is_told(name: str, tmp_path: Path) -> None:
    text = (GOLDEN / f"{name}.log").read_bytes()
    (tmp_path / "train.log").write_bytes(text + text)
    told = [said for said in survey(tmp_path / "train.log").warnings if said.key == TWICE]
    assert [int(str(said.values["line"])) for said in told] == [text.count(b"\n") + 1]
