"""Statements: all lines of a log that state a fact, so that what one run states is not taken for that of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..scanning.columns import FactLines
from .facts import SCALING, Fact, Value, value
from .provenance import line

COUNTS = (*SCALING, "epoch_samples")
Lines = NDArray[np.int64]


@dataclass(frozen=True)
class StatedLines:
    """A fact by name and value, and the lines of one kind that state it; None where these are too many to be kept.

    A kind is an event that begins a run, or else all other lines of the formats: a configuration takes many lines.
    """

    name: str
    value: Value
    kind: int
    lines: Lines | None


@dataclass(frozen=True)
class Stretches:
    """The lines of several runs, each int64: the last record ``before``, and the ``first`` and ``last`` of its own."""

    before: Lines
    first: Lines
    last: Lines


def statements(found: Iterable[FactLines]) -> list[StatedLines]:
    """All facts that the lines of a log state, with the lines."""
    return [said for number, lines in enumerate(found, 1) for said in _statements(lines, number * lines.is_event)]


def _statements(lines: FactLines, kind: int) -> Iterator[StatedLines]:
    for row, numbers in lines.every.items():
        at = None if numbers is None else np.array(numbers, np.int64)
        for field, text in zip(lines.fields, row, strict=True):
            if text:
                yield StatedLines(field.name, value(field.name, field.type, text.decode("utf-8", "replace")), kind, at)


def unstated(facts: Iterable[Fact], said: Sequence[StatedLines], runs: Stretches) -> list[list[tuple[Fact, int]]]:
    """Of each run the counts among some facts that are of others, each with a line that states its own configuration.

    That is a configuration of the same kind as the one that states the count; it has none of it. What is stated
    behind all records may be of any run.
    """
    found: list[list[tuple[Fact, int]]] = [[] for _ in runs.first]
    for fact in (fact for fact in facts if fact.name in COUNTS):
        alike = [one for one in said if (one.name, one.value) == (fact.name, fact.value)]
        stated = _lines(alike)
        if stated is None or not len(stated) or stated[0] > runs.last[-1]:
            continue
        others = _lines([one for one in said if one.lines is not None and one.kind in {one.kind for one in alike}])
        for run, own in _configured(stated, others, runs):
            found[run].append((fact, own))
    return found


def _lines(said: Iterable[StatedLines]) -> Lines | None:
    """All lines of some statements in their order; None where not all are kept."""
    each = [one.lines for one in said]
    known = [lines for lines in each if lines is not None]
    return np.sort(np.array([*chain.from_iterable(known)], np.int64)) if len(known) == len(each) else None


def _configured(stated: Lines, others: Lines | None, runs: Stretches) -> Iterator[tuple[int, int]]:
    """The runs that a count is not stated of, each with the line that begins its own configuration, if it has one."""
    if others is None:
        return
    is_stated = np.searchsorted(stated, runs.last, "right") > np.searchsorted(stated, runs.before, "right")
    begins = np.searchsorted(others, runs.before, "right")
    is_own = begins < np.searchsorted(others, runs.first, "right")
    for run in np.flatnonzero(is_own & ~is_stated).tolist():
        yield run, int(others[begins[run]])


def line_facts(found: Iterable[FactLines]) -> Iterator[Fact]:
    """The facts that the lines of a log state, in the order of the lines.

    A value told again is told once, but for what an event states.
    """
    said = list(chain.from_iterable(map(_stated, found)))
    order = {key: place for place, key in enumerate(dict.fromkeys(_key(fact) for fact, _ in said))}
    known = set()
    for fact, is_event in sorted(said, key=lambda each: (each[0].source.values, order[_key(each[0])])):
        if is_event or _key(fact) not in known:
            known.add(_key(fact))
            yield fact


def _key(fact: Fact) -> tuple[str, Value]:
    return fact.name, fact.value


def _stated(lines: FactLines) -> Iterator[tuple[Fact, bool]]:
    """The facts of one variant, field by field, and whether they are of an event."""
    rows = sorted((place, row) for row, places in lines.told.items() for place in places)
    for index, field in enumerate(lines.fields):
        for (number, _), row in rows:
            if text := row[index].decode("utf-8", "replace"):
                yield Fact(field.name, value(field.name, field.type, text), line(number)), lines.is_event
