"""Rates held against what a step has, for the general reader: of one of several cards, of all, or of a pass."""

from collections.abc import Callable
from pathlib import Path

import pytest

from parsers.runs.provenance import RECORDS
from tests.parsers.drafting import drafted, found_columns, found_in

Rate = Callable[[int, float], float]


def text(rate: Rate, *, name: str = "perf/throughput") -> str:
    """Six steps of different lengths and tokens, and a rate computed from both."""
    each = [(9000 + 700 * n, 1.5 + 0.25 * (n % 4)) for n in range(1, 7)]
    return "".join(
        f"step:{n} - actor/loss:2.5 - perf/total_num_tokens:{tokens} - perf/time_per_step:{time} - "
        f"{name}:np.float64({rate(tokens, time):.6f})\n"
        for n, (tokens, time) in enumerate(each, 1)
    )


def test_a_total_shows_that_a_rate_is_that_of_one_of_some_cards(tmp_path: Path) -> None:
    found = drafted(tmp_path, text(lambda tokens, time: tokens / time / 4))
    field = found.reading.fields["step", "throughput"]
    cards = found.reading.facts["cards"]
    assert (field.unit, field.scope, cards.value, cards.source) == ("tokens", "card", 4, RECORDS)


def test_what_shows_it_is_told(tmp_path: Path) -> None:
    found = drafted(tmp_path, text(lambda tokens, time: tokens / time / 4))
    assert any("4 times" in str(said) and "there are 4 cards" in str(said) for said in found.assumed)


def test_a_total_shows_what_a_rate_counts(tmp_path: Path) -> None:
    found = drafted(tmp_path, text(lambda tokens, time: tokens / time))
    field = found.reading.fields["step", "throughput"]
    assert (field.unit, field.scope, "cards" in found.reading.facts) == ("tokens", "unknown", False)


OTHERS = {
    "no whole number of times": ("", lambda tokens, time: tokens / time / 2.5),
    "in no two lines the same": ("", lambda tokens, time: tokens / time / round(time * 4)),
    "more than it": ("", lambda tokens, time: tokens / time * 4),
}


@pytest.mark.parametrize(("head", "rate"), OTHERS.values(), ids=OTHERS)
def test_any_other_rate_shows_neither_cards_nor_what_it_counts(tmp_path: Path, head: str, rate: Rate) -> None:
    found = drafted(tmp_path, head + text(rate))
    field = found.reading.fields["step", "throughput"]
    assert (field.unit, field.scope, "cards" in found.reading.facts) == ("unknown", "unknown", False)


AGAINST = {
    "the cards that a line states": "world_size: 8\n",
    "as many passes of a step": "gradient_accumulation_steps: 4\n",
}


@pytest.mark.parametrize("head", AGAINST.values(), ids=AGAINST)
def test_a_share_that_is_not_that_of_the_cards_is_refused(tmp_path: Path, head: str) -> None:
    found = found_in(tmp_path, head + text(lambda tokens, time: tokens / time / 4))
    assert "throughput" not in found_columns(found)


def test_a_total_that_never_changes_shows_no_cards(tmp_path: Path) -> None:
    lines = "".join(
        f"step:{n} loss:2.5 total_num_tokens:9000 time_per_step:1.5 throughput:1500.0\n" for n in range(1, 7)
    )
    found = drafted(tmp_path, lines)
    assert "cards" not in found.reading.facts


STEPS = "".join(
    f"step {n} | loss: 2.5 | dt: {t}ms | tok/sec: {262144 / t * 1000:.2f}\n"
    for n, t in enumerate((874, 944, 938, 901, 925), 1)
)


def test_a_rate_of_one_of_the_passes_of_a_step_is_refused(tmp_path: Path) -> None:
    head = "Total batch size 524,288 => gradient accumulation steps: 2\n"
    assert "throughput" not in found_columns(found_in(tmp_path, head + STEPS))


def test_a_rate_that_a_multiple_of_is_a_step_of_nobody_knows_what_is_refused(tmp_path: Path) -> None:
    assert "throughput" not in found_columns(found_in(tmp_path, "global_batch_size: 524288\n" + STEPS))


STEP = {
    "no total": "",
    "the total": "Total batch size 262,144\n",
    "that of the cards": "total batch size: 524288\nworld_size: 2\n",
}


@pytest.mark.parametrize("head", STEP.values(), ids=STEP)
def test_a_rate_of_a_whole_step_or_of_one_card_is_read(tmp_path: Path, head: str) -> None:
    assert "throughput" in drafted(tmp_path, head + STEPS).columns
