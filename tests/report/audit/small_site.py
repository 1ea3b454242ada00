"""A small published page beside copies of golden logs, and what an audit finds of it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from report.audit.audited_pages import audit_files, markdown_files
from report.audit.finding import Finding
from report.pagefile.page import Page
from report.published.document import parse_document
from report.published.published_numbers import PublishedNumber, published
from tests.commandline import PROJECT

GOLDEN = PROJECT / "tests/report/golden"
LOGS = PROJECT / "tests/report/golden/logs/A100"
ONE, EIGHT = (f"PaddleClas_Toy50_bs64_fp32_DP_N1C{cards}_log" for cards in (1, 8))
TENSORFLOW_ONE, TENSORFLOW_EIGHT = "tf_gpu1_fp32_bs64.txt", "tf_gpu8_fp32_bs64.txt"
PAGE = f"""# Toy50 on A100

Throughput in images/s:

| Cards | PaddlePaddle FP32 (BS=64) |
|:--|--:|
| 1 | 399.532 |
| 8 | 3119.765 |

[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})
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
    (folder / name).write_text(page, encoding="utf-8")
    return folder / name


def add_tensorflow(folder: Path) -> None:
    """Copy the logs of another framework, which state batch size 32 for 8 cards though their names say 64."""
    for name, card in ((TENSORFLOW_ONE, 1), (TENSORFLOW_EIGHT, 8)):
        shutil.copy(next(LOGS.glob(f"tf_gpu{card}_*")), folder / "logs" / name)


def audited(
    *places: Path, tolerance: float = 0.0, pages: Sequence[Page] = (), logs: Path | None = None
) -> list[Finding]:
    """The findings of pages, or of all pages below folders."""
    return [finding for _, finding in audit_files(markdown_files(places), logs, pages, tolerance).findings]


def verdicts(*places: Path, tolerance: float = 0.0) -> list[str]:
    """Their verdicts."""
    return [finding.verdict for finding in audited(*places, tolerance=tolerance)]


def numbers(text: str, path: str = "README.md") -> list[PublishedNumber]:
    """The published numbers of a Markdown text."""
    return list(published(parse_document(text, Path(path))))


def digits(text: str) -> list[str]:
    """Their digits."""
    return [number.digits for number in numbers(text)]


def change(path: Path, found: str, put_there: str) -> None:
    """Change the first place of a file in which a text stands."""
    text = path.read_text(encoding="utf-8")
    assert found in text
    path.write_text(text.replace(found, put_there, 1), encoding="utf-8")


def bad(*pages: Path, logs: Path | None = None) -> list[Finding]:
    """The findings that leave something to mend."""
    return [finding for finding in audited(*pages, logs=logs) if not finding.is_good]
