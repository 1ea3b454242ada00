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
from ..wording.markdown import fenced
from ..wording.words import Translator, english, languages, worded
from .logs import DraftCase, DraftLog, NamedLogs, cases_of, draft_log, each_once, not_the_job, template_of, why

DRAFTED = "# Drafted from {count} logs; edit whatever you like: docs/page-file.md has all keys."
TITLE = "{models}: training throughput"
TESTED = "Training throughput of the whole job, computed from logs (runs: {count})."
OF_THE_JOB, DETAILS = "Training throughput", "Other quantities"

# What a table states of all its cells; the first of these titles its row where it has but one.
TITLING: tuple[Axis, ...] = ("model", "device", "precision", "nodes", "cards", "batch_size", "sequence_length")
# What tells rows apart, the first that does.
AXES: tuple[Axis, ...] = ("framework", *TITLING, *(one for one in get_args(Axis) if one not in ("framework", *TITLING)))
MOST_COLUMNS, MOST_MODELS, MOST_NAMED, MOST_LEFT_OUT, MOST_COMMANDS, LONGEST_NAME = 8, 8, 3, 3, 10, 60
MOST_TOGETHER = 8  # unlike cases that are rows of one table, whatever programs they are of
_PLUS = re.compile(r"(?<=v\d)p(?:lus)?$")  # behind a version, as in DeepLabV3P
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

    @property
    def case(self) -> Case:
        """What all its cells share and its rows do not say."""
        axes = [axis for axis in TITLING if axis not in self.axes]
        values = {axis: {one.case.get(axis) for one in self.cases} for axis in axes}
        return {axis: value for axis, found in values.items() if len(found) == 1 and (value := found.pop()) is not None}


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
    with workers.each(
        partial(draft_log, named.folder, states, read), named.paths, partial(_bytes, named.folder)
    ) as one:
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
        tables = list(_tables(cases, [name for name, _ in states]))
        for briefly in (True, False):
            text = _text(tables, dropped, briefly=briefly)
            shown = resolve(parse(text, path), store)
            drafted = [case for table in tables for case in table.cases]
            both = list(zip(drafted, (made for made in shown if made.is_throughput), strict=True))
            # A pattern for all cells may find logs that nobody named.
            if all({run.log for run in made.runs} <= {log.path for log in case.logs} for case, made in both):
                break
        failed = [(case, made.result.reason) for case, made in both if made.result.reason]
        lacking = {
            (one.place.table.name.partition("-more")[0], one.place.column.quantity.name)
            for one in shown
            if one.result.reason
        }
        if not failed and not lacking - dropped:
            return PageDraft(text, drafted, (*left_out, *without))
        left_out += [why(log.path, english(reason.message)) for case, reason in failed for log in case.logs]
        gone = {log.path for case, _ in failed for log in case.logs}
        logs = [log for log in logs if log.path not in gone]
        dropped |= set() if failed else lacking


def _bytes(folder: Path, path: str) -> int:
    return (folder / path).stat().st_size if (folder / path).is_file() else 0


def _alike(logs: Sequence[DraftLog]) -> list[DraftLog]:
    """The logs with one spelling of each model and program: that with the most capitals, as its authors write it.

    What one log calls PaddleNLP BERT pretraining is the program PaddleNLP, where another log is called so. What one
    program calls deeplabv3p and another Deeplabv3 is one model, of which the longer name says more; where one program
    has both, they are two.
    """
    programs = sorted({log.program for log in logs}, key=lambda one: (len(one), -sum(map(str.isupper, one)), one))
    found = []
    for log in logs:
        alike = (one for one in programs if one and f"{log.program} ".lower().startswith(f"{one} ".lower()))
        found.append(replace(log, program=next(alike, "")))

    def plain(model: object) -> str:
        return re.sub(r"[\W_]+", "", str(model).lower()) or str(model)

    by_program: dict[str, set[str]] = {}
    for log in (log for log in found if "model" in log.case):
        by_program.setdefault(log.program, set()).add(plain(log.case["model"]))
    both = {_PLUS.sub("", key) for keys in by_program.values() for key in keys if _PLUS.sub("", key) in keys - {key}}

    def key_of(model: object) -> str:
        return plain(model) if _PLUS.sub("", plain(model)) in both else _PLUS.sub("", plain(model))

    names = {str(log.case["model"]) for log in found if "model" in log.case}
    longest = sorted(names, key=lambda name: (len(plain(name)), sum(map(str.isupper, name)), name))
    models = {key_of(name): name for name in longest}
    return [
        replace(log, case={**log.case, "model": models[key_of(log.case["model"])]}) if "model" in log.case else log
        for log in found
    ]


# ---- tables


def _tables(cases: Sequence[DraftCase], states: Sequence[str]) -> Iterator[_Table]:
    """The tables of cases, those of one unit together, that of most cases first.

    ``states``: axes that all rows must state where they differ, since no log does.
    """
    units: dict[str, list[DraftCase]] = {}
    for case in cases:
        units.setdefault(thing(case.unit), []).append(case)
    number = count(1)
    for alike in sorted(units.values(), key=len, reverse=True):
        for axes, columns in _laid_out(alike, states):
            yield _table(f"throughput-{at}" if (at := next(number)) > 1 else "throughput", axes, columns)


def _laid_out(cases: Sequence[DraftCase], states: Sequence[str]) -> Iterator[tuple[list[Axis], dict[str, _Cells]]]:
    """The axes and the columns of each table of some cases: one of all programs where these ran the same cases.

    Else few cases are the rows of one table. Of many, a program of several cases has a table of its own.
    """
    by_program: dict[str, list[DraftCase]] = {}
    for case in cases:
        by_program.setdefault(case.program, []).append(case)
    axes = _telling_apart(cases, ["model", *states], by_program=True)
    columns: dict[str, _Cells] = {program: {_row(one, axes): one for one in own} for program, own in by_program.items()}
    is_whole = sum(map(len, columns.values())) == len(cases)
    if is_whole and len({frozenset(own) for own in columns.values()}) == 1:
        yield axes, columns
        return
    parts = [cases]
    if len(cases) > MOST_TOGETHER and len(by_program) > 1:
        parts = [own for own in by_program.values() if len(own) > 1]
        parts += [one] if (one := [own[0] for own in by_program.values() if len(own) == 1]) else []
    for part in parts:
        yield _as_rows(part, states)


def _as_rows(cases: Sequence[DraftCase], states: Sequence[str]) -> tuple[list[Axis], dict[str, _Cells]]:
    """The axes of a table that has a row for each case, and its only column."""
    title = cases[0].program
    if len({case.program for case in cases}) > 1:
        title = OF_THE_JOB
        cases = [replace(one, case={**one.case, "framework": printable(one.program)}) for one in cases]
    kept = ["framework", "model", *states]
    axes, of_models = _telling_apart(cases, kept), sum("model" in one.case for one in cases)
    if len({_row(one, axes) for one in cases}) < len(cases) or 0 < of_models < len(cases):
        cases = list(_named(cases, axes))
        axes = _telling_apart(cases, kept)
    return axes, {title: {_row(one, axes): one for one in cases}}


def _table(name: str, axes: Sequence[Axis], columns: Mapping[str, _Cells]) -> _Table:
    """A table whose rows state the axes in which they differ; the only row of one states the best that there is."""
    cases = [one for own in columns.values() for one in own.values()]
    values = {axis: {one.case.get(axis) for one in cases} for axis in (*axes, *TITLING)}
    alone = [axis for axis in TITLING if len(values[axis]) == 1 and None not in values[axis]][:1]
    titled = [axis for axis in axes if len(values[axis]) > 1] or alone
    cells = {title: {_row(one, titled): one for one in own.values()} for title, own in columns.items()}
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
    paths = [(*path.parent.parts, path.stem) for path in (PurePosixPath(case.logs[0].place) for case in cases)]
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


def _text(tables: Sequence[_Table], dropped: set[tuple[str, str]], *, briefly: bool) -> str:
    """The page file of some tables; ``briefly``: whether a column may have one pattern for the logs of all cells."""
    cases = [case for table in tables for case in table.cases]
    logs = [log for case in cases for log in case.logs]
    models = dict.fromkeys(str(log.case["model"]) for log in logs if "model" in log.case)
    is_of_models = 0 < len(models) <= MOST_MODELS
    subject = ", ".join(models if is_of_models else dict.fromkeys(printable(case.program) for case in cases))
    unit = Counter(case.unit for case in cases if thing(case.unit) == thing(cases[0].unit)).most_common(1)[0][0]
    head: dict[str, Any] = {"title": _said(Message(TITLE, models=_plain(subject))), "model": subject, "unit": unit}
    head |= {f"names.{axis}": names for axis, names in _labels(tables).items()}
    head["tested"] = _toml([_said(Message(TESTED, count=len(logs)))])
    if commands := [*dict.fromkeys(log.command for log in logs if log.command)]:
        code = fenced("\n".join(commands[:MOST_COMMANDS]))
        head["steps"] = _toml([_said(Message("The runs were started with these commands:")), code])
    lines = [DRAFTED.format(count=len(logs)), *_lines(head)]
    taken: set[str] = set()
    written: list[str] = []
    for table in tables:
        names = [_free(title, taken) for title in table.columns]
        for name, (title, cells) in zip(names, table.columns.items(), strict=True):
            lines += ["", f"[columns.{name}]", *_lines(_column(title, table, cells, briefly=briefly))]
        case = {axis: value for axis, value in table.case.items() if axis != "model" or len(models) > 1}
        for heading, part in _stated(table, names, case, unit, dropped, is_one=len(tables) == 1):
            written += ["", heading, *_lines(part)]
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


def _column(title: str, table: _Table, cells: _Cells, *, briefly: bool) -> dict[str, Any]:
    """A column of the page: where its logs are; what all its runs share is said once."""
    part: dict[str, Any] = {"title": _said(Message(title)) if title == OF_THE_JOB else printable(title)}
    cases = [cells[row] for row in table.rows]
    rows: list[Case] = [dict(zip(table.axes, row, strict=True)) for row in table.rows]
    reads = [case.logs[0].read for case in cases]
    if len({*reads}) == 1 and reads[0]:
        part["read"] = reads[0]
    found = template_of([case.pattern for case in cases], rows) if briefly and len({*reads}) == 1 else None
    if len(cases) == 1:
        part["logs"] = cases[0].pattern
    elif found:
        part["logs"], is_small = found
        for axis in table.axes if is_small else ():
            spelt = {str(row[axis]): {"file": str(row[axis]).lower()} for row in rows}
            if own := {value: name for value, name in spelt.items() if value != name["file"]}:
                part = {"title": part["title"], f"names.{axis}": own, **part}
    else:
        part["runs"] = [
            {"when": row, "logs": case.pattern, **({"read": read} if read and len({*reads}) > 1 else {})}
            for row, case, read in zip(rows, cases, reads, strict=True)
        ]
    return part


def _stated(
    table: _Table, names: Sequence[str], case: Case, unit: str, dropped: set[tuple[str, str]], *, is_one: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A table of throughputs and of what else all its logs give; what has no room in it is in tables below."""
    shared = {axis: str(case[axis]) for axis in TITLING[:3] if axis in case}
    told = [value.upper() if axis == "precision" else value for axis, value in shared.items()]
    if not is_one:
        told += [table.cases[0].unit if title == OF_THE_JOB else title for title in table.columns][:MOST_NAMED]
    of = _plain(printable(", ".join(told)))
    rows = _product(table)
    part: dict[str, Any] = {"name": table.name, "title": _title(OF_THE_JOB, of)}
    if axes := table.axes[-1:] if rows else table.axes:
        corner = joined("{first}, {second}", (Message(axis.replace("_", " ")) for axis in axes))
        part["corner"] = _said(corner, begins=True)
    part |= {"case": case} if case else {}
    part |= {"unit": table.cases[0].unit} if thing(table.cases[0].unit) != thing(unit) else {}
    title = ", ".join(f"{{{axis}}}" for axis in table.axes)
    each = [{"title": title, "case": dict(zip(table.axes, row, strict=True))} for row in table.rows]
    part["rows"] = rows or (each if table.axes else [{"title": _said(Message(OF_THE_JOB))}])
    others = [quantity for quantity in _shared(table) if (table.name, quantity) not in dropped]
    inline = others[: MOST_COLUMNS - 1] if len(names) == 1 else []
    part["columns"] = [*names, *_columns(names, inline)] if inline else _toml([*names])
    yield "[[tables]]", part
    rest, width = others[len(inline) :], MOST_COLUMNS // len(names)
    for number, start in enumerate(range(0, len(rest), width) if width else (), 1):
        more = f"{table.name}-more" if number == 1 else f"{table.name}-more-{number}"
        columns = _columns(names, rest[start : start + width])
        yield "[[tables.tables]]", {"name": more, "title": _title(DETAILS, of), "columns": columns}


def _columns(names: Sequence[str], quantities: Sequence[str]) -> list[dict[str, str]]:
    return [{"column": name, "quantity": one} for name in names for one in quantities]


def _shared(table: _Table) -> list[str]:
    """The quantities that all logs of a table give, and of repeats their ends."""
    first, *others = [log.quantities for case in table.cases for log in case.logs]
    spread = [one.name for one in RANGE_OF_RUNS] if all(len(one.logs) > 1 for one in table.cases) else []
    return [*spread, *(name for name in first if all(name in other for other in others))]


def _product(table: _Table) -> dict[str, Any]:
    """The rows of a table as the values of its axes; empty where these leave out many of their combinations."""
    values = [sorted({row[at] for row in table.rows}, key=_order) for at in range(len(table.axes))]
    if not values or 2 * prod(map(len, values)) > 3 * len(table.rows):
        return {}
    missing = [row for row in product(*values) if row not in table.rows]
    if len(missing) > MOST_LEFT_OUT:
        return {}
    left_out = {"except": [dict(zip(table.axes, row, strict=True)) for row in missing]} if missing else {}
    return {**dict(zip(table.axes, values, strict=True)), **left_out}


def _title(title: str, case: str) -> dict[str, str]:
    return _said(Message("{title} ({case})", title=Message(title), case=case) if case else Message(title))


def _said(message: Message, *, begins: bool = False) -> dict[str, str]:
    """A message in all languages; ``begins``: with a capital letter, where the language has them."""
    told = {language: worded(message, Translator(language).translate) for language in languages()}
    return {language: said[:1].upper() + said[1:] if begins else said for language, said in told.items()}


def _plain(name: str) -> str:
    """A name without braces, which a text in several languages cannot have."""
    return name.translate(str.maketrans("{}", "()"))


def _free(title: str, taken: set[str]) -> str:
    """A name for a heading, of the letters that a bare key of TOML may have, which is not taken yet."""
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:LONGEST_NAME].strip("_") or "column"
    tries = (name if number == 1 else f"{name}_{number}" for number in count(1))
    taken.add(found := next(tried for tried in tries if tried not in taken))
    return found


class _Toml(str):
    """A value as a page file has it."""


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    """Keys with their values, of a list of tables each on a line."""
    for key, value in part.items():
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield from (f"{key} = [", *(f"    {_toml(one)}," for one in value), "]")
        else:
            yield f"{key} = {_toml(value)}"


def _toml(value: object) -> _Toml:
    """A value as a page file has it on one line."""
    if isinstance(value, _Toml):
        return value
    if isinstance(value, Mapping):
        pairs = (
            f"{key if _BARE.fullmatch(str(key)) else _toml(str(key))} = {_toml(one)}" for key, one in value.items()
        )
        return _Toml(f"{{ {', '.join(pairs)} }}" if value else "{}")
    if isinstance(value, list):
        return _Toml(f"[{', '.join(map(_toml, value))}]")
    # A text of JSON is one of TOML but for one character.
    return _Toml(json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f"))
