"""Logs that nothing was written from: what is counted, and which numbers are contradicted without a word."""

import csv
import json
from collections import Counter
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.corpus.fetch import SOURCES, sources
from tests.corpus.listed_logs import LISTED, SPEEDOMETER, folder
from tests.corpus.unseen import Row, main, row, rows, summed_up
from tests.corpus.witnesses import Witness, are_near, is_told, stated

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


def test_a_text_states_the_last_speed_that_it_sums_itself_up_with() -> None:
    text = "Average throughput: 100 samples/s\nTotal: 1,200.5 images/sec in all\n"
    assert stated(text, "samples") == 1200.5


def test_a_speed_of_other_work_or_of_another_unit_is_not_stated() -> None:
    assert stated("Average eval throughput: 100 samples/s\n", "samples") is None
    assert stated("Average throughput: 100 tokens/s\n", "samples") is None


def test_a_speed_of_one_card_is_not_stated_for_the_job() -> None:
    assert stated("Average tokens/s/GPU: 100\n", "tokens") is None
    assert stated("Average 100 tokens/s/GPU\n", "tokens") is None


def test_a_line_that_repeats_does_not_sum_up() -> None:
    text = "".join(f"step {step} average speed {step + 90} samples/s\n" for step in range(3))
    assert stated(text, "samples") is None


def test_a_line_with_two_speeds_states_none() -> None:
    assert stated("Total throughput 100 samples/s, mean 90 samples/s\n", "samples") is None


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


def test_a_warning_tells_of_a_witness_whose_number_it_prints() -> None:
    witness = Witness("records=step estimate=clock", 1748.13, 0.923)
    assert is_told(witness, ["estimate=clock gives 1,748.1 samples/s, 0.923 times as much"])
    assert not is_told(witness, ["Events between the records used: checkpoint, first at line 35 (10 in total)."])


@pytest.mark.parametrize(("ratio", "is_told_too"), [(0.0013, True), (0.0016, False), (0.84, False), (0.91, True)])
def test_a_warning_of_one_witness_tells_of_those_that_are_as_far_off(ratio: float, is_told_too: bool) -> None:
    told = Witness("clock", 0.1, 0.001) if ratio < 0.01 else Witness("clock", 90, 0.9)
    assert are_near(Witness("stamps", 100 * ratio, ratio), told) == is_told_too


def test_a_log_of_no_known_format_has_a_reason(tmp_path: Path) -> None:
    found = only(tmp_path, UNKNOWN)
    assert (found.format, found.prints_speed, found.throughput) == ("", True, None)
    assert found.reason.startswith("None of the 5 lines match a known format")


def test_the_sum_counts_throughputs_of_those_that_print_speed(tmp_path: Path) -> None:
    at = folder(tmp_path, a=SPEEDOMETER, b=UNKNOWN, c="hello\n", d=f"{SPEEDOMETER}Mean: 300 samples/s\n")
    assert summed_up(rows(at)).splitlines() == [
        "4 logs",
        "with a format: 2 of 4 (50%)",
        "that print speed or times: 3 of 4 (75%)",
        "with a throughput, of these: 2 of 3 (67%)",
        "with a throughput, of the others: 0",
        "with a throughput that nothing else confirms: 1",
        "contradicted by more than 5% without a warning: 1",
        "  d.log: 100 samples/s, records=step estimate=reported statistic=mean; but stated in the text: 300 (3.000 x)",
    ]


def test_an_empty_folder_has_no_shares(tmp_path: Path) -> None:
    assert "with a format: 0 of 0" in summed_up(rows(tmp_path)).splitlines()


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
