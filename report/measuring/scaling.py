"""Scaling: what all cards train in a step or a record, and whose number a throughput is."""

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Field, Scope
from parsers.io.sentence import Sentence
from parsers.runs.facts import FILE_NAME, FORMER_NAME, Fact, is_count

from .estimate import Facts, Values
from .protocol import NoMeasurement, Protocol
from .record_columns import Columns, Records, columns
from .window import Fields, Mask, step_field, steps_done

UNSCALED = "The number of {name} is not known, so the throughput is that of one {scope}: give --{name}."
WARNINGS = (UNSCALED,)

BATCH_SIZES = ("batch_size", "job_batch_size")
# What logs count themselves, and in what: all since the start, or what one record covers.
CONSUMED = {"consumed_samples": "samples", "consumed_tokens": "tokens"}
COVERED = {"sample_count": "samples", "token_count": "tokens"}

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


def samples_per_step(records: Records, facts: Facts, protocol: Protocol) -> int:
    """Return how many samples all cards together train in one step.

    That is the batch size of the job, as a fact or as the column ``job_batch_size`` of ``records``; or batch size per
    card x cards x passes in a step (``accumulation``), which a caller's own ``batch_size`` asks for in any case. Raises
    ``NoMeasurement`` where they are not known, or where the column holds several numbers.
    """
    given = facts.get("batch_size")
    if given is None or _is_of_the_log(given):
        if "job_batch_size" in facts:
            return _count(facts, "job_batch_size")
        if (job := _column(columns(records), "job_batch_size", protocol)) is not None:
            return job
    card = _count(facts, "batch_size") if given else _column(columns(records), "batch_size", protocol)
    if card is None or "cards" not in facts:
        raise NoMeasurement(_asked(protocol, batch_size=card is None, cards="cards" not in facts))
    return card * _count(facts, "cards") * (_count(facts, "accumulation") if "accumulation" in facts else 1)


def _done_per_step(records: Columns, facts: Facts, protocol: Protocol) -> tuple[int, str]:
    """What all cards together train in one step, and what is counted: "tokens" where the log states them.

    Else "samples", as ``samples_per_step`` returns them: a caller asks for these with a ``batch_size`` where the passes
    of a step are known as well. Without those a batch size says less than the log does.
    """
    asks = "accumulation" in facts and "batch_size" in facts and not _is_of_the_log(facts["batch_size"])
    if "job_batch_tokens" in facts and not asks:
        return _count(facts, "job_batch_tokens"), "tokens"
    return samples_per_step(records, facts, protocol), "samples"


def _is_of_the_log(fact: Fact) -> bool:
    return fact.witness.startswith(_OF_THE_LOG)


def _column(records: Columns, name: str, protocol: Protocol) -> int | None:
    """The one number of a column; None where the records do not print it."""
    if name not in records or not records.printed(name).all():
        return None
    sizes = np.unique(records[name])
    if len(sizes) > 1:
        raise NoMeasurement(
            f"estimate={protocol.estimate} needs one batch size, but the records print {sizes.min():g} to "
            f"{sizes.max():g}: give --batch-size, or use a window in which it stays the same."
        )
    if not np.isfinite(sizes).all():
        raise NoMeasurement(f"estimate={protocol.estimate} needs a batch size, but the records print {sizes[0]:g}.")
    return int(sizes[0])


def _asked(protocol: Protocol, *, batch_size: bool, cards: bool) -> str:
    """What is missing, all at once, and the options that give it."""
    missing = {"the batch size per card": batch_size, "the number of cards": cards}
    options = {"--batch-size": batch_size, "--cards": cards}
    needed, given = (" and ".join(name for name, is_asked in all_.items() if is_asked) for all_ in (missing, options))
    return f"estimate={protocol.estimate} needs {needed}: give {given}."


def _count(facts: Facts, name: str) -> int:
    fact: Fact = facts[name]
    if not is_count(fact.value):
        raise NoMeasurement(f"{name} is {fact.value} by {fact.witness}: only a count of at least 1 can scale.")
    return fact.value


def amounts(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> tuple[Values, str]:
    """Return what all cards together did in each record (float64), and what is counted: "samples" or "tokens".

    That is what the record prints (``sample_count``, ``token_count``), the samples of an epoch, or its steps times the
    samples or tokens of one step.
    ``records`` are all of one kind and one rank. Raises ``NoMeasurement`` where neither is known.
    """
    records = columns(records)
    for name, unit in COVERED.items():
        if name in records and records.printed(name).all():
            return _of_job(records, fields, facts, protocol, name), unit
    if protocol.records == "epoch" and "epoch_samples" in facts:
        return np.full(len(records), float(_count(facts, "epoch_samples"))), "samples"
    steps = _steps(records, fields, protocol).astype(np.float64)
    per_step, counted = _done_per_step(records, facts, protocol)
    return steps * per_step, counted


def _of_job(records: Columns, fields: Fields, facts: Facts, protocol: Protocol, name: str) -> Values:
    """A column of counts, times what makes them those of the whole job."""
    factor, scope, _ = scale(fields[(protocol.records, name)], facts)
    if scope != "job":
        raise NoMeasurement(f"estimate={protocol.estimate} needs the number of {scope}s: give --{scope}s.")
    return records.numbers(name) * factor


def amounts_done(records: Records, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> tuple[Values, str]:
    """Return what all cards had done when each record was printed (float64), and what is counted: "samples", "tokens".

    That is what the log counts itself: in all (``consumed_samples``, ``consumed_tokens``) or in each record
    (``sample_count``, ``token_count``), where only differences mean something. Else the epochs times the samples of
    one, of records of epochs; or the steps times the samples or tokens of one. ``records`` are all of one kind
    and one rank, ``used`` those whose batch size counts. Raises ``NoMeasurement`` where none of these is known.
    """
    records = columns(records)
    if (counted := _counted(records, fields, facts, protocol)) is not None:
        return counted
    counts_epochs = protocol.records == "epoch" and "epoch" in records and records.printed("epoch").all()
    if counts_epochs and "epoch_samples" in facts:
        return records.numbers("epoch") * _count(facts, "epoch_samples"), "samples"
    per_step, unit = _done_per_step(records.rows(used), facts, protocol)
    return steps_done(records, step_field(fields, protocol.records)).astype(np.float64) * per_step, unit


def _counted(records: Columns, fields: Fields, facts: Facts, protocol: Protocol) -> tuple[Values, str] | None:
    """What had been done by the log's own counts, and what it counts; None where it counts neither."""
    for name, unit in CONSUMED.items():
        if name in records and records.printed(name).all():
            return records.numbers(name), unit
    for name, unit in COVERED.items():
        # What was done before the first record does not matter, and it may not say so.
        if name in records and records.printed(name)[1:].all():
            return np.nancumsum(_of_job(records, fields, facts, protocol, name)), unit
    return None


def amount_of_step(records: Records, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> tuple[float, str]:
    """Return what all cards together do in one step of those used, and what is counted: "samples" or "tokens".

    The tokens of a step that the log states come before its samples. Where neither is known, or the batch size changes,
    it is the mean by the log's own counts, as ``amounts_done`` has them.
    Raises ``NoMeasurement`` where neither is known.
    """
    records = columns(records)
    try:
        return _done_per_step(records.rows(used), facts, protocol)
    except NoMeasurement:
        counted = _counted(records, fields, facts, protocol) if (protocol.records, "step") in fields else None
        if counted is None:
            raise
        done, unit = counted
        steps = steps_done(records, step_field(fields, protocol.records))
        first, last = np.flatnonzero(used)[[0, -1]]
        first = max(first - 1, 0)
        if not (done[last] > done[first] and steps[last] > steps[first]):
            raise
        return float(done[last] - done[first]) / float(steps[last] - steps[first]), unit


def _steps(records: Columns, fields: Fields, protocol: Protocol) -> NDArray[np.int64]:
    """The steps of each record: all of an epoch, or those since the record before."""
    if protocol.records == "epoch" and "steps_per_epoch" in records and records.printed("steps_per_epoch").all():
        return records["steps_per_epoch"].astype(np.int64)
    return np.diff(steps_done(records, step_field(fields, protocol.records)), prepend=0)
