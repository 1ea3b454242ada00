"""Who held the memory of the cards of a run, as its gpu_processes.csv says: in `show`, in `why` and on pages."""

import json
from pathlib import Path

from report.evidence.case_evidence import cells
from report.evidence.cell import Cell
from report.pagefile.page_file import load
from tests.commandline import run
from tests.parsers.run_folders import make_timed_run, put_gpu
from tests.report.page_text import HEAD, column

PAGE = (
    HEAD
    + column("a", "a/*/train.log")
    + """
[[tables]]
name = "t"
title = "Table"
case = { cards = 1 }
columns = [{ column = "a", quantity = "peak_memory" }]
rows = [{ title = "one" }]
"""
)
ROWS = ("100.000,0,17,python3,300", "101.000,0,17,python3,500", "102.000,0,18,,40", "104.000,0,17,python3,0")
SAID = (
    "Card memory by process, the peak of each (gpu_processes.csv): card 0 python3 (pid 17) 500 MiB (line 3); "
    "card 0 pid 18 40 MiB (line 4)."
)


def put(folder: Path, *rows: str) -> Path:
    """A run on one card, and what its processes held."""
    log = make_timed_run(folder / "a/1")
    put_gpu(log, "100.000,0,97,600,312,1980,2619,55", "104.000,0,97,600,312,1980,2619,55")
    text = "".join(f"{row}\n" for row in ("time,card,pid,name,memory", *rows))
    log.with_name("gpu_processes.csv").write_text(text, encoding="utf-8")
    (folder / "page.toml").write_text(PAGE, encoding="utf-8")
    return log


def shown(folder: Path) -> Cell:
    return next(cells(load(folder / "page.toml"), folder))


def test_a_peak_of_memory_says_which_processes_held_it(tmp_path: Path) -> None:
    put(tmp_path, *ROWS)
    assert [str(remark) for remark in shown(tmp_path).remarks] == [SAID]


def test_processes_of_other_cards_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, "100.000,1,17,python3,300")
    assert shown(tmp_path).remarks == ()


def test_the_json_of_a_log_has_the_processes(tmp_path: Path) -> None:
    found = json.loads(run("show", put(tmp_path, *ROWS), "--json").stdout)["card_processes"]
    assert found[1] == {
        "card": 0,
        "pid": 18,
        "name": None,
        "memory": 40.0,
        "unit": "MiB",
        "line": 4,
        "witness": "gpu_processes.csv",
    }


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    done = run("show", put(tmp_path, "100.000,0,x,python3,300"))
    assert (done.returncode, "gpu_processes.csv: line 2: pid is 'x'" in done.stderr) == (2, True)
