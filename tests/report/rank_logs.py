"""Logs of the ranks of a job, and a page of them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.commandline import run

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


def rated(rates: Sequence[float]) -> Callable[[int], str]:
    """What a rank prints of its rate at six steps, after one line more for each rank before it."""
    return lambda rank: "".join(
        [
            *("text\n" for _ in range(rank)),
            *(f"of_card step {step} rate {rates[rank] + step / 1000:g} samples/s\n" for step in range(1, 7)),
        ]
    )


def folder(tmp_path: Path, count: int, text: Callable[[int], str], name: str = "rank_{}.log") -> Path:
    for rank in range(count):
        path = tmp_path / "ranks" / name.format(rank)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(rank))
    return tmp_path / "ranks"


def shown(path: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("show", "--json", path, *arguments).stdout)
    return found
