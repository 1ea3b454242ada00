"""Tables of records: as they are written, and what speaks against a run."""

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.events import BACKWARDS, FAILED, NOT_A_NUMBER, OVERFLOW, RESTARTED, TWICE
from parsers.runs.reading import survey
from parsers.runs.record_file import write as write_table
from parsers.scanning.record_table import RECORD, RecordTable
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN
from tests.parsers.toy_logs import step

BEGINS = "=+-@\t\r\n＝＋－＠"


def cells(texts: list[str], path: Path) -> list[str]:
    """What a table of these texts holds once it is written and read again."""
    write_table([("a.log", table(text=np.array(texts, object)))], path)
    with path.open(encoding="utf-8", newline="") as file:
        return [row[2] for row in csv.reader(file)][1:]


def table(**columns: Any) -> RecordTable:
    """Records of steps with these columns."""
    return RecordTable({RECORD: np.zeros(len(next(iter(columns.values()))), np.int8), **columns})


def test_a_text_that_would_be_a_formula_has_an_apostrophe_before_it_and_any_other_stays(tmp_path: Path) -> None:
    formulas = [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        '=HYPERLINK("http://a")',
        "=",
        "-",
        "-x",
        "--1",
    ]
    formulas += ["＝1", "-1.5\n=2"]
    others = ["-1.5", "+2", "-1e-05", "+0.5E+3", "a=b", "'=1", " =1", "1-2", "训练"]
    expected = ["'" + text.replace("\r", r"\r") for text in formulas] + others
    assert cells([*formulas, *others], tmp_path / "a.csv") == expected


def test_negative_numbers_and_times_stay_what_they_are(tmp_path: Path) -> None:
    times = np.array(["2024-01-01", "NaT"], "datetime64[us]")
    write_table([("a", table(loss=np.array([-1.5, np.nan]), time=times, step=np.array([-1, 2])))], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "log,record,loss,time,step\na,step,-1.5,2024-01-01,-1\na,step,,,2\n"


def test_a_column_is_empty_where_a_log_lacks_it_and_its_counts_are_alike_in_all_logs(tmp_path: Path) -> None:
    write_table([("a", table(step=np.array([1]))), ("b", table(loss=np.array([0.5])))], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "log,record,step,loss\na,step,1.0,\nb,step,,0.5\n"


@pytest.mark.slow
@given(st.lists(st.text(st.sampled_from(BEGINS + "1.e a\"',;")), min_size=1))
def test_no_text_but_a_number_begins_as_a_formula(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / f"texts-{os.getpid()}.csv"
    found = cells(texts, path)
    assert [text.removeprefix("'") for text in found] == [text.replace("\r", r"\r").removeprefix("'") for text in texts]
    for text in found:
        if text.startswith(tuple(BEGINS)):
            float(text)


@pytest.mark.parametrize(("name", "shown"), [(b"=1+1.log", "'=1+1.log"), (b"caf\xe9.log", r"caf\udce9.log")])
def test_the_name_of_a_log_is_written_as_text_and_one_that_cannot_be_read_does_not_lose_it(
    tmp_path: Path, name: bytes, shown: str
) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(step(1))
    done = run("parse", "absent.log", os.fsdecode(name), "--out", "a.csv", cwd=tmp_path)
    assert (done.returncode, "absent.log" in done.stderr) == (2, True)
    assert (tmp_path / "a.csv").read_text().splitlines()[1].startswith(f"{shown},")
    (tmp_path / "b.csv").mkdir()
    done = run("parse", tmp_path / os.fsdecode(name), "--out", tmp_path / "b.csv")
    assert (done.returncode, str(tmp_path / "b.csv") in done.stderr) == (2, True)


@pytest.mark.parametrize("is_link", [False, True])
def test_records_are_not_written_over_a_log(tmp_path: Path, is_link: bool) -> None:
    log = tmp_path / "steps.csv"
    log.write_text("_step,_runtime,loss\n" + "".join(f"{n},{n * 2.5},1.5\n" for n in range(1, 9)), encoding="utf-8")
    before, out = log.read_bytes(), tmp_path / "link.csv" if is_link else log
    if is_link:
        out.symlink_to(log)
    done = run("parse", log, "--out", out)
    assert (done.returncode, "is one of the logs" in done.stderr, log.read_bytes()) == (2, True, before)


GRAMMAR = """start: step_line | event_line

step_line: "toy" time{STAMP} "step" step{"1"} ("loss" loss)? "speed" throughput{samples, job, instant}
event_line: "saved at" checkpoint{INTEGER}
    | "again" restart{"from the last checkpoint"}

%import .vocabulary (time, step, loss, throughput, checkpoint, restart, samples, job, instant, STAMP, INTEGER, BLANK)
%ignore BLANK
"""
BAR = """start: step_line

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
    # The last line of a log without metric lines.
    **{
        text: (["hello\n", f"{text}\n"], [(FAILED, "2")])
        for text in (
            "slurmstepd: error: *** JOB 7 ON a CANCELLED AT 2031-05-17T09:30:00 DUE TO TIME LIMIT ***",
            "  0: slurmstepd: error: Detected 1 oom-kill event(s)",
            "[rank1]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
            "ppdet.utils.SomeError",
            "Killed",
            "/var/spool/job: line 7: 123 Segmentation fault      (core dumped) python train.py",
        )
    },
    **{
        text: (["hello\n", f"{text}\n"], [])
        for text in ("ValidationError rate 0.5", "an Exception to the rule", "Check failed: never")
    },
}


@pytest.mark.parametrize(("lines", "told"), WARNED.values(), ids=WARNED)
def test_what_speaks_against_a_run_is_told_with_its_first_line(
    tmp_path: Path, lines: list[str], told: list[tuple[str, str]]
) -> None:
    grammar, log = tmp_path / "toy.lark", tmp_path / "a.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(lines), encoding="utf-8")
    assert [(said.key, said.values["line"]) for said in survey(log, format=grammar).warnings] == told


def test_steps_of_two_epochs_that_nothing_tells_apart_may_print_the_same(tmp_path: Path) -> None:
    grammar, log = tmp_path / "bar.lark", tmp_path / "a.log"
    grammar.write_text(BAR, encoding="utf-8")
    log.write_text("bar 1/2 loss 0.5 speed 10\nbar 2/2 loss 0.4 speed 10\n" * 2, encoding="utf-8")
    assert survey(log, format=grammar).warnings == ()


@pytest.mark.parametrize("name", ["fairseq/json", "tf_time_history/benchmark_metric"])
def test_a_log_that_stands_in_its_file_twice_is_told(name: str, tmp_path: Path) -> None:
    text = (GOLDEN / f"{name}.log").read_bytes()
    (tmp_path / "train.log").write_bytes(text + text)
    told = [said for said in survey(tmp_path / "train.log").warnings if said.key == TWICE]
    assert [int(str(said.values["line"])) for said in told] == [text.count(b"\n") + 1]
