"""Numbers with few digits, clocks of whole seconds and means of rates: what is said of how far they may be off."""

from pathlib import Path

import pytest

from report.evidence.log_summary import summarise
from report.measuring.checking.rounding import BY_TIME, FEW_DIGITS, WHOLE_SECONDS
from tests.parsers.toy_logs import write

SUMMARY = (
    "{{'train_runtime': 21142.8, 'train_samples_per_second': {x}, 'train_steps_per_second': {x}, 'epoch': 25.0}}\n"
)


def told(tmp_path: Path, text: str, key: str) -> list[str]:
    warnings = summarise(write(tmp_path, text.encode()), None, ()).warnings
    return [str(said) for said in warnings if said.key == key]


@pytest.mark.parametrize(("value", "share"), [("0.005", "10%"), ("0.0047", None), ("9", None), ("0.50", None)])
def test_a_throughput_of_one_digit_is_told_to_be_rounded(tmp_path: Path, value: str, share: str | None) -> None:
    found = told(tmp_path, SUMMARY.format(x=value), FEW_DIGITS)
    assert [said.rpartition(" ")[2] for said in found] == ([f"{share}."] if share else [])


@pytest.mark.parametrize(("seconds", "share"), [(3, "3.7%"), (10, None)])
def test_a_short_clock_of_whole_seconds_is_told_to_be_rounded(tmp_path: Path, seconds: int, share: str | None) -> None:
    text = "".join(
        f"2031-02-03 04:{n * seconds // 60:02d}:{n * seconds % 60:02d} step {50 * n} loss: 2.{n}\n" for n in range(10)
    )
    found = told(tmp_path, text, WHOLE_SECONDS)
    assert [said.rpartition(" ")[2] for said in found] == ([f"{share}."] if share else [])


def test_a_stretch_without_a_pause_is_not_used_where_whole_seconds_say_little_of_it(tmp_path: Path) -> None:
    passed = [second + 60 * (n // 5) for n, second in enumerate(range(0, 60, 2))]
    text = "".join(f"2031-02-03 04:{s // 60:02d}:{s % 60:02d} step {n} loss: 2.5\n" for n, s in enumerate(passed, 1))
    found = summarise(write(tmp_path, text.encode()), None, ()).measurement
    assert found is not None
    assert found.value == pytest.approx(29 / passed[-1])


def test_the_rate_over_the_time_that_records_took_is_told_where_a_few_fast_ones_make_their_mean(tmp_path: Path) -> None:
    rates = [100.5 + n % 3 for n in range(20)] + [900.5]
    text = "".join(f"step {n} loss: 2.5 tokens/s: {rate}\n" for n, rate in enumerate(rates))
    (said,) = told(tmp_path, text, BY_TIME)
    assert f"whole time is {len(rates) / sum(1 / rate for rate in rates):.6g}" in said


def test_the_mean_of_rates_that_hardly_differ_is_left_as_it_is(tmp_path: Path) -> None:
    assert not told(tmp_path, "".join(f"step {n} loss: 2.5 tokens/s: {100.5 + n % 3}\n" for n in range(20)), BY_TIME)
