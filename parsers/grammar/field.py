"""What a column of the records means: its type, unit, scope and kind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

Scope = Literal["card", "node", "job", "unknown"]
Mean = Literal["instant", "window_mean", "running_mean", "total", "unknown"]
Span = Literal["wall_time", "training_time", "unknown"]
Kind = Literal[Mean, Span]
Per = Literal["epoch", "run"]
StepIs = Literal["optimizer_step", "forward_pass", "unknown"]

IN_SECONDS = {"seconds": 1.0, "milliseconds": 1e-3, "minutes": 60.0, "hours": 3600.0}
_COUNTED = ("images", "samples", "sequences", "tokens", "words", "environment_steps", "unknown")
_RATES = ("throughput", "mean_throughput", "source_throughput")
_LASTING = (
    *("step_time", "mean_step_time", "duration", "reader_time", "work_time", "remaining"),
    *("forward_time", "backward_time"),
)
UNITS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_RATES, _COUNTED),
    **dict.fromkeys(_LASTING, tuple(IN_SECONDS)),
    "memory": ("megabytes", "gigabytes"),
}
# The terminals that hold a moment.
TIMES = frozenset(
    (
        *("STAMP", "COMPACT_STAMP", "SHORT_DATE_STAMP", "TWELVE_HOUR_STAMP", "YEARLESS_STAMP", "TIME_OF_DAY"),
        *("C_STAMP", "UNIX_SECONDS", "UNIX_MILLISECONDS"),
    ),
)
# Columns that a program may print as something else: the terminal that the rule holds tells how it becomes one.
WRITTEN_AS = {"time_of_thousand": "throughput"}
# Those that hold a length of time.
LENGTHS = frozenset(("DURATION", "SPELT_DURATION", "MINUTES", "HOURS", "NUMBER"))


@dataclass(frozen=True)
class Field:
    """One field of a line kind, as its grammar states it.

    ``type``: name of the terminal that it holds, which decides the dtype of its column.
    ``unit``: of a throughput what is counted each second ("images"), of a time "seconds" or "milliseconds".
    ``scope``: whether the number is one card's, one node's or the whole job's; "unknown" where the log does not
    show it.
    ``kind``: an instant value, the mean of the window since the last line, a running mean, or the ``total`` of
    the run up to that line, which cannot be undone; or "unknown".
    Of a duration: ``wall_time``, all that ran since the record before, evaluations and checkpoints among it, or
    ``training_time``, the steps since then alone.
    ``since``: for a running mean the number of steps of the epoch that it leaves out.
    ``per``: whether a running mean, or a duration, starts anew with each "epoch" or goes on over the whole "run".
    ``step_is``: for an ``accumulation`` what a step of the log is, which decides whether it counts.
    ``first``: for a counter (``step``) the number that the log gives to the first one, 0 or 1.
    ``is_expected``: the time was not measured, but is computed of the time that a program predicts for what is left.
    """

    name: str
    type: str
    unit: str | None = None
    scope: Scope | None = None
    kind: Kind | None = None
    since: int | None = None
    per: Per | None = None
    first: int | None = None
    step_is: StepIs | None = None
    is_expected: bool = False


WHOLE_LINE = Field("text", "LINE")  # of an event


def computed(fields: Iterable[Field]) -> Field | None:
    """What is computed of these fields and means a time by itself; None where nothing is.

    The time of a step is that of its two parts, work_time and reader_time; or the one that a program expects each step
    that is left to take, or the duration of each epoch that is left.
    """
    known = {field.name: field for field in fields}
    return None if "step_time" in known else _whole_step(known) or _by_remaining(known)


def _whole_step(known: Mapping[str, Field]) -> Field | None:
    work, reader = known.get("work_time"), known.get("reader_time")
    return replace(work, name="step_time") if work and reader and work.unit == reader.unit else None


def _by_remaining(known: Mapping[str, Field]) -> Field | None:
    """What a remaining time means with what is left: its seconds are computed, whatever its own unit."""
    if "remaining" not in known or "duration" in known:
        return None
    is_of_unknown_epoch = {"steps_per_epoch", "epochs"} <= known.keys() and "epoch" not in known
    if "step" in known and not is_of_unknown_epoch and not {"steps", "steps_per_epoch"}.isdisjoint(known):
        return Field("step_time", "NUMBER", "seconds", kind="unknown", is_expected=True)
    is_of_epochs = "step" not in known and {"epoch", "epochs"} <= known.keys()
    return Field("duration", "NUMBER", "seconds", kind="unknown", is_expected=True) if is_of_epochs else None


def wrong_parameter(name: str, meaning: Mapping[str, object]) -> tuple[str, Sequence[str]] | None:
    """The first wrong parameter of a field, and what is allowed there; None when all are right."""
    kinds = get_args(Span if name == "duration" else Mean)
    allowed = {"unit": UNITS.get(name, ()), "scope": get_args(Scope), "kind": kinds, "per": get_args(Per)}
    allowed["step_is"] = get_args(StepIs)
    for parameter, said in meaning.items():
        if parameter in ("since", "first") and not isinstance(said, int):
            return str(said), ('"0"', '"1"', "...")
        if parameter in allowed and said not in allowed[parameter]:
            return str(said), allowed[parameter]
    kind = str(meaning.get("kind"))
    if kind == "running_mean" and not {"per", "since"} <= meaning.keys():
        return kind, ('running_mean{per_epoch, "0"}',)
    if kind in ("wall_time", "training_time") and "per" not in meaning:
        return kind, (f"{kind}{{per_epoch}}",)
    return None
