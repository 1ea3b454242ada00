"""Environments: where the machine or software of a series changed, in a way that could explain another speed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from .run_order import By
from .run_record import RunRecord

Values = Sequence[str | None]


class Environments:
    """What the runs of a series say of their machines and software, by name; only what is not the same in all of them.

    Values of which nothing is known are None; what is absent from a part that a run records is an empty text.
    """

    def __init__(self, runs: Sequence[RunRecord], by: By) -> None:
        read = cache(lambda text: _read(text, with_version=by != "version"))
        tables = [read(run.environment) for run in runs]
        unlike = {id(table): table for table in tables}.values()
        names = dict.fromkeys(name for table in unlike for name in table)
        sections = {id(table): {_section(name) for name in table} for table in unlike}
        varying = [name for name in names if len({table.get(name) for table in unlike}) > 1]
        self.values: Mapping[str, Values] = {
            name: [_value(table, name, sections[id(table)]) for table in tables] for name in varying
        }

    def changed_at(self, at: int, start: int, stop: int) -> list[str]:
        """The names that changed for good at a place between two others: nothing before is as anything after.

        What is another in nearly every run, such as the node that a job got, changes at no place.
        """
        return [name for name, values in self.values.items() if _is_change(values, at, start, stop)]

    def changes(self, stop: int) -> dict[int, list[str]]:
        """All places of a series of so many runs where something changed for good, with the names."""
        found: dict[int, list[str]] = {}
        for name, values in self.values.items():
            for at in _turns(values[:stop]):
                found.setdefault(at, []).append(name)
        return dict(sorted(found.items()))


def _read(text: str, *, with_version: bool) -> Mapping[str, str]:
    own, version = json.loads(text)
    return {**own, **version} if with_version else own


def _section(name: str) -> str:
    return name.rpartition(".")[0]


def _value(table: Mapping[str, str], name: str, sections: Iterable[str]) -> str | None:
    return table.get(name, "" if _section(name) and _section(name) in sections else None)


def _is_change(values: Values, at: int, start: int, stop: int) -> bool:
    before = [value for value in values[start:at] if value is not None]
    after = [value for value in values[at:stop] if value is not None]
    different = {*before}, {*after}
    is_apart = bool(before and after) and different[0].isdisjoint(different[1])
    return is_apart and before[-1] != after[0] and 2 * sum(map(len, different)) <= max(len(before) + len(after), 4)


def _turns(values: Values) -> list[int]:
    """The places that no value crosses: all runs before have other values than all runs from it on."""
    known = [(at, value) for at, value in enumerate(values) if value is not None]
    last = {value: at for at, value in known}
    if 2 * len(last) > max(len(known), 4):
        return []
    reach, found = -1, []
    for at, value in known:
        if at > reach >= 0:
            found.append(at)
        reach = max(reach, last[value])
    return found
