"""Odd tables, as people publish them beside their logs: none makes an audit accuse a number that is right, or fail."""

from pathlib import Path

import pytest

from report.audit.finding import GOOD, OPEN
from tests.report.audit.small_site import EIGHT, ONE, audited, bad, make

BLAMELESS = (*GOOD, *OPEN, "no evidence", "dead link", "no numbers")
LINKS = f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})"
HEAD = "| Cards | PaddlePaddle FP32 (BS=64) |\n|:--|--:|\n"
# The logs give 399.532 images/s on one card, and 3119.765 on eight.
TABLES = {
    "a merged cell above two heads": """<table>
<tr><th rowspan="2">Cards</th><th colspan="2">PaddlePaddle FP32 (BS=64)</th></tr>
<tr><th>images/s</th><th>Speed-up</th></tr>
<tr><td>1</td><td>399.532</td><td>1.00</td></tr>
<tr><td>8</td><td>3119.765</td><td>7.81</td></tr>
</table>""",
    "a merged cell over two rows": """<table>
<tr><th>Framework</th><th>Cards</th><th>images/s</th></tr>
<tr><td rowspan="2">PaddlePaddle FP32 (BS=64)</td><td>1</td><td>399.532</td></tr>
<tr><td>8</td><td>3119.765</td></tr>
</table>""",
    "a merged cell that says two cases": """<table>
<tr><th>Cards</th><th>images/s, FP32</th><th>images/s, AMP</th></tr>
<tr><td>8</td><td colspan="2">3119.765</td></tr>
</table>""",
    "two tables that share a head": f"{HEAD}| 1 | 399.532 |\n\nOn eight cards:\n\n| | |\n|:--|--:|\n| 8 | 3119.765 |",
    "a head that comes again": f"{HEAD}| 1 | 399.532 |\n| Cards | PaddlePaddle FP32 (BS=64) |\n| 8 | 3119.765 |",
    "a unit in the caption": f"Table 1: in thousands of images/s.\n\n{HEAD}| 1 | 0.399532 |\n| 8 | 3.119765 |",
    "another unit in the caption": f"Images per hour:\n\n{HEAD}| 1 | 1438315 |\n| 8 | 11231154 |",
    "a unit in the corner": "| images/s | FP32 (BS=64) |\n|:--|--:|\n| 1 GPU | 399.532 |\n| 8 GPUs | 3119.765 |",
    "blanks between thousands": f"{HEAD}| 1 | 399.532 |\n| 8 | 3 119.765 |",
    "narrow blanks between thousands": f"{HEAD}| 1 | 399.532 |\n| 8 | 3\u202f119.765 |",
    "commas between thousands": f"{HEAD}| 1 | 399.532 |\n| 8 | 3,119.765 |",
    "apostrophes between thousands": f"{HEAD}| 1 | 399.532 |\n| 8 | 3'119.765 |",
    "commas for points": f"{HEAD}| 1 | 399,532 |\n| 8 | 3119,765 |",
    "points between thousands": f"{HEAD}| 1 | 399,532 |\n| 8 | 3.119,765 |",
    "underscores between thousands": f"{HEAD}| 1 | 399.532 |\n| 8 | 3_119.765 |",
    "ranges": f"{HEAD}| 1 | 380–410 |\n| 8 | 3000.5–3200.5 |",
    "ranges with blanks": f"{HEAD}| 1 | 380 - 410 |\n| 8 | 3000 ~ 3200 |",
    "ranges in words": f"{HEAD}| 1 | 380 to 410 |\n| 8 | between 3000 and 3200 |",
    "more than": f"{HEAD}| 1 | >300 |\n| 8 | ≥ 3000 |",
    "less than": f"{HEAD}| 1 | <500 |\n| 8 | ≤ 4000 |",
    "about": f"{HEAD}| 1 | ~500 |\n| 8 | ≈ 3300 |",
    "about in words": f"{HEAD}| 1 | approx. 500 |\n| 8 | about 3300 |",
    "no values": f"{HEAD}| 1 | N/A |\n| 8 | OOM |\n| 16 | - |\n| 32 | TBD |\n| 64 | ? |",
    "footnote marks on digits": f"{HEAD}| 1 | 399.532¹ |\n| 8 | 3119.765<sup>2</sup> |\n| 8 | 3119.765[^3] |",
    "footnote marks that are stars": f"{HEAD}| 1 | 399.532* |\n| 8 | 3119.765\\*\\* |\n| 8 | 3119.765† |",
    "a footnote that is a digit": f"{HEAD}| 1 | 399.532 (1) |\n| 8 | 3119.765 [2] |",
    "speed-ups in per cent": f"{HEAD}| 1 | 399.532 (+12.5%) |\n| 8 | 3119.765 (680.9 % more) |",
    "speed-ups beside throughputs": f"{HEAD}| 1 | 399.532 (1x) |\n| 8 | 3119.765 (7.81×) |",
    "speed-ups alone": f"{HEAD}| 1 | 1.00x |\n| 8 | 7.81x |",
    "a change in per cent": f"{HEAD}| 1 | +3.1% |\n| 8 | -2.4 % |",
    "lower is better": "| Cards | s/epoch, FP32 (lower is better) |\n|:--|--:|\n| 1 | 25.5 |\n| 8 | 3.25 |",
    "arrows": "| Cards | FP32 images/s ↑ | Latency ↓ |\n|:--|--:|--:|\n| 1 | 399.532 | 160.2 |\n| 8 | 3119.765 | 164 |",
    "two numbers in a cell": f"{HEAD}| 1 | 399.532 / 410.5 |\n| 8 | 3119.765 → 3300.5 |",
    "spreads": f"{HEAD}| 1 | 399.532 ± 12.125 |\n| 8 | 3119.765 +/- 55.5 |",
    "spreads in brackets": f"{HEAD}| 1 | 399.532 (12.125) |\n| 8 | 3119.765 (σ=55.5) |",
    "numbers that are struck out": f"{HEAD}| 1 | ~~388.1~~ 399.532 |\n| 8 | ~~3000.5~~ 3119.765 |",
    "powers of ten": f"{HEAD}| 1 | 3.99532e2 |\n| 8 | 3.12×10³ |",
    "other digits": f"{HEAD}| 1 | ３９９.５３２ |\n| 8 | ٣١١٩ |",
    "a minus": f"{HEAD}| 1 | -399.532 |\n| 8 | −3119.765 |",
    "peaks and means": """| Cards | FP32 peak images/s | FP32 mean images/s |
|--:|--:|--:|
| 1 | 441.2 | 399.532 |
| 8 | 3333.3 | 3119.765 |""",
    "a row for each statistic": f"{HEAD}| 1 | 399.532 |\n| 8 | 3119.765 |\n| Mean | 1759.649 |\n| Max | 3119.765 |",
    "estimates": f"{HEAD}| 1 | 399.532 |\n| 8 (ideal) | 3196.256 |\n| 8 (expected) | 3190 |",
    "a column of another batch size": f"{HEAD}| 1 | 399.532 |\n| 8, BS=128 | 4100.5 |",
    "inference": "| Cards | FP32 inference images/s |\n|--:|--:|\n| 1 | 1399.5 |\n| 8 | 11195.5 |",
    "a quoted paper": f"{HEAD}| 1 | 399.532 |\n| 8 (paper) | 2900.5 |",
    "emphasis": f"{HEAD}| 1 | **399**.532 |\n| 8 | <b>3119</b>.765 |",
    "entities": f"{HEAD}| 1 | 399&#46;532 |\n| 8 | &nbsp;3119.765&thinsp; |",
    "short and long rows": f"{HEAD}| 1 |\n| 8 | 3119.765 | 5 | 6 | 7 |",
    "no rows": HEAD,
}
UNTRUE = f"{HEAD}| 1 | 399.532 |\n| 8 | 31.5 |"


def write(folder: Path, table: str) -> Path:
    return make(folder, page=f"# Toy50 on A100\n\nThroughput in images/s:\n\n{table}\n\n{LINKS}\n")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_an_odd_table_is_accused_of_nothing(table: str, tmp_path: Path) -> None:
    accused = [finding for finding in audited(write(tmp_path, table)) if finding.verdict not in BLAMELESS]
    assert [(finding.verdict, finding.number.digits, str(finding.reason)) for finding in accused] == []


def test_a_plain_table_with_an_untrue_number_is_accused(tmp_path: Path) -> None:
    assert [finding.verdict for finding in bad(write(tmp_path, UNTRUE))] == ["impossible"]
