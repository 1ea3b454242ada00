"""The command scrub: what it says, and what it never says."""

import os
from pathlib import Path

from tests.commandline import run
from tests.parsers.toy_logs import step, write

TEXT = b"jdoe@zeus:~$ python train.py --token hf_abcdefghijklmnopqrstuvwxyz012345\n" + step(1)


def test_the_summary_names_nobody(tmp_path: Path) -> None:
    done = run("scrub", write(tmp_path, TEXT), "--out", tmp_path / "public")
    assert [name for name in ("jdoe", "zeus", "hf_") if name in done.stdout + done.stderr] == []


def test_the_summary_counts_what_was_replaced(tmp_path: Path) -> None:
    done = run("scrub", write(tmp_path, TEXT), "--out", "public", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "Wrote 1 copy to public.",
        "       1 host name, 1 distinct, first at train.log:1",
        "       1 user name, 1 distinct, first at train.log:1",
        "       1 credential, first at train.log:1",
    ]


def test_names_that_nothing_marks_are_given(tmp_path: Path) -> None:
    log = write(tmp_path, b"/mnt/data/jroe/imagenet on hera\n" + step(1))
    run("scrub", log, "--out", tmp_path / "public", "--user", "jroe", "--host", "hera")
    assert (tmp_path / "public" / "train.log").read_bytes().startswith(b"/mnt/data/user1/imagenet on host1\n")


def test_names_that_are_none_are_kept(tmp_path: Path) -> None:
    log = write(tmp_path, TEXT)
    run("scrub", log, "--out", tmp_path / "public", "--keep", "zeus")
    assert (tmp_path / "public" / "train.log").read_bytes().startswith(b"user1@zeus:~$")


def test_a_log_that_cannot_be_read_is_status_2_and_one_sentence(tmp_path: Path) -> None:
    done = run("scrub", tmp_path / "absent.log", "--out", tmp_path / "public")
    assert (done.returncode, done.stderr.count("\n"), "absent.log" in done.stderr) == (2, 1, True)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    log = write(tmp_path, TEXT)
    done = run("scrub", log, "--out", log / "public")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_a_name_that_is_no_utf_8_is_copied(tmp_path: Path) -> None:
    log = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.log"))
    log.write_bytes(TEXT)
    assert run("scrub", log, "--out", tmp_path / "public").returncode == 0
    assert (tmp_path / "public" / log.name).is_file()
