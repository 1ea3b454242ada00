"""Scaling: what all cards train in a step or a record, and whose number a throughput is."""

import numpy as np
from numpy.typing import NDArray

from parsers.counts.parallelism import cards_of_replica
from parsers.grammar.field import Field, Scope
from parsers.io.message import Message
from parsers.runs.facts import Fact, counts_of, is_count

from ..measure.diagnostics import NoMeasurement
from ..measure.protocol import Protocol
from .estimate import CONSUMED, Facts, Values, as_counted, epochs_done
from .record_columns import Columns, Records, columns
from .window import Fields, Mask, step_field, steps_done

UNKNOWN_SCOPE = (
    "The format does not define whether {field} is per card, per node or of the whole job: state it in its grammar as "
    "the scope card, node or job."
)
SEVERAL_UNITS = "The throughputs of the records count different things: {units}."
UNSCALED = "The number of {name} is unknown, so the throughput is per {scope}: pass --{name}."
NO_SCOPE = "The format does not define whether {field} is per card, per node or per job."
NEEDS_BATCH_SIZE = "estimate={estimate} needs the batch size per card: pass --batch-size."
NEEDS_CARDS = "estimate={estimate} needs the number of cards: pass --cards."
NEEDS_BOTH = "estimate={estimate} needs the batch size per card and the number of cards: pass --batch-size and --cards."
NEEDS_SCOPE = "estimate={estimate} needs the number of {scope}s: pass --{scope}s."
SEVERAL_SIZES = (
    "estimate={estimate} needs one batch size, but the records print {low} to {high}: pass --batch-size, or use a "
    "window with a constant batch size."
)
NO_SIZE = "estimate={estimate} needs a batch size, but the records print {printed}."
NO_COUNT = "{name} is {value} according to {witness}; expected at least 1."
UNKNOWN_STEP = (
    "{passes} forward passes make an optimizer step according to {witness}, and the format does not define which of "
    "the two its step is: state it in its grammar, where it reads accumulation."
)
SHARED_MODEL = "The global batch size is unknown, and {count} cards share one model and its batch size."
# What an option of the command line, or one word in a grammar, would give.
ASKING = (NEEDS_BATCH_SIZE, NEEDS_CARDS, NEEDS_BOTH, NEEDS_SCOPE, SEVERAL_SIZES, UNKNOWN_STEP, SHARED_MODEL)

BATCH_SIZES = ("batch_size", "job_batch_size")
# What a record covers by the log's own count, and in what.
COVERED = {"sample_count": "samples", "token_count": "tokens"}


def scale(field: Field, facts: Facts) -> tuple[int, Scope, tuple[Message, ...]]:
    """Return what a number is multiplied by to be the whole job's, whose it then is, and warnings.

    One card's is multiplied by ``cards``, one node's by ``nodes``; where those are not known it stays as it is, with a
    warning; so does one of unknown scope, unless the job has one card. Raises ``NoMeasurement`` where the field has no
    scope at all.
    """
    if field.scope is None:
        raise NoMeasurement(NO_SCOPE, field=field.name)
    if field.scope == "unknown" and "cards" in facts and facts["cards"].value == 1:
        return 1, "job", ()  # whichever it is, they are all the same
    if field.scope == "unknown":
        return 1, "unknown", (Message(UNKNOWN_SCOPE, field=field.name),)
    if field.scope == "job":
        return 1, "job", ()
    name = f"{field.scope}s"
    if name not in facts:
        return 1, field.scope, (Message(UNSCALED, name=name, scope=field.scope),)
    return _count(facts, name), "job", ()


def samples_per_step(records: Records, facts: Facts, protocol: Protocol) -> int:
    """Return how many samples all cards together train in one step.

    That is the batch size of the job, as the column ``job_batch_size`` of ``records`` or else as a fact; or batch size
    per card x cards x passes in a step (``accumulation``), which a caller's own ``batch_size`` asks for in any case.
    Raises ``NoMeasurement`` where they are not known, or where the column holds several numbers, and where passes make
    an optimizer step and the format does not say which of both its step is.
    """
    given, is_option = facts.get("batch_size"), _is_option(facts)
    if not is_option and (job := _column(columns(records), "job_batch_size", protocol)) is not None:
        return job
    if "job_batch_size" in facts and (given is None or given.source.is_of_the_log):
        return _of_one_step(facts)
    printed = None if is_option else _column(columns(records), "batch_size", protocol)
    card = _count(facts, "batch_size") if given and printed is None else printed
    _refuse_shared(facts)
    if card is None or "cards" not in facts:
        key = NEEDS_CARDS if card is not None else NEEDS_BATCH_SIZE if "cards" in facts else NEEDS_BOTH
        raise NoMeasurement(key, estimate=protocol.estimate)
    return card * _passes(facts)


def _of_one_step(facts: Facts) -> int:
    """The batch size of the job that a fact states for an optimizer step, or what one pass has of it."""
    size, passes = _count(facts, "job_batch_size"), _accumulated(facts)
    is_pass = "accumulation" in facts and facts["accumulation"].step_is == "forward_pass"
    return size // passes if is_pass and not size % passes else size


def _accumulated(facts: Facts) -> int:
    """How many passes make an optimizer step; raises ``NoMeasurement`` where nobody knows what a step is."""
    passes = _count(facts, "accumulation") if "accumulation" in facts else 1
    if passes > 1 and facts["accumulation"].step_is == "unknown":
        raise NoMeasurement(UNKNOWN_STEP, passes=passes, witness=facts["accumulation"].source.message)
    return passes


def _is_option(facts: Facts) -> bool:
    """Whether a user gives the batch size of a card, which counts before all that a log prints."""
    return "batch_size" in facts and facts["batch_size"].source.kind == "option"


def _refuse_shared(facts: Facts) -> None:
    if not _is_option(facts) and (sharing := cards_of_replica(counts_of(facts))) > 1:
        raise NoMeasurement(SHARED_MODEL, count=sharing)


def own_sizes(records: Records, facts: Facts) -> Values | None:
    """Return how many samples all cards train in one step of each record (float64), where the records print it.

    None where they do not, or where all print the same. ``records``: at least one.
    """
    records = columns(records)
    for name in BATCH_SIZES[::-1] if "cards" in facts else BATCH_SIZES[1:]:
        if name in records and not _is_option(facts):
            sizes = records.numbers(name)
            if np.isfinite(sizes).all() and (sizes >= 1).all() and (sizes != sizes[0]).any():
                return sizes * _passes(facts) if name == "batch_size" else sizes
    return None


def _passes(facts: Facts) -> int:
    """How many batches of one card make a step; raises ``NoMeasurement`` where that is not known."""
    _refuse_shared(facts)
    passes = _accumulated(facts)
    is_pass = "accumulation" in facts and facts["accumulation"].step_is == "forward_pass"
    return _count(facts, "cards") * (1 if is_pass else passes)


def _done_per_step(records: Columns, facts: Facts, protocol: Protocol) -> tuple[int, str]:
    """What all cards together train in one step, and what is counted: "tokens" where the log states them.

    Else "samples", as ``samples_per_step`` returns them: a caller asks for these with a ``batch_size`` where the passes
    of a step are known as well. Without those a batch size says less than the log does.
    """
    asks = "accumulation" in facts and "batch_size" in facts and not facts["batch_size"].source.is_of_the_log
    if "job_batch_tokens" in facts and not asks:
        return _count(facts, "job_batch_tokens"), "tokens"
    return samples_per_step(records, facts, protocol), "samples"


def _column(records: Columns, name: str, protocol: Protocol) -> int | None:
    """The one number of a column; None where the records do not print it."""
    if name not in records or not records.printed(name).all():
        return None
    sizes = np.unique(records[name])
    if len(sizes) > 1:
        raise NoMeasurement(SEVERAL_SIZES, estimate=protocol.estimate, low=f"{sizes.min():g}", high=f"{sizes.max():g}")
    if not (np.isfinite(sizes) & (sizes >= 1)).all():
        raise NoMeasurement(NO_SIZE, estimate=protocol.estimate, printed=f"{sizes[0]:g}")
    return int(sizes[0])


def _count(facts: Facts, name: str) -> int:
    fact: Fact = facts[name]
    if not is_count(fact.value):
        raise NoMeasurement(NO_COUNT, name=name, value=fact.value, witness=fact.source.message)
    return fact.value


def amounts(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> tuple[Values, str]:
    """Return what all cards together did in each record (float64), and what is counted: "samples", "tokens" or "steps".

    That is what the record prints (``sample_count``, ``token_count``), the samples of an epoch, or its steps times the
    samples or tokens of one step.
    ``records`` are all of one kind and one rank. Raises ``NoMeasurement`` where neither is known.
    """
    records = columns(records)
    if protocol.counts == "steps":
        return _steps(records, fields, protocol).astype(np.float64), "steps"
    for name, unit in COVERED.items():
        if name in records and records.printed(name).all():
            return as_counted(_of_job(records, fields, facts, protocol, name), unit, records, facts, protocol)
    if protocol.records == "epoch" and "epoch_samples" in facts:
        of_epoch = np.full(len(records), float(_count(facts, "epoch_samples")))
        return as_counted(of_epoch, "samples", records, facts, protocol)
    steps = _steps(records, fields, protocol).astype(np.float64)
    if (sizes := own_sizes(records, facts)) is not None:
        return as_counted(steps * sizes, "samples", records, facts, protocol)
    per_step, counted = _done_per_step(records, facts, protocol)
    return as_counted(steps * per_step, counted, records, facts, protocol)


def _of_job(records: Columns, fields: Fields, facts: Facts, protocol: Protocol, name: str) -> Values:
    """A column of counts, times what makes them those of the whole job."""
    factor, scope, _ = scale(fields[(protocol.records, name)], facts)
    if scope == "unknown":
        raise NoMeasurement(UNKNOWN_SCOPE, field=name)
    if scope != "job":
        raise NoMeasurement(NEEDS_SCOPE, estimate=protocol.estimate, scope=scope)
    return records.numbers(name) * factor


def amounts_done(records: Records, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> tuple[Values, str]:
    """Return what all cards had done when each record was printed (float64), and what: "samples", "tokens", "steps".

    Or "epochs", by their numbers, or by their places where the format has none.
    That is what the log counts itself: in all (``consumed_samples``, ``consumed_tokens``) or in each record
    (``sample_count``, ``token_count``), where only differences mean something. Else the epochs times the samples of
    one, of records of epochs; or the steps times the samples or tokens of one. ``records`` are all of one kind
    and one rank, ``used`` those whose batch size counts. Raises ``NoMeasurement`` where none of these is known.
    """
    records = columns(records)
    if protocol.counts == "steps":
        return steps_done(records, step_field(fields, protocol.records)).astype(np.float64), "steps"
    if protocol.counts == "epochs":
        return epochs_done(records, fields), "epochs"
    if (counted := _counted(records, fields, facts, protocol)) is not None:
        return as_counted(*counted, records, facts, protocol)
    counts_epochs = protocol.records == "epoch" and "epoch" in records and records.printed("epoch").all()
    if counts_epochs and "epoch_samples" in facts:
        of_epochs = records.numbers("epoch") * _count(facts, "epoch_samples")
        return as_counted(of_epochs, "samples", records, facts, protocol)
    sizes = own_sizes(records.rows(used), facts)
    per_step, unit = _done_per_step(records.rows(used), facts, protocol) if sizes is None else (1, "samples")
    done = steps_done(records, step_field(fields, protocol.records)).astype(np.float64)
    if sizes is None:
        done *= per_step
        return as_counted(done, unit, records, facts, protocol)
    # What was done before the window does not matter: only differences mean something.
    each = np.zeros(len(done))
    each[used] = sizes
    return as_counted(np.cumsum(np.diff(done, prepend=0) * each), unit, records, facts, protocol)


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

    A protocol that counts steps or epochs has one of them.
    It is the mean of the batch sizes that the records print, where these differ. The tokens of a step that the log
    states come before its samples. Where neither is known, it is the mean by the log's own counts, as ``amounts_done``
    has them.
    Raises ``NoMeasurement`` where neither is known.
    """
    if protocol.is_in_steps:
        return 1, "epochs" if protocol.counts == "epochs" else "steps"
    records = columns(records)
    if (sizes := own_sizes(records.rows(used), facts)) is not None:
        return as_counted(float(sizes.mean()), "samples", records, facts, protocol)
    try:
        return as_counted(*_done_per_step(records.rows(used), facts, protocol), records, facts, protocol)
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
        per_step = float(done[last] - done[first]) / float(steps[last] - steps[first])
        return as_counted(per_step, unit, records, facts, protocol)


def _steps(records: Columns, fields: Fields, protocol: Protocol) -> NDArray[np.int64]:
    """The steps of each record: all of an epoch, or those since the one before; of the first no more than of others."""
    if protocol.records == "epoch" and "steps_per_epoch" in records and records.printed("steps_per_epoch").all():
        return records["steps_per_epoch"].astype(np.int64)
    steps = np.diff(steps_done(records, step_field(fields, protocol.records)), prepend=0)
    if protocol.records == "step" and len(steps) > 1:
        steps[0] = min(steps[0], int(np.median(steps[1:])))
    return steps


def unit_in_words(field: Field) -> str:
    """What a throughput counts, as it is printed: `environment steps`."""
    return (field.unit or "samples").replace("_", " ")


def thing_counted(records: Columns, field: Field) -> str:
    """Return what the throughputs of records count, by their lines or else by the format."""
    if "counted" not in records or not (said := records.printed("counted")).any():
        return unit_in_words(field)
    words = sorted({str(word).lower() for word in records["counted"][said]})
    if len(words) > 1 or not said.all():
        raise NoMeasurement(SEVERAL_UNITS, units=", ".join(words if said.all() else [*words, str(field.unit)]))
    return words[0]
