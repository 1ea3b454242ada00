"""Scaling: how many samples all cards train in a step or a record, and whose number a throughput is."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from parsers.facts import FILE_NAME, FORMER_NAME, Fact, is_count
from parsers.field import Field, Scope
from parsers.sentence import Sentence

from .estimate import Facts, Values
from .protocol import NoMeasurement, Protocol
from .window import Fields, Mask, step_field, steps_done

UNSCALED = "The number of {name} is not known, so the throughput is that of one {scope}: give --{name}."
WARNINGS = (UNSCALED,)

BATCH_SIZES = ("batch_size", "job_batch_size")

# Witnesses that know less of the whole job than the log itself, which states its batch size.
_OF_THE_LOG = ("line", FILE_NAME, FORMER_NAME)


def scale(field: Field, facts: Facts) -> tuple[int, Scope, tuple[Sentence, ...]]:
    """Return what a number is multiplied by to be the whole job's, whose it then is, and warnings.

    One card's is multiplied by ``cards``, one node's by ``nodes``; where those are not known it stays as it is, with a
    warning. Raises ``NoMeasurement`` where the field does not say whose it is.
    """
    if field.scope is None:
        raise NoMeasurement(f"The format does not say whether {field.name} is one card's, one node's or the job's.")
    if field.scope == "job":
        return 1, "job", ()
    name = f"{field.scope}s"
    if name not in facts:
        return 1, field.scope, (Sentence(UNSCALED, name=name, scope=field.scope),)
    return _count(facts, name), "job", ()


def samples_per_step(records: pd.DataFrame, facts: Facts, protocol: Protocol) -> int:
    """Return how many samples all cards together train in one step.

    That is the batch size of the job, as a fact or as the column ``job_batch_size`` of ``records``; or batch size per
    card x cards x passes in a step (``accumulation``), which a caller's own ``batch_size`` asks for in any case. Raises
    ``NoMeasurement`` where they are not known, or where the column holds several numbers.
    """
    given = facts.get("batch_size")
    if given is None or given.witness.startswith(_OF_THE_LOG):
        if "job_batch_size" in facts:
            return _count(facts, "job_batch_size")
        if (job := _column(records, "job_batch_size", protocol)) is not None:
            return job
    card = _count(facts, "batch_size") if given else _column(records, "batch_size", protocol)
    if card is None:
        raise NoMeasurement(f"estimate={protocol.estimate} needs the batch size per card: give --batch-size.")
    return card * _needed(facts, "cards", protocol) * (_count(facts, "accumulation") if "accumulation" in facts else 1)


def _column(records: pd.DataFrame, name: str, protocol: Protocol) -> int | None:
    """The one number of a column; None where the records do not print it."""
    if name not in records or not records[name].notna().all():
        return None
    sizes = records[name].unique()
    if len(sizes) > 1:
        raise NoMeasurement(
            f"estimate={protocol.estimate} needs one batch size, but the records print {sizes.min():g} to "
            f"{sizes.max():g}: give --batch-size, or use a window in which it stays the same."
        )
    return int(sizes[0])


def _needed(facts: Facts, name: str, protocol: Protocol) -> int:
    if name not in facts:
        raise NoMeasurement(f"estimate={protocol.estimate} needs the number of {name}: give --{name}.")
    return _count(facts, name)


def _count(facts: Facts, name: str) -> int:
    fact: Fact = facts[name]
    if not is_count(fact.value):
        raise NoMeasurement(f"{name} is {fact.value} by {fact.witness}: only a count of at least 1 can scale.")
    return fact.value


def amounts(records: pd.DataFrame, fields: Fields, facts: Facts, protocol: Protocol) -> tuple[Values, str]:
    """Return what all cards together did in each record (float64), and what is counted: "samples" or "tokens".

    That is what the record prints (``sample_count``, ``token_count``), the samples of an epoch, or its steps times the
    samples of one step.
    ``records`` are all of one kind and one rank. Raises ``NoMeasurement`` where neither is known.
    """
    for name, unit in (("sample_count", "samples"), ("token_count", "tokens")):
        if name in records and records[name].notna().all():
            field = fields[(protocol.records, name)]
            factor, scope, _ = scale(field, facts)
            if scope != "job":
                raise NoMeasurement(f"estimate={protocol.estimate} needs the number of {scope}s: give --{scope}s.")
            return records[name].to_numpy(dtype=np.float64) * factor, unit
    if protocol.records == "epoch" and "epoch_samples" in facts:
        return np.full(len(records), float(_count(facts, "epoch_samples"))), "samples"
    steps = _steps(records, fields, protocol).astype(np.float64)
    return steps * samples_per_step(records, facts, protocol), "samples"


def samples_done(records: pd.DataFrame, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> Values:
    """Return how many samples all cards had done since the start when each record was printed (float64).

    That is what the log counts itself (``consumed_samples``); the epochs times the samples of one, of records of
    epochs; or the steps times the samples of one. ``records`` are all of one kind and one rank, ``used`` those whose
    batch size counts. Raises ``NoMeasurement`` where none of these is known.
    """
    if "consumed_samples" in records and records["consumed_samples"].notna().all():
        return records["consumed_samples"].to_numpy(dtype=np.float64)
    counts_epochs = protocol.records == "epoch" and "epoch" in records and records["epoch"].notna().all()
    if counts_epochs and "epoch_samples" in facts:
        return records["epoch"].to_numpy(dtype=np.float64) * _count(facts, "epoch_samples")
    per_step = samples_per_step(records[used], facts, protocol)
    return steps_done(records, step_field(fields, protocol.records)).astype(np.float64) * per_step


def _steps(records: pd.DataFrame, fields: Fields, protocol: Protocol) -> NDArray[np.int64]:
    """The steps of each record: all of an epoch, or those since the record before."""
    if protocol.records == "epoch" and "steps_per_epoch" in records and records["steps_per_epoch"].notna().all():
        return records["steps_per_epoch"].to_numpy(dtype=np.int64)
    return np.diff(steps_done(records, step_field(fields, protocol.records)), prepend=0)
