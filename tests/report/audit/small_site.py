"""A small published page beside copies of golden logs, and what an audit finds of it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from report.audit.audited import Audit
from report.audit.audited import audited as audit_of
from report.audit.rulings import Finding, Ruling
from tests.commandline import PROJECT

GOLDEN = PROJECT / "tests/report/golden"
LOGS = PROJECT / "tests/report/golden/logs/A100"
ONE, EIGHT = (f"PaddleClas_Toy50_bs64_fp32_DP_N1C{cards}_log" for cards in (1, 8))
PAGE = f"""# Toy50 on A100

Throughput in images/s:

| Cards | PaddlePaddle FP32 (BS=64) |
|:--|--:|
| 1 | 399.532 |
| 8 | 3119.765 |

[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})
"""
# The last speed-up is not that of its row, as the others are.
SPEED_UPS = """# Toy

| GPUs | Throughput FP32 | Throughput mixed precision | Speed-up (FP32 to mixed precision) |
|--:|--:|--:|--:|
| 1 | 101.3 | 254.3 | 2.51 |
| 2 | 203.1 | 507.8 | 2.50 |
| 4 | 398.7 | 992.8 | 2.49 |
| 8 | 811.9 | 2062.2 | 3.50 |
"""


def make(folder: Path, *changes: tuple[str, str], page: str = PAGE) -> Path:
    """Write the page, with some of its words changed, beside its logs; returns the path of the page."""
    (folder / "logs").mkdir(parents=True)
    for name in (ONE, EIGHT):
        shutil.copy(LOGS / name, folder / "logs" / name)
    return write(folder, *changes, page=page)


def write(folder: Path, *changes: tuple[str, str], page: str = PAGE, name: str = "README.md") -> Path:
    """Write a page with some of its words changed."""
    for found, put_there in changes:
        assert found in page
        page = page.replace(found, put_there)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(page, encoding="utf-8")
    return folder / name


def audit(*places: Path, logs: Path | None = None) -> Audit:
    """An audit of documents, or of all documents below folders."""
    found = audit_of(places, logs)
    assert found
    return found


def audited(*places: Path, logs: Path | None = None) -> list[Finding]:
    """The findings on all measurements."""
    return [one for one in audit(*places, logs=logs).findings if one.ruling != Ruling.NO_MEASUREMENT]


def bad(*places: Path, logs: Path | None = None) -> list[Finding]:
    """The findings that make an audit fail."""
    return [finding for finding in audited(*places, logs=logs) if finding.fails()]


def change(path: Path, found: str, put_there: str) -> None:
    """Change the first place of a file in which a text stands."""
    text = path.read_text(encoding="utf-8")
    assert found in text
    path.write_text(text.replace(found, put_there, 1), encoding="utf-8")


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
