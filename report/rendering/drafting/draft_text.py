"""The text of a draft: a page file with its words in all languages, and comments that say why it is so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, InlineTable, Table

from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ...measure.quantity import RANGE_OF_RUNS
from ...measure.work import thing
from ...pagefile.page import Axis, Case
from ...pagefile.parts import MARKED
from ...wording.words import Translate, Translator, languages, worded
from .draft_case import DraftCase
from .draft_table import MOST_COLUMNS, DraftColumn, DraftTable
from .log_pattern import template_of

DRAFTED = (
    "Drafted from {count} logs; texts and axes may be edited. Without a protocol, the rule applies "
    "(docs/protocols.md). Keys: docs/page-file.md."
)
UNIT_OF_ALL = "All logs give {unit}."
UNIT_OF_MOST = "{count} of {total} logs give {unit}; tables of the others state their own."
TITLE = "{models}: training throughput"
TESTED = "Training throughput of the whole job, computed from logs (runs: {count})."
COMMANDS = "The runs were started with these commands:"
TABLE_TITLE = "Training throughput"
TITLE_OF = "Training throughput ({case})"
FIRST_AND_MORE = "{first}, {second}"
# What stands before counts in titles, where those of ``MARKED`` do not.
LETTERS: Mapping[Axis, str] = {"nodes": "N", "cards": "C", "batch_size": "BS="}
NO_TITLE = "–"
GROUP: Axis = "model"  # which heads a group of rows, where they differ in it and in more
HEADING: Axis = "framework"  # which heads its column
MOST_NAMED = 3
MOST_COMMANDS = 10
TABLE_NAME = "throughput"
SPREAD_TITLE, OBSERVED_TITLE = "Spread of the runs", "Memory and power"
NAMES: Mapping[str, str] = {SPREAD_TITLE: "spread", OBSERVED_TITLE: "telemetry"}
LONGEST_SIGN = 2  # letters that make no word
OF_CASE = "{title} ({case})"


@dataclass(frozen=True)
class DraftedUnit:
    """The unit of a page, and how many of how many logs give it."""

    unit: str
    logs: int
    of: int

    @property
    def reason(self) -> Message:
        """Why it is this one."""
        if self.logs == self.of:
            return Message(UNIT_OF_ALL, unit=self.unit)
        return Message(UNIT_OF_MOST, count=self.logs, total=self.of, unit=self.unit)


def page_text(
    tables: Sequence[DraftTable],
    unit: DraftedUnit,
    name: str,
    translate: Translate,
    *,
    briefly: bool,
) -> str:
    """The page file of some tables.

    ``name``: what it is called where it is not of few models. ``translate``: into the language of its comments.
    ``briefly``: whether a column may have one pattern of its logs for all of its cells.
    """
    cases = [case for table in tables for case in table.cases]
    logs = sum(len(case.logs) for case in cases)
    document = tomlkit.document()
    _comment(document, [Message(DRAFTED, count=logs)], translate)
    models = _models(cases, name)
    document.add("title", _in_languages(Message(TITLE, models=", ".join(models) if models else _plain(name))))
    document.add("model", ", ".join(models) or name)
    _comment(document, [unit.reason], translate)
    document.add("unit", unit.unit)
    document.add("tested", _lines([_prose(Message(TESTED, count=logs))]))
    if commands := _commands(cases):
        document.add("steps", _lines([_prose(Message(COMMANDS)), *commands]))
    columns = tomlkit.table(is_super_table=True)
    for table in tables:
        for column in table.programs:
            columns.add(column.name, _column(column, table, briefly=briefly))
    document.add("columns", columns)
    document.add("tables", _tables(tables, unit.unit))
    return tomlkit.dumps(document)


def _models(cases: Sequence[DraftCase], name: str) -> list[str]:
    """The models, where they are few."""
    models = dict.fromkeys(str(case.case.get("model", "")) for case in cases)
    few = len(models) <= MOST_NAMED and all(models)
    return [_plain(model) for model in models] if few else []


def _plain(name: str) -> str:
    """A name without braces, which a text in several languages cannot have."""
    return name.translate(str.maketrans("{}", "()"))


def _commands(cases: Sequence[DraftCase]) -> list[InlineTable]:
    said = dict.fromkeys(log.command for case in cases for log in case.logs if log.command)
    return [_inline({"code": "\n".join([*said][:MOST_COMMANDS])})] if said else []


def _column(column: DraftColumn, table: DraftTable, *, briefly: bool) -> Table:
    """A column of the page: where its logs are; what all its runs share is said once."""
    made = tomlkit.table()
    made.add("title", _name(column.title))
    reads = {row: case.logs[0].read for row, case in column.cells.items()}
    shared = next(iter(reads.values())) if len(set(reads.values())) == 1 else None
    if shared:
        made.add("read", shared)
    briefly = briefly and (shared is not None or not any(reads.values()))
    if template := _template(column, table) if briefly or len(table.rows) == 1 else None:
        made.add("logs", template)
        return made
    runs = tomlkit.aot()
    for row, case in column.cells.items():
        run = tomlkit.table()
        if table.rows[row]:
            run.add("when", _inline(table.rows[row]))
        run.add("logs", case.pattern)
        if (own := reads[row]) and not shared:
            run.add("read", own)
        runs.append(run)
    made.add("runs", runs)
    return made


def _template(column: DraftColumn, table: DraftTable) -> str | None:
    """One pattern for all rows of a column, which differs from row to row; None where there is none."""
    patterns = [case.pattern for case in column.cells.values()]
    template = template_of(patterns, [table.rows[row] for row in column.cells])
    return template if template and all(f"{{{axis}}}" in template for axis in table.row_axes) else None


def _tables(tables: Sequence[DraftTable], unit: str) -> AoT:
    every = tomlkit.aot()
    for number, table in enumerate(tables, 1):
        end = "" if number == 1 else f"-{number}"
        made = _table(table, f"{TABLE_NAME}{end}", unit)
        if len(tables) > 1 and len(table.rows) == 1:
            made["title"] = _in_languages(Message(TITLE_OF, case=_told_apart(table, tables)))
        every.append(made)
        is_repeated = any(len(case.logs) > 1 for case in table.cases)
        others = {
            SPREAD_TITLE: [quantity.name for quantity in RANGE_OF_RUNS] if is_repeated else [],
            OBSERVED_TITLE: table.observed,
        }
        inner = tomlkit.aot()
        for title, quantities in others.items():
            if 0 < len(quantities) * len(table.programs) <= MOST_COLUMNS:
                inner.append(_table_of(table, f"{NAMES[title]}{end}", title, quantities))
        if inner:
            made.add("tables", inner)
    return every


def _told_apart(table: DraftTable, tables: Sequence[DraftTable]) -> str:
    """What a table of one row is of: its programs, and its case where another table is of the same programs."""
    programs = _programs(table)
    of_case = [_filled(axis, table.case) for axis in table.case if axis != HEADING]
    is_alone = sum(_programs(other) == programs for other in tables) == 1
    return _plain(", ".join(programs if is_alone else [*programs, *of_case]))


def _programs(table: DraftTable) -> list[str]:
    return [column.title for column in table.programs]


def _table_of(table: DraftTable, name: str, title: str, quantities: Sequence[str]) -> Table:
    """A table of other quantities of the same cases."""
    made = tomlkit.table()
    made.add("name", name)
    said = _case_of(table)
    made.add("title", _in_languages(Message(OF_CASE, title=Message(title), case=said) if said else Message(title)))
    columns = [_table_column(column, quantity) for column in table.programs for quantity in quantities]
    made.add("columns", _lines(columns))
    return made


def _table(table: DraftTable, name: str, unit: str) -> Table:
    made = tomlkit.table()
    made.add("name", name)
    made.add("title", _in_languages(_table_title(table)))
    axes = table.row_axes
    if axes := axes if len(axes) == 1 else [axis for axis in axes if axis != GROUP]:
        names = [Message(axis.replace("_", " ")) for axis in axes]
        made.add("corner", _in_languages(joined(FIRST_AND_MORE, names), begins=True))
    if table.case:
        made.add("case", _inline(table.case))
    if thing(table.unit) != thing(unit):
        made.add("unit", table.unit)
    made.add("columns", _lines([_table_column(column) for column in table.columns]))
    made.add("rows", _lines([_row(row, table) for row in table.rows]))
    return made


def _table_title(table: DraftTable) -> Message:
    """The title of a table of throughputs."""
    said = _case_of(table)
    return Message(TITLE_OF, case=said) if said else Message(TABLE_TITLE)


def _case_of(table: DraftTable) -> str:
    """What all cells of the table share, where its rows do not say it."""
    said = [_filled(axis, table.case) for axis in table.case if axis != HEADING]
    return _plain(", ".join(said)) if table.row_axes else ""


def _filled(axis: Axis, case: Case) -> str:
    """A value of an axis as titles write it."""
    return f"{LETTERS.get(axis) or MARKED.get(axis, '')}{case[axis]}"


def _table_column(column: DraftColumn, quantity: str = "") -> InlineTable:
    said: dict[str, Any] = {"column": column.name}
    said |= {"quantity": quantity or column.quantity} if quantity or column.quantity else {}
    return _inline({**said, "case": _inline(column.case)} if column.case else said)


def _row(case: Case, table: DraftTable) -> InlineTable:
    """A row; the only one of a table has the title of what all cells share."""
    shared: Case = {axis: value for axis, value in table.case.items() if axis != HEADING}
    if not case:
        return _inline({"title": _row_title(shared) or NO_TITLE})
    if len(case) > 1 and GROUP in case:
        own: Case = {axis: value for axis, value in case.items() if axis != GROUP}
        return _inline({"group": f"{{{GROUP}}}", "title": _row_title(own), "case": _inline(case)})
    return _inline({"title": _row_title(case), "case": _inline(case)})


def _row_title(case: Case) -> str:
    """The axes of a row in braces; counts beside others are told apart by their letters."""
    return ", ".join(f"{LETTERS.get(axis, '') if len(case) > 1 else ''}{{{axis}}}" for axis in case)


def _name(name: str) -> str | InlineTable:
    """A name; one that a reader of the page file could take for a word stands there in all languages.

    A text in several languages cannot have braces.
    """
    is_plain = "{" not in name and "}" not in name
    is_like_a_word = is_plain and any(word.islower() and len(word) > LONGEST_SIGN for word in name.split())
    return _inline(dict.fromkeys(languages(), name)) if is_like_a_word else name


def _in_languages(message: Message, *, begins: bool = False) -> InlineTable:
    """A message in all languages; ``begins``: with a capital letter, where the language has them."""
    told = {language: worded(message, Translator(language).translate) for language in languages()}
    return _inline({language: said[:1].upper() + said[1:] if begins else said for language, said in told.items()})


def _prose(message: Message) -> InlineTable:
    return _in_languages(message)


def _inline(said: Mapping[Any, Any]) -> InlineTable:
    made = tomlkit.inline_table()
    made.update(said)
    return made


def _lines(items: Iterable[InlineTable]) -> Array:
    made = tomlkit.array()
    made.extend(items)
    return made.multiline(True)


def _comment(made: Any, messages: Sequence[Message], translate: Translate) -> None:
    for text in _sentences(messages, translate):
        made.add(tomlkit.comment(text))


def _sentences(messages: Sequence[Message], translate: Translate) -> Iterator[str]:
    return (printable(worded(message, translate)) for message in messages)
