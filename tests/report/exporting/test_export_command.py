"""The command `tachograph export`."""

import csv
import json
from pathlib import Path

import pytest

from parsers.sharing.workers import ALONE
from report.views.export import FORMATS
from report.views.export_command import export
from report.views.publish import read_pages
from tests.commandline import PROJECT, run
from tests.report.conftest import GOLDEN
from tests.report.quoted_page import make, put_run

LOGS = GOLDEN / "logs"
TOY = (GOLDEN / "toy.toml", "--logs", LOGS)
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1"


def test_its_help_names_every_target() -> None:
    told = " ".join((export.help or "").split()).split("TARGET is ")[1].split(". ")[0]
    assert told.replace(" or ", ", ").split(", ") == [*FORMATS]


@pytest.mark.parametrize("guide", ["publishing.md", "publishing.zh.md"])
def test_the_guide_names_every_target(guide: str) -> None:
    text = (PROJECT / "docs" / guide).read_text(encoding="utf-8")
    assert [target for target in FORMATS if f"`{target}`" not in text] == []


def test_a_text_is_printed_and_what_is_empty_counted(tmp_path: Path) -> None:
    done = run("export", "csv", *TOY, cwd=tmp_path)
    assert len(list(csv.DictReader(done.stdout.splitlines()))) == 6
    assert done.stderr == "toy: 3 of 9 cells are empty and not exported.\n"
    assert done.returncode == 0


@pytest.mark.parametrize("target", [target for target, one in FORMATS.items() if one.is_text])
def test_a_report_without_its_logs_gives_what_its_page_gives(target: str, tmp_path: Path) -> None:
    for name in ("toy", "toy_gpu"):
        (page,) = read_pages([str(GOLDEN / f"{name}.toml")], LOGS, tmp_path, ALONE)
        (tmp_path / f"{name}.report.json").write_text(page.report.to_json(), encoding="utf-8")
    pages = [GOLDEN / "toy.toml", GOLDEN / "toy_gpu.toml"]
    of_reports = run("export", target, "toy.report.json", "toy_gpu.report.json", cwd=tmp_path)
    of_pages = run("export", target, *pages, "--logs", LOGS, cwd=tmp_path)
    assert (of_reports.stdout, of_reports.stderr) == (of_pages.stdout, of_pages.stderr)
    assert of_reports.stdout


def test_the_output_file_has_what_is_printed_without_it(tmp_path: Path) -> None:
    printed = run("export", "openmetrics", *TOY, cwd=tmp_path).stdout
    done = run("export", "openmetrics", *TOY, "--out", "metrics.txt", cwd=tmp_path)
    assert (tmp_path / "metrics.txt").read_text(encoding="utf-8") == printed
    assert "Exported 6 of 6 numbers to metrics.txt." in done.stderr


def test_the_throughput_of_a_log_is_that_of_show(tmp_path: Path) -> None:
    shown = json.loads(run("show", LOG, "--json", cwd=tmp_path).stdout)
    (told,) = csv.DictReader(run("export", "csv", LOG, cwd=tmp_path).stdout.splitlines())
    of_show = shown["throughput"]
    assert (float(told["value"]), told["unit"], told["scope"]) == (of_show["value"], of_show["unit"], of_show["scope"])
    (file,) = json.loads(told["files"])
    assert [file["first"], file["last"]] == of_show["lines"]
    assert (told["status"], told["cards"], told["batch_size"]) == (shown["status"], "1", "4")


def test_each_rank_of_a_job_is_a_file_of_its_number(tmp_path: Path) -> None:
    step = "[2023/07/01 12:00:0{0}] ppcls INFO: [Train][Epoch 1/1][Iter: {0}/6]lr: 0.1, ips: {1} images/s\n"
    (tmp_path / "ranks").mkdir()
    for rank in range(2):
        steps = "".join(step.format(at, 10.5 + at) for at in range(6))
        (tmp_path / f"ranks/workerlog.{rank}").write_text(steps, encoding="utf-8")
    (told,) = csv.DictReader(run("export", "csv", "ranks", cwd=tmp_path).stdout.splitlines())
    assert told["page"] == "ranks"
    assert [one["path"] for one in json.loads(told["files"])] == ["ranks/workerlog.0", "ranks/workerlog.1"]


def test_a_log_without_a_throughput_is_told_and_ends_with_status_1(tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_text("nothing of a metric\n", encoding="utf-8")
    done = run("export", "csv", "empty.log", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("empty.log: not exported, no throughput: ")


def test_a_quoted_figure_is_marked_in_csv_and_left_out_where_nothing_marks_it(tmp_path: Path) -> None:
    page = make(tmp_path)
    put_run(tmp_path, "a1", 120)
    where = (page, "--logs", tmp_path / "logs")
    rows = list(csv.DictReader(run("export", "csv", *where, cwd=tmp_path).stdout.splitlines()))
    assert {row["id"]: row["source"] for row in rows}["t/1/b"] == "A paper, https://example.org/paper"
    made_of = {row["id"]: json.loads(row["computed_from"] or "[]") for row in rows}
    assert (made_of["t/1/a"], made_of["t/8/a-scaling-efficiency"]) == ([], ["t/8/a", "t/1/a"])
    measured = ["t/1/a", "t/1/a-scaling-efficiency"]
    assert [row["id"] for row in rows if row["quoted"] == "false"] == measured
    done = run("export", "github-action-benchmark", *where, cwd=tmp_path)
    assert [one["name"] for one in json.loads(done.stdout)] == [f"page/{id_}" for id_ in measured]
    assert "Not exported: 4 quoted from others, or computed from what is quoted." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing", "cpu-demo"), "No target is named 'nothing'; use one of csv, parquet,"),
        (("parquet", "cpu-demo"), "parquet is not a single text file; give --out."),
        (("csv", "missing.toml"), "Page file missing.toml not found."),
        (("csv", "missing.report.json"), "missing.report.json"),
        (("csv", "missing.log"), "missing.log"),
        (("csv", LOG, "--protocol", "no=1"), "no is not a valid key"),
    ],
)
def test_wrong_use_is_one_sentence_and_status_2(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = run("export", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_one_log_that_cannot_be_read_leaves_the_output_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("before", encoding="utf-8")
    done = run("export", "csv", LOG, "missing.log", "--out", "out.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "before"
