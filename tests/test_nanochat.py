"""nanochat: what its tok/sec counts depends on its version; lines are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run

BATCH = "Total batch size 131,072 => gradient accumulation steps: {passes}\n"
SPEED = "| loss: 9.5 | lrm: 1.00 | dt: {dt}ms | tok/sec: {rate:,} | mfu: 17.60 |"
OLD = f"step {{n:05d}}/00200 (0.50%) {SPEED} total time: 0.00m\n"
NEW = f"step {{n:05d}} (0.50%) {SPEED} epoch: 1 | total time: 0.00m\n"


def steps(line: str, tokens: int, count: int = 9) -> str:
    times = [4096.0, *(512.0 + n for n in range(1, count))]
    return "".join(line.format(n=n, dt=dt, rate=int(tokens / dt * 1000)) for n, dt in enumerate(times))


def shown(folder: Path, text: str) -> dict[str, Any]:
    (folder / "a.log").write_text(text, encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", "--json", folder / "a.log").stdout)
    return found


RATES = {
    "one pass of two": (BATCH.format(passes=2) + steps(OLD, 65_536), "job", 131_072 / 0.5165),
    "all passes": (BATCH.format(passes=2) + steps(OLD, 131_072), "job", None),
    "no total batch size": (steps(OLD, 65_536), "unknown", None),
    "a newer version": (steps(NEW, 131_072), "job", None),
}


@pytest.mark.parametrize(("text", "scope", "rate"), RATES.values(), ids=RATES)
def test_what_a_rate_counts_is_known_by_batch_time_and_version(
    tmp_path: Path, text: str, scope: str, rate: float | None
) -> None:
    found = shown(tmp_path, text)
    first, *_ = found["sides"] or [found["throughput"]]
    assert (first["scope"], rate is None or round(first["value"]) == round(rate)) == (scope, True)
    assert found["status"] == ("contradicted" if rate else "confirmed" if "Total" in text else "unchecked")


def test_a_rate_that_differs_by_something_else_than_the_passes_stays_and_is_told(tmp_path: Path) -> None:
    found = shown(tmp_path, BATCH.format(passes=2) + steps(NEW, 100_000))
    assert [round(check["ratio"], 2) for check in found["checks"]] == [1.31]


def test_stages_of_one_file_are_runs_of_their_own(tmp_path: Path) -> None:
    stages = (BATCH.format(passes=1), steps(NEW, 131_072), BATCH.format(passes=1), steps(NEW, 131_072, 6))
    assert [each["throughput"]["records"] for each in shown(tmp_path, "".join(stages))["runs"]] == [8, 5]


def test_stages_have_batch_sizes_of_their_own(tmp_path: Path) -> None:
    second = BATCH.format(passes=4).replace("131,072", "262,144")
    stages = (BATCH.format(passes=2), steps(OLD, 65_536), second, steps(OLD, 65_536))
    found = [round(each["sides"][0]["value"]) for each in shown(tmp_path, "".join(stages))["runs"]]
    assert found == [round(131_072 / 0.5165), round(262_144 / 0.5165)]
