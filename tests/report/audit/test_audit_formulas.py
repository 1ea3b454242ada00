"""Formulas: what follows from other numbers of a document, and what contradicts them. All documents are made up."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from report.audit.claims import claims_of
from report.audit.rules.formulas import Formula, Formulas, search_tests

SPEED_UPS = """
| GPUs | Throughput - TF32 | Throughput - AMP | Speedup (TF32 to AMP) | Weak scaling - AMP |
|---|---|---|---|---|
| 1 | 1043.5 | 2911.7 | 2.79 | 1.00 |
| 2 | 2081.9 | 5788.2 | 2.78 | 1.99 |
| 4 | 4102.6 | 11306.4 | {cell} | 3.88 |
| 8 | 8077.3 | 22611.9 | 2.80 | 7.77 |
| 16 | 16011.8 | 43807.1 | 2.74 | 15.05 |
"""
# The same words above another kind of table: what is compared there is not in the document.
OTHER_SPEED_UPS = """
| Batch size | Latency (ms) | Latency - speedup |
|---|---|---|
| 1 | 3.71 | 1.21 |
| 2 | 4.02 | 1.93 |
| 4 | 5.88 | 2.64 |
| 8 | 9.13 | 2.17 |
| 16 | 17.96 | 1.52 |
| 32 | 33.15 | 2.09 |
"""
MEANS = """
| Seed | val_loss | time (s) |
|---|---|---|
| 7 | 3.27914 | 81.553 |
| 42 | 3.27796 | 81.207 |
| 99 | 3.27841 | 81.961 |
| Mean | 3.27850 | 81.574 |
| Std | 0.000596 | 0.377 |
"""
MEANS_IN_ONE_CELL = MEANS.replace(
    "| Mean | 3.27850 | 81.574 |\n| Std | 0.000596 | 0.377 |", "| Mean ± Std | 3.27850 ± 0.000596 | 81.574 ± 0.377 |"
)
LISTS = """
```python
losses = [3.2791, 3.2777, 3.2784, 3.2769, 3.2788]
times = [81.553, 81.207, 81.961, 81.332, 81.418]
print("p=%.4f" % scipy.stats.ttest_1samp(losses, 3.28, alternative="less").pvalue)
# p={p}
# loss mean: 3.27818, time mean: 81.494, time std: 0.290
```
"""


def ruled(folder: Path, text: str) -> tuple[dict[str, str], dict[str, str]]:
    """What follows in a document, and what breaks: the numbers as printed, with their formulas."""
    (folder / "README.md").write_text(text, encoding="utf-8")
    claims = claims_of(folder, "README.md")
    formulas = Formulas(claims)
    formulas.search({claim for claim in claims if claim.is_measured})
    search_tests(formulas, text.split("\n"))
    derived = {claim.number.text: hit.name for claim, (hit, _) in formulas.derived.items()}
    return derived, {claim.number.text: hit.name for claim, hit in formulas.exceptions.items()}


@pytest.mark.parametrize(
    ("text", "derived", "exceptions"),
    [
        pytest.param(
            SPEED_UPS.format(cell="2.76"), {"2.79", "2.78", "2.76", "2.80", "2.74", "15.05"}, set(), id="right"
        ),
        pytest.param(SPEED_UPS.format(cell="2.96"), {"2.79", "2.74"}, {"2.96"}, id="one cell is wrong"),
        pytest.param(
            OTHER_SPEED_UPS + SPEED_UPS.format(cell="2.96"), {"2.79"}, {"2.96"}, id="another table has its header"
        ),
        pytest.param(SPEED_UPS.format(cell="~2.96"), {"2.79"}, set(), id="the page says that it is about"),
        pytest.param(SPEED_UPS.format(cell="2.96 (2.76)"), {"2.79"}, set(), id="two numbers in a cell"),
        pytest.param(OTHER_SPEED_UPS, set(), set(), id="nothing to compare with"),
        pytest.param(MEANS, {"3.27850", "81.574", "0.000596", "0.377"}, set(), id="a row of means"),
        pytest.param(
            MEANS_IN_ONE_CELL, {"3.27850", "81.574", "0.000596", "0.377"}, set(), id="means with their deviations"
        ),
        pytest.param(LISTS.format(p="0.0051"), {"3.27818", "81.494", "0.290"}, set(), id="lists"),
    ],
)
def test_what_follows(tmp_path: Path, text: str, derived: set[str], exceptions: set[str]) -> None:
    found, broken = ruled(tmp_path, text)
    assert derived <= set(found)
    assert exceptions == set(broken) - {"0.0051"}


def test_a_row_that_is_called_no_mean_is_none(tmp_path: Path) -> None:
    assert ruled(tmp_path, MEANS.replace("Mean", "128").replace("Std", "256"))[0] == {}


def test_columns_that_were_mixed_up_accuse_nobody(tmp_path: Path) -> None:
    rates = [(1012.4, 2911.7), (2081.9, 5788.2), (4102.6, 11306.4), (8077.3, 22611.9)]
    scaling = [(a / rates[0][0], b / rates[0][1]) for a, b in rates]
    head = "| GPUs | img/s FP32 | img/s FP16 | Scaling FP32 | Scaling FP16 |\n|---|---|---|---|---|\n"
    right = "".join(
        f"| {2**n} | {a} | {b} | {x:.2f} | {y:.2f} |\n"
        for n, ((a, b), (x, y)) in enumerate(zip(rates, scaling, strict=True))
    )
    mixed = "".join(
        f"| {2**n} | {a} | {b} | {y:.2f} | {x:.2f} |\n"
        for n, ((a, b), (x, y)) in enumerate(zip(rates, scaling, strict=True))
    )
    assert ruled(tmp_path, "\n\n".join([head + right, head + right, head + mixed]))[1] == {}


def speed_ups(rows: Sequence[tuple[float, float]], decimals: int) -> list[str]:
    return [f"{after / before:.{decimals}f}" for before, after in rows]


def table(rows: Sequence[tuple[float, float]], cells: Sequence[str]) -> str:
    head = "| Case | Before (img/s) | After (img/s) | Speedup |\n|---|---|---|---|\n"
    return head + "".join(f"| c{n} | {a} | {b} | {cells[n]} |\n" for n, (a, b) in enumerate(rows))


RATE = st.integers(20_000, 900_000).map(lambda number: number / 100)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(RATE, RATE), min_size=2, max_size=14), decimals=st.integers(1, 4))
def test_rounding_is_no_exception(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], decimals: int
) -> None:
    assert ruled(tmp_path_factory.mktemp("table"), table(rows, speed_ups(rows, decimals)))[1] == {}


@settings(max_examples=60, deadline=None)
@given(random=st.randoms(use_true_random=True), size=st.integers(8, 40), decimals=st.integers(2, 4))
def test_a_changed_cell_of_a_long_table_is_the_exception(
    tmp_path_factory: pytest.TempPathFactory, random: Random, size: int, decimals: int
) -> None:
    # Far from each other, as where all rows are nearly the same other rules give them, too.
    rows = [(round(random.uniform(200, 9000), 2), round(random.uniform(200, 9000), 2)) for _ in range(size)]
    cells = speed_ups(rows, decimals)
    changed = random.randrange(size)
    right = float(cells[changed])
    cells[changed] = f"{right * 1.17 + 0.21:.{decimals}f}"
    assume(abs(float(cells[changed]) * right - 1) > 0.1)  # the other way round it would be right
    assume(float(cells[changed]) != 1)  # that of a row which others are held against
    assert ruled(tmp_path_factory.mktemp("table"), table(rows, cells))[1] == {cells[changed]: Formula.RATIO}


def test_a_stated_test_is_computed_again(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    right = ruled(tmp_path, LISTS.format(p="0.0051"))
    wrong = ruled(tmp_path, LISTS.format(p="0.0021"))
    assert right[0]["0.0051"] == Formula.P_VALUE
    assert right[1] == {}
    assert wrong[1] == {"0.0021": Formula.P_VALUE}
