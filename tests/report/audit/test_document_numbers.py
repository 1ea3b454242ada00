"""Numbers as they are written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.audit.number import CLOCK, DURATION, Number, numbers_in

WRITTEN = [
    ("1.25", [("1.25", 1.25, 0.01, "plain")]),
    ("−0.0013", [("−0.0013", -0.0013, 1e-4, "plain")]),
    ("1,234.5 of 12", [("1,234.5", 1234.5, 0.1, "plain"), ("12", 12, 1, "plain")]),
    ("4.53e-04", [("4.53e-04", 4.53e-4, 1e-6, "plain")]),
    ("1.2k and 3M", [("1.2", 1200, 100, "plain"), ("3", 3e6, 1e6, "plain")]),
    ("1.5 M tok/s", [("1.5", 1.5e6, 1e5, "plain")]),
    ("256 K tokens", [("256", 256, 1, "plain")]),
    ("2.5万", [("2.5", 25000, 1000, "plain")]),
    ("52 664", [("52 664", 52664, 1, "plain")]),
    ("2m36s", [("2m36s", 156, 1, "duration")]),
    ("1h 20min", [("1h 20min", 4800, 60, "duration")]),
    ("1 hour, 2 minutes 3.5 s", [("1 hour, 2 minutes 3.5 s", 3723.5, 0.1, "duration")]),
    ("5s 20ms", [("5s 20ms", 5.02, 1e-3, "duration")]),
    ("8s 12s", [("8", 8, 1, "plain"), ("12", 12, 1, "plain")]),  # two times
    ("1d 2h 3m", [("1", 1, 1, "plain"), ("2", 2, 1, "plain"), ("3", 3, 1, "plain")]),  # days are not read
    ("3:59.2", [("3:59.2", 239.2, 0.1, "clock")]),
    ("00:12:34", [("00:12:34", 754, 1, "clock")]),
    ("16:9", [("16", 16, 1, "plain"), ("9", 9, 1, "plain")]),
    ("2024-10-13", [("2024-10-13", 2024, 1, "date")]),
    ("v1.2, 12.4.1, x86, a/3, ResNet50", []),
    ("9" * 41, []),
]


@pytest.mark.parametrize(("text", "numbers"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_numbers_of_a_text(text: Any, numbers: Any) -> None:
    found = [(one.number.text, one.number.value, one.number.step, one.form) for one in numbers_in(text)]
    near = pytest.approx
    expected: list[Any] = [(text, near(value), near(step), form) for text, value, step, form in numbers]
    assert found == expected


@given(st.text(alphabet="0123456789.,:-+−eEkKM hmsind/$万年\n\u202f", max_size=60))
def test_numbers_stand_where_they_are_said_to(text: Any) -> None:
    behind = 0
    for one in numbers_in(text):
        assert text[one.start : one.end].startswith(one.number.text)
        assert behind <= one.start < one.end
        assert one.number.step > 0
        behind = one.end


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_printed_value_is_a_rounding_of_it_and_within_its_interval(value: Any, decimals: Any) -> None:
    number = Number.of(f"{value:.{decimals}f}")
    low, high = number.interval
    assert number.rounding_of(value)
    assert low <= value <= high


@given(
    st.integers(0, 99),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["{}h{}m{}s", "{}h {}min {}sec", "{}:{:02}:{:02}"]),
)
def test_durations_are_their_seconds(hours: Any, minutes: Any, seconds: Any, form: Any) -> None:
    (one,) = numbers_in(form.format(hours, minutes, seconds))
    assert one.number.value == hours * 3600 + minutes * 60 + seconds
    assert one.form in (DURATION, CLOCK)


@pytest.mark.parametrize(
    ("text", "digits", "step"), [("16,000,000", 2, 1e6), ("0.0120", 2, 1e-3), ("3.2781", 5, 1e-4), ("0", 0, 1.0)]
)
def test_zeros_at_the_ends_do_not_inform(text: Any, digits: Any, step: Any) -> None:
    number = Number.of(text)
    assert number.digits == digits
    assert number.informative_step == pytest.approx(step)
