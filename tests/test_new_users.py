"""What somebody new to the program meets is told in one sentence that says what to do."""

import socket
from pathlib import Path

import pytest

from parsers.io.limits import unpacking
from tests.commandline import run
from tests.report.one_run_page import put_page, put_run

PAGE = "| cards | samples/s |\n|---|---|\n| 1 | 100.0 |\n"


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A page whose only run lies behind a link out of the folder of logs."""
    put_run(tmp_path / "elsewhere")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a").symlink_to(tmp_path / "elsewhere")
    put_page(tmp_path, "a/*.log")
    return tmp_path


def test_a_link_that_an_audit_does_not_follow_is_named(tmp_path: Path) -> None:
    put_run(tmp_path / "elsewhere")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/logs").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "site/m.md").write_text(PAGE, encoding="utf-8")
    done = run("audit", tmp_path / "site/m.md", "--json")
    assert "logs leads out of the folder and was not followed; --logs FOLDER names another one." in done.stdout


def test_the_commonest_reason_of_empty_cells_is_reported_with_the_link_and_what_helps(linked: Path) -> None:
    done = run("report", linked / "page.toml", "--logs", linked / "logs", "--out", linked / "out")
    (said,) = done.stderr.splitlines()
    assert (
        "a/train.log skipped: a points outside the log folder. "
        "The link is not followed; to read these logs, pass the folder that it leads to with --logs" in said
    )


def test_a_page_without_numbers_is_explained_by_its_reason(linked: Path) -> None:
    done = run("why", linked / "page.toml", "e1", "--logs", linked / "logs")
    assert (done.returncode, "a points outside the log folder" in done.stderr) == (2, True)
    assert "give the folder of its logs" not in done.stderr


def test_a_table_is_written_through_a_link_that_the_user_names(tmp_path: Path) -> None:
    log = put_run(tmp_path / "run")
    (tmp_path / "kept.csv").write_text("before", encoding="utf-8")
    (tmp_path / "kept.csv").chmod(0o640)
    (tmp_path / "out.csv").symlink_to(tmp_path / "kept.csv")
    run("parse", log, "--out", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert (tmp_path / "kept.csv").read_text(encoding="utf-8").startswith("log,")
    assert (tmp_path / "kept.csv").stat().st_mode & 0o777 == 0o640


def test_a_port_that_is_taken_is_reported_before_anything_is_built(linked: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", linked / "page.toml", "--logs", linked / "logs", "--port", port)
    said = f"Error: Cannot listen on port {port} of 127.0.0.1: Address already in use; --port 0 selects a free one.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_a_page_file_that_is_not_there_is_reported_as_a_file() -> None:
    done = run("report", "nope.toml")
    assert (done.returncode, done.stderr) == (2, "Error: Page file nope.toml not found.\n")


def test_a_source_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    done = run("ingest", tmp_path / "nope", "--into", tmp_path / "x")
    assert (done.returncode, done.stderr) == (2, f"Error: {tmp_path}/nope: file or folder not found.\n")
    assert not (tmp_path / "x").exists()


def test_the_folder_of_a_case_offers_its_first_run(tmp_path: Path) -> None:
    put_run(tmp_path / "case/1")
    done = run("show", tmp_path / "case")
    assert (done.returncode, f"pass a run, such as {tmp_path}/case/1." in done.stderr) == (2, True)


def test_the_limit_of_what_is_unpacked_gives_an_example() -> None:
    with pytest.raises(Exception, match="set TACHOGRAPH_UNPACKED_GIB=1 to allow 1 GiB"):
        unpacking(0).take(1 << 40)
