"""What somebody new to the program does wrong is told before anything is made."""

from pathlib import Path

import pytest

from tests.commandline import run
from tests.report.one_run_page import put_page, put_run


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A page whose only run lies behind a link out of the folder of logs."""
    put_run(tmp_path / "elsewhere")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a").symlink_to(tmp_path / "elsewhere")
    put_page(tmp_path, "a/*.log")
    return tmp_path


def test_a_table_is_written_through_a_link_that_the_user_names(tmp_path: Path) -> None:
    log = put_run(tmp_path / "run")
    (tmp_path / "kept.csv").write_text("before", encoding="utf-8")
    (tmp_path / "kept.csv").chmod(0o640)
    (tmp_path / "out.csv").symlink_to(tmp_path / "kept.csv")
    run("parse", log, "--out", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert (tmp_path / "kept.csv").read_text(encoding="utf-8").startswith("log,")
    assert (tmp_path / "kept.csv").stat().st_mode & 0o777 == 0o640


def test_a_source_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    done = run("ingest", tmp_path / "nope", "--into", tmp_path / "x")
    assert (done.returncode, f"{tmp_path}/nope" in done.stderr) == (2, True)
    assert not (tmp_path / "x").exists()
