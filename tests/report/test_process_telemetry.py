"""What the processes of a run took, as its cpu.csv says: on pages, and in `show`."""

from pathlib import Path

import pytest

from report.results.model import Report
from tests.commandline import run
from tests.parsers.run_folders import make_timed_run
from tests.report.page_text import HEAD, column, report_of

HEADER = "time,processes,load,memory\n"
PAGE = (
    HEAD
    + column("a", "a/*/train.log")
    + """
[[tables]]
name = "t"
title = "Table"
case = { cards = 1 }
columns = [
    { column = "a", quantity = "process_memory" },
    { column = "a", quantity = "cpu_load" },
]
rows = [{ title = "one" }]
"""
)


def put(folder: Path, *rows: str) -> Path:
    """A run, and the samples of its processes."""
    log = make_timed_run(folder / "a/1")
    log.with_name("cpu.csv").write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return log


def shown(folder: Path) -> Report:
    (folder / "page.toml").write_text(PAGE, encoding="utf-8")
    return report_of(folder / "page.toml", folder)


def test_memory_is_the_greatest_of_the_run_and_load_the_mean_of_the_window(tmp_path: Path) -> None:
    put(tmp_path, "90,1,9,5000", "100,2,1,300", "102,2,2,300", "104,2,1,300", "110,2,9,100")
    assert [one.digits for one in shown(tmp_path).results] == ["5000", "1.50"]


def test_a_file_of_an_older_run_has_the_power_of_processors_which_is_not_read(tmp_path: Path) -> None:
    log = put(tmp_path)
    log.with_name("cpu.csv").write_text("time,processes,load,memory,power\n100,2,1,300,80\n104,2,1,310,\n")
    assert [one.digits for one in shown(tmp_path).results] == ["310", "1.00"]


def test_a_number_leads_to_the_lines_of_its_samples(tmp_path: Path) -> None:
    put(tmp_path, "90,1,9,100", "100,2,1,300", "104,2,1,300")
    found = shown(tmp_path)
    (run,) = found.runs_of(found.results[1])
    assert (run.log, run.records.used) == ("a/1/cpu.csv", [3, 4])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ((), "cpu.csv of a/1/train.log has fewer than two samples of it between the first and the last line used."),
        (("100,2,1,",), "cpu.csv of a/1/train.log has fewer than two samples of it between the first and the last"),
    ],
)
def test_too_few_samples_give_no_number(tmp_path: Path, rows: tuple[str, ...], reason: str) -> None:
    put(tmp_path, *rows)
    assert all(str(one.reason).startswith(reason) for one in shown(tmp_path).results)


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    log = put(tmp_path, "100,2,much,300")
    done = run("show", log)
    assert (done.returncode, "line 2 is '100,2,much,300'" in done.stderr) == (2, True)
