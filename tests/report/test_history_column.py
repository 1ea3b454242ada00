"""Columns of a history: runs in the order in which they began, each as a point that leads to its log lines."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest

from report.evidence.case_evidence import cells
from report.evidence.cell import Cell
from report.pagefile.page_file import load
from report.rendering.publish import publish
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import log_of

PAGE = """
title = "Nights"
model = "GPT-2"
unit = "tokens/s"
tested = ["Nothing."]
[columns.nightly]
title = "Nightly"
logs = "night*/train.log"
protocol = "estimate=step_time,skip_records=1,counts=tokens"
[[tables]]
name = "nights"
title = "Nights"
columns = [{ column = "nightly", quantity = "history" }]
rows = [{ title = "1", case = { cards = 1 } }]
"""
POINT = re.compile(r"\[[▁▂▃▄▅▆▇█]\]\((\S+?)#L(\d+)-L(\d+)\)")


def made(folder: Path, times: Sequence[float], *, undated: int = -1, diverged: int = -1) -> Path:
    """A page of nights, the last of which has the first name.

    The night ``undated`` does not say when it began, that of ``diverged`` lost its loss.
    """
    (folder / "page.toml").write_text(PAGE, encoding="utf-8")
    for night, time in enumerate(times):
        started = {} if night == undated else {"start": f"2031-05-{night + 1:02}T02:00:00+00:00"}
        log = log_of(time, seed=night, steps=12, nan=range(6, 12) if night == diverged else ())
        make_run(folder / "logs" / f"night{len(times) - night:02}", log, **started)
    return folder / "page.toml"


def only_cell(page: Path) -> Cell:
    (cell,) = cells(load(page), page.with_name("logs"))
    return cell


def test_a_history_is_the_level_since_the_last_change_of_speed(tmp_path: Path) -> None:
    cell = only_cell(made(tmp_path, [100, 100.1, 99.9, 100, 125, 125.1, 124.9]))
    assert cell.number == pytest.approx(12288 / 0.125, rel=2e-3)
    assert [proof.log for proof in cell.proofs] == [f"night{number:02}/train.log" for number in range(7, 0, -1)]
    assert "changed by -20.0% with the run of 2031-05-05 (night03/train.log); 3 runs" in cell.said[0]


def test_runs_of_one_speed_have_no_change(tmp_path: Path) -> None:
    cell = only_cell(made(tmp_path, [100, 100.1, 99.9, 100]))
    assert cell.said[0] == "No change of the throughput was found in 4 runs since 2031-05-01."


def test_last_runs_that_confirm_nothing_are_left_out(tmp_path: Path) -> None:
    cell = only_cell(made(tmp_path, [100, 100.1, 99.9, 100, 100, 125, 125]))
    assert cell.number == pytest.approx(122880, rel=2e-3)
    assert "The last 2 runs, from night02/train.log on, are left out" in cell.said[1]


def test_a_run_that_does_not_say_when_it_began_is_left_out(tmp_path: Path) -> None:
    cell = only_cell(made(tmp_path, [100, 100, 100], undated=1))
    assert len(cell.proofs) == 2
    assert cell.said[0] == "night02/train.log left out: neither its run.json nor the log itself says when it began."


def test_a_run_whose_loss_is_no_number_is_left_out(tmp_path: Path) -> None:
    cell = only_cell(made(tmp_path, [100, 100, 100], diverged=1))
    assert [proof.log for proof in cell.proofs] == ["night03/train.log", "night01/train.log"]
    assert "night02/train.log left out: Loss is NaN or infinite" in cell.said[0]


def test_one_run_is_no_history(tmp_path: Path) -> None:
    assert "at least two runs" in str(only_cell(made(tmp_path, [100])).reason)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_point_leads_to_the_log_lines_of_its_run(language: str, tmp_path: Path) -> None:
    page = made(tmp_path, [100, 100.1, 99.9, 100, 125])
    (published,) = publish([str(page)], tmp_path / "logs", [language], tmp_path / "pages")
    text = published.files[0].read_text(encoding="utf-8")
    evidence = json.loads((tmp_path / "pages/page.evidence.json").read_text(encoding="utf-8"))["cells"][0]["logs"]
    points = [(unquote(address).removeprefix("../logs/"), int(a), int(b)) for address, a, b in POINT.findall(text)]
    assert points == [(one["path"], one["first"], one["last"]) for one in evidence]
    assert all((tmp_path / "logs" / path).is_file() for path, *_ in points)
