"""Logs that lie in run folders come with all that belongs to their runs, if it does."""

from pathlib import Path

import pytest

from parsers.ingesting.suite import CHANGED
from tests.parsers.ingesting import logs, run_file, runs
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.parsers.toy_logs import step, write


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    return folder


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def test_a_run_folder_comes_with_all_that_belongs_to_its_run(lab: Path, into: Path) -> None:
    log = make_run(lab / "net/3", step(1), case={"cards": 2}, recipe="toy")
    clock, gpu = put_clock(log, "1,1.0"), put_gpu(log)
    logs(into, lab)
    kept = into / "lab__net/3"
    assert [(kept / x.name).read_bytes() for x in (log, clock, gpu)] == [x.read_bytes() for x in (log, clock, gpu)]
    assert (run_file(into)["case"], run_file(into)["recipe"]) == ({"cards": 2}, "toy")
    assert run_file(into)["ingested"]["path"] == "lab/net/3/train.log"


def test_a_run_folder_that_is_named_itself_keeps_case_and_repeat(lab: Path, into: Path) -> None:
    make_run(lab / "net/3", step(1))
    logs(into, lab / "net/3", lab / "net/3/train.log")
    assert runs(into) == ["net/3/train.log"]


def test_the_run_file_of_another_log_stays_behind(lab: Path, into: Path) -> None:
    log = make_run(lab / "net/3", step(1), case={"cards": 2})
    put_clock(log, "1,1.0")
    log.write_bytes(step(2))
    (found,) = logs(into, lab)
    assert (found.remarks, run_file(into)["case"]) == (
        ("The run.json beside it describes another log and was not copied.",),
        {},
    )
    assert not (into / "lab__net/3/clock.csv").exists()


def test_a_log_that_was_changed_in_its_run_folder_is_reported(lab: Path, into: Path) -> None:
    write(lab, step(1), name="a.log")
    logs(into, lab)
    (into / "lab__a/1/train.log").write_bytes(step(2))
    (found,) = logs(into, lab)
    assert (found.is_new, found.remarks) == (False, (CHANGED.format(log="train.log"),))


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"case": 1}', '{"case": {}, "log": 1}', "[" * 99999])
def test_a_broken_run_file_does_not_stop_its_log(lab: Path, into: Path, text: str) -> None:
    make_run(lab / "net/3", step(1)).with_name("run.json").write_text(text)
    assert len(logs(into, lab)) == 1
