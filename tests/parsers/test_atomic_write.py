"""Unfinished folders: held by who writes, and removed by the next one when that was killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from parsers.io.errors import WriteError
from parsers.io.files import PREFIX, replace_file, unfinished, whole, write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from parsers.io.files import unfinished
with unfinished(Path(sys.argv[1])) as made:
    (made / "half").write_text("half")
    if os.fork() == 0:
        print(os.getpid(), flush=True)
    signal.pause()
"""


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(PREFIX)]


def test_what_a_killed_process_left_is_removed_even_when_a_child_of_it_lives(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    child = int(process.stdout.readline())  # by then it has let go of what its parent holds
    process.kill()
    process.wait()
    try:
        assert len(names(tmp_path)) == 1
        with unfinished(tmp_path) as made:
            assert names(tmp_path) == [made.name]
    finally:
        subprocess.run(["kill", "-9", str(child)], check=True)
        process.stdout.close()


def test_what_is_held_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}file").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "elsewhere")
    with unfinished(tmp_path) as first, unfinished(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(names(tmp_path)) == [f"{PREFIX}file", f"{PREFIX}link"]


@pytest.mark.parametrize("name", ["../a", "/tmp/a", "a/../../b", "a\0b"])  # noqa: S108 - nothing is written there
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="is outside the output folder"):
        write_whole(tmp_path / "out", {"first": b"", name: b""})
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]


def test_an_error_while_a_file_is_written_leaves_the_file_before_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")
    with pytest.raises(ZeroDivisionError), whole(tmp_path / "a") as path:
        path.write_text("half")
        raise ZeroDivisionError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "before")]


def test_a_file_that_is_replaced_is_whole_or_as_before(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"before")
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2, 2)); from pathlib import Path"
    program = f"{limit}; from parsers.io.files import replace_file; replace_file(Path(sys.argv[1]), b'after')"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "a"], capture_output=True, text=True, check=False)
    assert f"File too large: '{tmp_path}/a'" in done.stderr
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"before")]
