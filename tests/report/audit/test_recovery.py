"""Recovering protocols from the printed digits, and what chance would give."""

from functools import cache
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import LABEL
from parsers.runs.reading import read
from report.measuring.measurement import NoMeasurement, measure
from report.measuring.number import printed
from report.measuring.protocol import Protocol
from report.recovery.protocol_search import Searched, search
from report.recovery.recovery import SIGNIFICANT, Pair, Recovered, recover
from report.recovery.searched_protocols import protocols
from tests.report.audit.small_site import EIGHT, LOGS, ONE

PADDLE = (ONE, EIGHT)
ROUNDINGS = ("half_up", "truncate")


@cache
def searched(log: str) -> Searched:
    reading = read(LOGS / log)
    return search(reading.parts[0], reading.facts)


def published(log: str, words: str) -> str:
    """The digits that a protocol gives for a log."""
    reading = read(LOGS / log)
    protocol = Protocol.parse(words)
    return printed(measure(reading.records, reading.fields, reading.facts, protocol).value, protocol)


def recovered(digits: dict[str, str]) -> list[Recovered | None]:
    """What is recovered for digits by log."""
    return recover([Pair(said, log, searched(log)) for log, said in digits.items()])


def test_no_protocol_is_searched_twice() -> None:
    assert len(set(protocols())) == len(protocols()) > 1000


def test_named_protocols_are_searched_first() -> None:
    tipc = Protocol.parse("skip_records=10,trim=0.05,trim_min=5,statistic=mean")
    assert tipc in protocols()[:10]


@pytest.mark.parametrize("log", PADDLE)
def test_the_search_gives_what_measuring_gives(log: str) -> None:
    reading = read(LOGS / log)
    wrong = []
    for value, protocol in zip(searched(log).values, protocols(), strict=True):
        try:
            measured = measure(reading.records, reading.fields, reading.facts, protocol).value
        except NoMeasurement:
            measured = np.nan
        if not np.isclose(value, measured, rtol=1e-12, equal_nan=True):
            wrong.append((protocol.words(), value, measured))
    assert wrong == []


SHORT = st.sampled_from(["skip_records=10", "skip_records=5,statistic=median", "statistic=harmonic_mean", "tipc"])


@given(SHORT, st.sampled_from(ROUNDINGS))
def test_a_protocol_is_recovered_from_the_digits_of_two_logs(words: str, rounding: str) -> None:
    words = f"{words},decimals=5,rounding={rounding}"
    digits = {log: published(log, words) for log in PADDLE}
    found = [one.protocol.printing("1.00000").words() if one else "" for one in recovered(digits)]
    assert [published(log, one) for log, one in zip(PADDLE, found, strict=True)] == list(digits.values())
    assert {Protocol.parse(one).overridden("rounding=half_up") for one in found} == {
        Protocol.parse(words).overridden("rounding=half_up")
    }


def test_it_is_said_how_many_logs_a_protocol_explains() -> None:
    found = recovered({ONE: published(ONE, "tipc"), EIGHT: "3111.111"})
    assert [one and (one.explained, one.searched) for one in found] == [(1, 2), None]


def test_the_simplest_protocol_is_taken() -> None:
    (found,) = recovered({ONE: published(ONE, "statistic=mean,decimals=5")})
    assert found is not None
    assert found.protocol == Protocol()


def test_two_digits_of_one_log_are_not_both_explained_by_other_protocols() -> None:
    pairs = [Pair(published(ONE, words), ONE, searched(ONE)) for words in ("tipc", "statistic=last,decimals=3")]
    assert [found is not None for found in recover(pairs)].count(True) == 1


def test_digits_of_one_log_that_one_protocol_gives_are_all_explained() -> None:
    pairs = [Pair(published(ONE, f"tipc,decimals={n}"), ONE, searched(ONE)) for n in (2, 3, 5)]
    assert [found and found.protocol.trim for found in recover(pairs)] == [0.05] * 3


def test_a_log_that_may_be_scaled_in_two_ways_is_tried_in_both() -> None:
    reading = read(LOGS / ONE)
    scaled = search(reading.parts[0], reading.facts | {"cards": Fact("cards", 4, LABEL)})
    ways = [Pair(f"{4 * 399.53187:.4f}", ONE, found) for found in (scaled, searched(ONE))]
    assert [found is not None for found in recover(ways)] == [True, True]


def test_few_digits_prove_nothing() -> None:
    assert recovered({ONE: published(ONE, "tipc,decimals=0")}) == [None]


def test_nothing_is_recovered_of_nothing() -> None:
    assert recover([]) == []


def random_digits(generator: np.random.Generator, log: str, decimals: int) -> str:
    """A random number in the range of the values of a log."""
    found = searched(log)
    return f"{generator.uniform(found.low, found.high):.{decimals}f}"


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_chance_is_an_upper_bound_of_how_often_random_digits_are_explained(decimals: int) -> None:
    generator = np.random.default_rng(decimals)
    rounds = 400
    found = [recovered({log: random_digits(generator, log, decimals) for log in PADDLE}) for _ in range(rounds)]
    hits = sum(one is not None and one.is_finding for pair in found for one in pair)
    # Each is a finding by chance at most so often; three deviations of the binomial distribution are allowed.
    expected = 2 * rounds * SIGNIFICANT
    assert hits <= expected + 3 * expected**0.5


@pytest.mark.parametrize("decimals", [2, 3])
def test_one_protocol_hits_random_digits_no_oftener_than_its_chance(decimals: int) -> None:
    generator = np.random.default_rng(decimals)
    rounds = 2_000
    digits = [random_digits(generator, ONE, decimals) for _ in range(rounds)]
    allowed = searched(ONE).chance(digits[0])
    # A value that several protocols give is hit as often for each of them.
    rates = np.mean([searched(ONE).hits(said) for said in digits], axis=0)
    assert float(rates.mean()) <= allowed + 3 * (allowed / rounds) ** 0.5


@given(st.integers(1, 6), st.floats(300, 500))
def test_chance_is_a_probability(decimals: int, value: float) -> None:
    assert 0 < searched(ONE).chance(f"{value:.{decimals}f}") <= 1


@given(st.integers(0, 8))
def test_more_digits_are_less_likely(decimals: int) -> None:
    fewer, more = (searched(ONE).chance(f"{400:.{n}f}") for n in (decimals, decimals + 1))
    assert more <= fewer


def test_a_log_without_values_explains_nothing() -> None:
    empty = Searched(np.full(len(protocols()), np.nan), np.nan, np.nan, None, protocols())
    assert recover([Pair("5.5", "a", empty)]) == [None]


@given(st.lists(st.tuples(st.sampled_from(PADDLE), st.from_regex(r"[0-9]{1,6}(\.[0-9]{1,6})?", fullmatch=True))))
def test_whatever_digits_are_published_each_gets_an_answer(asked: list[tuple[str, str]]) -> None:
    found = recover([Pair(digits, log, searched(log)) for log, digits in asked])
    assert [one for _, one in zip(count(), found, strict=False) if one and not one.is_finding] == []
    assert len(found) == len(asked)
