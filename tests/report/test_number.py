"""Numbers: how a value is printed, to the last digit."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.number import digits, percent, printed, quotient, signed, thousands, without_noise
from report.measure.protocol import Protocol

values = st.floats(0, 1e9, allow_nan=False)


@pytest.mark.parametrize(
    ("protocol", "value", "text"),
    [
        ("decimals=3", 393.5611, "393.561"),
        ("decimals=2,rounding=truncate", 6.1357, "6.13"),
        ("decimals=0", 0.5, "1"),
        ("decimals=2", 2.675, "2.68"),
        ("decimals=2", 10, "10.00"),
        ("plain", 393.56115, "393.561"),
        ("rounding=truncate", 393.5619, "393.561"),
        ("significant=5", 389.5378, "389.54"),
        ("significant=5", 10335.6564, "10336"),
        ("significant=5", 1015.8, "1015.8"),
        ("significant=4", 1015.0, "1015"),
        ("significant=4", 99999.5, "100000"),
        ("significant=3,rounding=truncate", 1239999.0, "1230000"),
        ("significant=3", 0.0001235, "0.000124"),
        ("significant=3", 0.0, "0"),
        ("significant=1", 1e300, "1" + "0" * 300),
        ("significant=1", 1e-300, "0." + "0" * 299 + "1"),
    ],
)
def test_a_value_is_printed_as_its_protocol_says(protocol: str, value: float, text: str) -> None:
    assert printed(value, Protocol.parse(protocol)) == text


@given(values, st.integers(0, 6))
def test_decimals_are_what_decimal_makes_of_the_shown_digits(value: float, places: int) -> None:
    exact, last = Decimal(repr(value)), Decimal(1).scaleb(-places)
    assert printed(value, Protocol(decimals=places)) == f"{exact.quantize(last, rounding=ROUND_HALF_UP):f}"
    assert 0 <= exact - Decimal(printed(value, Protocol(decimals=places, rounding="truncate"))) < last


@given(st.floats(1e-3, 1e9), st.integers(1, 17))
def test_significant_digits_are_those_of_decimal_without_trailing_zeros(value: float, count: int) -> None:
    text = printed(value, Protocol(significant=count, rounding="truncate"))
    exact = Decimal(repr(value))
    assert Decimal(text) == exact.quantize(Decimal(1).scaleb(exact.adjusted() - count + 1), rounding=ROUND_DOWN)
    assert "." not in text or not text.endswith("0")


@given(
    st.sampled_from([2, 4, 5, 8, 10]).flatmap(
        lambda n: st.lists(st.decimals(1, 9999, places=4), min_size=n, max_size=n)
    )
)
def test_the_mean_of_decimal_numbers_without_noise_is_the_decimal_mean(numbers: list[Decimal]) -> None:
    exact = sum(numbers) / len(numbers)
    assert Decimal(repr(without_noise(fmean(float(number) for number in numbers)))) == exact


def test_a_quotient_has_no_noise_of_binary_numbers() -> None:
    assert 0.3 / 0.1 != quotient(0.3, 0.1) == 3.0
    assert quotient(0.3, 0.1, 8) == 0.375


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("999", ["999"]),
        ("1000", ["1", "000"]),
        ("10984.436", ["10", "984.436"]),
        ("445461‡", ["445", "461‡"]),
        ("0.0001234", ["0.0001234"]),
        ("1234567.0", ["1", "234", "567.0"]),
        ("2022-06", ["2022-06"]),
        ("-", ["-"]),
        ("", [""]),
    ],
)
def test_the_whole_part_of_a_number_is_read_in_thousands(text: str, parts: list[str]) -> None:
    assert thousands(text) == parts


def test_a_number_whose_digits_nobody_states_has_four() -> None:
    shown = [digits(value) for value in (0.00254, 0.99999, 12.345, 19_114.0, 487_380.0, 0.0)]
    assert shown == ["0.002540", "1.000", "12.35", "19,110", "487,400", "0"]


def test_a_change_has_a_sign_unless_it_is_rounded_to_nothing() -> None:
    told = [signed(change) for change in (0.03, -0.0023, 0.0, -1e-6, 4e-5, 20.0)]
    assert told == ["+3.0%", "−0.23%", "0.00%", "0.00%", "0.00%", ">+1000%"]


def test_a_fraction_is_told_as_percent_without_an_exponent() -> None:
    told = [percent(fraction) for fraction in (0.0023, 0.03, 0.99, 0.995, 0.9999, 1.5, 11.0)]
    assert told == ["0.23%", "3%", "99%", "100%", "100%", "150%", ">1000%"]
