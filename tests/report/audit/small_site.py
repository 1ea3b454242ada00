"""A small published page beside copies of golden logs, and what an audit finds of it."""

import shutil
from pathlib import Path

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


def rulings(*places: Path, logs: Path | None = None) -> list[str]:
    """The rulings on all measurements."""
    return [finding.ruling for finding in audited(*places, logs=logs)]


def bad(*places: Path, logs: Path | None = None) -> list[Finding]:
    """The findings that make an audit fail."""
    return [finding for finding in audited(*places, logs=logs) if finding.fails()]


def change(path: Path, found: str, put_there: str) -> None:
    """Change the first place of a file in which a text stands."""
    text = path.read_text(encoding="utf-8")
    assert found in text
    path.write_text(text.replace(found, put_there, 1), encoding="utf-8")
