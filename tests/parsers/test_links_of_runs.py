"""Paths in run folders: what a run.json or a link names is taken from the run's own folder, or refused."""

import json
from pathlib import Path

import pytest

from tests.commandline import run
from tests.parsers.run_folders import make_run, put_gpu
from tests.parsers.toy_logs import step

SECRET = b"what nobody is to publish\n"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A run folder of a folder to be scrubbed, and a file elsewhere."""
    (tmp_path / "secret").write_bytes(step(1) + SECRET)
    make_run(tmp_path / "logs/case/1", step(1))
    return tmp_path / "logs"


def published(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["train.log", "gpu.csv", "clock.csv", "run.json"])
def test_scrub_copies_nothing_from_behind_a_link(name: str, shared: Path, tmp_path: Path) -> None:
    (shared / "case/1" / name).unlink(missing_ok=True)
    (shared / "case/1" / name).symlink_to(tmp_path / "secret")
    done = run("scrub", shared if name != "run.json" else shared / "case/1/train.log", "--out", tmp_path / "public")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is a link that leads out of the folder" in done.stderr
    assert SECRET not in published(tmp_path / "public")


def test_scrub_reads_a_link_that_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(step(1))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/b.log").symlink_to(tmp_path / "a.log")
    assert run("scrub", tmp_path / "links/b.log", "--out", tmp_path / "public").returncode == 0
    assert (tmp_path / "public/b.log").read_bytes() == step(1)


def test_ingest_takes_no_side_file_from_behind_a_link(shared: Path, tmp_path: Path) -> None:
    gpu = put_gpu(tmp_path / "train.log", "1,0,50,1000,100,1000,1000,50")
    (shared / "case/1/gpu.csv").symlink_to(gpu)
    done = run("ingest", shared / "case/1/train.log", "--into", tmp_path / "suite", "--verbose")
    assert f"is a symbolic link. {shared}/case/1/gpu.csv" in done.stdout
    assert [path.name for path in (tmp_path / "suite").rglob("gpu.csv")] == []
    assert len(list((tmp_path / "suite").rglob("train.log"))) == 1


@pytest.mark.parametrize("name", ["..", "/", "a\0b", ""])
@pytest.mark.parametrize("command", ["show", "scrub"])
def test_a_run_json_that_names_no_file_as_its_log_is_one_sentence(command: str, name: str, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", step(1)).parent
    (folder / "run.json").write_text(json.dumps({"case": {}, "log": {"file": name}}), encoding="utf-8")
    options = ("--out", tmp_path / "public") if command == "scrub" else ()
    done = run(command, folder, *options)
    assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (2, 1, False)


@pytest.mark.parametrize("name", ["train", ".ingest"])
def test_ingest_puts_no_run_behind_a_link(name: str, tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/train.log").write_bytes(step(1))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "suite").mkdir()
    for link in (name, f"sources__{name}"):
        (tmp_path / "suite" / link).symlink_to(tmp_path / "elsewhere")
    done = run("ingest", tmp_path / "sources", "--into", tmp_path / "suite")
    assert (done.returncode, done.stderr.count("\n"), "is a link" in done.stderr) == (2, 1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
