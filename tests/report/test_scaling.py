"""What may scale a throughput of one card to that of the job."""

import numpy as np
import pandas as pd
import pytest

from parsers.grammar.field import Field, Scope
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measuring.scaling import (
    UNKNOWN_SCOPE,
    UNSCALED,
    amount_of_step,
    amounts,
    samples_per_step,
    scale,
)
from report.measuring.window import Fields


def facts(**values: int) -> dict[str, Fact]:
    return {name: Fact(name, value, option(name)) for name, value in values.items()}


@pytest.mark.parametrize(("scope", "factor"), [("card", 32), ("node", 4), ("job", 1)])
def test_the_scope_of_the_field_says_what_it_is_multiplied_by(scope: Scope, factor: int) -> None:
    assert scale(Field("throughput", "NUMBER", scope=scope), facts(cards=32, nodes=4)) == (factor, "job", ())


def test_without_the_number_of_cards_a_throughput_stays_that_of_one_card() -> None:
    assert scale(Field("throughput", "NUMBER", scope="card"), facts(nodes=4)) == (
        1,
        "card",
        (Message(UNSCALED, name="cards", scope="card"),),
    )


@pytest.mark.parametrize("cards", [0, -3, 2.5, "two", True])
def test_only_a_count_of_at_least_one_scales(cards: float | str) -> None:
    with pytest.raises(NoMeasurement):
        scale(Field("throughput", "NUMBER", scope="card"), {"cards": Fact("cards", cards, line(1))})


def test_a_throughput_of_nobody_knows_whom_is_refused() -> None:
    with pytest.raises(NoMeasurement):
        scale(Field("throughput", "NUMBER"), facts(cards=8))


def test_a_throughput_of_unknown_scope_stays_as_it_is_whatever_the_cards() -> None:
    told = Message(UNKNOWN_SCOPE, field="throughput")
    assert scale(Field("throughput", "NUMBER", scope="unknown"), facts(cards=8, nodes=2)) == (1, "unknown", (told,))


def log(**columns: object) -> pd.DataFrame:
    records = pd.DataFrame(columns)
    return records.assign(line=np.arange(1, len(records) + 1))


def samples(records: pd.DataFrame, known: dict[str, Fact]) -> int:
    return samples_per_step(records, known, Protocol(estimate="clock"))


OF_JOB = {"job_batch_size": Fact("job_batch_size", 512, line(3))}


@pytest.mark.parametrize(
    ("printed", "known", "expected"),
    [
        ({}, facts(batch_size=256, cards=8), 2048),
        ({}, facts(batch_size=4, cards=8, accumulation=3), 96),
        ({"batch_size": [32, 32]}, facts(cards=2), 64),
        ({"job_batch_size": [32]}, {}, 32),
        ({}, {**OF_JOB, "batch_size": Fact("batch_size", 4, line(2))}, 512),
        ({}, {**OF_JOB, **facts(batch_size=4, cards=8)}, 32),
    ],
)
def test_samples_of_a_step_are_the_batch_size_of_the_job(
    printed: dict[str, list[int]], known: dict[str, Fact], expected: int
) -> None:
    assert samples(log(**(printed or {"step": [1]})), known) == expected


@pytest.mark.parametrize(
    ("printed", "known"),
    [
        ({"batch_size": [32, 16]}, facts(cards=2)),
        ({"job_batch_size": [0, 0]}, facts(cards=2)),
        ({"step": [1]}, facts(cards=8)),
        ({"step": [1]}, facts(batch_size=8)),
    ],
    ids=["changes", "zero", "no batch size", "no cards"],
)
def test_samples_without_one_batch_size_and_the_cards_are_refused(
    printed: dict[str, list[int]], known: dict[str, Fact]
) -> None:
    with pytest.raises(NoMeasurement):
        samples(log(**printed), known)


TOKENS = {
    "job_batch_tokens": Fact("job_batch_tokens", 491520, line(1)),
    "batch_size": Fact("batch_size", 12, line(2)),
}


def of_stated_tokens(**known: int) -> tuple[float, str]:
    fields: Fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    return amount_of_step(log(step=[1]), fields, {**TOKENS, **facts(**known)}, np.array([True]), Protocol())


def test_a_callers_batch_size_without_the_passes_of_a_step_does_not_hide_its_tokens() -> None:
    assert of_stated_tokens(cards=8, batch_size=12) == (491520, "tokens")
    assert of_stated_tokens(cards=8, batch_size=12, accumulation=5) == (480, "samples")


def test_a_record_covers_the_tokens_of_its_steps_where_the_log_states_them() -> None:
    fields: Fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    assert done(log(step=[10, 30]), fields, TOKENS) == ([4915200, 9830400], "tokens")


def done(records: pd.DataFrame, fields: Fields, known: dict[str, Fact], kind: str = "step") -> tuple[list[float], str]:
    values, unit = amounts(records, fields, known, Protocol.parse(f"records={kind},estimate=duration"))
    return values.tolist(), unit


def test_what_a_record_covers_is_what_it_prints_of_one_card_times_the_cards() -> None:
    fields: Fields = {("step", "token_count"): Field("token_count", "NUMBER", scope="card")}
    assert done(log(token_count=[100.0, 50.0]), fields, facts(cards=8)) == ([800, 400], "tokens")


def test_a_record_covers_the_steps_since_the_one_before() -> None:
    fields: Fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    assert done(log(step=[10, 30]), fields, facts(batch_size=2, cards=4)) == ([80, 160], "samples")


def test_a_record_of_an_epoch_covers_all_its_steps() -> None:
    known = facts(batch_size=2, cards=4)
    assert done(log(steps_per_epoch=[100, 100]), {}, known, "epoch") == ([800, 800], "samples")


def of_step(records: pd.DataFrame, used: list[bool], **known: int) -> tuple[float, str]:
    fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    return amount_of_step(records, fields, facts(**known), np.array(used), Protocol(estimate="step_time"))


def test_a_batch_size_comes_before_the_tokens_that_the_log_counts() -> None:
    assert of_step(log(step=[10, 20], consumed_tokens=[100, 300]), [True] * 2, batch_size=4, cards=2) == (8, "samples")


def test_without_a_batch_size_a_step_has_the_mean_of_the_tokens_that_the_log_counts() -> None:
    records = log(step=[10, 20, 40], consumed_tokens=[1000, 1500, 3000])
    assert of_step(records, [False, False, True]) == (75, "tokens")


def test_where_the_batch_size_changes_a_step_has_the_mean_of_those_that_the_records_print() -> None:
    records = log(step=[10, 20, 30], consumed_samples=[80, 160, 320], job_batch_size=[8, 8, 17])
    assert of_step(records, [True] * 3) == (11, "samples")
