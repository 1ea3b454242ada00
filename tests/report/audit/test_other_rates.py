"""Rates of one card, and steps per second, come out of logs as throughputs do; nothing is said against others."""

from pathlib import Path

from tests.report.audit.small_site import EIGHT, ONE, audited, make

PAGE = f"""# Toy50 on A100, batch size 64

| Cards | images/s/GPU | it/s |
|:--|--:|--:|
| 1 | 399.532 | 6.2 |
| 8 | 389.971 | 6.0 |

[1 card, FP32](logs/{ONE}), [8 cards, FP32](logs/{EIGHT})
"""


def verdicts(page: Path, column: str) -> list[str]:
    return [finding.verdict for finding in audited(page) if finding.number.column == column]


def test_the_throughput_of_one_card_is_that_of_the_job_by_its_cards(tmp_path: Path) -> None:
    assert verdicts(make(tmp_path, page=PAGE), "images/s/GPU") == ["exact", "exact"]


def test_of_the_throughput_of_one_card_nobody_is_accused(tmp_path: Path) -> None:
    page = make(tmp_path, ("389.971", "3119.765"), ("399.532", "12.5"), page=PAGE)
    assert set(verdicts(page, "images/s/GPU")) <= {"unexplained", "no evidence"}


def test_a_number_of_tokens_that_its_log_of_samples_gives_says_that_the_units_differ(tmp_path: Path) -> None:
    found = audited(make(tmp_path, ("Throughput in images/s", "Throughput in tokens/s")))
    assert [finding.verdict for finding in found] == ["exact", "exact"]
    assert all("tokens/s" in str(finding.reason) and "samples/s" in str(finding.reason) for finding in found)
