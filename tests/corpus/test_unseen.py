"""Logs that nothing was written from: what is counted, and which numbers a clock contradicts in silence."""

import csv
import json
from collections import Counter
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.corpus.fetch import SOURCES, sources
from tests.corpus.unseen import judgements, main, row, silent

SPEEDOMETER = "".join(
    f"INFO:root:Epoch[0] Batch [{step}]\tSpeed: {100 + step / 1000} samples/sec\taccuracy=0.{step}\n"
    for step in range(20, 420, 20)
)
EPOCH = "INFO:root:[Epoch 0] speed: {} samples/sec\ttime cost: 20.0\n"
LOGS = [listed for listed in judgements().values() if listed["set"] != "nonlogs"]


def test_no_listed_log_is_of_a_repository_of_the_corpus() -> None:
    assert {listed["repository"] for listed in LOGS}.isdisjoint(source.repository for source in sources(SOURCES))


def test_at_least_a_hundred_logs_of_forty_repositories_are_listed_and_at_most_four_of_each() -> None:
    counts = Counter(listed["repository"] for listed in LOGS)
    assert (len(LOGS) >= 100, len(counts) >= 40, max(counts.values()) <= 4) == (True, True, True)


def test_the_name_of_a_repository_alone_decides_whether_its_logs_are_held_back() -> None:
    halves = {listed["repository"]: listed["set"] for listed in LOGS if "blind" not in listed["set"]}
    assert halves == {name: ("dev", "held")[sha256(name.encode()).digest()[-1] % 2] for name in halves}


@pytest.mark.parametrize(
    ("text", "status", "has_number"),
    [
        (SPEEDOMETER, "unchecked", True),
        (SPEEDOMETER + EPOCH.format(50), "contradicted", False),
        ("hello\n" * 3, "refused", False),
    ],
)
def test_a_log_has_the_status_of_its_number(tmp_path: Path, text: str, status: str, *, has_number: bool) -> None:
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    found = row(tmp_path, tmp_path / "a.log")
    assert (found.status, found.throughput is not None, bool(found.sides)) == (
        status,
        has_number,
        status == "contradicted",
    )


@pytest.mark.parametrize(
    ("status", "source", "ratio", "is_silent"),
    [
        ("unchecked", "step.time", 3, True),
        ("unchecked", "step.elapsed", 0.3, True),
        ("unchecked", "step.time", 1.9, False),  # pauses may explain it
        ("contradicted", "step.time", 3, False),
        ("confirmed", "step.step_time", 3, False),  # no clock
    ],
)
def test_a_clock_that_is_more_than_twice_off_contradicts_in_silence(
    status: str, source: str, ratio: float, *, is_silent: bool
) -> None:
    check: dict[str, Any] = {"source": source, "ratio": ratio, "tolerance": 0.1, "value": 5.0}
    assert bool(silent({"status": status, "checks": [check]})) == is_silent


def test_csv_and_json_have_a_row_for_each_log_and_one_that_cannot_be_read_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(SPEEDOMETER, encoding="utf-8")
    (tmp_path / "b.log").write_bytes(b"")
    told = CliRunner().invoke(main, [str(tmp_path), "--csv"])
    as_csv = list(csv.DictReader(StringIO(told.stdout)))
    as_json = [json.loads(line) for line in CliRunner().invoke(main, [str(tmp_path), "--json"]).stdout.splitlines()]
    assert [(found["log"], bool(found["throughput"])) for found in as_csv] == [("a.log", True), ("b.log", False)]
    assert [(found["log"], bool(found["throughput"])) for found in as_json] == [("a.log", True), ("b.log", False)]
    assert told.exit_code == 0
