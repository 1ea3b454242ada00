"""Numbers beside logs of no known format, which are read by names and units as `show` does: matched, never accused."""

import json
from pathlib import Path

import numpy as np
import pytest

from report.audit.finding import Finding
from report.pagefile.page_file import load
from tests.commandline import run
from tests.report.audit.small_site import audited

LINE = ">> iteration {step}: loss=2.5 speed={speed:.3f} images/sec lr=0.1\n"
PAGE = """# Net50

| GPUs | Throughput (images/s) |
|--:|--:|
"""
PAGE_FILE = """
title = "Net50"
model = "Net50"
unit = "images/s"
tested = ["Made up."]
[columns.net]
title = "Throughput (images/s)"
[[columns.net.runs]]
logs = "logs/net_{cards}gpu.log"
protocol = "estimate=reported,statistic=mean"
[[tables]]
name = "cards"
title = "By cards"
corner = "GPUs"
columns = [{ column = "net" }]
rows = [{ title = "{cards}", case = { cards = 1 } }]
"""


def site(folder: Path, cards: list[int], skip: int = 10) -> list[float]:
    """Write logs, and a page that links to them; returns the mean of each log without its first records."""
    (folder / "logs").mkdir()
    draws, means, rows = np.random.default_rng(19), [], ""
    for count in cards:
        speeds = np.round(draws.normal(600 * count, 9, 200), 3)
        lines = "".join(LINE.format(step=10 * number, speed=speed) for number, speed in enumerate(speeds, 1))
        (folder / f"logs/net_{count}gpu.log").write_text(f"starting on {count} gpus\n{lines}", encoding="utf-8")
        means.append(float(speeds[skip:].mean()))
        rows += f"| {count} | [{means[-1]:.3f}](logs/net_{count}gpu.log) |\n"
    (folder / "README.md").write_text(PAGE + rows, encoding="utf-8")
    return means


def changed(folder: Path, number: float, put_there: str) -> list[Finding]:
    """The findings after one number of the page was changed."""
    page = folder / "README.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace(f"[{number:.3f}]", f"[{put_there}]"), encoding="utf-8")
    return audited(folder)


@pytest.mark.parametrize("put_there", ["4805.000", "4900.125", "9600.5", "12.000"])
def test_a_wrong_number_of_a_log_without_a_format_is_not_accused(put_there: str, tmp_path: Path) -> None:
    means = site(tmp_path, [1, 2, 4, 8])
    found = changed(tmp_path, means[3], put_there)
    assert [one.verdict for one in found] == ["exact", "exact", "exact", "unexplained"]


def test_a_protocol_that_a_page_file_states_accuses_no_number_of_a_log_without_a_format(tmp_path: Path) -> None:
    site(tmp_path, [1])
    stated = tmp_path / "net.toml"
    stated.write_text(PAGE_FILE, encoding="utf-8")
    found = audited(tmp_path / "README.md", pages=[load(stated)])
    assert [one.verdict for one in found] == ["unexplained"]


def test_a_label_that_a_log_without_a_format_contradicts_is_said_and_not_accused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    times = np.round(np.random.default_rng(1).normal(0.213, 0.003, 200), 4)
    lines = "".join(f"iteration {step} loss=2.5 step_time={time:.4f} s\n" for step, time in enumerate(times))
    (tmp_path / "logs/net_1gpu.log").write_text(f"batch_size_per_gpu=128\n{lines}", encoding="utf-8")
    page = PAGE.replace("Net50", "Net50 BS=64") + f"| 1 | [{128 / times.mean():.4f}](logs/net_1gpu.log) |\n"
    (tmp_path / "README.md").write_text(page, encoding="utf-8")
    found = audited(tmp_path)[0]
    assert (found.verdict, "label: batch size 64, line 1: 128" in str(found.reason)) == ("exact", True)


def test_workers_read_logs_without_a_format_and_leave_no_files_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site(tmp_path, list(range(1, 41)))
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setenv("TMPDIR", str(spool))
    done = run("audit", "README.md", "--all", "--json", "--jobs", "2", cwd=tmp_path)
    verdicts = {json.loads(line)["verdict"] for line in done.stdout.splitlines()}
    assert (verdicts, list(spool.iterdir())) == ({"exact"}, [])
