"""Logs that are scrubbed on the way into a suite."""

import gzip
import json
from pathlib import Path

import pytest

from parsers.ingesting.ingest import Ingested, ingest_scrubbed
from parsers.runs.reading import read
from parsers.sharing.workers import ALONE
from tachograph.cli import secrets
from tests.parsers.ingesting import events, everything
from tests.parsers.toy_logs import steps, write

NAMED = b"MASTER_ADDR=zeus.example.edu\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    write(folder, NAMED, *steps(3), name="one.log")
    write(folder, b"zeus is up\n", NAMED, *steps(4), name="two.log")
    return folder


def ingested(into: Path, *sources: Path) -> list[Ingested]:
    found = ingest_scrubbed([str(source) for source in sources], into, ALONE, secrets())
    return [event for event in found if isinstance(event, Ingested)]


def test_no_name_is_left_in_any_file_of_a_suite(lab: Path, tmp_path: Path) -> None:
    assert len(ingested(tmp_path / "logs", lab)) == 2
    assert [path for path in (tmp_path / "logs").rglob("*.*") if b"zeus" in path.read_bytes()] == []


def test_the_same_log_plain_and_packed_is_one_repeat(lab: Path, tmp_path: Path) -> None:
    for name in ("one.log", "two.log"):
        (lab / f"{name}.gz").write_bytes(gzip.compress((lab / name).read_bytes()))
    assert sorted(log.repeat for log in ingested(tmp_path / "logs", lab)) == [1, 1]
    assert [log.is_new for log in ingested(tmp_path / "logs", lab / "one.log.gz")] == [False]


def test_one_host_has_one_placeholder_in_all_logs(lab: Path, tmp_path: Path) -> None:
    ingested(tmp_path / "logs", lab)
    logs = sorted((tmp_path / "logs").rglob("train.log"))
    assert [log.read_bytes().count(b"host1") for log in logs] == [1, 2]


def test_the_run_file_names_the_bytes_that_were_found_and_those_that_are_kept(lab: Path, tmp_path: Path) -> None:
    (first, _) = ingested(tmp_path / "logs", lab)
    run = json.loads((tmp_path / "logs" / first.label / "1" / "run.json").read_bytes())
    assert (run["source"]["sha256"], run["log"]["sha256"] != first.sha256) == (first.sha256, True)


def test_the_owner_of_a_home_folder_is_named_neither_by_a_run_folder_nor_by_what_is_in_it(tmp_path: Path) -> None:
    home = tmp_path / "home" / "jdoe"
    home.mkdir(parents=True)
    write(home, *steps(3))
    ingested(tmp_path / "logs", home)
    files = list((tmp_path / "logs").rglob("*"))
    assert [path for path in files if "jdoe" in path.name or (path.is_file() and b"jdoe" in path.read_bytes())] == []


def test_to_ingest_again_changes_nothing(lab: Path, tmp_path: Path) -> None:
    ingested(tmp_path / "logs", lab)
    before = list(everything(tmp_path / "logs"))
    assert [event.is_new for event in ingested(tmp_path / "logs", lab)] == [False, False]
    assert list(everything(tmp_path / "logs")) == before


def test_a_suite_that_was_scrubbed_can_be_ingested_scrubbed(lab: Path, tmp_path: Path) -> None:
    ingested(tmp_path / "logs", lab)
    assert len(ingested(tmp_path / "others", tmp_path / "logs")) == 2


def test_a_log_reads_the_same_before_and_after_it_was_ingested(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    text = b"global_batch_size: 256\n"
    log = write(folder, text, *steps(3), name="Toy_gpt_bs64_fp16_DP_N1C8_log")
    events(tmp_path / "logs", folder)
    (kept,) = (tmp_path / "logs").rglob("train.log")
    before, after = read(log), read(kept)
    assert before.records.equals(after.records)
    assert {fact.name: fact.value for fact in after.facts.values()} == {f.name: f.value for f in before.facts.values()}
    assert len(after.warnings) == len(before.warnings) == 1
