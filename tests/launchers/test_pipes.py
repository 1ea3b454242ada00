"""No file of others is waited for: where a pipe stands in its place, that is told."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from native_checkout import METRIC, Native
from test_nodes import put

from launchers.commands import Executor
from launchers.run.folder import RunFolder
from launchers.run.nodes import collect
from parsers.io.files import data_of, opener, replace_file, text_of

IS_PIPE = "it is a pipe, not a file"


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("read", [data_of, text_of], ids=lambda read: read.__name__)
def test_a_pipe_is_refused(read: object, tmp_path: Path) -> None:
    path = pipe(tmp_path / "pipe")
    with pytest.raises(OSError, match=IS_PIPE):
        read(path)  # type: ignore[operator]


def test_nothing_is_appended_to_a_pipe(tmp_path: Path) -> None:
    path = pipe(tmp_path / "pipe")
    with pytest.raises(OSError, match=IS_PIPE), open(path, "a", opener=opener):
        pass


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    path = pipe(tmp_path / "pipe")
    with pytest.raises(OSError, match=IS_PIPE):
        replace_file(path, b"x")
    assert path.is_fifo()


def test_a_job_script_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match=f"pipe: cannot be read: {IS_PIPE}"):
        assert Executor(on="slurm", site=pipe(tmp_path / "pipe")).place


def test_facts_that_are_a_pipe_are_reported(tmp_path: Path) -> None:
    pipe(tmp_path / "1/run.json")
    with pytest.raises(click.ClickException, match=IS_PIPE):
        RunFolder(tmp_path / "1").status()


def test_the_lock_of_a_run_is_not_made_behind_a_link(native: Native) -> None:
    native.run.parent.mkdir(parents=True)
    native.run.with_name(".1.lock").symlink_to(native.top / "elsewhere")
    answer = native.launch()
    assert (answer.returncode, b"could not be written" in answer.stderr) == (1, True)
    assert not (native.top / "elsewhere").exists()


@pytest.mark.parametrize("put_instead", [pipe, Path.mkdir, lambda path: path.write_text("[" * 100_000)])
def test_what_a_job_puts_in_place_of_a_node_is_reported_and_left(
    put_instead: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, 0)
    put_instead(tmp_path / "node1.json")  # type: ignore[operator]
    (tmp_path / "nodes.json").write_text("{}")
    assert [dict(found)["node"] for found in collect(tmp_path)[0]] == [0]
    assert "node1.json ignored: " in capsys.readouterr().err


def test_a_job_that_makes_its_log_a_pipe_ends(native: Native) -> None:
    log = str(native.unfinished / "train.log")
    native.trains(f"import os\nos.unlink({log!r}); os.mkfifo({log!r})\nprint({METRIC!r})\n")
    answer = native.launch()
    assert (answer.returncode, IS_PIPE.encode() in answer.stderr) == (1, True)
