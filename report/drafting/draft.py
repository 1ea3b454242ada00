"""Page drafts: the page file of some logs, which is rendered once to prove that all of its cells have their numbers."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, product
from math import prod
from pathlib import Path
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
from ..wording.words import Translator, languages, worded
from .logs import HEADING, DraftCase, DraftLog, NamedLogs, cases_of, draft_log, each_once, not_the_job, template_of, why

NO_NUMBERS = "No log gives a throughput of the whole job, so there is nothing to draft."
DRAFTED = "Drafted from {count} logs; edit whatever you like: docs/page-file.md has all keys."
TITLE = "{models}: training throughput"
TESTED = "Training throughput of the whole job, computed from logs (runs: {count})."
COMMANDS = "The runs were started with these commands:"
THROUGHPUT, SPREAD = "Training throughput", "Spread of the runs"
OBSERVED, PER_DEVICE = "Memory and power", "Per device"
OF_CASE = "{title} ({case})"

# What a table states of all its cells; the first of these titles its row where it has but one.
TITLING: tuple[Axis, ...] = ("model", "device", "precision", "nodes", "cards", "batch_size", "sequence_length")
# What tells rows apart, the first that does.
AXES: tuple[Axis, ...] = (*TITLING, *(axis for axis in get_args(Axis) if axis not in (*TITLING, HEADING)))
MOST_COLUMNS, MOST_MODELS, MOST_NAMED, MOST_LEFT_OUT, MOST_COMMANDS, LONGEST_NAME = 8, 8, 3, 3, 10, 60
_PLUS = re.compile(r"(?<=v\d)p(?:lus)?$")  # behind a version, as in DeepLabV3P
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class NothingToDraftError(ParserError):
    """No log gives a throughput; ``left_out`` says why each does not."""

    def __init__(self, told: Message | str, left_out: Sequence[Message] = ()) -> None:
        super().__init__(told)
        self.left_out = tuple(left_out)


@dataclass(frozen=True)
class PageDraft:
    """A page file: its text, the cases that its cells are of, and why logs are left out of it, a sentence each."""

    text: str
    cases: Sequence[DraftCase]
    left_out: tuple[Message, ...]

    @property
    def logs(self) -> int:
        """How many logs prove its numbers."""
        return sum(len(case.logs) for case in self.cases)


@dataclass(frozen=True)
class _Column:
    """A column of a page and of one of its tables: its name, its heading, and its cases by row."""

    name: str
    title: str
    cells: Mapping[tuple[Any, ...], DraftCase]


@dataclass(frozen=True)
class _Table:
    """A table without an empty cell: the axes and the values of its rows, what all its cells share, and its columns."""

    axes: Sequence[Axis]
    rows: Sequence[tuple[Any, ...]]
    case: Case
    columns: Sequence[_Column]

    @property
    def cases(self) -> list[DraftCase]:
        """The cases of its cells, row by row."""
        return [column.cells[row] for row in self.rows for column in self.columns]

    def shared(self, names: str) -> list[str]:
        """The quantities that all its logs give."""
        first, *others = [getattr(log, names) for case in self.cases for log in case.logs]
        return [name for name in first if all(name in other for other in others)]


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
    logs, copies = each_once(log for log in found if log.reason is None)
    never = [log.path for log in found if log.is_never_evidence]
    left_out = [*named.left_out, *(log.reason for log in found if log.reason), *copies]
    left_out += [why(log.path, not_the_job(log)) for log in logs if log.scope != "job"]
    logs = _alike([log for log in logs if log.scope == "job"])
    store = LogStore(named.folder)
    while True:
        cases, without = cases_of(logs, named.folder, never)
        if not cases:
            raise NothingToDraftError(NO_NUMBERS, [*left_out, *without])
        tables = [
            table for some in _by_unit(cases) for table in _tables(some, ["model", *(name for name, _ in states)])
        ]
        drafted = [case for table in tables for case in table.cases]
        for briefly in (True, False):
            text = _text(tables, briefly=briefly)
            shown = [one for one in resolve(parse(text, path), store) if one.is_throughput]
            # A pattern for all cells may find logs that nobody named.
            theirs = [{run.log for run in one.runs} for one in shown]
            if all(of <= {log.path for log in case.logs} for case, of in zip(drafted, theirs, strict=True)):
                break
        failed = [(case, one.result.reason) for case, one in zip(drafted, shown, strict=True) if one.result.reason]
        if not failed:
            return PageDraft(text, drafted, (*left_out, *without))
        left_out += [why(log.path, reason.message) for case, reason in failed for log in case.logs]
        gone = {log.path for case, _ in failed for log in case.logs}
        logs = [log for log in logs if log.path not in gone]


def _bytes(folder: Path, path: str) -> int:
    return (folder / path).stat().st_size if (folder / path).is_file() else 0


def _alike(logs: Sequence[DraftLog]) -> list[DraftLog]:
    """The logs with one spelling of each model and program: that with the most capitals, as its authors write it.

    What one log calls PaddleNLP BERT pretraining is the program PaddleNLP, where another log is called so. What one
    program calls deeplabv3p and another Deeplabv3 is one model, of which the longer name says more; where one program
    has both, they are two.
    """
    programs = sorted({log.program for log in logs}, key=lambda one: (len(one), -_capitals(one), one))
    found = []
    for log in logs:
        alike = (one for one in programs if one and f"{log.program} ".lower().startswith(f"{one} ".lower()))
        found.append(replace(log, program=next(alike, "")))
    by_program: dict[str, set[str]] = {}
    for log in (log for log in found if "model" in log.case):
        by_program.setdefault(log.program, set()).add(_key(str(log.case["model"])))
    both = {_PLUS.sub("", key) for keys in by_program.values() for key in keys if _PLUS.sub("", key) in keys - {key}}

    def key_of(model: object) -> str:
        key = _key(str(model))
        return key if _PLUS.sub("", key) in both else _PLUS.sub("", key)

    names = sorted({str(log.case["model"]) for log in found if "model" in log.case}, key=_plainness)
    models = {key_of(name): name for name in names}
    return [
        replace(log, case={**log.case, "model": models[key_of(log.case["model"])]}) if "model" in log.case else log
        for log in found
    ]


def _capitals(name: str) -> int:
    return sum(map(str.isupper, name))


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower()) or name


def _plainness(name: str) -> tuple[int, int, str]:
    return len(_key(name)), _capitals(name), name


# ---- tables


_Cells = dict[tuple[Any, ...], DraftCase]


def _by_unit(cases: Sequence[DraftCase]) -> list[list[DraftCase]]:
    """The cases by what they count, those of most cases first."""
    units: dict[str, list[DraftCase]] = {}
    for case in cases:
        units.setdefault(thing(case.unit), []).append(case)
    return sorted(units.values(), key=len, reverse=True)


def _tables(cases: Sequence[DraftCase], kept: Sequence[str]) -> Iterator[_Table]:
    """The tables of cases in one unit: its columns are programs, its rows what tells the cases of a program apart.

    Columns with other rows are in tables of their own, so that no cell is empty, or one column where no row is of two
    programs. Cases of one program that nothing tells apart are in columns of their own. ``kept``: axes that all rows
    must state where they differ, since no log does, or numbers of several models would seem to be comparable.
    """
    axes: list[Axis] = []
    for axis in (axis for axis in AXES if all(axis in case.case for case in cases)):
        known, more = ({(case.program, *_row(case, some)) for case in cases} for some in (axes, [*axes, axis]))
        if len(more) > len(known) or (axis in kept and len({case.case[axis] for case in cases}) > 1):
            axes.append(axis)
    columns = _columns(cases, axes)
    rows = [row for own in columns.values() for row in own]
    if len({frozenset(own) for own in columns.values()}) > 1 and len(set(rows)) == len(rows):
        merged = {row: case for own in columns.values() for row, case in own.items()}
        columns = {", ".join(columns) if len(columns) <= MOST_NAMED else THROUGHPUT: merged}
    groups: dict[frozenset[tuple[Any, ...]], dict[str, _Cells]] = {}
    for title, own in columns.items():
        groups.setdefault(frozenset(own), {})[title] = own
    for rows_of, some in groups.items():
        yield _laid_out(axes, sorted(rows_of, key=_order), some)


def _columns(cases: Sequence[DraftCase], axes: Sequence[Axis]) -> dict[str, _Cells]:
    """The cases of each column by its heading, by row."""
    columns: dict[str, _Cells] = {}
    alike = Counter((case.program, _row(case, axes)) for case in cases)
    places = {case.place.rpartition("/")[2] for case in cases}
    for case in cases:
        place = case.place.rpartition("/")[2] if len(places) > 1 else case.place
        title = case.program if alike[case.program, _row(case, axes)] == 1 else f"{case.program}, {place}"
        tries = (title if number == 1 else f"{title} ({number})" for number in count(1))
        title = next(one for one in tries if _row(case, axes) not in columns.get(printable(one), {}))
        columns.setdefault(printable(title), {})[_row(case, axes)] = case
    return columns


def _laid_out(axes: Sequence[Axis], rows: Sequence[tuple[Any, ...]], columns: Mapping[str, _Cells]) -> _Table:
    """A table whose rows state the axes in which they differ; the only row of one states the best that there is."""
    cases = [own[row] for row in rows for own in columns.values()]
    first = cases[0].case
    shared = {
        axis: first[axis] for axis in TITLING if axis in first and len({one.case.get(axis) for one in cases}) == 1
    }
    differing = [axis for at, axis in enumerate(axes) if len({row[at] for row in rows}) > 1]
    titled = differing or list(shared)[:1]
    made = [_Column("", title, {_row(own[row], titled): own[row] for row in rows}) for title, own in columns.items()]
    case: Case = {axis: value for axis, value in shared.items() if axis not in titled}
    return _Table(titled, list(made[0].cells), case, made)


def _row(case: DraftCase, axes: Sequence[Axis]) -> tuple[Any, ...]:
    return tuple(case.case[axis] for axis in axes)


def _order(row: Sequence[Any]) -> list[tuple[bool, int, str]]:
    """Rows are in the order of their axes, counts by their size."""
    return [(isinstance(value, str), value if isinstance(value, int) else 0, str(value)) for value in row]


# ---- the text


def _text(tables: Sequence[_Table], *, briefly: bool) -> str:
    """The page file of some tables; ``briefly``: whether a column may have one pattern for the logs of all cells."""
    cases = [case for table in tables for case in table.cases]
    logs = sum(len(case.logs) for case in cases)
    models = dict.fromkeys(str(case.case["model"]) for case in cases if "model" in case.case)
    programs = dict.fromkeys(case.program for case in cases)
    subject = ", ".join(models if 0 < len(models) <= MOST_MODELS else programs)
    unit = Counter(case.unit for case in cases if thing(case.unit) == thing(cases[0].unit)).most_common(1)[0][0]
    lines = [f"# {DRAFTED.format(count=logs)}"]
    lines.append(f"title = {_toml(_said(Message(TITLE, models=_plain(subject))))}")
    lines += [f"model = {_toml(subject)}", f"unit = {_toml(unit)}"]
    lines += [f"names.{axis} = {_toml(names)}" for axis, names in _names(tables).items()]
    lines.append(f"tested = [{_toml(_said(Message(TESTED, count=logs)))}]")
    if commands := dict.fromkeys(log.command for case in cases for log in case.logs if log.command):
        code = fenced("\n".join([*commands][:MOST_COMMANDS]))
        lines.append(f"steps = [{_toml(_said(Message(COMMANDS)))}, {_toml(code)}]")
    taken: set[str] = set()
    written = []
    for number, table in enumerate(tables, 1):
        columns = [replace(column, name=_free(column.title, taken)) for column in table.columns]
        of_model = len(models) == 1 and "model" not in table.axes
        case = {axis: value for axis, value in table.case.items() if not (of_model and axis == "model")}
        known = replace(table, columns=columns, case=case)
        for column in columns:
            lines += ["", *_column(column, known, briefly=briefly)]
        written += ["", *_table(known, "" if number == 1 else f"-{number}", unit, len(tables) > 1)]
    return "\n".join([*lines, *written, ""])


def _names(tables: Sequence[_Table]) -> dict[Axis, dict[str, Any]]:
    """How titles write precisions, and counts that title rows."""
    found: dict[Axis, dict[str, Any]] = {}
    for table in tables:
        for axis, values in [*zip(table.axes, zip(*table.rows, strict=True), strict=True)]:
            for value in sorted(set(values), key=lambda one: _order([one])):
                if axis in UNITS:
                    found.setdefault(axis, {})[str(value)] = _said(Message.of_count(value, *UNITS[axis]))
                elif axis == "batch_size":
                    found.setdefault(axis, {})[str(value)] = f"BS={value}"
                elif axis == "precision" and value in PRECISIONS:
                    found.setdefault(axis, {})[str(value)] = str(value).upper()
    return found


def _column(column: _Column, table: _Table, *, briefly: bool) -> Iterator[str]:
    """A column of the page: where its logs are; what all its runs share is said once."""
    yield f"[columns.{column.name}]"
    yield f"title = {_toml(_name(column.title))}"
    cases = [column.cells[row] for row in table.rows]
    reads = [case.logs[0].read for case in cases]
    if len(set(reads)) == 1 and reads[0]:
        yield f"read = {_toml(reads[0])}"
    rows: list[Case] = [dict(zip(table.axes, row, strict=True)) for row in table.rows]
    found = template_of([case.pattern for case in cases], rows)
    if len(cases) == 1:
        yield f"logs = {_toml(cases[0].pattern)}"
    elif found and briefly and len(set(reads)) == 1:
        pattern, is_small = found
        for axis in table.axes if is_small else ():
            spelt = {str(row[axis]): {"file": str(row[axis]).lower()} for row in rows}
            if own := {value: name for value, name in spelt.items() if value != name["file"]}:
                yield f"names.{axis} = {_toml(own)}"
        yield f"logs = {_toml(pattern)}"
    else:
        yield "runs = ["
        for row, case, read in zip(rows, cases, reads, strict=True):
            of_it = {"read": read} if read and len(set(reads)) > 1 else {}
            yield f"    {_toml({'when': row, 'logs': case.pattern, **of_it})},"
        yield "]"


def _table(table: _Table, end: str, unit: str, is_one_of_many: bool) -> Iterator[str]:
    """A table of throughputs, and below it those of what else all its logs give."""
    told = {axis: str(value) for axis, value in table.case.items() if axis in TITLING[:3]}
    said = [value.upper() if axis == "precision" else value for axis, value in told.items()]
    said += [one.title for one in table.columns if is_one_of_many and one.title != THROUGHPUT]
    case = _plain(", ".join(said[:MOST_NAMED]))
    yield "[[tables]]"
    yield f'name = "throughput{end}"'
    yield f"title = {_toml(_title(THROUGHPUT, case))}"
    if axes := table.axes[-1:] if _product(table) else table.axes:
        corner = joined("{first}, {second}", (Message(axis.replace("_", " ")) for axis in axes))
        yield f"corner = {_toml(_said(corner, begins=True))}"
    if table.case:
        yield f"case = {_toml(table.case)}"
    if thing(table.cases[0].unit) != thing(unit):
        yield f"unit = {_toml(table.cases[0].unit)}"
    yield f"columns = {_toml([column.name for column in table.columns])}"
    yield from _rows(table)
    is_repeated = all(len(one.logs) > 1 for one in table.cases)
    others = {
        ("spread", SPREAD): [quantity.name for quantity in RANGE_OF_RUNS] if is_repeated else [],
        ("telemetry", OBSERVED): table.shared("observed"),
        ("per-device", PER_DEVICE): table.shared("quantities"),
    }
    for (name, title), quantities in others.items():
        if 0 < len(quantities) * len(table.columns) <= MOST_COLUMNS:
            columns = [{"column": one.name, "quantity": each} for one in table.columns for each in quantities]
            yield from ("", "[[tables.tables]]", f'name = "{name}{end}"', f"title = {_toml(_title(title, case))}")
            yield from ("columns = [", *(f"    {_toml(column)}," for column in columns), "]")


def _rows(table: _Table) -> Iterator[str]:
    """The rows of a table as the values of their axes where few combinations of these are left out."""
    if not table.axes:
        yield f"rows = [{_toml({'title': _said(Message(THROUGHPUT))})}]"
        return
    if stated := _product(table):
        yield f"rows = {_toml(stated)}"
        return
    title = ", ".join(f"{{{axis}}}" for axis in table.axes)
    yield "rows = ["
    for row in table.rows:
        yield f"    {_toml({'title': title, 'case': dict(zip(table.axes, row, strict=True))})},"
    yield "]"


def _product(table: _Table) -> dict[str, Any]:
    """The rows of a table as the values of its axes; empty where these leave out many of their combinations."""
    values = [sorted({row[at] for row in table.rows}, key=lambda one: _order([one])) for at in range(len(table.axes))]
    if not values or 2 * prod(map(len, values)) > 3 * len(table.rows):
        return {}
    missing = [row for row in product(*values) if row not in table.rows]
    if len(missing) > MOST_LEFT_OUT:
        return {}
    left_out = {"except": [dict(zip(table.axes, row, strict=True)) for row in missing]} if missing else {}
    return {**dict(zip(table.axes, values, strict=True)), **left_out}


def _title(title: str, case: str) -> dict[str, str]:
    return _said(Message(OF_CASE, title=Message(title), case=case) if case else Message(title))


def _said(message: Message, *, begins: bool = False) -> dict[str, str]:
    """A message in all languages; ``begins``: with a capital letter, where the language has them."""
    told = {language: worded(message, Translator(language).translate) for language in languages()}
    return {language: said[:1].upper() + said[1:] if begins else said for language, said in told.items()}


def _name(name: str) -> str | dict[str, str]:
    """A name; one that could be taken for a word that lacks a translation is stated for all languages."""
    if name == THROUGHPUT:
        return _said(Message(THROUGHPUT))
    return dict.fromkeys(languages(), name) if re.search(r"\b[a-z]{3}", name) and name == _plain(name) else name


def _plain(name: str) -> str:
    """A name without braces, which a text in several languages cannot have."""
    return name.translate(str.maketrans("{}", "()"))


def _free(title: str, taken: set[str]) -> str:
    """A name for a heading, of the letters that a bare key of TOML may have, which is not taken yet."""
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:LONGEST_NAME].strip("_") or "column"
    tries = (name if number == 1 else f"{name}_{number}" for number in count(1))
    taken.add(found := next(tried for tried in tries if tried not in taken))
    return found


def _toml(value: object) -> str:
    """A value as a page file has it on one line."""
    if isinstance(value, Mapping):
        pairs = (
            f"{key if _BARE.fullmatch(str(key)) else _toml(str(key))} = {_toml(one)}" for key, one in value.items()
        )
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # A text of JSON is one of TOML but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
