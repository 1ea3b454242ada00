"""What is said against a number, and what is not, beside logs of runs that are made up."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from report.audit.finding import Finding
from tests.commandline import PROJECT
from tests.report.audit.made_columns import CARDS, findings, log_of, rates, write_site
from tests.report.audit.small_site import PAGE, audited, make, verdicts

GENERATOR = np.random.default_rng(7)
RUNS = [rates(GENERATOR, 60, 400.0) for _ in CARDS]
RIGHT = [f"{cards * values[10:].mean():.3f}" for cards, values in zip(CARDS, RUNS, strict=True)]


def of_last(folder: Path, digits: str, *, others: list[str] = RIGHT, runs: list[np.ndarray] = RUNS) -> Finding:
    """The finding for the last number of a column whose others are right."""
    write_site(folder, [[(said, log_of(values)) for said, values in zip([*others[:3], digits], runs, strict=True)]])
    return findings(folder)[0][-1]


def changed(digits: str, place: int) -> str:
    """The digits with one of them changed."""
    return digits[:place] + str((int(digits[place]) + 3) % 10) + digits[place + 1 :]


def test_a_last_digit_that_is_wrong_accuses_nobody(tmp_path: Path) -> None:
    assert of_last(tmp_path, changed(RIGHT[3], len(RIGHT[3]) - 1)).verdict == "unexplained"


def test_a_number_that_the_rule_of_its_column_gives_rounded_otherwise_is_not_accused(tmp_path: Path) -> None:
    steady = np.full(60, 154.3214)
    steady[0] *= 1.5
    found = of_last(tmp_path, "1234.570", runs=[*RUNS[:3], steady])
    assert (found.verdict, found.computed) == ("unexplained", "1234.571")


def test_a_number_that_may_be_in_another_unit_or_of_one_card_is_not_contradicted(tmp_path: Path) -> None:
    values = RUNS[3].copy()
    values[0] = values[20] * 1.5
    for number, times in enumerate((0.001, 0.0001, 1 / 8)):
        digits = f"{8 * values[10:].mean() * times * 1.01:.3f}"
        assert of_last(tmp_path / str(number), digits, runs=[*RUNS[:3], values]).verdict == "unexplained"


def test_a_number_by_another_rule_than_its_column_is_not_contradicted(tmp_path: Path) -> None:
    assert of_last(tmp_path, f"{8 * np.percentile(RUNS[3], 66):.3f}").verdict == "unexplained"


@pytest.mark.parametrize(("on_four", "verdict"), [(RIGHT[2], "impossible"), ("777.7", "unexplained")])
def test_a_number_that_the_log_of_another_case_gives_is_impossible_only_where_that_case_has_it(
    on_four: str, verdict: str, tmp_path: Path
) -> None:
    found = of_last(tmp_path, RIGHT[2], others=[*RIGHT[:2], on_four])
    assert found.verdict == verdict
    assert ("N1C4_log, which is named for another case" in str(found.reason)) is (verdict == "unexplained")


def test_a_log_of_more_cards_than_its_name_says_accuses_no_number_of_the_cards_of_its_name(tmp_path: Path) -> None:
    name = "pytorch_gpu1_fp32_bs2560.txt"
    shutil.copy(PROJECT / "tests/parsers/golden/transformer_pytorch/one_node.log", tmp_path / name)
    rows = f"| Cards | PyTorch FP32 (BS=2560) |\n|--:|--:|\n| 1 | [12345.6]({name}) |\n"
    (tmp_path / "README.md").write_text(f"# Transformer\n\nIn words/sec:\n\n{rows}", encoding="utf-8")
    (found,) = audited(tmp_path)
    assert (found.verdict, "label: cards 1, line 1: 8" in str(found.reason)) == ("unexplained", True)


@pytest.mark.parametrize("head", ["Total BS", "Batch size", "总批大小"])
def test_a_batch_size_of_the_whole_job_is_not_contradicted_by_that_of_a_card(head: str, tmp_path: Path) -> None:
    changes = [("FP32 (BS=64) |\n|:--|", f"FP32 | {head} |\n|:--|--|"), (" 399.532 |", " 399.532 | 64 |")]
    assert verdicts(make(tmp_path, *changes, (" 3119.765 |", " 3119.765 | 512 |"))) == ["exact", "exact"]


@pytest.mark.parametrize(
    "words", ["End-to-end", "Target", "Data loading", "images/s incl. compilation", "images/s, first epoch", "理论峰值"]
)
def test_a_number_that_is_said_to_be_of_something_else_than_steps_is_not_accused(words: str, tmp_path: Path) -> None:
    page = make(tmp_path, ("PaddlePaddle FP32", f"{words} FP32"), ("399.532", "250.1"), ("3119.765", "2050.1"))
    assert verdicts(page) == ["unexplained", "unexplained"]


def test_tokens_per_second_are_not_accused_by_a_log_of_samples(tmp_path: Path) -> None:
    page = make(tmp_path, ("PaddlePaddle FP32", "tokens/s FP32"), ("3119.765", "5119.765"))
    assert verdicts(page)[1] == "unexplained"


def test_two_tables_with_the_same_titles_are_of_two_cases_and_accuse_no_number_of_each_other(tmp_path: Path) -> None:
    table = PAGE[PAGE.index("| Cards") : PAGE.index("[1 card]")]
    other = table.replace("399.532", "449.532").replace("3119.765", "3519.765")
    page = make(tmp_path, ("Throughput", f"With DALI, in images/s:\n\n{other}\nThroughput"))
    assert verdicts(page) == ["unexplained", "unexplained", "exact", "exact"]
