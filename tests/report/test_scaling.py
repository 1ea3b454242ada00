"""What may scale a throughput of one card to that of the job."""

import numpy as np
import pandas as pd
import pytest

from parsers.grammar.field import Field, Scope
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from report.measuring.protocol import NoMeasurement, Protocol
from report.measuring.scaling import (
    UNKNOWN_SCOPE,
    UNSCALED,
    amount_of_step,
    amounts,
    amounts_done,
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


def test_a_throughput_of_nobody_knows_whom_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="does not define whether throughput is per card, per node or per job"):
        scale(Field("throughput", "NUMBER"), facts(cards=8))


def test_a_throughput_of_unknown_scope_stays_as_it_is_whatever_the_cards() -> None:
    told = Message(UNKNOWN_SCOPE, field="throughput")
    assert scale(Field("throughput", "NUMBER", scope="unknown"), facts(cards=8, nodes=2)) == (1, "unknown", (told,))


def test_counts_of_unknown_scope_make_no_throughput() -> None:
    fields = {("step", "sample_count"): Field("sample_count", "NUMBER", scope="unknown")}
    with pytest.raises(NoMeasurement, match="whether sample_count is per card, per node or of the whole job: state it"):
        amounts(log(sample_count=[32.0]), fields, facts(cards=8), Protocol(estimate="duration"))


@pytest.mark.parametrize("cards", [0, -3, 2.5, "two", True])
def test_only_a_count_of_at_least_one_scales(cards: float | str) -> None:
    with pytest.raises(NoMeasurement, match="expected at least 1"):
        scale(Field("throughput", "NUMBER", scope="card"), {"cards": Fact("cards", cards, line(1))})


def log(**columns: object) -> pd.DataFrame:
    records = pd.DataFrame(columns)
    return records.assign(line=np.arange(1, len(records) + 1))


def samples(records: pd.DataFrame, known: dict[str, Fact]) -> int:
    return samples_per_step(records, known, Protocol(estimate="clock"))


def test_samples_of_a_step_are_batch_size_times_cards() -> None:
    assert samples(log(step=[1]), facts(batch_size=256, cards=8)) == 2048


def test_a_printed_batch_size_counts_where_no_fact_is_known() -> None:
    assert samples(log(batch_size=[32, 32]), facts(cards=2)) == 64


def test_a_printed_batch_size_of_the_job_needs_no_cards() -> None:
    assert samples(log(job_batch_size=[32]), {}) == 32


def test_a_batch_size_that_changes_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="needs one batch size, but the records print 16 to 32"):
        samples(log(batch_size=[32, 16]), facts(cards=2))


def test_a_batch_of_nothing_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="needs a batch size, but the records print 0"):
        samples(log(job_batch_size=[0, 0]), facts(cards=2))


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (facts(cards=8), "estimate=clock needs the batch size per card: pass --batch-size."),
        (facts(batch_size=8), "estimate=clock needs the number of cards: pass --cards."),
    ],
)
def test_what_is_not_known_is_asked_for_by_its_option(known: dict[str, Fact], sentence: str) -> None:
    with pytest.raises(NoMeasurement, match=sentence):
        samples(log(step=[1]), known)


def test_all_that_is_missing_is_asked_for_at_once() -> None:
    said = "needs the batch size per card and the number of cards: pass --batch-size and --cards."
    with pytest.raises(NoMeasurement, match=said):
        samples(log(step=[1]), {})


def test_the_batch_size_of_the_job_that_a_line_states_needs_no_cards() -> None:
    known = {"job_batch_size": Fact("job_batch_size", 512, line(3)), "batch_size": Fact("batch_size", 4, line(2))}
    assert samples(log(step=[1]), known) == 512


def test_the_batch_size_that_a_caller_gives_counts_before_that_of_the_job() -> None:
    known = {"job_batch_size": Fact("job_batch_size", 512, line(3))} | facts(batch_size=4, cards=8)
    assert samples(log(step=[1]), known) == 32


def test_a_step_of_several_passes_has_the_samples_of_all() -> None:
    assert samples(log(step=[1]), facts(batch_size=4, cards=8, accumulation=3)) == 96


TOKENS = {
    "job_batch_tokens": Fact("job_batch_tokens", 491520, line(1)),
    "batch_size": Fact("batch_size", 12, line(2)),
}


def of_stated_tokens(**known: int) -> tuple[float, str]:
    fields: Fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    return amount_of_step(log(step=[1]), fields, {**TOKENS, **facts(**known)}, np.array([True]), Protocol())


def test_the_tokens_of_a_step_that_the_log_states_come_before_a_batch_size_of_one_pass() -> None:
    assert of_stated_tokens(cards=8) == (491520, "tokens")


def test_a_callers_batch_size_without_the_passes_of_a_step_does_not_hide_its_tokens() -> None:
    assert of_stated_tokens(cards=8, batch_size=12) == (491520, "tokens")
    assert of_stated_tokens(cards=8, batch_size=12, accumulation=5) == (480, "samples")


def test_a_record_covers_the_tokens_of_its_steps_where_the_log_states_them() -> None:
    fields: Fields = {("step", "step"): Field("step", "INTEGER", first=1)}
    assert done(log(step=[10, 30]), fields, TOKENS) == ([4915200, 9830400], "tokens")


def test_the_clock_counts_the_tokens_of_a_step_where_the_log_states_them() -> None:
    records, fields = log(step=[10, 30]), {("step", "step"): Field("step", "INTEGER", first=1)}
    values, unit = amounts_done(records, fields, TOKENS, np.ones(2, np.bool_), Protocol(estimate="clock"))
    assert (values.tolist(), unit) == ([4915200, 14745600], "tokens")


def done(records: pd.DataFrame, fields: Fields, known: dict[str, Fact], kind: str = "step") -> tuple[list[float], str]:
    values, unit = amounts(records, fields, known, Protocol.parse(f"records={kind},estimate=duration"))
    return values.tolist(), unit


def test_what_a_record_covers_is_what_it_prints_of_one_card_times_the_cards() -> None:
    fields: Fields = {("step", "token_count"): Field("token_count", "NUMBER", scope="card")}
    assert done(log(token_count=[100.0, 50.0]), fields, facts(cards=8)) == ([800, 400], "tokens")


def test_what_one_card_did_says_nothing_of_the_job_without_cards() -> None:
    fields: Fields = {("step", "sample_count"): Field("sample_count", "NUMBER", scope="card")}
    with pytest.raises(NoMeasurement, match="estimate=duration needs the number of cards: pass --cards"):
        done(log(sample_count=[100.0]), fields, {})


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


def test_one_record_does_not_say_what_a_step_has() -> None:
    with pytest.raises(NoMeasurement, match="pass --batch-size"):
        of_step(log(step=[10], consumed_tokens=[1000]), [True])
