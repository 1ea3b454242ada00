"""The arithmetic of the printed awk commands: it rounds and adds as the pages do."""

import subprocess
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measuring.number import printed
from report.measuring.protocol import Protocol
from report.why.calculation import careful_sum, printed_by_awk, printing
from report.why.explanation_text import lines_shown, ranges
from report.why.extraction import awk_string, common_start


def test_a_name_that_is_no_letter_is_spelt_so_that_a_shell_and_awk_take_it() -> None:
    assert awk_string(b"it's \"\\ \x1b[1m \xe9 \xe5\x9b\xbe") == '"it\\047s \\"\\\\ \\033[1m \\351 图"'


numbers = st.floats(1e-3, 1e9) | st.integers(1, 10**9).map(lambda thousandths: thousandths / 2000)
protocols = st.one_of(
    st.builds(
        lambda n, r: Protocol(decimals=n, rounding=r), st.integers(0, 5), st.sampled_from(["half_up", "truncate"])
    ),
    st.builds(
        lambda n, r: Protocol(significant=n, rounding=r), st.integers(1, 9), st.sampled_from(["half_up", "truncate"])
    ),
)


@given(numbers.map(lambda value: float(f"{value:.15g}")), protocols)
def test_a_number_is_rounded_in_awk_as_on_a_page(value: float, protocol: Protocol) -> None:
    assert printed_by_awk(value, value, protocol) == printed(value, protocol)


@given(st.lists(st.tuples(numbers, protocols), min_size=50, max_size=50))
def test_awk_itself_prints_what_its_arithmetic_in_python_says(cases: list[tuple[float, Protocol]]) -> None:
    steps = "; ".join(f'x = sprintf("%.15g", {value!r}); {printing(value, rule)}' for value, rule in cases)
    expected = [printed_by_awk(value, value, rule) for value, rule in cases]
    done = subprocess.run(["awk", f"BEGIN {{ {steps} }}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


@given(st.lists(st.floats(1e-3, 1e9), min_size=1))
def test_a_careful_sum_is_that_of_exact_numbers(values: list[float]) -> None:
    assert careful_sum(values) == pytest.approx(fsum(values), rel=3e-16)


@given(st.sets(st.integers(1, 60)))
def test_ranges_hold_just_their_numbers(numbers: set[int]) -> None:
    held = [number for first, last in ranges(sorted(numbers)) for number in range(first, last + 1)]
    assert held == sorted(numbers)


def test_line_numbers_are_listed_in_few_words() -> None:
    assert (str(lines_shown([3, 1, 2, 7])), str(lines_shown(range(1, 90, 2)))) == ("1 to 3, 7", "1 to 89 in 45 ranges")


@given(st.lists(st.binary(max_size=4), min_size=1))
def test_a_common_start_is_the_longest(texts: list[bytes]) -> None:
    start = common_start(texts)
    assert all(text.startswith(start) for text in texts)
    longer = {text[: len(start) + 1] for text in texts}
    assert len(longer) > 1 or longer == {start}
