"""Likeness: what keeps numbers that stand side by side from being compared like with like."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import get_args

import numpy as np

from parsers.grammar.field import Kind
from parsers.io.message import Message, joined

from ..measure.diagnostics import NoMeasurement
from ..measure.protocol import Protocol
from ..measure.statistic import reduce_repeats
from .cell import Cell
from .run_begin import first_begin

# A number and its title: that of its column among the cells of a row, of its row among those of a column.
Side = tuple[str, Cell]
Said = dict[str, list[str]]


class Unlike(StrEnum):
    """What differs between numbers; that of an axis or a version is its name."""

    RULES = "protocols"
    KINDS = "kinds_of_records"
    SLOW_START = "slow_start"
    SLOW_END = "slow_end"
    FEW = "sample_sizes"
    NODES = "nodes"
    CARDS = "cards"
    BATCH_SIZE = "batch_size"
    PRECISION = "precision"
    FRAMEWORK_VERSION = "framework_version"
    CUDA = "cuda"
    CUDNN = "cudnn"
    DATES = "dates"


DIFFERENCES: Mapping[Unlike, str] = {
    Unlike.RULES: "The protocols differ: {each}.",
    Unlike.KINDS: "Log records measure different things: {each}.",
    Unlike.SLOW_START: "The first record used is slow; without it: {each}.",
    Unlike.SLOW_END: "The last record used is slow; without it: {each}.",
    Unlike.FEW: "Sample sizes differ: {each}.",
    Unlike.NODES: "Node counts differ: {each}.",
    Unlike.CARDS: "Card counts differ: {each}.",
    Unlike.BATCH_SIZE: "Batch sizes per card differ: {each}.",
    Unlike.PRECISION: "Precisions differ: {each}.",
    Unlike.FRAMEWORK_VERSION: "Framework versions differ: {each}.",
    Unlike.CUDA: "CUDA versions differ: {each}.",
    Unlike.CUDNN: "cuDNN versions differ: {each}.",
    Unlike.DATES: "The runs are more than half a year apart: {each}.",
}
AXES = (Unlike.NODES, Unlike.CARDS, Unlike.BATCH_SIZE, Unlike.PRECISION)
VERSIONS = (Unlike.FRAMEWORK_VERSION, Unlike.CUDA, Unlike.CUDNN)
ON_SIDES = "{said} ({titles})"

# How a number is printed favours none.
OF_PRINTING = ("decimals", "significant", "rounding")
# What these state covers steps of earlier records, too, so that no record of them is one stretch of the run.
KIND_KEYS = tuple(f"kind_{kind}" for kind in get_args(Kind))
COVERS_EARLIER = {"kind_running_mean", "kind_total"}
SLOWER = 0.01
MANY, TIMES_AS_MANY = 20, 2
FAR_APART = np.timedelta64(183, "D")


@dataclass(frozen=True)
class Difference:
    """What differs between numbers that are compared.

    ``each``: what is so, with the titles of the sides. It is in neutral words (``skip_records=10``, ``128``,
    ``2023-07``), but for the keys ``kind_*`` of ``KINDS``.
    """

    code: Unlike
    each: Mapping[str, tuple[str, ...]]

    @property
    def sentence(self) -> str:
        """What the catalogues translate, with ``{each}`` for what is so on which side."""
        return DIFFERENCES[self.code]

    @property
    def told(self) -> Message:
        """The difference in one sentence, in any language."""
        each = (Message(ON_SIDES, said=in_words(said), titles=", ".join(sides)) for said, sides in self.each.items())
        return Message(self.sentence, each=joined("{first}; {second}", each))

    def __str__(self) -> str:
        """The difference in one English sentence, with the neutral words of the keys."""
        return str(self.told)


def in_words(said: str) -> Message | str:
    """What is so: a message where it is a key of what records state, else neutral words."""
    return Message(said) if said in KIND_KEYS else said


def of_rules(sides: Sequence[Side]) -> Iterator[Difference]:
    """What in the protocols, or in the records that they meet, favours one of the sides, which all have a number."""
    yield from _unlike(Unlike.RULES, _rules(sides))
    kinds = _said(sides, lambda cell: _kind(cell) or "")
    if len(kinds) > 1 and kinds.keys() & COVERS_EARLIER:
        yield _difference(Unlike.KINDS, {kind: titles for kind, titles in kinds.items() if kind})
    for code, place in ((Unlike.SLOW_START, 0), (Unlike.SLOW_END, -1)):
        yield from _slow(code, [(title, _gained(cell, place)) for title, cell in sides])
    used = [(title, _steps_used(cell)) for title, cell in sides]
    counts = [count for _, count in used if count]
    if counts and min(counts) < MANY <= max(counts) and TIMES_AS_MANY * min(counts) <= max(counts):
        yield _difference(Unlike.FEW, _gathered((str(count), title) for title, count in used if count))


def of_runs(sides: Sequence[Side]) -> Iterator[Difference]:
    """What the logs say of the runs that differs between the sides, although their labels do not."""
    for axis in AXES:
        if len({cell.case.get(axis.value) for _, cell in sides}) == 1:  # type: ignore[call-overload]
            yield from _unlike(axis, _said(sides, partial(fact_of, name=axis.value)))
    for version in VERSIONS:
        for alike in _of_one_format(sides):
            yield from _unlike(version, _said(alike, partial(fact_of, name=version.value)))
    yield from _dates(sides)


def _difference(code: Unlike, said: Said) -> Difference:
    return Difference(code, {one: tuple(titles) for one, titles in said.items()})


def _unlike(code: Unlike, said: Said) -> Iterator[Difference]:
    """The difference, where there is one among the sides that say anything."""
    told = {one: titles for one, titles in said.items() if one}
    if len(told) > 1:
        yield _difference(code, told)


def _said(sides: Iterable[Side], say: Callable[[Cell], str]) -> Said:
    return _gathered((say(cell), title) for title, cell in sides)


def _gathered(pairs: Iterable[tuple[str, str]]) -> Said:
    """The titles of the sides of which the same is said, once each."""
    gathered: dict[str, dict[str, None]] = {}
    for said, title in pairs:
        gathered.setdefault(said, {})[title] = None
    return {said: list(titles) for said, titles in gathered.items()}


def _protocol(cell: Cell) -> Protocol:
    return cell.proofs[0].measurement.protocol


def _rules(sides: Sequence[Side]) -> Said:
    """The keys in which the protocols differ, in the words of each."""
    idle = () if any(len(cell.proofs) > 1 for _, cell in sides) else ("repeats",)
    keys = [key for key in Protocol.model_fields if key not in (*OF_PRINTING, *idle)]
    differing = [key for key in keys if len({getattr(_protocol(cell), key) for _, cell in sides}) > 1]
    return _said(sides, lambda cell: _words(_protocol(cell), differing))


def _words(protocol: Protocol, keys: Sequence[str]) -> str:
    """These keys of a protocol as it states them; those that it leaves out only where it leaves out all."""
    stated = [word for word in protocol.words(2).split() if word.partition("=")[0] in keys]
    return " ".join(stated or [f"{key}={getattr(protocol, key)}" for key in keys])


def _kind(cell: Cell) -> str | None:
    """The key of what the records state that are read; None where the estimate does not take them as they are."""
    found, proof = cell.proofs[0].measurement, cell.proofs[0]
    if found.calculation is None or found.protocol.estimate == "instant":
        return None
    field = proof.reading.fields.get((found.estimate.kind, found.estimate.source))
    return f"kind_{field.kind}" if field and field.kind else None


def _slow(code: Unlike, gained: Sequence[tuple[str, float]]) -> Iterator[Difference]:
    """The difference, where one slow record costs one side more than another."""
    shares = [share for _, share in gained]
    if max(shares) - min(shares) >= SLOWER:
        yield _difference(code, _gathered((f"{share:+.1%}", title) for title, share in gained if share >= SLOWER))


def _gained(cell: Cell, place: int) -> float:
    """What share a number gains without the first (0) or last (-1) record of each of its runs; 0 where it loses."""
    protocol, runs = _protocol(cell), [proof.measurement for proof in cell.proofs]
    each = [run.calculation for run in runs if run.calculation is not None]
    if protocol.statistic == "last" or _kind(cell) in COVERS_EARLIER or len(each) < len(runs):
        return 0.0
    if any(run.records_used < 2 for run in runs):
        return 0.0
    without = [replace(one, values=np.delete(one.values, place)).result for one in each]
    with_it = [one.result for one in each]
    try:
        before, after = (reduce_repeats(values, protocol.repeats) for values in (with_it, without))
    except NoMeasurement:
        return 0.0
    return max(0.0, after / before - 1) if before else 0.0


def _steps_used(cell: Cell) -> int | None:
    """How many step records made the number; None where it is of epochs, summaries or a clock, which need few."""
    protocol = _protocol(cell)
    if protocol.records != "step" or protocol.estimate == "clock" or protocol.statistic == "last":
        return None
    return sum(proof.measurement.records_used for proof in cell.proofs)


def fact_of(cell: Cell, name: str) -> str:
    """What the logs of a cell say; nothing where none of them says it."""
    facts = [proof.reading.facts[name] for proof in cell.proofs if name in proof.reading.facts]
    # Names of files say fp16 for whatever is not fp32; what the log says itself is precise.
    told = [fact for fact in facts if name != "precision" or not fact.source.is_name]
    return "/".join({str(fact.value): None for fact in told})


def _of_one_format(sides: Sequence[Side]) -> Iterator[list[Side]]:
    """The sides whose logs are of one format: versions of different programs are never the same."""
    formats: dict[str, list[Side]] = {}
    for title, cell in sides:
        format_ = cell.proofs[0].reading.format
        formats.setdefault(format_.name if format_ else "", []).append((title, cell))
    yield from formats.values()


def _dates(sides: Sequence[Side]) -> Iterator[Difference]:
    known = [(title, time) for title, cell in sides if (time := first_begin(cell.proofs)) is not None]
    times = [time for _, time in known]
    if times and max(times) - min(times) > FAR_APART:
        months = ((str(time.astype("M8[M]")), title) for title, time in sorted(known, key=_time))
        yield _difference(Unlike.DATES, _gathered(months))


def _time(side: tuple[str, np.datetime64]) -> np.datetime64:
    return side[1]
