"""Values of axes: whether those that a page file names somewhere are those of cells that its tables show."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from parsers.io.message import Message

from .page import Page
from .parts import COUNTED, Axis, Value

# The precisions that logs state, as a page writes them.
PRECISIONS = ("fp32", "tf32", "amp", "fp16", "bf16", "fp8", "int8")
NO_VALUE = "{key}: no table has {axis} {value}."
NO_VALUE_BUT = "{key}: no table has {axis} {value}; did you mean {nearest}?"
SPELT = "table {table} has precision {value}; write {nearest}."
NO_COUNT = "{part} has {axis} {value}; write a whole number, at least 1."
OF_TABLE = "table {table}"
OF_COLUMN = "column {column}"


def mistakes_of_values(page: Page) -> Iterator[Message]:
    """The values that no cell has, a sentence each, of labels and aliases; and precisions that are spelt otherwise."""
    yield from _of_precisions(page)
    yield from _of_counts(page)
    shown: dict[Axis, dict[Value, None]] = {}
    for place in page.places():
        for case in (place.labels, place.case):
            for axis, value in case.items():
                shown.setdefault(axis, {})[value] = None
    for key, axis, value in _named(page):
        known = list(map(str, shown.get(axis, {})))
        if str(value) not in known:
            yield _unknown(key, axis, value, known)


def _unknown(key: str, axis: Axis, value: Value, known: Sequence[str]) -> Message:
    told = {"key": key, "axis": Message(axis.replace("_", " ")), "value": repr(value)}
    nearest = _nearest(str(value), known)
    return Message(NO_VALUE_BUT, **told, nearest=repr(nearest)) if nearest else Message(NO_VALUE, **told)


def _nearest(value: str, known: Sequence[str]) -> str | None:
    spelt = {one.lower(): one for one in known}
    found = get_close_matches(value.lower(), spelt, 1)
    return spelt[found[0]] if found else None


def _named(page: Page) -> Iterator[tuple[str, Axis, Value]]:
    """Where a page names values of axes for cells that its tables are to have: the key, the axis and the value."""
    yield from _keys("labels", page.labels)
    for name, column in page.columns.items():
        yield from _keys(f"columns.{name}.aliases", column.aliases)
        yield from _keys(f"columns.{name}.labels", column.labels)


def _keys(name: str, axes: Mapping[Axis, Mapping[str, object]]) -> Iterator[tuple[str, Axis, Value]]:
    for axis, values in axes.items():
        yield from ((f"{name}.{axis}", axis, value) for value in values)


def _of_precisions(page: Page) -> Iterator[Message]:
    for place in page.places():
        value = str(place.case.get("precision", ""))
        if value.lower() in PRECISIONS and value not in PRECISIONS:
            yield Message(SPELT, table=place.table.name, value=repr(value), nearest=repr(value.lower()))


def _of_counts(page: Page) -> Iterator[Message]:
    for part, place, cases in _counted(page):
        for axis in COUNTED:
            stated = cases.get(axis, 1)
            for value in stated if isinstance(stated, list) else [stated]:
                if not isinstance(value, int) or value < 1:
                    said = {"part": part, "axis": Message(axis.replace("_", " ")), "value": repr(value)}
                    yield Message(NO_COUNT, **place, **said)


def _counted(page: Page) -> Iterator[tuple[Message, dict[str, str], Mapping[Axis, Value | list[Value]]]]:
    """The cases of the parts of a page: how the part is called, the key that its line is found by, and the case."""
    for place in page.places():
        for case in (place.case, place.column.against.case if place.column.against else {}):
            yield Message(OF_TABLE, table=place.table.name), {"table": place.table.name}, {**case}
    for number, caution in enumerate(page.cautions):
        yield Message("a caution"), {"key": f"cautions.{number}"}, {**caution.case}
    for number, quote in enumerate(page.quotes):
        yield Message("a quote"), {"key": f"quotes.{number}"}, {**quote.case}
    for number, highlight in enumerate(page.highlights):
        yield from ((Message("a highlight"), {"key": f"highlights.{number}"}, {**case}) for case in highlight.cases)
    for name, column in page.columns.items():
        for number, run in enumerate(column.runs):
            yield Message(OF_COLUMN, column=name), {"key": f"columns.{name}.runs.{number}"}, run.when
