"""Sheets of values in an audited folder: results are read beside the pages, the records of a run are not."""

from pathlib import Path

import pytest

from report.audit.audited_pages import markdown_files
from report.published.document import DocumentError
from tests.report.audit.small_site import EIGHT, ONE, audited, make, write

RESULTS = "Cards,PaddlePaddle FP32 (BS=64) images/s\n1,399.532\n8,3119.765\n"


def sheets(folder: Path, text: str, name: str = "results.csv") -> list[str]:
    """The sheets that are read in a folder that has one, with this text, beside a page."""
    write(folder)
    (folder / name).write_text(text, encoding="utf-8")
    return [path.name for path in markdown_files([folder]) if path.suffix != ".md"]


def test_a_sheet_of_results_in_a_folder_is_audited(tmp_path: Path) -> None:
    page = make(tmp_path)
    (tmp_path / "results.csv").write_text(RESULTS, encoding="utf-8")
    found = [one for one in audited(tmp_path) if one.number.page != page]
    assert [(one.verdict, one.log) for one in found] == [("exact", f"logs/{ONE}"), ("exact", f"logs/{EIGHT}")]


@pytest.mark.parametrize("head", ["Model,images/s", ",resnet50", "GPU,8 GPUs", "batch,tokens/s", "Time,images/s"])
def test_a_sheet_with_a_head_and_numbers_is_one_of_results(head: str, tmp_path: Path) -> None:
    assert sheets(tmp_path, f"{head}\n32,812.5\n16,410.1\n") == ["results.csv"]


def test_a_sheet_parted_by_tabs_is_one_of_results(tmp_path: Path) -> None:
    assert sheets(tmp_path, RESULTS.replace(",", "\t"), "results.tsv") == ["results.tsv"]


@pytest.mark.parametrize(
    "head", ["step", "Iteration", "global_step", "epoch", " epoch ", "time", "timestamp", "Step number", "Wall time"]
)
@pytest.mark.parametrize("count", [1, 2, 40])
def test_records_with_a_step_or_a_time_that_rises_are_those_of_a_log(head: str, count: int, tmp_path: Path) -> None:
    rows = "".join(f"{10 * number},{100 + number}.5\n" for number in range(1, count + 1))
    assert sheets(tmp_path, f"{head},images/s\n{rows}") == []


@pytest.mark.parametrize(
    "text",
    [
        "".join(["timestamp,images/s\n", *(f"2031-05-04 10:00:0{second},{second}.5\n" for second in (1, 1, 2, 3))]),
        "video,fps\n" + "a,25.0\n" * 201,
        "",
        "Model,images/s\n",
        "32,812.5\n64,900.1\n",
        "a,b\nc,d\n",
        "\0",
        "," * 5000 + "\n" * 2,
    ],
    ids=["dates", "very many rows", "nothing", "only a head", "no head", "no numbers", "no text", "no cells"],
)
def test_other_sheets_are_no_pages(text: str, tmp_path: Path) -> None:
    assert sheets(tmp_path, text) == []


def test_a_sheet_of_records_that_is_named_is_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "steps.csv"
    path.write_text("step,images/s\n10,1.5\n", encoding="utf-8")
    assert markdown_files([path]) == [path]


def test_a_folder_with_nothing_but_records_has_no_page(tmp_path: Path) -> None:
    (tmp_path / "steps.csv").write_text("step,images/s\n10,1.5\n", encoding="utf-8")
    with pytest.raises(DocumentError):
        markdown_files([tmp_path])
