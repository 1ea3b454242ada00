"""Building a report: the results of a page, the runs behind them, and the page as it is laid out."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..measure.number import quotient
from ..pagefile.page import Page, Table, TableRow, each_case
from ..pagefile.parts import Case
from ..wording.markdown import path_address
from ..wording.words import Translator, languages
from . import model
from .comparability import Line, lines, notes
from .environment import VERSION, environment, library_of
from .made import Made
from .model import Column, Compared, Finding, Log, Report, Row, Run, Source
from .resolve import resolve, unlike_parts
from .run import run_of, shown_lines, with_lines
from .store import LogStore

SECTIONS = ("results", "tested", "environment", "setup", "steps")
# The colour of a framework: a word in the title of its column.
FAMILIES = ("paddle", "tensorflow", "torch", "mxnet")
# What is said of a column whose number is the first.
FASTEST = "{column} is fastest"
HIGHEST = "{column} has the highest number"


def build(name: str, page: Page, stated: str, store: LogStore, out: Path) -> Report:
    """The report of a page.

    ``stated``: the text of its page file. ``store``: its logs, and ``out`` the folder of the page, from which links
    lead to them. Raises ParserError where the workers are gone.
    """
    made = resolve(page, store)
    by_table = {table.name: rows_of(table, made) for table in page.tables}
    unlike = {table.name: list(lines(page, table, by_table[table.name], store)) for table in page.tables}
    common = {id_: one for some in unlike.values() for line in some for id_, one in line.common.items()}
    runs, keys = _runs(made)
    results = [
        replace(one.result, runs=own, common=common.get(one.result.id)) for one, own in zip(made, keys, strict=True)
    ]
    source = page.source
    laid_out = model.Page(
        name=name,
        title=page.title,
        model=page.model,
        units=page.units,
        tables=[_table(page, table, by_table[table.name], unlike[table.name]) for table in page.tables],
        sections={key: getattr(page, key) for key in SECTIONS if getattr(page, key)},
        findings=list(_findings(page, made)),
        sources={key: Source(one.title, one.url, one.date, one.note, one.commit) for key, one in page.sources.items()},
        environment=environment(page, made),
        labels={str(axis): dict(labels) for axis, labels in page.labels.items()},
        words={language: page_words(page, language) for language in languages()},
        repository=source.repository if source else None,
        commit=source.commit if source else None,
        licence=source.licence if source else None,
        page_file=stated,
    )
    folder = None if source else Path(os.path.relpath(store.folder, out)).as_posix()
    return Report(2, laid_out, results, runs, _logs(page, made, runs, store.folder), folder)


def rows_of(table: Table, made: Sequence[Made]) -> list[list[Made]]:
    """The results of a table, row by row."""
    width, own = len(table.columns), [one for one in made if one.place.table is table]
    return [own[start : start + width] for start in range(0, len(own), width)]


def _runs(made: Sequence[Made]) -> tuple[dict[str, Run], list[list[str]]]:
    """The runs behind results, each once by a key, and the keys of each result.

    What tells a run from others is its log, how it was measured, and of another quantity than a rate which.
    """
    known: dict[object, str] = {}
    found: dict[str, Run] = {}
    keys = []
    for one in made:
        shown, own = one.shown, list[str]()
        quantity = "" if shown.quantity.is_rate else (shown.quantity.name, shown.formula)
        for run in one.runs:
            measured = run.measured
            of_run = run.log, measured.protocol.words(), measured.unit, repr(measured.value), run.stated, str(quantity)
            key = known.setdefault(of_run, f"r{len(known) + 1}")
            if key not in found:
                found[key] = run_of(run, shown.unit)
            own.append(key)
        keys.append(own)
    return found, keys


# ---- tables


def _table(page: Page, table: Table, rows: Sequence[Sequence[Made]], unlike: Sequence[Line]) -> model.Table:
    return model.Table(
        name=table.name,
        title=table.title,
        corner=table.corner or "Row",
        columns=[_column(page, table, at, [row[at] for row in rows]) for at in range(len(table.columns))],
        rows=[_row(page, table, row, found) for row, found in zip(table.rows, rows, strict=True)],
        notes=notes(rows, unlike),
        blocks=table.notes,
    )


def _column(page: Page, table: Table, at: int, down: Sequence[Made]) -> Column:
    stated, of_page = table.columns[at], page.columns[table.columns[at].column]
    shown = down[0].shown
    named = [word for word in FAMILIES if word in of_page.title.lower()]
    is_of_page = shown.quantity.is_throughput and shown.rate == page.unit
    return Column(
        key=stated.column,
        title=page.column_title(stated),
        short=of_page.short if not stated.title else "",
        quantity=shown.quantity.name,
        unit=shown.unit,
        version=_version(down) if shown.quantity.is_throughput else "",
        family=named[0] if len(named) == 1 else "",
        is_plain=is_of_page or shown.quantity.origin == "ratio",
        is_titled=stated.title is not None,
    )


def _version(down: Sequence[Made]) -> str:
    """The version of the framework, with its name where that is known, if all runs of a column have the same."""
    found = {(library_of(one.runs), one.result.circumstances.get(VERSION, "")) for one in down if one.runs}
    library, version = found.pop() if len(found) == 1 else ("", "")
    return f"{library} {version}".strip() if version else ""


def _row(page: Page, table: Table, row: TableRow, made: Sequence[Made]) -> Row:
    group = page.written(table, row, row.group) if row.group else ""
    taken = [
        [] if one.place.column.against and one.place.column.against.column else page.taken(one.place) for one in made
    ]
    ids = [one.result.id for one in made]
    return Row(page.written(table, row, row.title), ids, group, taken if any(taken) else [])


# ---- its words


def page_words(page: Page, language: str) -> dict[str, str]:
    """The texts of a page that no catalogue has, by what they are in its page file; raises WordsError.

    A title of several parts, of which the page states each alone, such as the values of axes, has these in the language
    and the comma of the language between them.
    """
    own = dict(page.words.get(language, {}))
    translator = Translator(language, own)
    for table in page.tables:
        for row in table.rows:
            for title, translated in _titles(page, table, row, translator):
                if title != translated:
                    own.setdefault(title, translated)
    return own


def _titles(page: Page, table: Table, row: TableRow, translator: Translator) -> Iterator[tuple[str, str]]:
    """The titles of a row and of its group that name its case, and both together, with what they are in a language."""
    case = {**table.case, **row.case}
    labels: dict[str, str] = {axis: translator.translate(page.label(axis, value)) for axis, value in case.items()}
    parts = []
    for stated in filter(None, (row.group, row.title)):
        title = page.written(table, row, stated)
        # The templates of axes, which no catalogue has, are theirs with a comma or a point between them.
        each = [translator.translate(one).format_map(labels) for one in stated.split(", ")]
        parts.append(translator.specified(each) if "{" in stated else translator.translate(title))
        if "{" in stated:
            yield title, parts[-1]
    if len(parts) > 1:
        yield page.row_title(table, row), translator.specified(parts)


# ---- who is first among the numbers of the cases that a page names


def _findings(page: Page, made: Sequence[Made]) -> Iterator[Finding]:
    """The findings of a page in its order; none of what has no numbers."""
    for cases in page.fastest:
        each = [(case, _found(made, case)) for case in each_case(cases)]
        if there := [(case, found) for case, found in each if any(one.result.value for one in found)]:
            yield from _fastest(there)


def _found(made: Sequence[Made], case: Case) -> list[Made]:
    """The throughputs of a case, once each: those of the first table that has any."""
    found = [one for one in made if one.place.is_throughput_of(case)]
    return [one for one in found if one.place.table is found[0].place.table]


def _fastest(there: Sequence[tuple[Case, Sequence[Made]]]) -> Iterator[Finding]:
    """One finding for all cases where the same column is first in each, else one for each case."""
    firsts = [_first(found) for _, found in there]
    if len({(one.result.column, verdict) for one, verdict in firsts}) > 1:
        for alone in there:
            yield from _fastest([alone])
        return
    case = there[0][0]
    open_axes = {axis for other, _ in there for axis in other if other[axis] != case[axis]}
    shared = {str(axis): value for axis, value in case.items() if axis not in open_axes}
    each = [{str(axis): value for axis, value in other.items() if axis in open_axes} for other, _ in there]
    others = [
        [_compared(one, first) for one in found if one is not first]
        for (first, _), (_, found) in zip(firsts, there, strict=True)
    ]
    first, verdict = firsts[0]
    ids = [one.result.id for one, _ in firsts]
    yield Finding(first.result.column, shared, ids, verdict, each, others)


def _first(found: Sequence[Made]) -> tuple[Made, str]:
    """The number that is told first, and what is said of its column beside those of the others, if anything."""
    there = [one for one in found if one.result.value]
    # A number with a qualifier, such as another batch size, is not one of the case, and a quoted one is not proven.
    first = max(there, key=lambda one: (not _is_doubted(one), not one.result.rests_on_quotes, one.result.value or 0))
    others = [one for one in there if one is not first]
    compared = [one for one in others if not (one.said or one.is_contradicted) and not unlike_parts(one, first)]
    if compared and not _is_doubted(first) and _is_above(first, compared):
        return first, FASTEST
    return first, HIGHEST if others and _is_above(first, others) else ""


def _is_doubted(one: Made) -> bool:
    return bool(one.denied or one.said) or one.is_contradicted


def _is_above(first: Made, others: Iterable[Made]) -> bool:
    return all((one.result.value or 0) <= (first.result.value or 0) for one in others)


def _compared(one: Made, first: Made) -> Compared:
    """Another number beside the first one."""
    if not one.result.value:
        return Compared(one.result.column)
    if reason := unlike_parts(one, first):
        return Compared(one.result.column, one.result.id, reason=reason)
    ratio = None if one.said or first.said else quotient(one.result.value, first.result.value or 1)
    return Compared(one.result.column, one.result.id, ratio)


# ---- logs


def _logs(page: Page, made: Sequence[Made], runs: dict[str, Run], logs: Path) -> dict[str, Log]:
    """The files behind the results, each once, with the lines that panels and ``why`` show."""
    wanted: dict[str, set[int]] = {}
    for one in runs.values():
        wanted.setdefault(one.log, set()).update(shown_lines(one))
    found: dict[str, Log] = {}
    for run in (run for one in made for run in one.runs):
        for file, log in run.files:
            if file.path not in found:
                own, linked = file.path == run.log, replace(log, url=_url(page, file.path))
                reading, shown = run.reading if own else None, wanted.get(file.path, set())
                found[file.path] = with_lines(linked, reading, logs / file.path, shown)
    return dict(sorted(found.items()))


def _url(page: Page, path: str) -> str | None:
    """Where a log was published, if others did that."""
    if page.source and page.source.has(path):
        return page.source.url.format(commit=page.source.commit, path=path_address(path).removeprefix("./"))
    return None
