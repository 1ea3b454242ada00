"""Logs of the ranks of a job, and a page of them."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from report.evidence.log_summary import Summary, summarise
from report.measuring.ranks.rank_spread import RankSpread

PAGE = """title = "T"
model = "M"
unit = "samples/s"
tested = []
[columns.a]
title = "A"
[[columns.a.runs]]
logs = "train.log"
protocol = "tipc-plain,skip_records=0"
[[tables]]
name = "one"
title = "One"
columns = [{ column = "a" }]
[[tables.rows]]
title = "R"
case = { cards = 8 }
"""


GRAMMAR = """// made up: lines such as `mine step 1 rate 10.5 samples/s`
start: step_line
step_line: "{word}" "step" step{{"1"}} "rate" throughput{{samples, {scope}, instant}} "samples/s"
%import .vocabulary (step, throughput, samples, {scope}, instant, BLANK)
%ignore BLANK
"""


def log(folder: Path, rates: Sequence[float], *, scope: str = "card", label: str = "{rank}: ", steps: int = 6) -> Path:
    """A log in which each rank prints its rate at each step, a little more with each."""
    lines = [
        f"{label.format(rank=rank)}of_{scope} step {step} rate {rate + step / 1000:g} samples/s\n"
        for step in range(1, steps + 1)
        for rank, rate in enumerate(rates)
    ]
    path = folder / "train.log"
    path.write_text("".join(lines))
    return path


def keys(summary: Summary) -> list[str]:
    return [said.key for said in summary.warnings]


def summary(path: Path, **facts: int) -> Summary:
    (path.parent / "run.json").write_text(json.dumps({"case": facts, "status": "done"}))
    return summarise(path, None, ())


RANKS = 64


STEPS = 40


SLOW = 0.05


def simulated_rates(seed: int, slow: Sequence[int] = ()) -> NDArray[np.float64]:
    """The rates of 64 ranks, which vary by 2% from step to step; of some of them all are 5% lower."""
    rates: NDArray[np.float64] = 100 * (1 + 0.02 * np.random.default_rng(seed).standard_normal((STEPS, RANKS)))
    rates[:, list(slow)] *= 1 - SLOW
    return rates


def spread(values: Sequence[float], *, are_times: bool = False) -> RankSpread:
    return RankSpread(tuple(range(len(values))), tuple(values), "samples/s", 4, are_times=are_times)
