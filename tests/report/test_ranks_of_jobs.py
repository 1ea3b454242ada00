"""Several ranks that each print a rate: the job's is their sum where all are there, and none is sold as the job's."""

import json
from pathlib import Path
from typing import Any

import pytest
from report.evidence.log_summary import summarise
from report.measuring.ranks.rank_records import ONE_EACH, UNNAMED
from report.measuring.ranks.rank_spread import DIFFER, DIFFER_BY_NODE

from report.evidence.case_evidence import cells
from report.measure.protocol import Protocol
from report.pagefile.page_file import load
from report.rendering.render import Renderer
from tests.commandline import run
from tests.report.page_text import written
from tests.report.rank_logs import GRAMMAR, PAGE, keys, log, summary


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    for scope in ("card", "node", "job"):
        (tmp_path / f"formats/of_{scope}.lark").write_text(GRAMMAR.format(word=f"of_{scope}", scope=scope))
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


def show(path: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("show", "--json", path, *arguments).stdout)
    return found


def test_the_rate_of_the_job_is_the_sum_over_ranks_where_all_are_there(tmp_path: Path) -> None:
    found = show(log(tmp_path, [100, 90, 110, 80]), "--cards", "4")
    assert found["throughput"]["value"] == pytest.approx(380 + 4 * 0.0035, rel=1e-6)
    assert (found["throughput"]["scope"], found["ranks"]["is_summed"]) == ("job", True)


def test_a_rank_that_is_missing_leaves_that_of_the_lowest_times_the_cards(tmp_path: Path) -> None:
    found = show(log(tmp_path, [100, 90, 110]), "--cards", "4")
    assert found["throughput"]["value"] == pytest.approx(4 * 100.0035)
    assert not found["ranks"]["is_summed"]


def test_the_records_of_the_other_ranks_are_named_as_part_of_the_sum(tmp_path: Path) -> None:
    found = summary(log(tmp_path, [100, 90]), cards=2).measurement
    assert found is not None
    assert (found.lines, dict(found.left_out)) == ((1, 3, 5, 7, 9, 11), {"summed": (2, 4, 6, 8, 10, 12)})


def test_the_sum_takes_only_the_steps_of_the_window(tmp_path: Path) -> None:
    path = log(tmp_path, [100, 90])
    path.write_text(path.read_text().replace("step 1 rate 90.001", "step 1 rate 1"))
    found = summarise(path, Protocol(skip_records=1), (), None)
    assert found.measurement is not None and found.measurement.ranks is not None
    assert "1 (rank 1)" not in str(found.measurement.ranks.summary)
    assert show(path, "--cards", "2", "--protocol", "skip_records=1")["throughput"]["value"] == pytest.approx(190.008)


def test_ranks_of_a_log_that_is_sorted_by_rank_are_summed_as_well(tmp_path: Path) -> None:
    path = log(tmp_path, [100, 90])
    path.write_text("".join(sorted(path.read_text().splitlines(keepends=True))))
    assert show(path, "--cards", "2")["throughput"]["value"] == pytest.approx(190.007)


def test_ranks_that_are_more_than_one_percent_apart_are_reported(tmp_path: Path) -> None:
    assert DIFFER in keys(summary(log(tmp_path, [100, 98]), cards=2))
    assert DIFFER not in keys(summary(log(tmp_path, [100, 99.5]), cards=2))


def test_the_node_of_the_slowest_rank_is_named(tmp_path: Path) -> None:
    found = summary(log(tmp_path, [100, 100, 100, 80]), nodes=2, cards_per_node=2, cards=4)
    (said,) = [said for said in found.warnings if said.key == DIFFER_BY_NODE]
    assert (said.values["rank"], said.values["node"], said.values["slowest"]) == ("3", "1", "80.0035")


@pytest.mark.parametrize(
    ("language", "row"),
    [
        (
            "en",
            "| 80.0035 samples/s (rank 3 on node 1) | 95.0035 samples/s | 110.003 samples/s (rank 2 on node 1) |",
        ),
        ("zh", "80.0035 samples/s（节点 1 上的 rank 3）"),
    ],
)
def test_a_page_has_a_table_of_ranks_that_names_the_slowest_and_its_node(
    tmp_path: Path, language: str, row: str
) -> None:
    log(tmp_path, [100, 90, 110, 80])
    run_file = {"case": {"nodes": 2, "cards_per_node": 2, "cards": 4}, "status": "done"}
    (tmp_path / "run.json").write_text(json.dumps(run_file))
    (tmp_path / "page.toml").write_text(PAGE.replace("cards = 8", "cards = 4"))
    page = load(tmp_path / "page.toml")
    found = list(cells(page, tmp_path))
    assert row in written(Renderer(page, found, language, tmp_path, tmp_path))


@pytest.mark.parametrize(("label", "key"), [("{rank}: ", ONE_EACH), ("", UNNAMED)])
def test_ranks_that_each_print_their_own_rate_are_not_sold_as_the_whole_job(
    label: str, key: str, tmp_path: Path
) -> None:
    rates = [100, 101, 99.5, 100.25, 99, 100.5, 100.75, 99.75]
    found = summary(log(tmp_path, rates, scope="job", label=label), cards=8)
    assert found.measurement is not None
    assert (found.measurement.scope, key in keys(found)) == ("unknown", True)


@pytest.mark.parametrize("label", ["{rank}: ", ""])
def test_a_page_refuses_rates_that_may_be_of_one_rank_each(label: str, tmp_path: Path) -> None:
    log(tmp_path, [100, 101], scope="job", label=label)
    (tmp_path / "page.toml").write_text(PAGE)
    (cell,) = cells(load(tmp_path / "page.toml"), tmp_path)
    assert cell.printed is None
    assert "State the scope in the grammar of the format" in str(cell.reason)


@pytest.mark.parametrize("label", ["{rank}: ", ""])
def test_a_rate_of_the_job_that_all_ranks_print_alike_stays_that_of_the_job(label: str, tmp_path: Path) -> None:
    found = summary(log(tmp_path, [100, 100], scope="job", label=label), cards=2).measurement
    assert found is not None
    assert found.scope == "job"
    assert found.value == pytest.approx(100.0035)


TIMED = """// made up: lines such as `timed step 1 rate 10.5 samples/s in 0.5 s`
start: step_line
step_line: "timed" "step" step{"1"} "rate" throughput{samples, job, instant} "samples/s in" _time
_time: step_time{seconds, instant} "s"
%import .vocabulary (step, throughput, samples, job, instant, step_time, seconds, BLANK)
%ignore BLANK
"""


@pytest.mark.parametrize(("rate", "scope"), [(64, "job"), (32, "unknown"), (8, "unknown")])
def test_the_time_of_a_step_proves_that_a_rate_is_of_the_whole_job(rate: int, scope: str, tmp_path: Path) -> None:
    (tmp_path / "formats/timed.lark").write_text(TIMED)
    lines = (
        f"{rank}: timed step {step} rate {rate + rank / 10} samples/s in 0.5 s\n" for step in (1, 2) for rank in (0, 1)
    )
    (tmp_path / "train.log").write_text("".join(lines))
    found = summary(tmp_path / "train.log", cards=2, batch_size=16).measurement
    assert found is not None
    assert found.scope == scope
