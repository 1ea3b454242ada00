"""Sides of comparisons for tests: run folders whose logs have the form of nanoGPT's, with times as wanted."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from report.comparing.comparison import ComparedCase, Comparison
from report.comparing.sides import Measured, Run
from tests.parsers.run_folders import make_run

HEAD = "batch_size = {batch}\nblock_size = 1024\ntokens per iteration will be: {tokens:,}\n"
ENVIRONMENT = {
    "cpu": "a processor",
    "cores": 8,
    "driver": "550.54",
    "packages": {"torch": "2.4.0", "numpy": "2.1.0"},
    "frameworks": {"torch": {"version": "2.4.0+cu121", "cuda": "12.1"}},
    "gpus": ["NVIDIA H100"],
    "variables": {"NCCL_ALGO": "Ring"},
}
STEADY = (100.0, 100.1, 99.9)
CASE = {"model": "GPT-2", "cards": 1, "nodes": 1, "batch_size": 12, "device": "NVIDIA H100"}


def log_of(
    milliseconds: float,
    *,
    seed: int = 0,
    steps: int = 60,
    batch: int = 12,
    every: int = 1,
    loss: float = 1.0,
    loss_noise: float = 0.0,
    nan: Sequence[int] = (),
) -> bytes:
    """A log whose steps take about so long, the first one much longer; a line ``every`` so many steps.

    Its losses are so many times as high, with a noise of each run; at the steps ``nan`` they are no numbers.
    """
    random = np.random.default_rng(seed)
    noise = random.normal(0, 0.002, steps)
    height = loss * np.exp(random.normal(0, loss_noise))
    times = milliseconds * np.exp(noise - noise[6:].mean())
    times[0] *= 300
    losses = [np.nan if step in nan else height * (10 - step / 100) for step in range(steps)]
    lines = [
        f"iter {step}: loss {one:.4f}, time {time:.2f}ms, mfu 30.00%\n"
        for step, (time, one) in enumerate(zip(times.tolist(), losses, strict=True))
        if not step % every
    ]
    return (HEAD.format(batch=batch, tokens=batch * 1024) + "".join(lines)).encode()


def make_side(
    suite: Path,
    times: Sequence[float],
    *,
    case: str = "GPT-2_bs12_N1C1",
    starts: Sequence[int] | None = None,
    said: Mapping[str, Any] | None = None,
    **of_log: Any,
) -> Path:
    """A suite with one case, a run for each time (milliseconds a step); ``starts``: the minutes when they began."""
    for number, time in enumerate(times, 1):
        minute = starts[number - 1] if starts else number
        run = {"case": CASE, "environment": ENVIRONMENT, "start": f"2026-01-01T10:{minute:02}:00+00:00"}
        seed = seed_of(f"{suite.name}/{case}/{number}")
        make_run(suite / case / str(number), log_of(time, seed=seed, **of_log), **(run | dict(said or {})))
    return suite


def seed_of(name: str) -> int:
    """A seed of its own for each run, the same every time."""
    return crc32(name.encode())


def sides(tmp_path: Path, factor: float = 1.0, **of_b: Any) -> tuple[Path, Path]:
    """Two suites of a case with three runs each, which alternate; those of the second take so many times as long."""
    a = make_side(tmp_path / "a", STEADY, starts=(1, 4, 5))
    return a, make_side(tmp_path / "b", [time * factor for time in STEADY], starts=(2, 3, 6), **of_b)


def only(found: Comparison) -> ComparedCase:
    """The only case of a comparison."""
    (case,) = found.cases
    return case


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
