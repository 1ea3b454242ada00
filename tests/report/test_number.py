from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.number import percent, printed, quotient, signed, thousands, without_noise
from report.measure.protocol import Protocol

values = st.floats(0, 1e9, allow_nan=False)
decimals = st.integers(0, 6)


@pytest.mark.parametrize(
    ("protocol", "value", "text"),
    [
        ("decimals=3", 393.5611, "393.561"),
        ("decimals=2", 6.1357, "6.14"),
        ("decimals=2,rounding=truncate", 6.1357, "6.13"),
        ("decimals=0", 0.5, "1"),
        ("decimals=2", 2.675, "2.68"),
        ("decimals=2", 10, "10.00"),
        ("plain", 393.56115, "393.561"),
        ("rounding=truncate", 393.5619, "393.561"),
        ("significant=5", 389.5378, "389.54"),
        ("significant=5", 2957.7507, "2957.8"),
        ("significant=5", 10335.6564, "10336"),
        ("significant=5", 22689.9856, "22690"),
        ("significant=5", 1015.8, "1015.8"),
        ("significant=4", 1015.0, "1015"),
        ("significant=4", 99999.5, "100000"),
        ("significant=3", 1234567.0, "1230000"),
        ("significant=3,rounding=truncate", 1239999.0, "1230000"),
        ("significant=3", 0.0001235, "0.000124"),
        ("significant=3", 0.0, "0"),
    ],
)
def test_a_value_is_printed_as_its_protocol_says(protocol: str, value: float, text: str) -> None:
    assert printed(value, Protocol.parse(protocol)) == text


@pytest.mark.parametrize(
    ("digits", "parts"),
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
def test_the_whole_part_of_a_number_is_read_in_thousands(digits: str, parts: list[str]) -> None:
    assert thousands(digits) == parts


def test_a_quotient_has_no_noise_of_binary_numbers() -> None:
    assert 0.3 / 0.1 != quotient(0.3, 0.1) == 3.0
    assert quotient(0.3, 0.1, 8) == 0.375


@pytest.mark.parametrize("value", [1e300, 1e-300])
def test_no_value_is_too_large_or_small_for_plain_digits(value: float) -> None:
    assert Decimal(printed(value, Protocol(significant=3))) == Decimal(repr(value))


@given(values, decimals)
def test_half_up_is_what_decimal_makes_of_the_shown_digits(value: float, places: int) -> None:
    expected = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    assert printed(value, Protocol(decimals=places)) == f"{expected:f}"


@given(values, decimals)
def test_truncation_never_exceeds_the_value_and_stays_within_one_last_digit(value: float, places: int) -> None:
    cut = Decimal(printed(value, Protocol(decimals=places, rounding="truncate")))
    assert 0 <= Decimal(repr(value)) - cut < Decimal(1).scaleb(-places)


@given(st.floats(1e-3, 1e9), st.integers(1, 17))
def test_significant_digits_are_those_of_decimal_without_trailing_zeros(value: float, digits: int) -> None:
    text = printed(value, Protocol(significant=digits, rounding="truncate"))
    exact = Decimal(repr(value))
    assert Decimal(text) == exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), rounding=ROUND_DOWN)
    assert "." not in text or not text.endswith("0")


@given(st.integers(1, 9999), st.integers(0, 5))
def test_few_significant_digits_are_printed_as_percent_g_does(number: int, places: int) -> None:
    value = number / 10**places
    assert Decimal(printed(value, Protocol(significant=5))) == Decimal(f"{value:.5g}")


@given(
    st.sampled_from([2, 4, 5, 8, 10]).flatmap(
        lambda n: st.lists(st.decimals(1, 9999, places=4), min_size=n, max_size=n)
    )
)
def test_the_mean_of_decimal_numbers_without_noise_is_the_decimal_mean(numbers: list[Decimal]) -> None:
    exact = sum(numbers) / len(numbers)
    assert Decimal(repr(without_noise(fmean(float(number) for number in numbers)))) == exact


@given(values)
def test_taking_off_noise_twice_changes_nothing_more(value: float) -> None:
    assert without_noise(without_noise(value)) == without_noise(value)


@pytest.mark.parametrize(
    ("fraction", "told"),
    [(0.03, "+3.0%"), (-0.0023, "-0.23%"), (0.0, "0.00%"), (-1e-6, "0.00%"), (4e-5, "0.00%"), (20.0, ">+1000%")],
)
def test_a_change_has_a_sign_unless_it_is_rounded_to_nothing(fraction: float, told: str) -> None:
    assert signed(fraction) == told


@pytest.mark.parametrize(
    ("fraction", "told"),
    [
        (0.0023, "0.23%"),
        (0.03, "3%"),
        (0.99, "99%"),
        (0.995, "100%"),
        (0.9999, "100%"),
        (1.5, "150%"),
        (11.0, ">1000%"),
    ],
)
def test_a_fraction_is_told_as_percent_without_an_exponent(fraction: float, told: str) -> None:
    assert percent(fraction) == told
