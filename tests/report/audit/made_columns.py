"""Columns of numbers that are made by protocols, or by none, beside the logs of runs that are made up."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from report.audit.rulings import Finding, Ruling
from tests.report.audit.small_site import audit

CARDS = (1, 2, 4, 8)
Rates = NDArray[np.float64]
LINE = "2031-05-04 {} [INFO]\t[TRAIN] epoch: 1, iter: {}/{}, loss: 1.0000, lr: 0.010000, batch_cost: {:.4f}, "


def rates(generator: np.random.Generator, count: int, level: float) -> Rates:
    """The samples per second and card that the lines of a run print: slow at first, then steady but for noise."""
    warm = 1 - 0.4 * np.exp(-np.arange(count) / 4)
    noise = generator.normal(1, generator.choice([0.002, 0.01, 0.04]), count)
    return np.asarray(np.round(level * warm * noise, 4))


def log_of(values: Rates, batch_size: int = 32) -> str:
    """A log of PaddleSeg that prints these values."""
    lines = []
    for place, value in enumerate(values):
        clock = f"10:{place // 6 % 60:02}:{place % 6 * 10:02}"
        head = LINE.format(clock, 10 * (place + 1), 10 * len(values), batch_size / value)
        lines.append(f"{head}reader_cost: 0.00100, ips: {value:.4f} samples/sec | ETA 00:01:00")
    return "\n".join(lines) + "\n"


def write_site(folder: Path, columns: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Write a page a column, each beside the logs of its numbers: the digits and the log on 1, 2, 4 and 8 cards."""
    for number, column in enumerate(columns):
        place = folder / f"Study{number}"
        (place / "logs").mkdir(parents=True)
        rows, links = [], []
        for cards, (digits, log) in zip(CARDS, column, strict=False):
            name = f"PaddleSeg_toy{number}_bs32_fp32_DP_N1C{cards}_log"
            (place / "logs" / name).write_text(log, encoding="utf-8")
            rows.append(f"| {cards} | {digits} |")
            links.append(f"[{cards} cards](logs/{name})")
        table = "\n".join(["| Cards | PaddlePaddle FP32 (BS=32) |", "|:--|--:|", *rows])
        page = f"# Toy{number}\n\nThroughput in samples/s:\n\n{table}\n\n{', '.join(links)}\n"
        (place / "README.md").write_text(page, encoding="utf-8")


def findings(folder: Path) -> list[list[Finding]]:
    """What an audit finds, a list a page, in the order of the columns."""
    found = audit(folder).by_document
    pages = sorted(found, key=lambda page: int(page.partition("/")[0].removeprefix("Study")))
    measured = ([f for f in found[page] if f.ruling != Ruling.NO_MEASUREMENT] for page in pages)
    return [[f for f in some if f.claim.table >= 0] for some in measured]
