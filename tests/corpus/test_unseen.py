"""Logs that nothing was written from: what is counted, and which numbers are contradicted without a word."""

import csv
import json
from collections import Counter
from hashlib import sha256
from io import StringIO
from pathlib import Path

from click.testing import CliRunner

from tests.corpus.fetch import SOURCES, sources
from tests.corpus.listed_logs import LISTED, SPEEDOMETER, folder
from tests.corpus.unseen import Row, main, row

UNKNOWN = "".join(f"round {step}: took {step / 100 + 1} s, loss 0.1\n" for step in range(5))

LOGS = [listed for listed in LISTED if listed["set"] != "nonlogs"]


def test_no_listed_log_is_of_a_repository_of_the_corpus() -> None:
    assert {listed["repository"] for listed in LOGS}.isdisjoint(source.repository for source in sources(SOURCES))


def test_at_least_a_hundred_logs_of_forty_repositories_are_listed_and_at_most_four_of_each() -> None:
    counts = Counter(listed["repository"] for listed in LOGS)
    assert (len(LOGS) >= 100, len(counts) >= 40, max(counts.values()) <= 4) == (True, True, True)


def test_the_name_of_a_repository_alone_decides_whether_its_logs_are_held_back() -> None:
    halves = {listed["repository"]: listed["set"] for listed in LOGS if "blind" not in listed["set"]}
    assert halves == {name: ("dev", "held")[sha256(name.encode()).digest()[-1] % 2] for name in halves}


def only(at: Path, text: str) -> Row:
    return row(folder(at, made_up=text), at / "made_up.log")


def test_a_number_that_the_log_itself_contradicts_is_silent(tmp_path: Path) -> None:
    found = only(tmp_path, f"{SPEEDOMETER}Average throughput: 200 samples/s\n")
    assert (found.throughput, found.silent) == (100, "stated in the text: 200 (2.000 x)")


def test_a_number_that_the_log_itself_confirms_is_not_silent(tmp_path: Path) -> None:
    found = only(tmp_path, f"{SPEEDOMETER}Average throughput: 101 samples/s\n")
    assert (found.witnesses, found.silent) == ("stated in the text: 101 (1.010 x)", "")


def test_what_the_log_states_of_an_earlier_run_says_nothing_of_the_last(tmp_path: Path) -> None:
    found = only(tmp_path, f"{SPEEDOMETER}Average throughput: 200 samples/s\n{SPEEDOMETER}")
    assert (found.protocol.split("run=")[1][0], found.throughput, found.silent) == ("2", 100, "")


def test_epochs_that_contradict_the_steps_are_a_witness_that_a_warning_tells_of(tmp_path: Path) -> None:
    epoch = "INFO:root:[Epoch 0] speed: 50 samples/sec\ttime cost: 20.0\n"
    found = only(tmp_path, SPEEDOMETER + epoch)
    assert "records=epoch estimate=reported statistic=mean: 50 (0.500 x)" in found.witnesses
    assert found.silent == ""


def test_the_command_fails_where_a_number_is_contradicted_in_silence(tmp_path: Path) -> None:
    at = folder(tmp_path, a=SPEEDOMETER)
    assert CliRunner().invoke(main, [str(at)]).exit_code == 0
    folder(tmp_path, b=f"{SPEEDOMETER}Mean: 300 samples/s\n")
    assert CliRunner().invoke(main, [str(at)]).exit_code == 1


def test_csv_and_json_have_a_row_for_each_log(tmp_path: Path) -> None:
    at = folder(tmp_path, a=SPEEDOMETER, b=UNKNOWN)
    as_csv = list(csv.DictReader(StringIO(CliRunner().invoke(main, [str(at), "--csv"]).stdout)))
    as_json = [json.loads(line) for line in CliRunner().invoke(main, [str(at), "--json"]).stdout.splitlines()]
    assert [(found["log"], found["throughput"]) for found in as_csv] == [("a.log", "100.0"), ("b.log", "")]
    assert [(found["log"], found["throughput"]) for found in as_json] == [("a.log", 100.0), ("b.log", None)]
