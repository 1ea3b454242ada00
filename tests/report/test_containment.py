"""Paths of hostile pages and checkouts: nothing outside the folder of logs is read, whatever a page or a link says."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from report.audit.checkout import Checkout
from report.pagefile.launch_file import LaunchFile
from report.pagefile.page_file import PageError, load
from report.results.model import Result
from report.results.plan import missing
from tests.commandline import run
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.report.page_text import HEAD, column, results_of, table


def link_log(logs: Path, elsewhere: Path) -> None:
    (logs / "a").mkdir(parents=True)
    (logs / "a/train.log").symlink_to(elsewhere / "train.log")


def link_folder(logs: Path, elsewhere: Path) -> None:
    logs.mkdir()
    (logs / "a").symlink_to(elsewhere)


def link_in_a_circle(logs: Path, elsewhere: Path) -> None:
    link_log(logs, elsewhere)
    (logs / "a/run.json").symlink_to(logs / "a/run.json")


def link_of(name: str) -> Callable[[Path, Path], None]:
    def link(logs: Path, elsewhere: Path) -> None:
        put_run(logs / "a")
        (logs / "a" / name).unlink()
        (logs / "a" / name).symlink_to(elsewhere / name)

    return link


every_link = pytest.mark.parametrize(
    "link",
    [link_log, link_folder, link_in_a_circle, link_of("run.json"), link_of("gpu.csv"), link_of("clock.csv")],
    ids=["log", "folder", "circle", "run.json", "gpu.csv", "clock.csv"],
)


def found(folder: Path) -> list[Result]:
    return results_of(put_page(folder, "a/*.log"), folder / "logs")


@pytest.mark.parametrize(
    ("pattern", "case", "of_runs"),
    [
        ("a/{model}.log", 'model = "../../outside"', ""),
        ("{model}.log", 'model = "/etc/outside"', ""),
        ("{model}{cards}/x.log", 'model = "."', 'names.cards.1.file = "."'),
        ("a/{cards}/x.log", 'model = "M"', 'names.cards.1.file = "../.."'),
        ("a/{model}.log", 'model = "a\\u0000b"', ""),
    ],
)
def test_a_page_whose_case_leads_out_of_the_folder_of_logs_is_refused(
    pattern: str, case: str, of_runs: str, tmp_path: Path
) -> None:
    with pytest.raises(PageError, match="leaves the log folder; use a path below it"):
        load(put_page(tmp_path, pattern, case=case, of_runs=of_runs))


@pytest.mark.parametrize("options", [(), ("--html",)])
def test_no_page_brings_a_file_from_elsewhere_to_a_place_outside_of_the_site(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    put_run(tmp_path / "checkout/logs/run")
    (tmp_path / "checkout/logs/a").mkdir()
    page = put_page(tmp_path / "checkout", "a/{model}/train.log", case='model = "../../../home"')
    mine = put_run(tmp_path / "home")
    before = mine.read_bytes()
    done = run("report", page, "--logs", tmp_path / "checkout/logs", "--out", tmp_path / "out/site", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "leaves the log folder" in done.stderr
    assert (mine.read_bytes(), (tmp_path / "out/site").exists()) == (before, False)


@every_link
def test_a_run_with_a_link_out_of_the_folder_of_logs_is_no_evidence(
    link: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    put_run(tmp_path / "elsewhere")
    link(tmp_path / "logs", tmp_path / "elsewhere")
    for cell in found(tmp_path):
        assert cell.value is None
        assert str(cell.reason).startswith("a/train.log skipped: ")
        assert "points outside the log folder" in str(cell.reason)


def test_a_link_within_the_folder_of_logs_is_evidence(tmp_path: Path) -> None:
    put_run(tmp_path / "logs/kept")
    (tmp_path / "logs/a").symlink_to("kept")
    assert [one.digits for one in found(tmp_path)] == ["100.000", "1000"]


def test_a_folder_of_logs_that_is_a_link_itself_is_read(tmp_path: Path) -> None:
    put_run(tmp_path / "elsewhere/a")
    (tmp_path / "logs").symlink_to("elsewhere")
    assert [one.digits for one in found(tmp_path)] == ["100.000", "1000"]


@pytest.mark.slow
@every_link
def test_a_site_has_no_copy_of_what_a_link_leads_to(link: Callable[[Path, Path], None], tmp_path: Path) -> None:
    put_run(tmp_path / "elsewhere")
    link(tmp_path / "logs", tmp_path / "elsewhere")
    put_run(tmp_path / "logs/b")
    page = put_page(tmp_path, "*/*.log")
    run("report", page, "--html", "--logs", tmp_path / "logs", "--out", tmp_path / "site")
    assert [path.name for path in (tmp_path / "site/logs").iterdir()] == ["b"]


def test_an_audit_does_not_follow_a_link_out_of_the_folder_of_logs(tmp_path: Path) -> None:
    put_run(tmp_path / "logs/a")
    page = put_page(tmp_path, "a/*.log")
    run("report", page, "--logs", tmp_path / "logs", "--out", tmp_path / "pages")
    (tmp_path / "logs/a").rename(tmp_path / "elsewhere")
    (tmp_path / "logs/a").symlink_to(tmp_path / "elsewhere")
    done = run("audit", tmp_path / "pages/page.en.md", "--json")
    *numbers, _ = [json.loads(line) for line in done.stdout.splitlines()]
    assert {number["ruling"] for number in numbers} == {"no data"}


def test_an_audit_of_the_pages_of_others_reads_no_log_behind_a_link(tmp_path: Path) -> None:
    put_run(tmp_path / "elsewhere")
    put_run(tmp_path / "site/b")
    link_log(tmp_path / "site", tmp_path / "elsewhere")
    assert "b/train.log" in (found := Checkout.of([tmp_path / "site"]).data)
    assert "a/train.log" not in found


def test_no_run_is_launched_into_a_folder_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/suite").symlink_to(tmp_path / "elsewhere")
    page = load(put_page(tmp_path, "suite/{model}/*/train.log"))
    launches = LaunchFile.model_validate({"a": {"launcher": "recipe_a"}})
    with pytest.raises(PageError, match="leaves the log folder; use a folder below it"):
        missing(page, launches, tmp_path / "logs")


LINES = "".join(f"DLL 2031-05-04 11:{at:02}:00.000000 - (0, {at}) total_ips : 100.0\n" for at in range(20))


LOG = f"Num GPUs 1\n{LINES}".encode()


TABLE = table(
    '{ column = "a" }, { column = "a", quantity = "peak_memory" }',
    'model = "M", nodes = 1, cards = 1, precision = "fp32", batch_size = 4',
)


def put_page(folder: Path, pattern: str, *, case: str = "", of_runs: str = "", keys: str = "") -> Path:
    path = folder / "page.toml"
    table = TABLE.replace('model = "M"', case) if case else TABLE
    path.write_text(HEAD + column("a", pattern, of_runs=of_runs, keys=keys) + table, encoding="utf-8")
    return path


def put_run(folder: Path) -> Path:
    """A whole run with its telemetry, outside the folder of logs."""
    log = make_run(folder, LOG, case={"cards": 1})
    put_clock(log, "1,1900000000")
    put_gpu(log, "1900000000,0,50,1000,100,1000,1000,50", "1900000001,0,50,1000,100,1000,1000,50")
    return log
