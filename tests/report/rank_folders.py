"""Folders with a log of each rank."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.commandline import run


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
