"""What may scale a throughput of one card to that of the job."""

import pytest

from parsers.facts import Fact
from parsers.field import Field, Scope
from report.estimate import scale
from report.protocol import NoMeasurement


def facts(**values: int) -> dict[str, Fact]:
    return {name: Fact(name, value, "option") for name, value in values.items()}


@pytest.mark.parametrize(("scope", "factor"), [("card", 32), ("node", 4), ("job", 1)])
def test_the_scope_of_the_field_says_what_it_is_multiplied_by(scope: Scope, factor: int) -> None:
    assert scale(Field("throughput", "NUMBER", scope=scope), facts(cards=32, nodes=4)) == (factor, "job", ())


def test_without_the_number_of_cards_a_throughput_stays_that_of_one_card() -> None:
    assert scale(Field("throughput", "NUMBER", scope="card"), facts(nodes=4)) == (
        1,
        "card",
        ("The number of cards is not known, so the throughput is that of one card: give --cards.",),
    )


def test_a_throughput_of_nobody_knows_whom_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="does not say whether throughput is one card's, one node's or the job's"):
        scale(Field("throughput", "NUMBER"), facts(cards=8))


@pytest.mark.parametrize("cards", [0, -3, 2.5, "two", True])
def test_only_a_count_of_at_least_one_scales(cards: float | str) -> None:
    with pytest.raises(NoMeasurement, match="only a count of at least 1 can scale"):
        scale(Field("throughput", "NUMBER", scope="card"), {"cards": Fact("cards", cards, "line 1")})
