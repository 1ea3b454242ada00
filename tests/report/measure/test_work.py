"""The work of a step: how many samples and tokens all cards do in one, and how far a run had come at each record."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.work import Work, work_of
from tests.report.measure.made_runs import run

NAN = np.nan
NOTHING: Mapping[str, Any] = {}


def work(columns: Mapping[str, Any], facts: Mapping[str, int]) -> Work:
    """The work of a step of a run of three records, of ten steps each."""
    made = run(step=[10, 20, 30], facts=facts, **columns)
    return work_of(made, made.all_records("step"), np.arange(3), np.full(3, 10.0))


@pytest.mark.parametrize(
    ("columns", "facts", "samples"),  # or what would tell them
    [
        ({}, {"batch_size": 256, "cards": 8}, 2048),
        ({}, {"batch_size": 4, "cards": 8, "accumulation": 3}, 96),
        ({"batch_size": [32] * 3}, {"cards": 2}, 64),
        ({"batch_size": [32, 32, 8]}, {"cards": 2}, 48),
        ({"job_batch_size": [32] * 3}, {}, 32),
        ({"job_batch_size": [0] * 3}, {"job_batch_size": 512}, 512),
        ({}, {"job_batch_size": 512, "batch_size": 4}, 512),
        ({"consumed_samples": [80, 160, 320]}, {}, 12),  # 240 in 20 steps
        # Cards that share a model share its batches.
        ({}, {"batch_size": 4, "cards": 16, "tensor_parallel": 2}, "job_batch_size"),
        ({}, {"batch_size": 4, "cards": 16, "pipeline_parallel": 4}, "job_batch_size"),
        ({}, {"batch_size": 4, "cards": 16, "tensor_parallel": 2, "job_batch_size": 64}, 64),
        ({}, {"batch_size": 4, "cards": 16, "tensor_parallel": 1}, 64),
        ({}, {"cards": 8}, "batch_size"),
        ({}, {"batch_size": 8}, "cards"),
        ({}, {}, "batch_size and cards"),
    ],
)
def test_samples_of_a_step_are_those_of_all_cards(
    columns: dict[str, Any], facts: dict[str, int], samples: int | str
) -> None:
    found = work(columns, facts)
    assert (found.missing or found.samples) == samples
    assert (found.samples is None) == (found.missing != "")


@pytest.mark.parametrize(
    ("columns", "facts", "tokens"),
    [
        ({}, {"job_batch_tokens": 491520}, 491520),
        ({}, {"job_batch_size": 64, "sequence_length": 4096}, 64 * 4096),
        ({"sequence_length": [2048.0] * 3}, {"job_batch_size": 2}, 4096),
        ({"consumed_tokens": [1000, 1500, 3000]}, {}, 100),
        ({"token_count": [NAN, 300, 500]}, {"cards": 4}, 160),
        ({"token_count": [NAN, 300, 500]}, {}, None),
        ({"consumed_tokens": [100, 200, 300], "consumed_samples": [10, 20, 30]}, {"job_batch_size": 4}, 40),
    ],
)
def test_tokens_of_a_step_are_stated_or_counted(
    columns: dict[str, Any], facts: dict[str, int], tokens: float | None
) -> None:
    assert work(columns, facts).tokens == tokens


@pytest.mark.parametrize(
    ("facts", "scope", "factor"),
    [
        ({"cards": 32, "nodes": 4}, "card", 32),
        ({"cards": 32, "nodes": 4}, "node", 4),
        ({"cards": 32, "nodes": 4}, "job", 1),
        ({"cards": 32, "nodes": 4}, "unknown", None),
        ({"cards": 1}, "unknown", 1),
        ({"nodes": 4}, "card", None),
        ({"cards": 0}, "card", None),
        ({"cards": -3}, "card", None),
    ],
)
def test_a_scope_says_what_makes_a_number_that_of_the_job(
    facts: dict[str, int], scope: str, factor: int | None
) -> None:
    assert work({}, facts).factor(scope) == factor


UNITS = ("steps", "samples", "tokens")


@given(st.integers(1, 10**5), st.integers(1, 10**5), st.floats(1e-3, 1e6), st.sampled_from(UNITS))
def test_a_rate_goes_from_any_unit_to_any_other_and_back(batch: int, length: int, rate: float, counted: str) -> None:
    known = work({}, {"job_batch_size": batch, "sequence_length": length})
    for unit in UNITS:
        there = known.convert(rate, counted, unit)
        assert there is not None and known.convert(there, unit, counted) == pytest.approx(rate, rel=1e-12)
    assert known.convert(1, "steps", "tokens") == pytest.approx(batch * length)
    assert work({}, {}).convert(rate, "steps", "samples") is None


@pytest.mark.parametrize(
    ("columns", "done"),
    [
        ({"step": [10, 20, 10, 20, 5]}, [10, 20, 30, 40, 45]),
        ({"step": [1, 2, 1, 2, 1], "steps_per_epoch": [NAN, 8, 8, NAN, 8]}, [1, 2, 9, 10, 11]),
        ({"step": [10, 20, 30], "epoch": [0, 1, 2], "steps_per_epoch": [10, 10, 10]}, [10, 20, 30]),
        ({"step": [5, 10, 12, 17, 17, 22], "epoch": [1, 1, 2, 2, 3, 3]}, [5, 10, 12, 17, 34, 39]),
        ({"step": [1, NAN]}, None),
    ],
    ids=["no length", "a length on some lines", "steps of the run", "the same step in the next epoch", "no number"],
)
def test_steps_add_up_over_epochs(columns: dict[str, Any], done: list[float] | None) -> None:
    found = run(**columns).all_records("step").steps
    assert (None if found is None else found.tolist()) == done


@given(st.integers(1, 50), st.integers(1, 5), st.integers(1, 60), st.sampled_from([0, 1]))
def test_steps_done_are_those_of_a_loop_that_prints_every_so_often(
    length: int, epochs: int, every: int, first: int
) -> None:
    loop = [(epoch, step) for epoch in range(epochs) for step in range(length) if step % every == 0]
    made = run(
        step=[step + first for _, step in loop],
        epoch=[epoch for epoch, _ in loop],
        steps_per_epoch=[length] * len(loop),
        means={"step": {"first": first}},
    )
    done = made.all_records("step").steps
    assert done is not None
    assert done.tolist() == [epoch * length + step + 1 for epoch, step in loop]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ({"step": [1, 1, 2, 2]}, [1, 3]),
        ({"step": [1, 1, 2], "epoch": [1, 2, 2]}, [1, 2, 3]),
        ({"step": [1, 2, 2], "elapsed": [5.0, 9.0, 1.0]}, [1, 2, 3]),  # the clock begins anew
        ({"step": [1, 2, 2], "step_time": [1.0, NAN, 1.0]}, [1, 2, 3]),  # only the second one has a speed
        ({"step": [1, 1, 1], "step_time": [1.0, 1.0, 1.0]}, [1, 2, 3]),  # a number that never rises counts nothing
    ],
)
def test_a_step_that_is_printed_again_counts_once(columns: dict[str, Any], lines: list[int]) -> None:
    assert run(**columns).records("step").lines.tolist() == lines
