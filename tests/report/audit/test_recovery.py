"""Recovering protocols from the printed digits, and what chance would give."""

from functools import cache
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.reading import read
from report.measure.measure import measure
from report.measure.number import printed
from report.measure.protocol import Protocol
from report.recovery.protocol_search import Searched, search
from report.recovery.recovery import SIGNIFICANT, Pair, Recovered, recover
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
    return printed(measure(reading, protocol).value, protocol)


def recovered(digits: dict[str, str]) -> list[Recovered | None]:
    """What is recovered for digits by log."""
    return recover([Pair(said, log, searched(log)) for log, said in digits.items()])


SHORT = st.sampled_from(["skip_records=10", "skip_records=5,statistic=median", "statistic=harmonic_mean", "tipc"])


@given(SHORT, st.sampled_from(ROUNDINGS))
def test_a_protocol_is_recovered_from_the_digits_of_two_logs(words: str, rounding: str) -> None:
    words = f"{words},decimals=5,rounding={rounding}"
    digits = {log: published(log, words) for log in PADDLE}
    found = [one.protocol.printing("1.00000").words() if one else "" for one in recovered(digits)]
    assert [published(log, one) for log, one in zip(PADDLE, found, strict=True)] == list(digits.values())
    wanted = Protocol.parse(words).overridden("rounding=half_up").model_dump()
    assert all(Protocol.parse(one).overridden("rounding=half_up").model_dump() == wanted for one in found)


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


@given(st.lists(st.tuples(st.sampled_from(PADDLE), st.from_regex(r"[0-9]{1,6}(\.[0-9]{1,6})?", fullmatch=True))))
def test_whatever_digits_are_published_each_gets_an_answer(asked: list[tuple[str, str]]) -> None:
    found = recover([Pair(digits, log, searched(log)) for log, digits in asked])
    assert [one for _, one in zip(count(), found, strict=False) if one and not one.is_finding] == []
    assert len(found) == len(asked)
