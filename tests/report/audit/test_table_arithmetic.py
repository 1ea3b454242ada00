"""What the numbers of a table say of each other, whatever their logs do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.audit.table_arithmetic import with_arithmetic
from report.published.arithmetic import recomputed
from report.published.document import parse_document
from tests.report.audit.small_site import audited

RATES = {1: (201.53, 643.21), 2: (399.97, 1259.78), 4: (780.14, 2404.25), 8: (1501.52, 4552.61)}
NAMED = ("GPUs", "Throughput - FP32", "Throughput - mixed precision", "Throughput speedup (FP32 - mixed precision)")


def page(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def accused(text: str) -> dict[str, str]:
    """The numbers of a page that do not follow, each with what its operands give."""
    found = with_arithmetic([], [parse_document(text, Path("README.md"))])
    return {one.number.digits: str(one.reason) for one in found if one.verdict == "inconsistent"}


def following(text: str) -> list[str]:
    return [one.printed.digits for one in recomputed(parse_document(text, Path("README.md"))) if one.is_consistent]


def speed_ups(changes: Mapping[int, object] | None = None, head: Sequence[str] = NAMED, factor: float = 1.0) -> str:
    """A table of true speed-ups, but for those that are changed, by their cards."""
    shown = {cards: f"{fast / slow * factor:.2f}" for cards, (slow, fast) in RATES.items()} | dict(changes or {})
    return page(head, [(cards, slow, fast, shown[cards]) for cards, (slow, fast) in RATES.items()])


def test_speed_ups_that_follow_are_said_to() -> None:
    assert following(speed_ups()) == ["3.19", "3.15", "3.08", "3.03"]


def test_a_last_digit_may_be_cut_off_instead_of_rounded() -> None:
    assert accused(speed_ups({2: "3.14"})) == {}


def test_a_last_digit_that_neither_rounding_gives_is_named() -> None:
    assert list(accused(speed_ups({2: "3.16"}))) == ["3.16"]


def test_operands_are_as_exact_as_they_are_printed() -> None:
    rows = [(1, 4.1, 3.3, 1.26), (2, 4.4, 2.2, 2.00), (4, 4.8, 1.6, 3.00)]
    assert accused(page(("GPUs", "Hours with FP32", "Hours with AMP", "Speed-up with AMP"), rows)) == {}


def test_a_speed_up_of_times_is_the_inverse() -> None:
    head = ("GPUs", "Time to train - mixed precision", "Time to train - FP32", "Time to train speedup (FP32 to AMP)")
    assert list(accused(speed_ups({4: "1.33"}, head))) == ["1.33"]


@pytest.mark.parametrize("sign", ["%", ""])
def test_speed_ups_may_be_printed_per_cent(sign: str) -> None:
    true = {cards: f"{100 * fast / slow:.0f}{sign}" for cards, (slow, fast) in RATES.items()}
    assert accused(speed_ups(true)) == {}
    assert list(accused(speed_ups(true | {4: f"381{sign}"}))) == ["381"]


def test_durations_are_read_with_their_units() -> None:
    head = ("GPUs", "Time to train - FP32", "Time to train - AMP", "Time to train speedup (FP32 to AMP)")
    rows = [(1, "8h 20min", "4h 10min", "2.00"), (2, "4:12:00", "2:06:00", "2.00"), (4, "2h 6min", "1h 10min", "1.25")]
    assert list(accused(page(head, rows))) == ["1.25"]


def test_a_column_whose_head_names_the_other_columns_is_not_accused() -> None:
    head = ("GPUs", "Throughput - FP32", "Throughput - AMP", "Weak scaling - AMP", "Weak scaling - FP32")
    rows = [(n, slow, fast, f"{slow / 201.53:.2f}", f"{fast / 643.21:.2f}") for n, (slow, fast) in RATES.items()]
    assert accused(page(head, rows)) == {}


def test_speed_ups_of_operands_that_the_page_does_not_print_are_not_accused() -> None:
    assert accused(speed_ups({1: "7.71", 2: "6.02", 4: "5.33", 8: "4.04"}, ("GPUs", "A", "B", "Speedup over C"))) == {}


def test_the_numbers_themselves_say_what_a_column_without_a_plain_head_is() -> None:
    assert list(accused(speed_ups({4: "5.09"}, ("卡数", "框架甲", "框架乙", "加速比")))) == ["5.09"]


def test_rows_may_be_compared_with_each_other() -> None:
    rates = [("FP32", 1, 101.7), ("FP32", 2, 199.3), ("FP32", 4, 391.1), ("FP32", 8, 760.9), ("FP32", 16, 1499.3)]
    rows = [(*row, "-") for row in rates]
    rows += [
        ("AMP", n, rate * n, f"{rate * n / slow:.3f}")
        for (_, n, slow), rate in zip(rates, (281, 255, 230, 200, 181), strict=True)
    ]
    text = page(("Precision", "GPUs", "images/s", "Speedup"), rows)
    assert (accused(text), len(following(text))) == ({}, 5)
    assert list(accused(text.replace("2.352", "3.352"))) == ["3.352"]


def test_an_efficiency_is_divided_by_the_cards() -> None:
    rows = [(n, slow, f"{100 * slow / 201.53 / n:.2f}%") for n, (slow, _) in RATES.items()]
    text = page(("GPUs", "images/s", "Scaling efficiency"), rows)
    assert accused(text) == {}
    assert list(accused(text.replace("93.13%", "97.13%"))) in (["97.13"], [])


def test_the_mean_of_a_row_is_that_of_its_runs() -> None:
    runs = [(r"a", 101.5, 103.5, 104.1), ("b", 55.1, 56.3, 57.9), ("c", 33.7, 35.1, 31.9), ("d", 77.7, 79.9, 78.1)]
    rows = [(*run, f"{sum(run[1:]) / 3:.1f}") for run in runs]
    text = page(("Model", "Run 1", "Run 2", "Run 3", "Average"), rows)
    assert (accused(text), following(text)) == ({}, ["103.0", "56.4", "33.6", "78.6"])
    assert accused(text.replace("| 33.6 |", "| 36.3 |")) == {
        "36.3": "Other numbers of its table give 33.6: (33.7 + 35.1 + 31.9) / 3."
    }


def test_the_mean_row_of_a_table_is_that_of_its_columns() -> None:
    rows = [("a", 101.5, 55.1, 33.7, 77.7), ("b", 103.5, 56.3, 35.1, 79.9), ("**Mean**", 102.5, 55.7, 34.4, 87.8)]
    assert list(accused(page(("Model", "A", "B", "C", "D"), rows))) == ["87.8"]


def test_the_throughput_of_all_cards_is_so_many_times_that_of_one() -> None:
    rows = [(n, f"{slow / n:.2f}", slow) for n, (slow, _) in RATES.items()]
    text = page(
        ("GPUs", "images/s per GPU", "images/s"), [(n, one, 780.14 if n == 4 else all_) for n, one, all_ in rows]
    )
    assert accused(text) == {}
    assert list(accused(text.replace("780.14", "870.14"))) == ["870.14"]


def test_a_throughput_far_from_the_batch_over_its_time_is_named() -> None:
    rows = [
        (batch, time, f"{batch / time * 1000:.1f}") for batch, time in ((8, 31.7), (16, 52.3), (32, 97.1), (64, 188.9))
    ]
    text = page(("Batch size", "Step time (ms)", "images/s"), rows)
    assert accused(text) == {}
    assert list(accused(text.replace("| 305.9 |", "| 1682.5 |"))) == ["1682.5"]
    assert accused(text.replace("| 305.9 |", "| 2447.2 |")) == {}, "of eight cards, maybe"


def test_a_throughput_near_the_batch_over_its_latency_may_be_measured_apart() -> None:
    rows = [
        (batch, time, f"{batch / time * 1000:.1f}") for batch, time in ((8, 31.7), (16, 52.3), (32, 97.1), (64, 188.9))
    ]
    assert accused(page(("Batch size", "Latency (ms)", "images/s"), rows).replace("| 305.9 |", "| 333.3 |")) == {}


OPERATIONS = ("Model", "GPUs", "TP", "Tokens / sec / GPU", "Model TFLOP / sec / GPU")


def of_models(changes: Mapping[int, float] | None = None, head: Sequence[str] = OPERATIONS) -> str:
    """Tokens per second of two models, and the operations per second that they take, but for those that change."""
    rates = [(n, round(11317 / (1 + n / 200))) for n in (8, 16, 32, 64, 128)]
    rows = [("7B", n, n // 8, rate, f"{0.04625 * rate * (changes or {}).get(n, 1):.1f}") for n, rate in rates]
    return page(head, [*rows, ("70B", 8, 8, 1213, "543.4"), ("70B", 16, 8, 1201, "499.9")])


def test_operations_per_second_are_in_proportion_to_the_tokens_of_the_same_model() -> None:
    text = of_models()
    assert (accused(text), len(following(text))) == ({}, 5)
    assert accused(of_models({32: 1.2})) == {"541.5": "Other numbers of its table give 451.2: 503.3 × 9756 / 10882."}


def test_operations_per_second_that_no_log_gives_are_consistent_with_the_tokens(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(of_models(), encoding="utf-8")
    found = [finding.verdict for finding in audited(tmp_path) if "TFLOP" in finding.number.column]
    assert sorted(found) == ["consistent"] * 5 + ["no evidence"] * 2


def test_operations_that_were_counted_a_little_later_are_no_false_ones() -> None:
    assert accused(of_models({32: 1.03})) == {}


@pytest.mark.parametrize("head", ["Seq len", "Recompute"])
def test_rows_whose_settings_may_change_the_operations_of_a_token_are_not_compared(head: str) -> None:
    assert accused(of_models({32: 1.2}, (*OPERATIONS[:2], head, *OPERATIONS[3:]))) == {}


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.booleans())
def test_one_changed_number_is_named_and_no_other(made: Random, is_named: bool) -> None:
    rates = [(round(x := made.uniform(100, 999), 2), round(x * made.uniform(1.2, 4), 2)) for _ in range(8)]
    shown = [round(fast / slow, 3) for slow, fast in rates]
    changed = made.randrange(8)
    shown[changed] = round(shown[changed] * made.choice((0.7, 0.9, 1.1, 1.4)), 3)
    rows = [(2**n, *pair, f"{one:.3f}") for n, (pair, one) in enumerate(zip(rates, shown, strict=True))]
    found = set(accused(page(NAMED if is_named else ("GPUs", "A", "B", "Speedup"), rows)))
    assert found <= {f"{shown[changed]:.3f}"}
    assert found or not is_named


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_numbers_that_nothing_relates_are_never_accused(made: Random) -> None:
    rows = [(2**n, *(f"{made.uniform(1, 4):.2f}" for _ in range(4))) for n in range(6)]
    assert accused(page(("GPUs", "images/s", "Images/s with XLA", "Speedup", "Average"), rows)) == {}


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_operations_that_nothing_relates_to_rates_are_never_accused(made: Random) -> None:
    rows = [("7B", 2**n, 1, made.randrange(1000, 1100), f"{made.uniform(500, 550):.1f}") for n in range(8)]
    assert accused(page(OPERATIONS, rows)) == {}


def test_of_two_columns_with_the_same_operands_one_that_follows_is_theirs_and_the_other_is_not_accused() -> None:
    head = ("GPUs", "Throughput (samples/s)", "Weak scaling", "Strong scaling")
    rows = [(1, 100, "1.00", "1.00"), (2, 190, "1.90", "1.85"), (4, 350, "3.50", "3.30"), (8, 690, "6.90", "5.10")]
    assert accused(page(head, rows)) == {}
    assert list(accused(page(head[:2] + head[3:], [(*row[:2], row[3]) for row in rows]))) == ["5.10"]
