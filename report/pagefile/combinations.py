"""Combinations: the rows of a table that its page file states as the values of axes.

What is not stated so is left as it is, for the checks of the table to name.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from math import prod
from typing import Any, get_args

from parsers.io.validation import Mistake

from .parts import Axis

MOST_ROWS = 1000
NO_ROW_TO_LEAVE_OUT = "leave_out: no row has {case}."
UNKNOWN_AXIS = "unknown axis {axis}; axes: {known}."
NEAREST_AXIS = "unknown axis {axis}; did you mean {nearest}?"
NO_LIST = "{axis}: must be a list of values, such as {axis} = [{value}]."
TWICE = "{axis} has {value} twice; state each value once."
TOO_MANY = "the values of its axes make more than {most} rows."


def with_rows(stated: Mapping[str, Any]) -> dict[str, Any]:
    """A table as its page file states it, with a row for each combination of the values of its axes."""
    rows: Any = stated.get("rows")
    groups: Any = stated.get("for")
    _check_lists(rows)
    _check_values([axes for axes in (rows, groups) if _are_values(axes)])
    if _are_values(rows):
        rows = [{"title": _title(rows, ", "), "case": case} for case in _combinations(rows)]
    if _are_values(groups) and _are_rows(rows):
        heading = _title(groups, " · ")
        rows = [_grouped(row, heading, case) for case in _combinations(groups) for row in rows]
    left_out = stated.get("leave_out")
    if _are_rows(rows) and (groups is None or _are_values(groups)) and isinstance(left_out, list):
        for case in left_out:
            if _is_case(case) and not any(_is_of(row, case) or not _is_case(row.get("case", {})) for row in rows):
                raise Mistake(NO_ROW_TO_LEAVE_OUT, case=", ".join(f"{axis} {value}" for axis, value in case.items()))
        rows = [row for row in rows if not any(_is_of(row, case) for case in left_out)]
    return {**stated, "rows": rows} if "rows" in stated else dict(stated)


def _check_lists(rows: Any) -> None:
    """Raise a mistake where one of several axes of rows has a value that is no list."""
    for axis, value in rows.items() if isinstance(rows, dict) else ():
        if isinstance(value, int | str) and not isinstance(value, bool):
            raise Mistake(NO_LIST, axis=axis, value=json.dumps(value, ensure_ascii=False))


def _check_values(stated: Sequence[Mapping[str, Sequence[Any]]]) -> None:
    """Raise a mistake where axes have too many values, even if another one has none, or one of them twice."""
    if prod(max(len(values), 1) for axes in stated for values in axes.values()) > MOST_ROWS:
        raise Mistake(TOO_MANY, most=MOST_ROWS)
    for axis, values in (one for axes in stated for one in axes.items()):
        if axis not in get_args(Axis):
            raise _unknown_axis(axis)
        for at, value in enumerate(values):
            if value in values[:at]:
                raise Mistake(TWICE, axis=axis, value=value)


def _unknown_axis(axis: str) -> Mistake:
    if close := get_close_matches(axis, get_args(Axis), 1):
        return Mistake(NEAREST_AXIS, axis=axis, nearest=close[0])
    return Mistake(UNKNOWN_AXIS, axis=axis, known=", ".join(get_args(Axis)))


def _grouped(row: Mapping[str, Any], heading: str, case: Mapping[str, Any]) -> dict[str, Any]:
    return {"group": heading, **row, "case": {**case, **row.get("case", {})}}


def _are_values(stated: Any) -> bool:
    return isinstance(stated, dict) and all(isinstance(values, list) for values in stated.values())


def _are_rows(stated: Any) -> bool:
    return isinstance(stated, list) and all(
        isinstance(row, dict) and isinstance(row.get("case", {}), dict) for row in stated
    )


def _is_case(stated: Any) -> bool:
    return isinstance(stated, dict) and stated.keys() <= {*get_args(Axis)}


def _is_of(row: Mapping[str, Any], case: Any) -> bool:
    return isinstance(case, dict) and case.items() <= row.get("case", {}).items()


def _combinations(values: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]


def _title(axes: Iterable[str], joiner: str) -> str:
    """The axes in braces, which stand for their values."""
    return joiner.join(f"{{{axis}}}" for axis in axes)
