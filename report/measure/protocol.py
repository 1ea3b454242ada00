"""Protocols: the rule that turns the records of a log into one throughput, as data."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PlainSerializer,
    PositiveInt,
    ValidationError,
    model_validator,
)

from parsers.io.errors import TachographError
from parsers.io.validation import Mistake, mistake

ARE_EXCLUSIVE = "{one} and {other} are mutually exclusive."
COUNTS_WITH = "counts={counts} goes with {allowed}."
CLOCK_ALONE = "estimate=clock gives one value: trim, trim_min and statistic do not apply to it."
NO_STEPS = "from_step={first} is greater than to_step={last}."
NOT_NAMED = '"{name}" is not a named protocol; use one of {named}, or key=value with these keys: {keys}.'
NO_PAIR = '"{part}" is not key=value; a protocol can only be overridden with key=value.'
SET_TWICE = "{key} is set twice, to {first} and {second}; set it once."
NO_LENGTH = 'expected a number of records such as 10, or of steps such as "100 steps".'
TAKES_NOTHING = "at least 1 record or step must be taken."

Statistic = Literal["mean", "median", "harmonic_mean", "last", "min", "max"]
WINDOW = (
    *("skip_records", "skip_steps", "skip_fraction", "from_step", "to_step"),
    *("drop_last", "take_first", "take_last"),
)
RULE = "rule"  # what is measured without a stated protocol
SKIPS = ("skip_records", "skip_steps", "skip_fraction", "from_step")
ENDS = (*combinations(("to_step", "take_first", "take_last"), 2), ("to_step", "drop_last"))
EXCLUSIVE = (*combinations(SKIPS, 2), *ENDS, ("decimals", "significant"))
# What goes with what is counted but samples; a summary tells the time of all epochs, and no clock.
COUNTS = {
    "tokens": ("estimate=step_time", "estimate=duration", "estimate=clock"),
    "steps": ("estimate=step_time", "estimate=duration", "estimate=clock", "estimate=instant"),
    "epochs": ("records=epoch estimate=duration", "records=epoch estimate=clock", "records=summary estimate=duration"),
}
NUMBERED = ("from_step", "to_step", "decimals")  # of these 0 says something


class ProtocolError(TachographError, ValueError):
    """A protocol that does not exist or contradicts itself; one sentence says what was found and what is possible."""


@dataclass(frozen=True)
class Length:
    """An interval of a log, counted in records or in steps: a log printed every 10 steps has 10 times fewer records."""

    count: int
    of: Literal["records", "steps"] = "records"

    def __str__(self) -> str:
        """Return the shortest text that reads back as this length: ``10``, ``100steps``."""
        return f"{self.count}steps" if self.of == "steps" else str(self.count)


def _length(value: object) -> Length:
    if isinstance(value, Length):
        return value
    found = re.fullmatch(r"(\d+)\s*(records?|steps?)?", str(value).strip())
    if found is None:
        raise Mistake(NO_LENGTH)
    return Length(int(found[1]), "steps" if (found[2] or "").startswith("step") else "records")


def _at_least_one(length: Length) -> Length:
    if length.count < 1:
        raise Mistake(TAKES_NOTHING)
    return length


AnyLength = Annotated[Length, BeforeValidator(_length, json_schema_input_type=int | str), PlainSerializer(str)]
SomeLength = Annotated[AnyLength, AfterValidator(_at_least_one)]


class Protocol(BaseModel):
    """The rule that turns records into one throughput; it is printed beside every number computed by it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    records: Literal["step", "epoch", "summary"] = "step"
    """The kind of records to read."""
    estimate: Literal["reported", "step_time", "duration", "clock", "instant"] = "reported"
    """How a throughput is obtained. `reported`: as printed; `step_time`: batch size × cards / step time; `duration`:
    samples of a record / its duration; `clock`: samples between two records / the time between them; `instant`: as
    printed, with running means converted to instantaneous values."""
    counts: Literal["samples", "tokens", "steps", "epochs"] = "samples"
    """What is counted, but by `reported`: samples (or tokens where the log states them), tokens (samples × sequence
    length, unless the log states them), steps, or epochs (of epoch records, or all of the run whose time a summary
    record tells). `instant` counts samples, as printed, or steps."""
    run: PositiveInt | Literal["last"] | None = None
    """Which run, if a log contains several: its number, from 1, or `last`."""
    skip_records: NonNegativeInt = 0
    """Number of records to skip at the start; excludes `skip_steps`."""
    skip_steps: NonNegativeInt = 0
    """Number of steps to skip at the start; with a line every 10 steps, 10 steps are one record."""
    skip_fraction: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    """Fraction of the records to skip at the start; excludes `skip_records` and `skip_steps`."""
    from_step: NonNegativeInt | None = None
    """Number of the first step to use, as printed; excludes `skip_records`, `skip_steps` and `skip_fraction`."""
    to_step: NonNegativeInt | None = None
    """Number of the last step to use, as printed; excludes `drop_last`, `take_first` and `take_last`."""
    drop_last: AnyLength = Length(0)
    """Records, or a text such as `"100 steps"`, to drop at the end."""
    take_first: SomeLength | None = None
    """Use only the first records, or a text such as `"100 steps"`, after skipping; excludes `take_last`."""
    take_last: SomeLength | None = None
    """Use only the last records, or a text such as `"100 steps"`, after dropping."""
    trim: Annotated[float, Field(ge=0, lt=0.5, allow_inf_nan=False)] = 0.0
    """Fraction of the values to trim from each end after sorting."""
    trim_min: NonNegativeInt = 0
    """Minimum number of values to trim from each end."""
    statistic: Statistic = "mean"
    """How the values of a run become one. Neither it nor `trim` applies to `clock`."""
    repeats: Literal["median", "mean", "olympic", "max"] = "median"
    """How several runs become one value. `olympic`: the mean without the best and the worst; `max`: the best."""
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None
    """Digits after the decimal point, 3 by default; excludes `significant`."""
    significant: Annotated[int, Field(ge=1, le=17)] | None = None
    """Significant digits, without trailing zeros."""
    rounding: Literal["half_up", "truncate"] = "half_up"
    """`half_up`: round half away from zero; `truncate`: round towards zero."""

    @model_validator(mode="after")
    def _excludes(self) -> Self:
        for one, other in EXCLUSIVE:
            if self._is_given(one) and self._is_given(other):
                raise Mistake(ARE_EXCLUSIVE, one=one, other=other)
        return self

    @model_validator(mode="after")
    def _fits_its_estimate(self) -> Self:
        keys = f"records={self.records} estimate={self.estimate}"
        if not any(keys.endswith(one) for one in COUNTS.get(self.counts, ("",))):
            raise Mistake(COUNTS_WITH, counts=self.counts, allowed=" or ".join(COUNTS[self.counts]))
        if self.estimate == "clock" and (self.trim or self.trim_min or self.statistic != "mean"):
            raise Mistake(CLOCK_ALONE)
        if self.from_step is not None and self.to_step is not None and self.to_step < self.from_step:
            raise Mistake(NO_STEPS, first=self.from_step, last=self.to_step)
        return self

    def _is_given(self, key: str) -> bool:
        return getattr(self, key) not in ((None,) if key in NUMBERED else (None, 0, Length(0)))

    @classmethod
    def of(cls, keys: Mapping[str, object]) -> Self:
        """Return the protocol that a table of keys states; raises ``ProtocolError``."""
        try:
            return cls.model_validate(dict(keys))
        except ValidationError as error:
            raise ProtocolError(mistake(error.errors()[0], cls)) from None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the protocol that a line of text states; raises ``ProtocolError``.

        ``mlperf``, ``skip_records=5,statistic=median`` or ``summary,decimals=2``: a name, then keys that override it.
        Reads back what ``words`` returns.
        """
        parts = _parts(text)
        if parts[0] == RULE:
            parts, base = parts[1:], cls()
        else:
            base = cls() if "=" in parts[0] else cls.of({"estimate": "reported", **_named_keys(parts.pop(0))})
        return base._with(_pairs(parts))

    def overridden(self, text: str) -> Self:
        """Return this protocol with the keys of a line of text, ``decimals=2,trim=0``; raises ``ProtocolError``.

        A key also takes the place of the one that it excludes.
        """
        return self._with(_pairs(_parts(text)))

    def _with(self, given: Mapping[str, str]) -> Self:
        base = self.model_dump(exclude_unset=True)
        for one, other in EXCLUSIVE:
            if one in given or other in given:
                base.pop(one, None)
                base.pop(other, None)
        return self.of({**base, **given})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Protocol) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    @property
    def states_estimate(self) -> bool:
        """Whether its text or table names an estimate, as a named protocol always does."""
        return "estimate" in self.model_fields_set

    @property
    def states_rule(self) -> bool:
        """Whether it says how a run is measured, and not only which, or how numbers are put together and printed."""
        return not self.model_fields_set <= {"run", "repeats", "decimals", "significant", "rounding"}

    @property
    def states_window(self) -> bool:
        """Whether it says which records of its kind are used."""
        return not self.model_dump(exclude_defaults=True).keys().isdisjoint(WINDOW)

    def without_window(self) -> Self:
        """The same over all records of its kind."""
        return self.of(self.model_dump(exclude_unset=True, exclude={*WINDOW}))

    @property
    def window_counts_steps(self) -> bool:
        """Whether the window needs the number of steps done at each record, not only the order of the records."""
        lengths = filter(None, (self.drop_last, self.take_first, self.take_last))
        return self.skip_steps > 0 or any(length.of == "steps" for length in lengths)

    def words(self, runs: int = 1) -> str:
        """Return the protocol in one line of neutral words, to stand beside its numbers; of ``runs`` that it combines.

        Always ``records``, the ``estimate`` where one is stated, and (but for the clock, which has one value)
        ``statistic``, of several runs ``repeats``; of the other keys those that differ from their defaults. Of one that
        leaves it to the rule ``rule``, and these.
        """
        return self._words if runs < 2 or "repeats=" in self._words else f"{self._words} repeats={self.repeats}"

    @cached_property
    def _words(self) -> str:
        always = {"records"} | ({"statistic"} if self.estimate != "clock" else set())
        always |= {"estimate"} if self.states_estimate else set()
        changed = self.model_dump(exclude_defaults=True).keys() | (always if self.states_rule else set())
        stated = (f"{key}={getattr(self, key)}" for key in type(self).model_fields if key in changed)
        return " ".join(stated if self.states_rule else (RULE, *stated))


@cache
def named() -> Mapping[str, Mapping[str, Any]]:
    """Return the keys of every named protocol, by name, as ``protocols.toml`` states them."""
    return tomllib.loads((Path(__file__).parents[1] / "protocols.toml").read_text(encoding="utf-8"))


def _named_keys(name: str) -> Mapping[str, Any]:
    if name not in named():
        raise ProtocolError(NOT_NAMED, name=name, named=", ".join(named()), keys=", ".join(Protocol.model_fields))
    return named()[name]


def _parts(text: str) -> list[str]:
    return re.split(r"\s*,\s*|\s+(?=\w+=)", text.strip())


def _pairs(parts: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ProtocolError(NO_PAIR, part=part)
        if key in pairs:
            raise ProtocolError(SET_TWICE, key=key, first=pairs[key], second=value)
        pairs[key] = value
    return pairs
