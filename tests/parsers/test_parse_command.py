"""The command parse: one bad log does not lose the others, and any name can be written."""

import os
from pathlib import Path

import pytest

from tests.commandline import run
from tests.parsers.toy_logs import step, write


def test_a_log_that_cannot_be_read_does_not_lose_the_others(tmp_path: Path) -> None:
    log, out = write(tmp_path, step(1)), tmp_path / "records.csv"
    done = run("parse", tmp_path / "absent.log", log, "--out", out)
    assert (done.returncode, "absent.log" in done.stderr, len(out.read_text().splitlines())) == (2, True, 2)


def test_a_name_that_is_no_utf_8_is_written_with_escapes(tmp_path: Path) -> None:
    log, out = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.log")), tmp_path / "records.csv"
    log.write_bytes(step(1))
    done = run("parse", log, "--out", out)
    assert (done.returncode, r"caf\udce9.log" in out.read_text()) == (0, True)


def test_a_table_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(step(1))
    (tmp_path / "b.csv").mkdir()
    done = run("parse", log, "--out", tmp_path / "b.csv")
    assert (done.returncode, str(tmp_path / "b.csv") in done.stderr) == (2, True)


@pytest.mark.parametrize("is_link", [False, True])
def test_records_are_not_written_over_a_log(tmp_path: Path, is_link: bool) -> None:
    log = tmp_path / "steps.csv"
    log.write_text("_step,_runtime,loss\n" + "".join(f"{n},{n * 2.5},1.5\n" for n in range(1, 9)), encoding="utf-8")
    before, out = log.read_bytes(), tmp_path / "link.csv" if is_link else log
    if is_link:
        out.symlink_to(log)
    done = run("parse", log, "--out", out)
    assert (done.returncode, "is one of the logs" in done.stderr, log.read_bytes()) == (2, True, before)
