"""Empty cells: why those of a page are empty that are, with the line of its page file where that can be mended."""

from ..measure.diagnostics import Code, Diagnostic
from ..pagefile.page import CellPlace, Page
from ..pagefile.toml_lines import Key, line_of
from ..results.model import Report, Result
from ..results.remarks import Remark
from ..wording.words import english

WHY_EMPTY = "{name}: {slug} is empty: {reason}"
WHY_SEVERAL_EMPTY = "{name}: {slug} and {count} more are empty: {reason}"
SEE_LINE = "{reason} See {file}, line {line}."
MORE_REASONS = "{name}: more reasons for empty cells: {count}; the report of the page lists them."
MOST_REASONS = 12


def why_empty(page: Page, report: Report) -> list[str]:
    """A sentence for each reason why cells of a page are empty; not for cells that lack what others do."""
    found: dict[object, list[tuple[CellPlace, Result]]] = {}
    for place, result in zip(page.places(), report.results, strict=True):
        if result.reason and not result.digits and result.reason.code != Remark.MISSING_PART:
            found.setdefault(_kind(place, result, result.reason), []).append((place, result))
    each = []
    for alike in list(found.values())[:MOST_REASONS]:
        place, first = alike[0]
        told = {"name": report.page.name, "slug": first.id, "reason": _reason(page, report, place, first.reason)}
        several = len(alike) > 1
        each.append(WHY_SEVERAL_EMPTY.format(**told, count=len(alike) - 1) if several else WHY_EMPTY.format(**told))
    more = len(found) - len(each)
    return [*each, MORE_REASONS.format(name=report.page.name, count=more)] if more else each


def _kind(place: CellPlace, result: Result, reason: Diagnostic) -> object:
    """What a reason shares with others, of which one is told: of the logs that a table or its column lacks one is."""
    if reason.code == Remark.NOT_FOUND:
        return place.table.name, reason.code
    return (place.table.name, result.column, reason.code) if reason.code == Remark.NOT_FOUND_BUT else reason


def _reason(page: Page, report: Report, place: CellPlace, reason: Diagnostic | None) -> str:
    """Why a cell is empty, and where to look."""
    if reason is None:
        return ""
    said, keys = english(reason.message), _keys_of(reason, page, place)
    line = line_of(report.page.page_file, *keys) if keys else None
    file = f"{report.page.name}.toml"
    return SEE_LINE.format(reason=said, file=file, line=line) if line else said


def _keys_of(reason: Diagnostic, page: Page, place: CellPlace) -> list[Key]:
    """The keys of the page file, the first of which that it states a reason is about; none where it is about none."""
    if reason.code == Remark.NOT_FOUND_BUT:
        # Of the logs, unless each run of the column says itself where they are.
        column = place.column.column
        return [("columns", column, "logs")] if page.columns[column].logs is not None else []
    if reason.code == Remark.OTHER_UNIT or reason.values.get("cause") == Code.OTHER_UNIT:
        # The unit of the table, of those that this takes it from, and of the page.
        at = next(key for key, table in page.stated_tables if table is place.table)
        return [*((*at[:end], "unit") for end in range(len(at), 0, -2)), ("unit",)]
    return []
