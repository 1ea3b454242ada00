"""Ingesting: every log becomes a run folder that says where it is from, once, with all that belongs to its run."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.ingesting.ingest import LONGEST, NO_METRIC_LINE, NOT_NAMED, Ingested, SuiteError, claimed, ingest, label
from parsers.ingesting.sources import Candidate, LeftOut
from parsers.io.files import PREFIX
from parsers.runs.reading import read
from parsers.sharing.workers import ALONE
from tests.commandline import ENVIRONMENT, PROGRAM, run
from tests.parsers.run_folders import (
    events,
    everything,
    left_out,
    logs,
    make_run,
    member,
    put_clock,
    put_gpu,
    run_file,
    runs,
    tar,
    unreadable,
)
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, PACKERS, step, steps, write


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    return folder


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def test_a_log_is_kept_byte_for_byte_under_the_names_of_its_path_which_its_run_file_says(lab: Path, into: Path) -> None:
    (lab / "v100").mkdir()
    data = write(lab / "v100", step(1), OTHER_NOISE, name="net_fp16.log").read_bytes()
    (found,) = logs(into, lab)
    assert (found.format, (into / "lab__v100__net_fp16/1/train.log").read_bytes()) == (FORMAT, data)
    said, of_log = run_file(into), {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    assert said["source"] == {"path": "lab/v100/net_fp16.log", **of_log}
    assert said["log"] == {"file": "train.log", **of_log}
    assert str(lab.parent) not in json.dumps(said)  # no folder of this machine


def test_a_log_of_an_unknown_program_is_skipped_with_the_option_that_takes_it(lab: Path, into: Path) -> None:
    write(lab, step(1), name="known.log")
    own = "".join(f"step {number} loss 2.{number} dt 6.01\n" for number in range(1, 9))
    (lab / "own.log").write_text(own, encoding="utf-8")
    (lab / "other.log").write_text("nothing is trained here\n", encoding="utf-8")
    (option,) = {event.read for event in events(into, lab) if isinstance(event, LeftOut)} - {""}
    shutil.rmtree(into)
    found = [event for event in ingest([str(lab)], into, ALONE, option) if isinstance(event, Ingested)]
    said = {path.parts[-3]: json.loads(path.read_text()).get("read") for path in into.glob("*/*/run.json")}
    assert said == {"lab__known": None, "lab__own": option}
    assert {(one.format, one.remarks) for one in found} == {(FORMAT, ()), (None, ())}


@pytest.mark.parametrize("first", ["a.log", "a.log.gz", "a.log.zst"])
def test_the_same_log_plain_and_packed_is_one_repeat_kept_as_it_came_first(lab: Path, into: Path, first: str) -> None:
    for ending in ("", ".gz", ".zst"):
        (lab / f"a.log{ending}").write_bytes(PACKERS.get(ending[1:], bytes)(step(1)))
    logs(into, lab / first)
    before = list(everything(into))
    assert [found.is_new for found in logs(into, lab)] == [False] * 3
    assert list(everything(into)) == before
    assert (into / f"lab__a/1/train.{first[2:]}").read_bytes() == (lab / first).read_bytes()


def test_what_is_no_log_does_not_stop_the_rest(lab: Path, into: Path) -> None:
    (lab / "weights.bin").write_bytes(bytes(range(1, 32)) * 9)
    (lab / "nothing.log").touch()
    (lab / "latest.log").symlink_to(write(lab, step(1)))
    os.mkfifo(lab / "pipe")
    (lab / "cut.log.gz").write_bytes(gzip.compress(step(1) * 99)[:-9])
    (lab / "more.tar.gz").write_bytes(gzip.compress(tar(member("a.log", step(1)))))
    (lab / ".cache").mkdir()
    write(lab / ".cache", step(1))
    write(lab, step(1), name=".a.log")
    make_run(into / f"{PREFIX}left" / "half", step(1))  # what an ingest that was killed left
    found = left_out(into, lab)
    assert {name: found.pop(name) for name in ("weights.bin", "nothing.log", "latest.log", "pipe", "cut.log.gz")} == {
        "weights.bin": "is a binary file.",
        "nothing.log": "is empty.",
        "latest.log": "is a symbolic link.",
        "pipe": "is not a regular file.",
        "cut.log.gz": "cannot be read: its compressed data is truncated.",
    }
    assert found.keys() == {"more.tar.gz", ".cache", ".a.log"}
    assert runs(into) == ["lab__train/1/train.log"]
    assert len(unreadable(into, lab / "nothing.log", lab / "weights.bin")) == 2  # which are named themselves


def test_another_log_of_the_same_label_is_another_repeat_and_reported(lab: Path, into: Path) -> None:
    log = write(lab, step(1))
    logs(into, lab)
    log.write_bytes(step(2))
    (found,) = logs(into, lab)
    assert (found.repeat, runs(into)) == (2, ["lab__train/1/train.log", "lab__train/2/train.log"])
    assert found.remarks == ("Another log has the same label; stored as repeat 2.",)


def test_logs_of_several_sources_are_never_taken_for_repeats_of_one(tmp_path: Path, into: Path) -> None:
    for number, name in enumerate(("v100", "a100")):
        (tmp_path / name).mkdir()
        write(tmp_path / name, step(number))
    logs(into, tmp_path / "v100", tmp_path / "a100")
    assert runs(into) == ["a100__train/1/train.log", "v100__train/1/train.log"]


def test_a_text_without_metric_lines_is_a_log_where_it_is_named_itself(lab: Path, into: Path) -> None:
    path = write(lab, OTHER_NOISE, name="crash.log")
    assert (left_out(into, lab), runs(into)) == ({"crash.log": NOT_NAMED}, [])
    (found,) = logs(into, path)
    assert (found.format, found.remarks, runs(into)) == (None, (NO_METRIC_LINE,), ["lab__crash/1/train.log"])


def test_a_name_that_is_no_utf_8_is_spelt_out_and_its_run_folder_is_read(lab: Path, into: Path) -> None:
    Path(os.fsdecode(os.fsencode(lab) + b"/caf\xe9 [1].log")).write_bytes(step(1))
    logs(into, lab)
    assert (runs(into), run_file(into)["source"]["path"]) == (["lab__caf-1-/1/train.log"], r"lab/caf\xe9 [1].log")
    assert len(read(into / "lab__caf-1-/1/train.log").records) == 1


def test_the_suite_itself_is_no_part_of_a_source_and_not_ingested_into_itself(lab: Path) -> None:
    log = write(lab, step(1))
    assert [found.is_new for _ in range(2) for found in logs(lab / "logs", lab)] == [True, False]
    with pytest.raises(SuiteError, match="choose another folder"):
        events(lab, log)


def test_no_side_file_is_taken_from_behind_a_link(lab: Path, into: Path) -> None:
    log = make_run(lab / "case/1", step(1))
    log.with_name("gpu.csv").symlink_to(put_gpu(lab / "train.log", "1,0,50,1000,100,1000,1000,50"))
    assert left_out(into, log).keys() == {"gpu.csv"}
    assert sorted(path.name for path in into.rglob("*.*")) == ["run.json", "train.log"]


def test_no_run_is_put_behind_a_link(lab: Path, into: Path, tmp_path: Path) -> None:
    write(lab, step(1))
    (tmp_path / "elsewhere").mkdir()
    into.mkdir()
    (into / "lab__train").symlink_to(tmp_path / "elsewhere")
    done = run("ingest", lab, "--into", into)
    assert (done.returncode, done.stderr.count("\n"), "link" in done.stderr) == (2, 1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_process_at_a_time_ingests_into_a_suite(lab: Path, into: Path) -> None:
    write(lab, step(1))
    with claimed(into), pytest.raises(SuiteError, match="another process is ingesting into it"):
        events(into, lab)


def test_what_others_put_into_a_suite_is_never_overwritten(lab: Path, into: Path) -> None:
    (into / "lab__train/1").mkdir(parents=True)
    (into / "lab__train/1/mine").touch()
    write(lab, step(1))
    assert [found.repeat for found in logs(into, lab)] == [2]


def test_a_log_reads_the_same_before_and_after_it_was_ingested(lab: Path, into: Path) -> None:
    text = b"global_batch_size: 256\n"
    log = write(lab, text, *steps(3), name="Toy_gpt_bs64_fp16_DP_N1C8_log")
    events(into, lab)
    (kept,) = into.rglob("train.log")
    before, after = read(log), read(kept)
    assert before.records.equals(after.records)
    assert {fact.name: fact.value for fact in after.facts.values()} == {f.name: f.value for f in before.facts.values()}
    assert len(after.warnings) == len(before.warnings) == 1


def labelled(path: str) -> str:
    return label(Candidate({"path": path}, (), path))[0]


@pytest.mark.parametrize(
    ("path", "name"),
    {
        "V100/net_bs8.txt.xz": "V100__net_bs8",
        "V100/trainer.jsonl": "V100__trainer.jsonl",
        "a b/n[1].log": "a-b__n-1-",
        "../../etc/passwd": "etc__passwd",
        ".log": "log",
        "测试/训练.log": "测试__训练",
    }.items(),
)
def test_a_label_is_made_of_the_names_of_a_path(path: str, name: str) -> None:
    assert labelled(path) == name


@given(st.lists(st.text(min_size=1).filter(lambda name: name.strip("/.")), min_size=1))
def test_a_label_is_one_name_that_every_disk_takes(names: list[str]) -> None:
    name = labelled("/".join(names))
    assert 0 < len(name.encode()) <= LONGEST
    assert not name.startswith((".", "-"))
    assert not set("/\\*?[]{}\0\n") & set(name)


def test_a_run_folder_comes_with_all_that_belongs_to_its_run(lab: Path, into: Path) -> None:
    log = make_run(lab / "net/3", step(1), case={"cards": 2}, recipe="toy")
    clock, gpu = put_clock(log, "1,1.0"), put_gpu(log)
    logs(into, lab)
    kept = into / "lab__net/3"
    assert [(kept / x.name).read_bytes() for x in (log, clock, gpu)] == [x.read_bytes() for x in (log, clock, gpu)]
    assert (run_file(into)["case"], run_file(into)["recipe"]) == ({"cards": 2}, "toy")
    assert run_file(into)["ingested"]["path"] == "lab/net/3/train.log"
    logs(into, lab / "net/3")  # which keeps case and repeat, as it is named itself
    assert (into / "net/3/train.log").read_bytes() == step(1)


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


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"case": 1}', '{"case": {}, "log": 1}', "[" * 99999])
def test_a_broken_run_file_does_not_stop_its_log(lab: Path, into: Path, text: str) -> None:
    make_run(lab / "net/3", step(1)).with_name("run.json").write_text(text)
    assert len(logs(into, lab)) == 1


def test_json_is_an_object_a_log_and_one_a_file_that_is_unreadable(lab: Path, into: Path) -> None:
    done = run("ingest", write(lab, step(7), name="copy.log"), "absent.log", "--into", into, "--json", cwd=lab)
    log, absent = map(json.loads, done.stdout.splitlines())
    assert (log["run"], log["status"], log["format"]) == ("lab__copy/1", "new", FORMAT)
    assert (absent["status"], absent["reason"]) == ("unreadable", "file or folder not found.")
    assert (done.returncode, done.stderr) == (1, "Error: absent.log: file or folder not found.\n")


@pytest.mark.parametrize(
    ("words", "status"), [((".",), 1), (("--jobs", "0", "."), 2), ((), 2)], ids=["no log", "no jobs", "no source"]
)
def test_no_log_at_all_is_status_1_and_wrong_use_2(lab: Path, into: Path, words: tuple[str, ...], status: int) -> None:
    write(lab, OTHER_NOISE)
    done = run("ingest", *words, "--into", into, cwd=lab)
    assert (done.returncode, "Error: " in done.stderr) == (status, True)


@pytest.mark.slow
def test_an_ingest_that_was_killed_leaves_whole_runs_and_goes_on(lab: Path, into: Path) -> None:
    for number in range(2000):
        write(lab, *steps(number % 50 + 1), name=f"more_{number}.log")
    command = [*PROGRAM, "ingest", str(lab), "--into", str(into), "--jobs", "2"]
    with subprocess.Popen(command, env=ENVIRONMENT) as process:
        while not list(into.glob("lab__*/1")):
            time.sleep(0.01)
        process.kill()
    assert all((run_ / "run.json").is_file() and (run_ / "train.log").is_file() for run_ in into.glob("lab__*/1"))
    time.sleep(1)  # the processes that it started end by themselves
    assert run("ingest", lab, "--into", into).returncode == 0
    assert len(list(into.iterdir())) == 2000
