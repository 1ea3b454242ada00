"""Ingesting: every log becomes a run folder that says where it is from, once, with all that belongs to its run."""

import gzip
import hashlib
import json
import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from parsers.ingesting.ingest import (
    LONGEST,
    NO_METRIC_LINE,
    Ingested,
    SuiteError,
    claimed,
    ingest,
    label,
)
from parsers.ingesting.sources import Candidate, LeftOut
from parsers.io.files import PREFIX
from parsers.runs.reading import read
from parsers.sharing.workers import ALONE
from tests.parsers.ingesting import events, everything, left_out, logs, member, run_file, runs, tar, unreadable
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, steps, write


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    return folder


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def test_a_log_is_kept_byte_for_byte_under_the_names_of_its_path(lab: Path, into: Path) -> None:
    (lab / "v100").mkdir()
    log = write(lab / "v100", step(1), OTHER_NOISE, name="net_fp16.log")
    assert [found.format for found in logs(into, lab)] == [FORMAT]
    assert (into / "lab__v100__net_fp16/1/train.log").read_bytes() == log.read_bytes()


def test_what_is_read_is_said_of_those_logs_of_a_folder_that_hold_it(lab: Path, into: Path) -> None:
    write(lab, step(1), name="known.log")
    own = "".join(f"step {number} loss 2.{number} dt 6.01\n" for number in range(1, 9))
    (lab / "own.log").write_text(own, encoding="utf-8")
    (lab / "other.log").write_text("nothing is trained here\n", encoding="utf-8")
    found = [event for event in ingest([str(lab)], into, ALONE, "dt=s/step") if isinstance(event, Ingested)]
    said = {path.parts[-3]: json.loads(path.read_text()).get("read") for path in into.glob("*/*/run.json")}
    assert said == {"lab__known": None, "lab__own": "dt=s/step"}
    assert {(one.format, one.remarks) for one in found} == {(FORMAT, ()), (None, ())}


def test_its_run_file_says_where_it_is_from_and_what_it_was_and_names_no_folder_of_this_machine(
    lab: Path, into: Path
) -> None:
    text = write(lab, step(1), step(2)).read_bytes()
    logs(into, lab)
    run, sha256 = run_file(into), hashlib.sha256(text).hexdigest()
    assert run["source"] == {"path": "lab/train.log", "sha256": sha256, "bytes": len(text)}
    assert run["log"] == {"file": "train.log", "sha256": sha256, "bytes": len(text)}
    assert str(lab.parent) not in json.dumps(run)


def test_ingesting_twice_changes_nothing(lab: Path, into: Path) -> None:
    write(lab, step(1))
    logs(into, lab)
    before = list(everything(into))
    assert [found.is_new for found in logs(into, lab, lab / "train.log")] == [False, False]
    assert list(everything(into)) == before


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


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_a_packed_log_stays_packed(lab: Path, into: Path, ending: str, pack: object) -> None:
    packed = pack(step(1))  # type: ignore[operator]
    (lab / f"a.log{ending}").write_bytes(packed)
    logs(into, lab)
    assert (into / f"lab__a/1/train.log{ending}").read_bytes() == packed


@pytest.mark.parametrize("first", ["a.log", "a.log.gz"])
def test_the_same_log_plain_and_packed_is_one_repeat(lab: Path, into: Path, first: str) -> None:
    (lab / "a.log.gz").write_bytes(gzip.compress(step(1)))
    (lab / "a.log.zst").write_bytes(zstandard.compress(step(1)))
    write(lab, step(1), name="a.log")
    logs(into, lab / first)
    assert [found.is_new for found in logs(into, lab)] == [False] * 3
    assert len(runs(into)) == 1


def test_a_text_without_metric_lines_is_a_log_where_it_is_named_itself(lab: Path, into: Path) -> None:
    path = write(lab, OTHER_NOISE, name="crash.log")
    assert (left_out(into, lab), runs(into)) == ({"crash.log": NO_METRIC_LINE}, [])
    (found,) = logs(into, path)
    assert (found.format, found.remarks, runs(into)) == (None, (NO_METRIC_LINE,), ["lab__crash/1/train.log"])


def test_what_is_no_log_does_not_stop_the_rest(lab: Path, into: Path) -> None:
    (lab / "weights.bin").write_bytes(bytes(range(1, 32)) * 9)
    (lab / "nothing.log").touch()
    (lab / "latest.log").symlink_to(write(lab, step(1)))
    os.mkfifo(lab / "pipe")
    (lab / "cut.log.gz").write_bytes(gzip.compress(step(1) * 99)[:-9])
    (lab / "more.tar.gz").write_bytes(gzip.compress(tar(member("a.log", step(1)))))
    assert left_out(into, lab) == {
        "weights.bin": "is a binary file.",
        "nothing.log": "is empty.",
        "latest.log": "is a symbolic link.",
        "pipe": "is not a regular file.",
        "cut.log.gz": "cannot be read: its compressed data is truncated.",
        "more.tar.gz": "is an archive inside a source; pass it as a SOURCE.",
    }
    assert runs(into) == ["lab__train/1/train.log"]


@pytest.mark.parametrize("data", [b"", bytes(range(1, 32)) * 9], ids=["empty", "binary"])
def test_a_file_that_is_named_itself_and_is_no_text_is_unreadable(lab: Path, into: Path, data: bytes) -> None:
    assert len(unreadable(into, write(lab, data))) == 1


def test_hidden_files_and_folders_are_left_out_by_name(lab: Path, into: Path) -> None:
    (lab / ".cache").mkdir()
    write(lab / ".cache", step(1))
    write(lab, step(1), name=".a.log")
    assert {(event.name, event.is_unreadable) for event in events(into, lab) if isinstance(event, LeftOut)} == {
        (f"{lab}/.cache", False),
        (f"{lab}/.a.log", False),
    }
    assert runs(into) == []


def test_a_name_that_is_no_utf_8_is_spelt_out_and_its_run_folder_is_read(lab: Path, into: Path) -> None:
    Path(os.fsdecode(os.fsencode(lab) + b"/caf\xe9 [1].log")).write_bytes(step(1))
    logs(into, lab)
    assert (runs(into), run_file(into)["source"]["path"]) == (["lab__caf-1-/1/train.log"], r"lab/caf\xe9 [1].log")
    assert len(read(into / "lab__caf-1-/1/train.log").records) == 1


def test_the_suite_itself_is_no_part_of_a_source_and_not_ingested_into_itself(lab: Path) -> None:
    log = write(lab, step(1))
    logs(lab / "logs", lab)
    assert [found.is_new for found in logs(lab / "logs", lab)] == [False]
    with pytest.raises(SuiteError, match="choose another folder"):
        events(lab, log)


def test_one_process_at_a_time_ingests_into_a_suite(lab: Path, into: Path) -> None:
    write(lab, step(1))
    with claimed(into), pytest.raises(SuiteError, match="another process is ingesting into it"):
        events(into, lab)


def test_what_an_ingest_that_was_killed_left_is_taken_away(lab: Path, into: Path) -> None:
    make_run(into / f"{PREFIX}left" / "half", step(1))
    write(lab, step(2))
    logs(into, lab)
    assert runs(into) == ["lab__train/1/train.log"]


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


def candidate(path: str, **given: object) -> Candidate:
    return Candidate({"path": path}, (), path, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "name"),
    {
        "V100/net_bs8.log": "V100__net_bs8",
        "V100/net_bs8.txt.xz": "V100__net_bs8",
        "V100/trainer.jsonl": "V100__trainer.jsonl",
        "a b/n[1].log": "a-b__n-1-",
        "../../etc/passwd": "etc__passwd",
        ".log": "log",
        "测试/训练.log": "测试__训练",
    }.items(),
)
def test_a_label_is_made_of_the_names_of_a_path(path: str, name: str) -> None:
    assert label(candidate(path)) == (name, None)


@given(st.lists(st.text(min_size=1).filter(lambda name: name.strip("/.")), min_size=1))
def test_a_label_is_one_name_that_every_disk_takes(names: list[str]) -> None:
    name, _ = label(candidate("/".join(names)))
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


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"case": 1}', '{"case": {}, "log": 1}', "[" * 99999])
def test_a_broken_run_file_does_not_stop_its_log(lab: Path, into: Path, text: str) -> None:
    make_run(lab / "net/3", step(1)).with_name("run.json").write_text(text)
    assert len(logs(into, lab)) == 1
