"""What the numbers of a table say of each other, whatever their logs do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.audit.table_arithmetic import with_arithmetic
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


def speed_ups(changes: Mapping[int, object] | None = None, head: Sequence[str] = NAMED) -> str:
    """A table of true speed-ups, but for those that are changed, by their cards."""
    shown = {cards: f"{fast / slow:.2f}" for cards, (slow, fast) in RATES.items()} | dict(changes or {})
    return page(head, [(cards, slow, fast, shown[cards]) for cards, (slow, fast) in RATES.items()])


OPERATIONS = ("Model", "GPUs", "TP", "Tokens / sec / GPU", "Model TFLOP / sec / GPU")


def of_models(changes: Mapping[int, float] | None = None, head: Sequence[str] = OPERATIONS) -> str:
    """Tokens per second of two models, and the operations per second that they take, but for those that change."""
    rates = [(n, round(11317 / (1 + n / 200))) for n in (8, 16, 32, 64, 128)]
    rows = [("7B", n, n // 8, rate, f"{0.04625 * rate * (changes or {}).get(n, 1):.1f}") for n, rate in rates]
    return page(head, [*rows, ("70B", 8, 8, 1213, "543.4"), ("70B", 16, 8, 1201, "499.9")])


def of_batches(head: str, changed: str = "305.9") -> str:
    """A table of four batch sizes, their times, and what these make; the second may be changed."""
    times = ((8, 31.7), (16, 52.3), (32, 97.1), (64, 188.9))
    rows = [(batch, time, f"{batch / time * 1000:.1f}".replace("305.9", changed)) for batch, time in times]
    return page(("Batch size", head, "images/s"), rows)


def of_rows(changed: str = "2.352") -> str:
    """A table whose rows are compared with each other."""
    rates = [("FP32", 1, 101.7), ("FP32", 2, 199.3), ("FP32", 4, 391.1), ("FP32", 8, 760.9), ("FP32", 16, 1499.3)]
    made = [
        ("AMP", n, rate * n, f"{rate * n / slow:.3f}".replace("2.352", changed))
        for (_, n, slow), rate in zip(rates, (281, 255, 230, 200, 181), strict=True)
    ]
    return page(("Precision", "GPUs", "images/s", "Speedup"), [*((*row, "-") for row in rates), *made])


def of_runs(changed: str = "33.6") -> str:
    """A table of three runs and their mean."""
    runs = [("a", 101.5, 103.5, 104.1), ("b", 55.1, 56.3, 57.9), ("c", 33.7, 35.1, 31.9), ("d", 77.7, 79.9, 78.1)]
    rows = [(*run, f"{sum(run[1:]) / 3:.1f}".replace("33.6", changed)) for run in runs]
    return page(("Model", "Run 1", "Run 2", "Run 3", "Average"), rows)


TIMES = ("GPUs", "Time to train - mixed precision", "Time to train - FP32", "Time to train speedup (FP32 to AMP)")
PER_CENT = {cards: f"{100 * fast / slow:.0f}" for cards, (slow, fast) in RATES.items()}
DURATIONS = [(1, "8h 20min", "4h 10min", "2.00"), (2, "4:12:00", "2:06:00", "2.00"), (4, "2h 6min", "1h 10min", "1.25")]
MEAN_ROW = [("a", 101.5, 55.1, 33.7, 77.7), ("b", 103.5, 56.3, 35.1, 79.9), ("**Mean**", 102.5, 55.7, 34.4, 87.8)]
OF_OTHERS = [(n, a, b, f"{a / 201.53:.2f}", f"{b / 643.21:.2f}") for n, (a, b) in RATES.items()]
PER_CARD = [(n, f"{slow / n:.2f}", 870.14 if n == 4 else slow) for n, (slow, _) in RATES.items()]
COARSE = [(1, 4.1, 3.3, 1.26), (2, 4.4, 2.2, 2.00), (4, 4.8, 1.6, 3.00)]
SCALING = [(1, 100, "1.00", "1.00"), (2, 190, "1.90", "1.85"), (4, 350, "3.50", "3.30"), (8, 690, "6.90", "5.10")]
# Tables, each with those of its numbers that its other numbers contradict.
CONTRADICTED = {
    "true": (speed_ups(), []),
    "cut off": (speed_ups({2: "3.14"}), []),
    "wrong in the last digit": (speed_ups({2: "3.16"}), ["3.16"]),
    "operands of few digits": (page(("GPUs", "Hours with FP32", "Hours with AMP", "Speed-up with AMP"), COARSE), []),
    "of times": (speed_ups({4: "1.33"}, TIMES), ["1.33"]),
    "per cent": (speed_ups({cards: f"{true}%" for cards, true in PER_CENT.items()}), []),
    "wrong per cent": (speed_ups({cards: f"{true}%" for cards, true in PER_CENT.items()} | {4: "381%"}), ["381"]),
    "per cent without a sign": (speed_ups(PER_CENT | {4: "381"}), ["381"]),
    "durations": (
        page(("GPUs", *(f"Time to train{of}" for of in (" - FP32", " - AMP", " speedup (FP32 to AMP)"))), DURATIONS),
        ["1.25"],
    ),
    "heads that name the other columns": (
        page(("GPUs", "Rate - FP32", "Rate - AMP", "Weak scaling - AMP", "Weak scaling - FP32"), OF_OTHERS),
        [],
    ),
    "operands that are not printed": (
        speed_ups({1: "7.71", 2: "6.02", 4: "5.33", 8: "4.04"}, ("GPUs", "A", "B", "Speedup over C")),
        [],
    ),
    "without plain heads": (speed_ups({4: "5.09"}, ("卡数", "框架甲", "框架乙", "加速比")), ["5.09"]),
    "rows": (of_rows(), []),
    "a wrong row": (of_rows("3.352"), ["3.352"]),
    "means of rows": (of_runs(), []),
    "a wrong mean of a row": (of_runs("36.3"), ["36.3"]),
    "a wrong mean of a column": (page(("Model", "A", "B", "C", "D"), MEAN_ROW), ["87.8"]),
    "of one card and of all": (page(("GPUs", "images/s per GPU", "images/s"), PER_CARD), ["870.14"]),
    "batches": (of_batches("Step time (ms)"), []),
    "a batch far off": (of_batches("Step time (ms)", "1682.5"), ["1682.5"]),
    "a batch of eight cards, maybe": (of_batches("Step time (ms)", "2447.2"), []),
    "a latency, maybe measured apart": (of_batches("Latency (ms)", "333.3"), []),
    "operations": (of_models(), []),
    "wrong operations": (of_models({32: 1.2}), ["541.5"]),
    "operations counted a little later": (of_models({32: 1.03}), []),
    "operations of other sequences": (of_models({32: 1.2}, (*OPERATIONS[:2], "Seq len", *OPERATIONS[3:])), []),
    "operations with recomputing": (of_models({32: 1.2}, (*OPERATIONS[:2], "Recompute", *OPERATIONS[3:])), []),
    "two columns of the same operands": (
        page(("GPUs", "Throughput (samples/s)", "Weak scaling", "Strong scaling"), SCALING),
        [],
    ),
}


@pytest.mark.parametrize(("text", "wrong"), CONTRADICTED.values(), ids=CONTRADICTED)
def test_a_number_is_accused_where_the_others_of_its_table_contradict_it(text: str, wrong: list[str]) -> None:
    assert list(accused(text)) == wrong


def test_a_number_that_follows_from_others_is_consistent_without_a_log(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(of_models(), encoding="utf-8")
    found = [finding.verdict for finding in audited(tmp_path) if "TFLOP" in finding.number.column]
    assert sorted(found) == ["consistent"] * 5 + ["no evidence"] * 2


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
