"""Rows against lines and objects: numbers that stand together are found, whatever else the checkout holds."""

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from report.audit.chance import Hit
from report.audit.claims import Claim
from report.audit.evidence import DataFile
from report.audit.rules.records import RecordSearch
from tests.report.audit.made_up import a_claim, file_of

SEEDS = st.integers(0, 2**32 - 1)
OF_TMP_PATH = settings(
    max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def row_of(*texts: str, row: int = 0) -> list[Claim]:
    """A row of a table: a loss, then rates."""
    return [a_claim(text, "rate" if col else "loss", row, col + 1) for col, text in enumerate(texts)]


def found_in(claims: list[Claim], *files: DataFile, near: frozenset[str] = frozenset()) -> dict[int, Hit]:
    search = RecordSearch(claims, [near] * len(claims))
    for file in files:
        search.add(file)
    return {claims.index(claim): hit for one in reversed(search.found()) for claim, hit in one.hits.items()}


def a_log(seed: int, lines: int = 300) -> tuple[str, np.ndarray]:
    values = np.random.default_rng(seed).random((lines, 2)) * (2, 3000) + (2, 9000)
    return "".join(f"step {n} loss {a:.4f} tok/s {b:.1f}\n" for n, (a, b) in enumerate(values)), values


@OF_TMP_PATH
@given(SEEDS, st.integers(0, 299), st.sampled_from((-30, -2, 2, 30)))
def test_a_row_of_a_line_is_found_and_a_changed_one_is_not(tmp_path: Path, seed: int, line: int, steps: int) -> None:
    text, values = a_log(seed)
    loss, rate = values[line]
    file = file_of(tmp_path, text)
    found = found_in(row_of(f"{loss:.4f}", f"{rate:.1f}"), file, near=frozenset(["run.log"]))
    assert {claim: (hit.path, hit.line) for claim, hit in found.items()} == dict.fromkeys((0, 1), ("run.log", line + 1))
    assert not found_in(row_of(f"{loss + steps * 1e-4:.4f}", f"{rate:.1f}"), file)


@OF_TMP_PATH
@given(SEEDS)
def test_rows_of_nothing_are_not_found(tmp_path: Path, seed: int) -> None:
    """Of thousands of rows and lines of alike numbers some agree in one number, and a few in both."""
    text, _ = a_log(seed)
    _, others = a_log(seed + 1, 60)
    claims = [
        claim for row, (loss, rate) in enumerate(others) for claim in row_of(f"{loss:.3f}", f"{rate:.0f}", row=row)
    ]
    assert len(found_in(claims, file_of(tmp_path, text), near=frozenset(["run.log"]))) <= 2


@OF_TMP_PATH
@given(SEEDS, st.booleans())
def test_a_row_or_a_column_of_a_series_is_found_and_that_of_another_run_is_not(
    tmp_path: Path, seed: int, is_row: bool
) -> None:
    values, others = (np.random.default_rng(seed + one).random(200) * 2 + 2 for one in range(2))
    file = file_of(tmp_path, "".join(f"step {n} loss: {value:.4f}\n" for n, value in enumerate(values)))
    for some, count in ((values, 5), (others, 0)):
        places = [(0, n + 1) if is_row else (n, 1) for n in range(5)]
        claims = [a_claim(f"{some[9 * col + row]:.4f}", "loss", row, col) for row, col in places]
        found = found_in(claims, file, near=frozenset(["run.log"]))
        assert set(found) == {
            n for n, claim in enumerate(claims[:count]) if claim.number.digits > 2
        }  # 2.5000 tells less


def test_a_number_of_a_record_backs_one_claim(tmp_path: Path) -> None:
    file = file_of(tmp_path, "loss 3.28417 tok/s 81234.5\n")
    assert set(found_in(row_of("3.28417", "81234.5", "81234.5"), file)) == {0, 1}


def test_a_pair_is_found_near_it_where_far_numbers_would_do_as_well(tmp_path: Path) -> None:
    """Two numbers of a row lead to one object of six files beside them; thousands of lines elsewhere are like them."""
    row = row_of("93.7", "2405.8")
    near = [
        file_of(
            tmp_path,
            f'{{"loss": {80 + 2.748 * number}, "output_throughput": {1500 + 181.159 * number}}}',
            f"raw/{number}.json",
        )
        for number in range(6)
    ]
    far = file_of(tmp_path, "".join(f"x{n} {n / 29:.3f} {2 * n}\n" for n in range(3000)), "far.log")
    found = found_in(row, *near, far, near=frozenset(file.path for file in near))
    assert {hit.path for hit in found.values()} == {"raw/5.json"}
    assert not found_in(row, *near, far)


def test_a_copy_is_looked_at_where_it_is_near(tmp_path: Path) -> None:
    text, values = a_log(7)
    files = [file_of(tmp_path, text, name) for name in ("old/run.log", "new/run.log")]
    row = row_of(f"{values[5, 0]:.4f}", f"{values[5, 1]:.1f}")
    assert {hit.path for hit in found_in(row, *files, near=frozenset(["new/run.log"])).values()} == {"new/run.log"}
