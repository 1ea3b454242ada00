"""Logs of a training with progress bars."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.commandline import run

BATCH = "***** Running training *****\n  Total train batch size (w. parallel, distributed & accumulation) = 32\n"


LOSS = "{{'loss': 1.{n:03d}, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.{n:02d}}}\n"


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def bar(steps: Iterable[int], total: int, seconds: float, start: float = 0.0) -> str:
    """A bar of tqdm at these steps, which take so many seconds each; it begins to run at ``start``."""
    shown = f"{seconds:5.2f}s/it" if seconds >= 1 else f"{1 / seconds:5.2f}it/s"
    picture = "\r{percent:3d}%|{picture:10s}| {n}/{total} [{clock}<09:59, {shown}]"
    return "".join(
        picture.format(
            percent=100 * n // total,
            picture="#" * (10 * n // total),
            n=n,
            total=total,
            clock=clock(start + n * seconds),
            shown=shown,
        )
        for n in steps
    )


def trained(first: int, last: int, seconds: float = 2.0, total: int = 90, start: float = 0.0) -> Iterator[str]:
    """A bar of training that goes on from one step to another, and a loss every five steps."""
    for n in range(first, last, 5):
        yield bar(range(n, n + 5), total, seconds, start)
        yield "\r" + " " * 60 + "\r" + LOSS.format(n=n + 4) + bar([n + 4], total, seconds, start)


def shown(folder: Path, *parts: str, options: Iterable[str] = ()) -> dict[str, Any]:
    log = folder / "train.log"
    log.write_text(BATCH + "".join(parts) + "\n", encoding="utf-8", newline="")
    found: dict[str, Any] = json.loads(run("show", "--json", log, *options).stdout)
    return found
