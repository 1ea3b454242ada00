"""Histories for tests: records of runs as an index holds them, and suites of run folders, with times as wanted."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from report.comparing.history.case_history import CaseHistory, case_history
from report.comparing.history.run_order import By
from report.comparing.history.run_record import RunRecord
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, log_of, seed_of

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
GATE = 0.03
STEPS = 20


def record(number: int, time: float, **said: Any) -> RunRecord:
    """One run, the ``number``-th, whose work took so long."""
    told: dict[str, Any] = {
        "root": "suite",
        "path": f"case/{number}/train.log",
        "case": "case",
        "is_loose": False,
        "log_bytes": 1,
        "log_mtime_ns": 1,
        "run_bytes": 1,
        "run_mtime_ns": 1,
        "run_sha256": "",
        "beside": "",
        "log_sha256": f"{number:064x}",
        "began": (FIRST + timedelta(days=number)).replace(tzinfo=None).isoformat(),
        "commit": f"{number:040x}",
        "version": "2.4.0",
        "throughput": 1000 / time,
        "unit": "tokens/s",
        "scope": "job",
        "formats": "nanogpt",
        "protocol": "records=step",
        "first_step": 3,
        "last_step": 20,
        "first_line": 5,
        "last_line": 22,
    }
    return RunRecord(**{**told, **said})


def environment(**own: str) -> str:
    """An environment as a record holds it."""
    return json.dumps([{f"environment.{name}": value for name, value in own.items()}, {}])


def noisy(levels: Sequence[float], noise: float = 0.003, seed: int = 1) -> list[float]:
    """Times around some levels."""
    values = np.random.default_rng(seed).normal(0, noise, len(levels))
    return [level * float(np.exp(value)) for level, value in zip(levels, values, strict=True)]


def history_of(records: Sequence[RunRecord], by: By = "date") -> CaseHistory:
    """The history of one case."""
    return case_history("case", records, by, GATE)


def make_suite(suite: Path, times: Sequence[float], *, case: str = "GPT-2", **of_run: Any) -> Path:
    """A suite with a run for each time (milliseconds a step), a day after the other."""
    for number, time in enumerate(times, 1):
        start = (FIRST + timedelta(days=number)).isoformat()
        run = {"case": CASE, "environment": ENVIRONMENT, "start": start, "source": {"commit": f"{number:040x}"}}
        log = log_of(time, seed=seed_of(f"{case}/{number}"), steps=STEPS)
        make_run(suite / case / str(number), log, **(run | of_run))
    return suite
