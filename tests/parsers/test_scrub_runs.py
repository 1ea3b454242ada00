"""Copies of run folders, and where copies go."""

from pathlib import Path

import pytest

from parsers.runs.reading import read
from parsers.runs.runfile import describes, run_file, sha256_of
from parsers.scrubbing.copies import ScrubError, copied, sources
from tachograph.cli import secrets
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.parsers.scrubbing import assert_reads_the_same, scrub, scrub_one
from tests.parsers.toy_logs import step, steps, write

LOG = b"Hostname: zeus\n" + b"".join(steps(3))


def test_a_run_folder_is_copied_whole(tmp_path: Path) -> None:
    log = make_run(tmp_path / "runs" / "1", LOG, case={"batch_size": 8}, environment={"node": "zeus"})
    put_clock(log, "1,1935619200.000")
    put_gpu(log, "1935619200.000,0,1,2,3,4,5,6")
    log.with_name("cpu.csv").write_text("1935619200.000\n")
    scrub(tmp_path / "public", log.parent)
    copy = tmp_path / "public" / "1" / log.name
    names = ["clock.csv", "cpu.csv", "gpu.csv", "run.json", "train.log"]
    assert sorted(path.name for path in copy.parent.iterdir()) == names
    assert_reads_the_same(log, copy)


def test_the_run_file_of_a_copy_describes_the_copy(tmp_path: Path) -> None:
    log = make_run(tmp_path / "run", LOG)
    copy = scrub_one(tmp_path / "public", log)
    run = run_file(copy)
    assert describes(run, copy, sha256_of(copy)) is True
    assert (run["log"]["bytes"], read(copy).warnings) == (copy.stat().st_size, ())


def test_the_run_file_of_a_copy_keeps_the_sum_of_the_log(tmp_path: Path) -> None:
    log = make_run(tmp_path / "run", LOG, source={"commit": "abc"})
    once = scrub_one(tmp_path / "once", log)
    twice = scrub_one(tmp_path / "twice", once)
    assert run_file(once)["source"] == {"commit": "abc", "sha256": sha256_of(log)}
    assert twice.with_name("run.json").read_bytes() == once.with_name("run.json").read_bytes()


def test_the_run_file_names_nobody(tmp_path: Path) -> None:
    said = {"node": "zeus", "home": "/home/jdoe/x", "variables": {"API_KEY": "0123456789abcdef"}}
    copy = scrub_one(tmp_path / "public", make_run(tmp_path / "run", LOG, **said))
    text = copy.with_name("run.json").read_text(encoding="utf-8")
    assert [name for name in ("zeus", "jdoe", "0123456789abcdef") if name in text] == []


def test_a_name_in_the_run_file_is_replaced_in_the_log(tmp_path: Path) -> None:
    log = make_run(tmp_path / "run", b"zeus is up\n" + step(1), hostname="zeus")
    assert scrub_one(tmp_path / "public", log).read_bytes().startswith(b"host1 is up\n")


def test_a_log_that_its_run_file_does_not_describe_stays_undescribed(tmp_path: Path) -> None:
    log = make_run(tmp_path / "run", LOG)
    log.write_bytes(LOG + LOG)
    copy = scrub_one(tmp_path / "public", log)
    assert describes(run_file(copy), copy, sha256_of(copy)) is False


def test_all_runs_of_a_folder_are_copied_under_their_places(tmp_path: Path) -> None:
    for place in ("a/1", "a/2", "b/1"):
        make_run(tmp_path / "suite" / place, LOG)
    copies = scrub(tmp_path / "public", tmp_path / "suite").copies
    assert [str(copy) for copy in copies] == [f"suite/{place}/train.log" for place in ("a/1", "a/2", "b/1")]


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScrubError, match="does not contain run folders"):
        sources([tmp_path])


def test_what_the_folder_of_a_log_tells_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "2n8g").mkdir()
    log = write(tmp_path / "2n8g", LOG, name="rn50_b64_fp32_1.log")
    copy = scrub_one(tmp_path / "public", log)
    assert copy.parent.name == "2n8g"
    assert_reads_the_same(log, copy)


def test_names_of_folders_are_scrubbed_too(tmp_path: Path) -> None:
    (tmp_path / "zeus").mkdir()
    (tmp_path / "other").mkdir()
    logs = [write(tmp_path / "zeus", LOG), write(tmp_path / "other", LOG)]
    assert [str(copy) for copy in scrub(tmp_path / "public", *logs).copies] == ["host1/train.log", "other/train.log"]


def test_a_copy_never_takes_the_place_of_a_log(tmp_path: Path) -> None:
    log = write(tmp_path, LOG)
    with pytest.raises(ScrubError, match="would overwrite a log"):
        scrub(tmp_path, log)
    assert log.read_bytes() == LOG


def test_logs_whose_copies_would_be_one_are_refused(tmp_path: Path) -> None:
    logs = []
    for folder in ("zeus", "host1"):
        (tmp_path / folder).mkdir()
        logs.append(write(tmp_path / folder, b"hostname: zeus\n" if folder == "zeus" else step(1)))
    with pytest.raises(ScrubError, match="would be the copy of 2 logs"):
        scrub(tmp_path / "public", *logs)


def test_nothing_but_copies_is_left_in_their_folder(tmp_path: Path) -> None:
    broken = write(tmp_path, b"", name="empty.log")
    outcome = copied(sources([write(tmp_path, LOG), broken]), tmp_path / "public", secrets())
    assert len(outcome.problems) == 1
    assert [path.name for path in (tmp_path / "public").iterdir()] == ["train.log"]


def test_the_tally_says_how_many_and_where_first(tmp_path: Path) -> None:
    text = b"start\nhost: zeus\nhost: hera\nzeus\nGITHUB_TOKEN=ghp_0123456789abcdefghij0123456789abcdef\n"
    outcome = scrub(tmp_path / "public", write(tmp_path, text))
    told = {kind: (r.occurrences, len(r.distinct), r.line) for kind, r in outcome.replaced.items()}
    assert told == {"host": (3, 2, 2), "credential": (1, 0, 5)}
