"""A log that holds several runs: a number is that of the run whose facts fit its labels, and of no other one."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from report.audit.finding import Finding
from tests.report.audit.small_site import audited

BATCH_SIZES = (32, 64, 128)
Rates = NDArray[np.float64]


def rates(seed: int, level: float) -> Rates:
    """What the lines of a run print: images per second of the job, slow at first."""
    warm = 1 - 0.3 * np.exp(-np.arange(40) / 3)
    return np.asarray(np.round(level * warm * np.random.default_rng(seed).normal(1, 0.02, 40), 1))


def run(values: Rates, batch_size: int, cards: int = 1) -> str:
    """A log of Horovod's benchmark that prints these values, which are of one card."""
    head = f"Model: toy50\nBatch size: {batch_size}\nNumber of GPUs: {cards}\nRunning warmup...\nRunning benchmark...\n"
    return head + "".join(f"Iter #{place}: {value} img/sec per GPU\n" for place, value in enumerate(values))


def published(values: Rates) -> str:
    """The mean of the records but the first ten."""
    return f"{values[10:].mean():.3f}"


def write_page(folder: Path, log: str, rows: Sequence[tuple[str, str]], label: str = "Batch size") -> Path:
    """Write a log of several runs, and a page with a table whose rows all link to it."""
    (folder / "all.log").write_text(log, encoding="utf-8")
    table = "".join(f"| {case} | {digits} |\n" for case, digits in rows)
    page = folder / "README.md"
    page.write_text(
        f"# Toy\n\n| {label} | images/s |\n|--:|--:|\n{table}\nMade from [all runs](all.log).\n", encoding="utf-8"
    )
    return page


def sweep(folder: Path, order: Sequence[int] = (0, 1, 2)) -> list[Finding]:
    """The findings of a page whose rows, the first of batch size 32, have the numbers of the runs in some order."""
    runs = [rates(seed, 200.0 + 3 * seed) for seed in range(3)]
    log = "".join(run(values, batch_size) for values, batch_size in zip(runs, BATCH_SIZES, strict=True))
    rows = [(str(size), published(runs[number])) for size, number in zip(BATCH_SIZES, order, strict=True)]
    return audited(write_page(folder, log, rows))


def test_each_number_of_a_sweep_in_one_log_is_that_of_the_run_of_its_batch_size(tmp_path: Path) -> None:
    found = sweep(tmp_path)
    assert [one.verdict for one in found] == ["exact"] * 3
    assert [f"run={run} skip_records=10" in str(one.protocol) for run, one in enumerate(found, 1)] == [True] * 3


def test_the_number_of_another_run_of_a_sweep_is_unexplained(tmp_path: Path) -> None:
    assert [one.verdict for one in sweep(tmp_path, (2, 0, 1))] == ["unexplained"] * 3


def test_two_swapped_numbers_of_runs_far_apart_are_accused_of_nothing(tmp_path: Path) -> None:
    runs = [rates(1, 200.0), rates(2, 900.0), rates(3, 4000.0)]
    log = "".join(run(values, batch_size) for values, batch_size in zip(runs, BATCH_SIZES, strict=True))
    rows = [("32", published(runs[0])), ("64", published(runs[2])), ("128", published(runs[1]))]
    found = audited(write_page(tmp_path, log, rows))
    assert [one.verdict for one in found] == ["exact", "unexplained", "unexplained"]


def test_of_numbers_that_no_protocol_made_none_comes_out_of_one_of_many_runs(tmp_path: Path) -> None:
    generator = np.random.default_rng(6)
    runs = [rates(seed, 200.0) for seed in range(8)]
    rows = [(f"try {place}", f"{generator.uniform(195, 205):.2f}") for place in range(60)]
    found = audited(write_page(tmp_path, "".join(run(values, 64) for values in runs), rows, "Run"))
    assert {one.verdict for one in found} == {"unexplained"}
