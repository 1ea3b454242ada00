"""Histories for tests: runs as a store holds them, and suites of run folders, with times as wanted."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from report.comparing.sides import Measured, Run
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, log_of, seed_of

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
GATE = 0.03
STEPS = 20


def record(number: int, time: float, **said: Any) -> Run:
    """One run, the ``number``-th, whose work took so long."""
    told: dict[str, Any] = {
        "log": f"suite/case/{number}/train.log",
        "case": "case",
        "sha256": f"{number:064x}",
        "began": (FIRST + timedelta(days=number)).replace(tzinfo=None).isoformat(),
        "commit": f"{number:040x}",
    }
    number_of_run: dict[str, Any] = {
        "unit": "tokens/s",
        "scope": "job",
        "formats": "nanogpt",
        "protocol": "records=step",
        "steps": (3, 20),
        "lines": (5, 22),
    }
    number_of_run |= {name: said.pop(name) for name in number_of_run if name in said}
    return Run(**{**told, **said}, number=Measured(1000 / time, **number_of_run))


def noisy(levels: Sequence[float], noise: float = 0.003, seed: int = 1) -> list[float]:
    """Times around some levels."""
    values = np.random.default_rng(seed).normal(0, noise, len(levels))
    return [level * float(np.exp(value)) for level, value in zip(levels, values, strict=True)]


def runs(levels: Sequence[float], *, noise: float = 0.003, seed: int = 1, **said: Any) -> list[Run]:
    """A run for each level, a day after the other; ``said``: a value for all, or one by the number of the run."""
    return [
        record(number, time, **{name: told(number) if callable(told) else told for name, told in said.items()})
        for number, time in enumerate(noisy(levels, noise, seed), 1)
    ]


def make_suite(suite: Path, times: Sequence[float], *, case: str = "GPT-2", **of_run: Any) -> Path:
    """A suite with a run for each time (milliseconds a step), a day after the other."""
    for number, time in enumerate(times, 1):
        start = (FIRST + timedelta(days=number)).isoformat()
        run = {"case": CASE, "environment": ENVIRONMENT, "start": start, "source": {"commit": f"{number:040x}"}}
        log = log_of(time, seed=seed_of(f"{case}/{number}"), steps=STEPS)
        make_run(suite / case / str(number), log, **(run | of_run))
    return suite
