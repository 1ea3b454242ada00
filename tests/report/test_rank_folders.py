"""Ranks with lines or logs of their own are one run: its numbers lead to the lines of each, and slow ones are named."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from parsers.io.errors import LogError
from parsers.runs.facts import FIRST_USED
from parsers.runs.ranks import LACKING, SAME_LOG, UNREAD
from parsers.runs.ranks import read as read_log
from report.measure.diagnostics import Remark
from report.results.measured_log import MeasuredLog, measured_log
from report.results.model import FileLines, Report, read_report
from tests.commandline import run
from tests.report.page_text import report_of, results_of, written
from tests.report.rank_logs import GRAMMAR, PAGE, folder, log, rated, shown

TIMED = """// made up: lines such as `timed 2035-01-01 00:00:01 step 1 took 0.5 s on 4 cards`
start: step_line | fact_line
step_line: "timed" time{STAMP} "step" step{"1"} "took" step_time{seconds, instant} "s"
fact_line: "training on" cards{INTEGER} "cards"
%import .vocabulary (step, step_time, time, seconds, instant, cards, INTEGER, STAMP, BLANK)
%ignore BLANK
"""


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    for scope in ("card", "job"):
        (tmp_path / f"formats/of_{scope}.lark").write_text(GRAMMAR.format(word=f"of_{scope}", scope=scope))
    (tmp_path / "formats/timed.lark").write_text(TIMED)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


def timed(times: Sequence[float], *, cards: int, late: int = 0) -> Callable[[int], str]:
    """What a rank prints of the times of six steps, which it ends ``late`` seconds after the rank before it."""
    return lambda rank: (
        f"training on {cards} cards\n"
        + "".join(
            f"timed 2035-01-01 00:00:{step + late * rank:02d} step {step} took {times[rank]:g} s\n"
            for step in range(1, 7)
        )
    )


def keys(measured: MeasuredLog) -> list[str]:
    return [said.key for said in measured.warnings]


NAMES = ["rank_{}.log", "workerlog.{}", "none/attempt_0/{}/stdout.log", "1/rank.{}/stdout"]


@pytest.mark.parametrize("name", NAMES)
def test_the_throughput_of_the_job_is_the_sum_of_the_logs_of_all_ranks(tmp_path: Path, name: str) -> None:
    found = shown(folder(tmp_path, 4, rated([100, 90, 110, 80]), name))
    assert found["throughput"]["value"] == pytest.approx(380 + 4 * 0.0035)
    assert (found["throughput"]["scope"], found["ranks"]["slowest"]) == ("job", 3)
    assert [log["rank"] for log in found["logs"]] == [0, 1, 2, 3]
    assert [log["lines"]["total"] for log in found["logs"]] == [6, 7, 8, 9]


def test_a_folder_gives_what_one_log_with_prefixes_gives(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 110, 80]))
    lines = [f"{rank}: {line}\n" for rank in range(4) for line in (path / f"rank_{rank}.log").read_text().splitlines()]
    (tmp_path / "train.log").write_text("".join(lines))
    one, many = shown(tmp_path / "train.log", "--cards", "4"), shown(path, "--cards", "4")
    assert [one["throughput"][name] for name in ("value", "unit", "scope")] == [
        many["throughput"][name] for name in ("value", "unit", "scope")
    ]
    assert one["ranks"] == many["ranks"]


def test_parse_writes_each_record_with_the_log_of_its_rank(tmp_path: Path) -> None:
    path = folder(tmp_path, 2, rated([100, 90]))
    assert run("parse", path, "--out", tmp_path / "out.csv").returncode == 0
    rows = [row.split(",") for row in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert [(Path(log).name, line) for log, _, line, *_ in rows[:1] + rows[-1:]] == [
        ("rank_0.log", "1"),
        ("rank_1.log", "7"),
    ]


def test_facts_come_from_another_rank_where_the_first_prints_the_speed_only(tmp_path: Path) -> None:
    path = folder(tmp_path, 2, timed([0.5, 0.5], cards=2))
    (path / "rank_0.log").write_text("micro_batch_size: 4\n")
    reading = read_log(path)
    assert reading.path.name == "rank_1.log"
    fact = reading.facts["micro_batch_size"]
    assert (fact.value, str(fact.source)) == (4, "rank_0.log, line 1")


def test_counts_that_the_log_states_are_held_against_the_number_of_logs(tmp_path: Path) -> None:
    found = measured_log(folder(tmp_path, 2, timed([0.5, 0.5], cards=4)))
    assert FIRST_USED in keys(found)


def test_ranks_that_are_missing_or_print_nothing_are_told_and_none_is_added_up(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 110, 80]))
    (path / "rank_2.log").write_text("")
    found = measured_log(path).measurement
    assert found is not None and found.ranks is not None and not found.ranks.is_summed
    assert found.value == pytest.approx(4 * 100.0035)
    (path / "rank_2.log").unlink()
    lacking = measured_log(path)
    assert LACKING in keys(lacking) and lacking.measurement is not None
    assert (lacking.measurement.scope, "cards" in lacking.reading.facts) == ("card", False)


def test_other_logs_and_streams_of_a_folder_and_one_log_under_two_names_are_told(tmp_path: Path) -> None:
    path = folder(tmp_path, 2, rated([100, 90]), "attempt_0/{}/stderr.log")
    folder(tmp_path, 2, lambda _: "nothing\n", "attempt_0/{}/stdout.log")
    (path / "launcher.log").write_text("text\n")
    found = measured_log(path)
    assert found.measurement is not None and found.reading.path.name == "stderr.log"
    (said,) = (one for one in found.warnings if one.key == UNREAD)
    assert said.values["count"] == "3"
    twice = folder(tmp_path / "twice", 3, rated([100, 90, 80]))
    (twice / "rank_2.log").write_bytes((twice / "rank_0.log").read_bytes())
    assert SAME_LOG in keys(measured_log(twice))


def test_a_log_of_several_ranks_among_those_of_one_each_is_refused(tmp_path: Path) -> None:
    path = folder(tmp_path, 2, rated([100, 90]))
    (path / "rank_1.log").write_text("0: of_card step 1 rate 9 samples/s\n1: of_card step 1 rate 9 samples/s\n")
    assert "rank_1.log: holds lines of 2 ranks" in run("show", path).stderr


def test_the_jobs_of_an_array_are_not_taken_for_ranks(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="logs of ranks"):
        read_log(folder(tmp_path, 2, rated([100, 90]), "slurm-7_{}.out"))


@pytest.mark.parametrize(("other", "differ"), [(0.504, []), (0.52, ["ranks_differ"])])
def test_the_time_of_the_first_rank_is_taken_and_ranks_that_differ_are_told(
    tmp_path: Path, other: float, differ: list[str]
) -> None:
    path = folder(tmp_path, 2, timed([0.5, other], cards=2))
    found = shown(path, "--batch-size", "8", "--protocol", "estimate=step_time")
    assert found["throughput"]["value"] == pytest.approx(32)
    assert [one["code"] for one in found["diagnostics"] if one["code"] == "ranks_differ"] == differ


def page_of(tmp_path: Path) -> Report:
    page = PAGE.replace("cards = 8", "cards = 4").replace('"train.log"', '"ranks"')
    (tmp_path / "page.toml").write_text(page)
    return report_of(tmp_path / "page.toml", tmp_path)


def test_a_published_page_names_the_lines_of_each_log_and_is_audited_whole(tmp_path: Path) -> None:
    folder(tmp_path, 4, rated([100, 90, 110, 80]))
    report = page_of(tmp_path)
    assert report.results[0].digits == "380.014"
    (made,) = report.runs.values()
    assert (made.log, made.records.used) == ("ranks/rank_0.log", [*range(1, 7)])
    assert made.also == [FileLines(f"ranks/rank_{rank}.log", rank + 1, rank + 6, 6) for rank in range(1, 4)]
    assert [log.lines for log in report.logs.values()] == [rank + 6 for rank in range(4)]
    assert run("report", "page.toml", "--logs", ".", "--out", "out", cwd=tmp_path).returncode == 0
    assert [*read_report(tmp_path / "out/page.report.json").logs] == [f"ranks/rank_{rank}.log" for rank in range(4)]
    done = run("audit", "out/page.en.md", "--logs", ".", "--strict", cwd=tmp_path)
    assert (done.returncode, "proved" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("language", "row"),
    [
        ("en", "| 80.0035 samples/s (rank 3 on node 1) | 95.0035 samples/s | 110.003 samples/s (rank 2 on node 1) |"),
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
    assert row in written(report_of(tmp_path / "page.toml", tmp_path), language)


@pytest.mark.parametrize("label", ["{rank}: ", ""])
def test_a_page_refuses_rates_that_may_be_of_one_rank_each(label: str, tmp_path: Path) -> None:
    log(tmp_path, [100, 101], scope="job", label=label)
    (tmp_path / "page.toml").write_text(PAGE)
    (cell,) = results_of(tmp_path / "page.toml", tmp_path)
    assert cell.reason is not None and cell.reason.code == Remark.SCOPE_UNKNOWN


def test_the_card_of_the_slowest_rank_is_told_beside_the_others_without_rows_that_cannot_be_its(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 100, 100]))
    rows = [
        f"{second},{card},99,1000,{400 if card == 1 else 500},{1600 if card == 1 else 2000},1500,70"
        for second in range(3)
        for card in range(4)
    ]
    head = "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature"
    (path / "gpu.csv").write_text("\n".join([head, *rows, "3,1,99,1000,-400,9000,1500,70", ""]))
    told = shown(path)
    assert told["cards_of_ranks"]["own"] == {"sm_clock": 1600, "power": 400, "temperature": 70, "utilisation": 99}
    assert [told["cards_of_ranks"]["others"][what] for what in ("sm_clock", "power")] == [2000, 500]
    assert "Rows of gpu.csv with negative numbers, left out: 1 (lines 14)." in told["warnings"]
