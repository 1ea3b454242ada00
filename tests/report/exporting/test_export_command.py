"""The command `tachograph export`."""

import csv
import json
import re
from pathlib import Path

import pytest

from report.rendering.exporting.command import export
from report.rendering.exporting.formats import FORMATS
from tests.commandline import PROJECT, run
from tests.report.conftest import GOLDEN
from tests.report.quoted_page import make, put_run

TOY = (GOLDEN / "toy.toml", "--logs", GOLDEN / "logs")
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1"


def test_its_help_names_every_target() -> None:
    told = " ".join((export.help or "").split())
    named = told.split("TARGET is a file format: ")[1].split(". ")[0].replace("; or a folder of files:", ",")
    assert {*named.split(", ")} == {*FORMATS}


@pytest.mark.parametrize("guide", ["exporting.md", "exporting.zh.md"])
def test_the_guide_lists_every_target_in_its_order(guide: str) -> None:
    text = (PROJECT / "docs" / guide).read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == [*FORMATS]


def test_a_text_is_printed_and_what_is_empty_counted(tmp_path: Path) -> None:
    done = run("export", "csv", *TOY, cwd=tmp_path)
    assert len(list(csv.DictReader(done.stdout.splitlines()))) == 6
    assert done.stderr == "toy: 3 of 9 cells are empty and not exported.\n"
    assert done.returncode == 0


def test_the_output_file_has_what_is_printed_without_it(tmp_path: Path) -> None:
    printed = run("export", "openmetrics", *TOY, cwd=tmp_path).stdout
    done = run("export", "openmetrics", *TOY, "--out", "metrics.txt", cwd=tmp_path)
    assert (tmp_path / "metrics.txt").read_text(encoding="utf-8") == printed
    assert "Exported 6 of 6 numbers to metrics.txt." in done.stderr


def test_a_folder_is_written_whole(tmp_path: Path) -> None:
    run("export", "tipc", LOG, "--out", "speeds", cwd=tmp_path)
    assert [path.is_file() for path in (tmp_path / "speeds/index").iterdir()] == [True]


def test_the_throughput_of_a_log_is_that_of_show(tmp_path: Path) -> None:
    shown = json.loads(run("show", LOG, "--json", cwd=tmp_path).stdout)["throughput"]
    (told,) = json.loads(run("export", "github-action-benchmark", LOG, cwd=tmp_path).stdout)
    assert (f"{told['value']:.3f}", told["unit"]) == (f"{shown['value']:.3f}", shown["unit"])
    assert "lines {}-{}".format(*shown["lines"]) in told["extra"]


def test_a_log_without_a_throughput_is_told_and_ends_with_status_1(tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_text("nothing of a metric\n", encoding="utf-8")
    done = run("export", "csv", "empty.log", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("empty.log: not exported, no throughput: ")


def test_a_quoted_figure_is_counted_where_it_is_left_out(tmp_path: Path) -> None:
    page = make(tmp_path)
    put_run(tmp_path, "a1", 120)
    done = run("export", "github-action-benchmark", page, "--logs", tmp_path / "logs", cwd=tmp_path)
    assert [one["name"] for one in json.loads(done.stdout)] == ["page/t/1/a", "page/t/1/a-scaling-efficiency"]
    assert "Not exported: 4 quoted from others, or computed from what is quoted." in done.stderr


def test_a_quoted_figure_and_what_is_computed_from_it_are_marked_in_csv(tmp_path: Path) -> None:
    page = make(tmp_path)
    put_run(tmp_path, "a1", 120)
    said = run("export", "csv", page, "--logs", tmp_path / "logs", cwd=tmp_path).stdout.splitlines()
    sources = {row["name"]: row["source"] for row in csv.DictReader(said)}
    assert sources["t/1/b"] == "A paper, https://example.org/paper"
    measured = {row["name"] for row in csv.DictReader(said) if row["quoted"] == "false"}
    assert measured == {"t/1/a", "t/1/a-scaling-efficiency"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing", "cpu-demo"), "No target is named 'nothing'; use one of csv, parquet,"),
        (("parquet", "cpu-demo"), "parquet is not a single text file; give --out."),
        (("tipc", "cpu-demo"), "tipc is not a single text file; give --out."),
        (("csv", "missing.toml"), "Page file missing.toml not found."),
        (("csv", "missing.log"), "missing.log"),
        (("csv", LOG, "--protocol", "no=1"), "is not a key of a protocol"),
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
