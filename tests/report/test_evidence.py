"""Evidence of cells: which numbers a page takes, which it refuses, and what it tells beside them."""

import hashlib
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from report.measure.diagnostics import Remark
from report.measure.protocol import Protocol
from report.pagefile.page_file import PageError
from report.results.model import Report, Result
from report.views.publish import publish
from report.wording import markdown
from tests.parsers.run_folders import make_run, put_gpu
from tests.report.page_text import HEAD, column, report_of, said_of, table, written

GOLDEN = Path(__file__).parent / "golden"
LOG = GOLDEN / "logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"

PAGE = HEAD + column("a", "*/train.log", "tipc") + table('{ column = "a" }', "cards = 1, batch_size = 64")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page file beside the logs of two repeats."""
    (tmp_path / "page.toml").write_text(PAGE, encoding="utf-8")
    for repeat in ("1", "2"):
        (tmp_path / "logs" / repeat).mkdir(parents=True)
        shutil.copy(LOG, tmp_path / "logs" / repeat / "train.log")
    return tmp_path


def report(folder: Path, found: str = "", put: str = "") -> Report:
    """The report of the page, with one text of its file changed."""
    (folder / "page.toml").write_text(PAGE.replace(found, put) if found else PAGE, encoding="utf-8")
    return report_of(folder / "page.toml", folder / "logs")


def cell(folder: Path, found: str = "", put: str = "") -> Result:
    """The one result of the page."""
    (only,) = report(folder, found, put).results
    return only


def said(folder: Path, found: str = "", put: str = "") -> list[str]:
    """What a reader of it must know."""
    made = report(folder, found, put)
    return said_of(made, made.results[0])


def put_run(folder: Path, repeat: str, **facts: object) -> None:
    run = {"case": {}, "status": "done", **facts}
    (folder / "logs" / repeat / "run.json").write_text(json.dumps(run), encoding="utf-8")


PEAK = ('{ column = "a" }', '{ column = "a", quantity = "peak_memory" }')


def put_gpu_runs(folder: Path, *memory: float) -> None:
    """Make the repeats run folders, each with one sample of its one card."""
    for repeat, used in enumerate(memory, 1):
        log = make_run(folder / "logs" / str(repeat), LOG.read_bytes())
        put_gpu(log, f"1935619200.000,0,97,{used},300,1980,2619,55")


def test_a_throughput_of_one_card_is_not_published_as_that_of_the_job(folder: Path) -> None:
    empty = cell(folder, "cards = 1, ")
    assert empty.digits is None
    assert empty.reason is not None and empty.reason.code == Remark.OF_ONE


@pytest.mark.parametrize("run", ["1", "last"])
def test_a_page_names_a_run_of_a_log_with_several(folder: Path, run: str) -> None:
    once = cell(folder).digits
    for log in folder.glob("logs/*/train.log"):
        log.write_bytes(log.read_bytes() * 2)  # its steps begin anew, in the first epoch
    found = cell(folder, '{ column = "a" }', f'{{ column = "a", protocol = "run={run}" }}')
    assert found.digits == once is not None


OTHER = {"file": "train.log", "sha256": "0" * 64}
ITS_OWN = {"file": "train.log", "sha256": hashlib.sha256(LOG.read_bytes()).hexdigest()}


@pytest.mark.parametrize(
    ("facts", "remark"),
    [
        ({"status": "failed"}, "1/train.log skipped: its run.json says failed."),
        ({"log": OTHER}, "1/train.log skipped: its SHA-256 differs from the one in its run.json."),
    ],
)
def test_a_log_that_is_no_evidence_is_left_out_with_a_remark(
    folder: Path, facts: dict[str, object], remark: str
) -> None:
    put_run(folder, "1", **facts)
    put_run(folder, "2", log=ITS_OWN)
    assert [run.log for run in report(folder).runs.values()] == ["2/train.log"]
    assert remark in said(folder)


def test_a_contradiction_that_is_reported_as_a_disagreement_is_not_reported_again(folder: Path) -> None:
    put_run(folder, "1", case={"batch_size": 32})
    put_run(folder, "2", case={"batch_size": 32})
    assert [axis for axis, one in cell(folder).case.items() if one.state == "contradicted"] == ["batch_size"]
    assert [one for one in said(folder) if one.startswith("batch_size is")] == []


def test_runs_that_are_not_repeats_of_one_case_are_told(folder: Path) -> None:
    put_run(folder, "1", case={"tensor_parallel": 2})
    put_run(folder, "2", case={"tensor_parallel": 4})
    assert "The runs are not repeats of one case: tensor_parallel is 2, 4." in said(folder)


@pytest.mark.parametrize(
    ("device", "is_other"), [("NVIDIA H200", True), ("NVIDIA A100-SXM4-80GB", False), ("a TPU", False)]
)
def test_a_card_that_is_certainly_another_one_than_the_label_says_is_a_disagreement(
    folder: Path, device: str, is_other: bool
) -> None:
    for run in ("1", "2"):
        put_run(folder, run, case={"device": device})
    found = cell(folder, "cards = 1, ", 'cards = 1, device = "A100", ')
    assert (found.case["device"].state == "contradicted") == is_other


def test_a_peak_is_proved_by_a_line_of_gpu_csv_and_a_repeat_without_one_is_left_out(folder: Path) -> None:
    put_gpu_runs(folder, 3000, 5000)
    made = report(folder, *PEAK)
    assert [(run.log, run.records.used) for run in made.runs.values()] == [("1/gpu.csv", [2]), ("2/gpu.csv", [2])]
    assert (made.results[0].quantity, made.results[0].unit) == ("peak_memory", "MiB")
    (folder / "logs/2/gpu.csv").unlink()
    assert (cell(folder, *PEAK).digits, said(folder, *PEAK)) == (
        "3000",
        ["2/train.log does not have a gpu.csv beside it."],
    )
    (folder / "logs/2/gpu.csv").write_text("broken\n")  # which empties only the cells that need it
    assert "gpu.csv: line 1" in str(cell(folder, *PEAK).reason)
    assert cell(folder).digits is not None


def test_several_runs_always_state_how_they_are_put_together(folder: Path) -> None:
    found = cell(folder)
    assert (found.repeats, Protocol.parse(found.protocol or "").repeats) == ("median", "median")
    assert "repeats=median" in (found.protocol or "")
    shutil.rmtree(folder / "logs/2")
    assert "repeats" not in (cell(folder).protocol or "")


def test_the_unit_is_escaped(folder: Path) -> None:
    assert "<b>" not in written(report(folder, "images/s", "<b>/s"), "en")


@pytest.mark.parametrize("name", ["a#b", "a?b=c", "50%20", "c:d", "javascript:x", "ü (1)"])
def test_a_link_leads_to_the_file_whatever_its_name(name: str) -> None:
    address = markdown.address_of(markdown.path_address(f"logs/{name}"))
    assert re.search(r"[#?:() ]", address.removeprefix("./")) is None
    assert unquote(address).removeprefix("./") == f"logs/{name}"


def test_two_page_files_of_one_name_are_refused(folder: Path) -> None:
    (folder / "other").mkdir()
    shutil.copy(folder / "page.toml", folder / "other/page.toml")
    pages = [str(folder / "page.toml"), str(folder / "other/page.toml")]
    with pytest.raises(PageError, match="would both be rendered as page"):
        list(publish(pages, folder / "logs", ["en"], folder / "pages"))
    assert not (folder / "pages").exists()
