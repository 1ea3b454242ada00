"""Page drafts: the page file of some logs, which is rendered once to prove that each of its cells has its number.

A table holds what counts the same thing. Its columns are the programs where these ran the same cases; else it has a row
for each case, titled by what tells them apart, and a column for each quantity that all its logs give.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, product
from math import prod
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from parsers.io.errors import ParserError
from parsers.io.message import Message, joined
from parsers.io.printable import printable
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.quantity import RANGE_OF_RUNS
from ..measure.work import thing
from ..pagefile.page_file import parse
from ..pagefile.parts import PRECISIONS, Axis, Case
from ..results.resolve import resolve
from ..results.store import LogStore
from ..views.view import UNITS
from ..wording.words import Translator, english, languages, worded
from .logs import DraftCase, DraftLog, NamedLogs, cases_of, draft_log, each_once, not_the_job, template_of, why

DRAFTED = "# Drafted from the logs; edit whatever you like: docs/page-file.md has all keys."
TITLE = "{models}: training throughput"
TESTED = "Training throughput of the whole job, computed from logs (runs: {count})."
OF_THE_JOB = "Training throughput"

# What a table states of all its cells; the first of these titles its row where it has but one.
TITLING: tuple[Axis, ...] = ("model", "device", "precision", "nodes", "cards", "batch_size", "sequence_length")
# What tells rows apart, the first that does.
AXES: tuple[Axis, ...] = ("framework", *TITLING, *(one for one in get_args(Axis) if one not in ("framework", *TITLING)))
MOST_COLUMNS, MOST_MODELS, MOST_LEFT_OUT, LONGEST_NAME = 8, 8, 3, 60
_BARE = re.compile(r"[A-Za-z0-9_-]+")

_Row = tuple[Any, ...]
_Cells = Mapping[_Row, DraftCase]


class NothingToDraftError(ParserError):
    """No log gives a throughput; ``left_out`` says why each does not."""

    def __init__(self, left_out: Sequence[str]) -> None:
        super().__init__("No log gives a throughput of the whole job, so there is nothing to draft.")
        self.left_out = tuple(left_out)


@dataclass(frozen=True)
class PageDraft:
    """A page file: its text, the cases that its cells are of, and why logs are left out of it, a sentence each."""

    text: str
    cases: Sequence[DraftCase]
    left_out: tuple[str, ...]

    @property
    def logs(self) -> int:
        """How many logs prove its numbers."""
        return sum(len(case.logs) for case in self.cases)


@dataclass(frozen=True)
class _Table:
    """A table without an empty cell: the axes of its rows, its cases by row for each column, and its name."""

    name: str
    axes: Sequence[Axis]
    rows: Sequence[_Row]
    columns: Mapping[str, _Cells]

    @property
    def cases(self) -> list[DraftCase]:
        """The cases of its cells, row by row."""
        return [own[row] for row in self.rows for own in self.columns.values()]


def draft_page(
    named: NamedLogs,
    path: Path,
    states: Sequence[tuple[str, int]] = (),
    read: str | None = None,
    workers: Workers = ALL_CORES,
) -> PageDraft:
    """Draft the page file ``path`` from logs.

    ``states``: counts such as cards, for logs that do not say them; ``read``: what a number of them measures, of those
    that have one of its name.
    Raises NothingToDraftError where no log gives a number of the whole job, and ParserError where the workers are gone.
    """
    task = partial(draft_log, named.folder, states, read)
    with workers.each(task, named.paths, partial(_bytes, named.folder)) as one:
        found = list(one)
    logs, copies = each_once(log for log in found if not log.left_out)
    never = [log.path for log in found if log.is_never_evidence]
    left_out = [*named.left_out, *(log.left_out for log in found if log.left_out), *copies]
    left_out += [not_the_job(log) for log in logs if log.scope != "job"]
    logs = _alike([log for log in logs if log.scope == "job"])
    store, dropped = LogStore(named.folder), set[tuple[str, str]]()
    while True:
        cases, without = cases_of(logs, named.folder, never)
        if not cases:
            raise NothingToDraftError([*left_out, *without])
        tables = _tables(cases, [name for name, _ in states])
        text = _text(tables, dropped)
        shown = resolve(parse(text, path), store)
        drafted = [case for table in tables for case in table.cases]
        throughputs = (made for made in shown if made.is_throughput)
        failed = [(case, made.result.reason) for case, made in zip(drafted, throughputs, strict=True)]
        failed = [(case, reason) for case, reason in failed if reason]
        lacking = {(one.place.table.name, one.place.column.quantity.name) for one in shown if one.result.reason}
        if not failed and not lacking - dropped:
            return PageDraft(text, drafted, (*left_out, *without))
        left_out += [why(log.path, english(reason.message)) for case, reason in failed if reason for log in case.logs]
        gone = {log.path for case, _ in failed for log in case.logs}
        logs = [log for log in logs if log.path not in gone]
        dropped |= set() if failed else lacking


def _bytes(folder: Path, path: str) -> int:
    return (folder / path).stat().st_size if (folder / path).is_file() else 0


def _alike(logs: Sequence[DraftLog]) -> list[DraftLog]:
    """The logs with one spelling of each model: of those that differ in capitals and punctuation alone the longest."""

    def plain(model: object) -> str:
        return re.sub(r"[\W_]+", "", str(model).lower()) or str(model)

    names = {str(log.case["model"]) for log in logs if "model" in log.case}
    spelt = {plain(name): name for name in sorted(names, key=lambda name: (len(name), name.lower(), name.swapcase()))}
    return [
        replace(log, case={**log.case, "model": spelt[plain(log.case["model"])]}) if "model" in log.case else log
        for log in logs
    ]


# ---- tables


def _tables(cases: Sequence[DraftCase], states: Sequence[str]) -> list[_Table]:
    """The tables of cases, one for each unit, that of most cases first.

    ``states``: axes that all rows must state where they differ, since no log does.
    """
    units: dict[str, list[DraftCase]] = {}
    for case in cases:
        units.setdefault(thing(case.unit), []).append(case)
    each = enumerate(sorted(units.values(), key=len, reverse=True), 1)
    return [_table("throughput" if at == 1 else f"throughput-{at}", alike, states) for at, alike in each]


def _table(name: str, cases: Sequence[DraftCase], states: Sequence[str]) -> _Table:
    """A table whose rows state the axes in which they differ; the only row of one states the best that there is.

    Its columns are the programs if these ran the same cases.
    """
    by_program: dict[str, list[DraftCase]] = {}
    for case in cases:
        by_program.setdefault(case.program, []).append(case)
    axes = _telling_apart(cases, ["model", *states], by_program=True)
    rows = [{_row(one, axes) for one in own} for own in by_program.values()]
    if sum(map(len, rows)) < len(cases) or any(own != rows[0] for own in rows):
        title, kept = OF_THE_JOB, ["framework", "model", *states]
        if len(by_program) == 1:
            title = cases[0].program
        else:
            cases = [replace(one, case={**one.case, "framework": printable(one.program)}) for one in cases]
        axes, of_models = _telling_apart(cases, kept), sum("model" in one.case for one in cases)
        if len({_row(one, axes) for one in cases}) < len(cases) or 0 < of_models < len(cases):
            cases = list(_named(cases, axes))
            axes = _telling_apart(cases, kept)
        by_program = {title: [*cases]}
    values = {axis: {one.case.get(axis) for one in cases} for axis in (*axes, *TITLING)}
    alone = [axis for axis in TITLING if len(values[axis]) == 1 and None not in values[axis]][:1]
    titled = [axis for axis in axes if len(values[axis]) > 1] or alone
    cells = {title: {_row(one, titled): one for one in own} for title, own in by_program.items()}
    return _Table(name, titled, sorted(next(iter(cells.values())), key=lambda row: [*map(_order, row)]), cells)


def _telling_apart(cases: Sequence[DraftCase], kept: Sequence[str], *, by_program: bool = False) -> list[Axis]:
    """The axes that all cases state and that tell them apart, or those of each program; and which differ of ``kept``:
    numbers of several models would seem to be comparable."""
    axes: list[Axis] = []
    for axis in (axis for axis in AXES if all(axis in case.case for case in cases)):
        programs = [case.program if by_program else "" for case in cases]
        known, more = (
            {(program, *_row(case, some)) for program, case in zip(programs, cases, strict=True)}
            for some in (axes, [*axes, axis])
        )
        if len(more) > len(known) or (axis in kept and len({case.case[axis] for case in cases}) > 1):
            axes.append(axis)
    return axes


def _named(cases: Sequence[DraftCase], axes: Sequence[Axis]) -> Iterator[DraftCase]:
    """The cases, of which those that state no model, or that nothing tells apart, are called as their paths are: by the
    first name on the way that no other has, else by the whole."""
    paths = [(*path.parent.parts, path.stem) for path in (PurePosixPath(case.logs[0].path) for case in cases)]
    known = Counter(name for path in paths for name in {*path})
    alike = Counter((case.case.get("model"), *_row(case, axes)) for case in cases)
    for case, path in zip(cases, paths, strict=True):
        model = case.case.get("model")
        name = printable(next((one for one in path if known[one] == 1), "/".join(path)))
        if model is None or alike[(model, *_row(case, axes))] > 1:
            yield replace(case, case={**case.case, "model": name if model is None else f"{model} ({name})"})
        else:
            yield case


def _row(case: DraftCase, axes: Sequence[Axis]) -> _Row:
    return tuple(case.case[axis] for axis in axes)


def _order(value: Any) -> tuple[bool, int, str]:
    """Rows are in the order of their axes, counts by their size."""
    return isinstance(value, str), value if isinstance(value, int) else 0, str(value)


# ---- the text


def _text(tables: Sequence[_Table], dropped: set[tuple[str, str]]) -> str:
    """The page file of some tables; ``dropped``: quantities that these do not show, since a cell would be empty."""
    cases = [case for table in tables for case in table.cases]
    logs = [log for case in cases for log in case.logs]
    # What one log states is not the model of all.
    models = dict.fromkeys(str(log.case["model"]) for log in logs if all("model" in one.case for one in logs))
    is_of_models = 0 < len(models) <= MOST_MODELS
    subject = ", ".join(models if is_of_models else dict.fromkeys(printable(case.program) for case in cases))
    unit = cases[0].unit
    head: dict[str, Any] = {"title": _said(Message(TITLE, models=_plain(subject))), "model": subject, "unit": unit}
    head |= {f"names.{axis}": names for axis, names in _labels(tables).items()}
    head["tested"] = [_said(Message(TESTED, count=len(logs)))]
    lines, written, taken = [DRAFTED, *_lines(head)], list[str](), set[str]()
    for table in tables:
        names = [_free(title, taken) for title in table.columns]
        for name, (title, cells) in zip(names, table.columns.items(), strict=True):
            lines += ["", f"[columns.{name}]", *_lines(_column(title, table, cells))]
        part = _stated(table, names, unit, dropped, is_one_model=len(models) == 1, is_alone=len(tables) == 1)
        written += ["", "[[tables]]", *_lines(part)]
    return "\n".join([*lines, *written, ""])


def _labels(tables: Sequence[_Table]) -> dict[Axis, dict[str, Any]]:
    """How titles write precisions, and counts that title rows."""
    found: dict[Axis, dict[str, Any]] = {}
    each = ((axis, {row[at] for row in table.rows}) for table in tables for at, axis in enumerate(table.axes))
    for axis, values in each:
        for value in sorted(values, key=_order):
            if axis in UNITS:
                found.setdefault(axis, {})[str(value)] = _said(Message.of_count(value, *UNITS[axis]))
            elif axis == "batch_size":
                found.setdefault(axis, {})[str(value)] = f"BS={value}"
            elif axis == "precision" and value in PRECISIONS:
                found.setdefault(axis, {})[str(value)] = str(value).upper()
    return found


def _column(title: str, table: _Table, cells: _Cells) -> dict[str, Any]:
    """A column of the page: where its logs are, as one pattern where there is one for all its runs."""
    cases = [cells[row] for row in table.rows]
    rows: list[Case] = [dict(zip(table.axes, row, strict=True)) for row in table.rows]
    patterns, reads = [case.pattern for case in cases], [case.logs[0].read for case in cases]
    part: dict[str, Any] = {"title": _said(Message(title)) if title == OF_THE_JOB else printable(title)}
    found = patterns[0] if len(cases) == 1 else template_of(patterns, rows)
    if found and len({*reads}) == 1:
        return {**part, **({"read": reads[0]} if reads[0] else {}), "logs": found}
    each = zip(rows, patterns, reads, strict=True)
    return {**part, "runs": [{"when": row, "logs": logs, **({"read": one} if one else {})} for row, logs, one in each]}


def _stated(
    table: _Table, names: Sequence[str], unit: str, dropped: set[tuple[str, str]], *, is_one_model: bool, is_alone: bool
) -> dict[str, Any]:
    """A table of throughputs, and of what else all its logs give if it has one column of them."""
    axes = [axis for axis in TITLING if axis not in table.axes and (axis != "model" or not is_one_model)]
    values = {axis: {one.case.get(axis) for one in table.cases} for axis in axes}
    case = {axis: next(iter(found)) for axis, found in values.items() if len(found) == 1 and None not in found}
    told = [str(case[axis]).upper() if axis == "precision" else str(case[axis]) for axis in TITLING[:3] if axis in case]
    if not is_alone:
        told += [table.cases[0].unit]
    of = _plain(printable(", ".join(told)))
    title = Message("{title} ({case})", title=Message(OF_THE_JOB), case=of) if of else Message(OF_THE_JOB)
    part: dict[str, Any] = {"name": table.name, "title": _said(title)}
    rows = _product(table)
    if named := table.axes[-1:] if rows else table.axes:
        corner = _said(joined("{first}, {second}", (Message(axis.replace("_", " ")) for axis in named)))
        part["corner"] = {language: said[:1].upper() + said[1:] for language, said in corner.items()}
    part |= {"case": case} if case else {}
    part |= {"unit": table.cases[0].unit} if table.cases[0].unit != unit else {}
    titled = ", ".join(f"{{{axis}}}" for axis in table.axes)
    each = [{"title": titled, "case": dict(zip(table.axes, row, strict=True))} for row in table.rows]
    part["rows"] = rows or (each if table.axes else [{"title": _said(Message(OF_THE_JOB))}])
    others = [quantity for quantity in _shared(table) if (table.name, quantity) not in dropped]
    more = [{"column": names[0], "quantity": one} for one in others[: MOST_COLUMNS - 1]] if len(names) == 1 else []
    return {**part, "columns": [*names, *more]}


def _shared(table: _Table) -> list[str]:
    """The quantities that all logs of a table give, and of repeats their ends."""
    first, *others = [log.quantities for case in table.cases for log in case.logs]
    spread = [one.name for one in RANGE_OF_RUNS] if all(len(one.logs) > 1 for one in table.cases) else []
    return [*spread, *(name for name in first if all(name in other for other in others))]


def _product(table: _Table) -> dict[str, Any]:
    """The rows of a table as the values of its axes; empty where these leave out many of their combinations."""
    values = [sorted({row[at] for row in table.rows}, key=_order) for at in range(len(table.axes))]
    if not values or prod(map(len, values)) > len(table.rows) + MOST_LEFT_OUT:
        return {}
    missing = [row for row in product(*values) if row not in table.rows]
    left_out = {"except": [dict(zip(table.axes, row, strict=True)) for row in missing]} if missing else {}
    return {**dict(zip(table.axes, values, strict=True)), **left_out}


def _said(message: Message) -> dict[str, str]:
    """A message in all languages."""
    return {language: worded(message, Translator(language).translate) for language in languages()}


def _plain(name: str) -> str:
    """A name without braces, which a text in several languages cannot have."""
    return name.translate(str.maketrans("{}", "()"))


def _free(title: str, taken: set[str]) -> str:
    """A name for a heading, of the letters that a bare key of TOML may have, which is not taken yet."""
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:LONGEST_NAME].strip("_") or "column"
    tries = (name if number == 1 else f"{name}_{number}" for number in count(1))
    taken.add(found := next(tried for tried in tries if tried not in taken))
    return found


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    """Keys with their values, of a list of several tables each on a line."""
    for key, value in part.items():
        if isinstance(value, list) and len(value) > 1 and any(isinstance(one, dict) for one in value):
            yield from (f"{key} = [", *(f"    {_toml(one)}," for one in value), "]")
        else:
            yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    """A value as a page file has it on one line."""
    if isinstance(value, Mapping):
        pairs = (f"{key if _BARE.fullmatch(key) else _toml(key)} = {_toml(one)}" for key, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # A text of JSON is one of TOML but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
