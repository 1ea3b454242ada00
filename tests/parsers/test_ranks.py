"""Prefixes of job launchers are taken off and the rank is kept; of lines that ran together what is whole is kept."""

from pathlib import Path

import pytest

from parsers.runs.reading import read
from parsers.scanning.prefix import without_prefix
from tests.parsers.toy_logs import GRAMMAR, step, steps, write

PREFIXES = {
    b"[1,3]<stdout>:": 3,
    b"[1,3]<stderr>:": 3,
    b"[12,30]<stddiag>:": 30,
    b"Thu Jun  7 10:00:00 2035[1,2]<stdout>:": 2,
    b"Thu Jun 17 10:00:00 2035[1,2]<stdout>:": 2,
    b"5: ": 5,
    b"task 6: ": 6,
    b"[default7]:": 7,
    b"[rank8]: ": 8,
    b"[9] ": 9,
}


@pytest.mark.parametrize(("prefix", "rank"), PREFIXES.items(), ids=[prefix.decode() for prefix in PREFIXES])
def test_the_prefix_of_a_job_launcher_becomes_the_rank(tmp_path: Path, prefix: bytes, rank: int) -> None:
    records = read(write(tmp_path, prefix + step(7))).records
    assert records[["rank", "step"]].values.tolist() == [[rank, 7]]


def test_a_prefix_before_a_prefix_is_taken_off_as_well() -> None:
    assert without_prefix(b"0: [1,3]<stdout>:text") == b"text"


def test_a_line_that_begins_with_another_bracket_keeps_it() -> None:
    assert without_prefix(b"[2031/05/17] text") == b"[2031/05/17] text"


def test_ranks_in_the_middle_of_a_large_log_are_kept(tmp_path: Path) -> None:
    lines = steps(40_000)
    lines[30_000] = b"[1,3]<stdout>:" + step(30_000)
    records = read(write(tmp_path, *lines)).records
    assert records.loc[records["rank"].notna(), ["line", "rank"]].values.tolist() == [[30_001, 3]]


def torn(folder: Path) -> Path:
    """Rank 3 prints in the middle of rank 1's line, and two whole lines share one line."""
    broken = b"[1,1]<stdout>:half a li[1,3]<stdout>:" + step(3)
    joined = b"[1,0]<stdout>:" + step(4).rstrip() + b"[1,2]<stdout>:" + step(5)
    return write(folder, step(1), broken, joined, step(6))


def test_whole_records_in_lines_that_ran_together_are_kept(tmp_path: Path) -> None:
    assert read(torn(tmp_path)).records["step"].tolist() == [1, 3, 4, 5, 6]


def test_numbers_between_mere_signs_are_not_looked_for_amid_other_output(tmp_path: Path) -> None:
    grammar = tmp_path / "signs.lark"
    grammar.write_text(GRAMMAR.format(word=",").replace('"speed"', '","'), encoding="utf-8")
    log = write(tmp_path, b", 1 , 2.5\n", b"half a line, 3 , 4.5\n")
    assert read(log, format=grammar).records["step"].tolist() == [1]


@pytest.mark.parametrize("rest", [b"DLL 2031", b"[1,1]<stdout>:0.5 images/s", b"[rank1]: Traceback", b"\xff"])
def test_a_number_into_which_other_output_runs_is_not_used(tmp_path: Path, rest: bytes) -> None:
    cut = step(2, ips="1234").removesuffix(b" images/s\n")
    assert read(write(tmp_path, step(1), cut + rest + b"\n")).records["step"].tolist() == [1]


HEADS = """// Lines with two things before them that may be missing, and a number that may be

start: step_line

step_line: time{STAMP}? _BEFORE? ("lr" learning_rate)? "loss" loss "at" step{"1"}

_BEFORE: /[a-z ]+?(?=(?:lr|loss) )/

%import .vocabulary (time, learning_rate, loss, step, STAMP, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""


def test_amid_other_output_a_line_keeps_the_first_numbers_that_it_may_lack(tmp_path: Path) -> None:
    grammar = tmp_path / "heads.lark"
    grammar.write_text(HEADS, encoding="utf-8")
    log = write(
        tmp_path, b"2031-05-17 09:30:01 here lr 0.5 loss 2.5 at 1\n", b"half a [ here lr 0.25 loss 1.5 at 2 [\n"
    )
    records = read(log, format=grammar).records
    assert records[["learning_rate", "loss", "step"]].values.tolist() == [[0.5, 2.5, 1], [0.25, 1.5, 2]]
