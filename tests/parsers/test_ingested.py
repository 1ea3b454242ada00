"""An ingested log states the facts of the name that it had, and says that this is their witness."""

from pathlib import Path

from parsers.runs.facts import Fact
from parsers.runs.provenance import FILE_NAME, FORMER_NAME
from parsers.runs.runfile import run_file, told_by_name
from tests.parsers.ingesting import logs
from tests.parsers.run_folders import make_run
from tests.parsers.toy_logs import step, write


def test_the_name_that_a_log_had_in_its_source_states_what_it_stated_there(tmp_path: Path) -> None:
    (tmp_path / "4n8g").mkdir()
    log = write(tmp_path / "4n8g", step(1), name="rn50_b128_fp16_3.log")
    logs(tmp_path / "logs", log)
    told = {fact.name: fact.value for fact in told_by_name(run_file(log), log)}
    (kept,) = (tmp_path / "logs").glob("*/1/train.log")
    assert {fact.name: fact.value for fact in told_by_name(run_file(kept), kept)} == told
    assert told["nodes"] == 4


def test_the_witness_is_the_original_file_name(tmp_path: Path) -> None:
    log = make_run(tmp_path / "net/1", step(1), source={"path": "lab/toy_c8_fp16.log"})
    assert Fact("cards", 8, FORMER_NAME) in list(told_by_name(run_file(log), log))


def test_a_log_without_run_json_is_identified_by_its_own_name(tmp_path: Path) -> None:
    assert Fact("cards", 8, FILE_NAME) in list(told_by_name({}, write(tmp_path, step(1), name="toy_c8_fp16.log")))


def test_a_log_beside_the_ingested_one_is_identified_by_its_own_name(tmp_path: Path) -> None:
    make_run(tmp_path, step(1), source={"path": "lab/toy_c8_fp16.log"})
    log = write(tmp_path, step(1), name="other.log")
    assert list(told_by_name(run_file(log), log)) == []
