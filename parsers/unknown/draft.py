"""From a speed of an unknown log to a grammar that reads the log the same, with the option as its annotation."""

from __future__ import annotations

import re
import tempfile
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..grammar.field import IN_SECONDS
from ..grammar.field import Field as GrammarField
from ..grammar.format import Format
from ..grammar.loading import compiled
from ..io.errors import FormatError, GrammarError, ParserError, WrappedError
from ..runs.reading import Reading, survey
from .answer import Accepted
from .judge import Speed
from .log import Column, Form, cells_of, line_of
from .option import STEPS
from .reading import SPEEDS, TableRecords, counts_by_clock, reading
from .text import BAR, NUMBER, Field

NO_GRAMMAR = "no grammar that is drafted finds the same numbers as --read '{read}'; go on with that option."
_STAMPS = {
    "STAMP": r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?",
    "COMPACT_STAMP": r"\d{8}[ T-]\d\d:\d\d:\d\d(?:[.,]\d+)?",
    "YEARLESS_STAMP": r"\d\d[-/]?\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?",
}
_MARKS = {"|": r"\|", ",": ","}  # what parts the cells of a table, and the same as a pattern
_TOTALS = {"steps": "step", "steps_per_epoch": "step", "epochs": "epoch"}
_PIECE = re.compile(r"[,;|\t{}]|\s{2,}|(?<=\])|\)\s")
_LETTER = "A-Za-z一-鿿"
_NAME = re.compile(rf"(?<![{_LETTER}])[{_LETTER}][^\d]{{0,30}}\Z")
MOST_DIGITS_READ = 500  # rows whose digits show how numbers are written
MOST_ALTERNATIVES = 12  # more orders of the same columns are no format
WIDTH = 116
SAME = 1e-3  # of a value: digits that a conversion of units may move


class NoGrammarError(ParserError):
    """A speed of which no grammar can be written."""

    def __init__(self, speed: Speed) -> None:
        super().__init__(NO_GRAMMAR, read=speed.read)


@dataclass(frozen=True)
class _Told:
    """A column of the grammar: its rule, where its numbers stand in each form, and the rule of how many there are."""

    text: str
    fields: dict[Form, Field]
    total: str


def draft(speed: Speed) -> str:
    """The grammar of a speed, which reads its log the same; raises NoGrammarError where none does."""
    text = _text(speed)
    if not _reads_the_same(text, speed):
        raise NoGrammarError(speed)
    return text


def _reads_the_same(text: str, speed: Speed) -> bool:
    """Whether a grammar finds the numbers of a speed in its lines, and in no others; of a clock, what counts there."""
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder) / "drafted.lark"
        grammar.write_text(text, encoding="utf-8")
        try:
            found = survey(speed.table.log.path, format=Format("drafted", grammar, *compiled(grammar)))
        except (GrammarError, FormatError, WrappedError):
            return False
    own, table, lines = reading(Accepted(speed)), found.parts[0].table, set(speed.lines)
    names = [name for name in ("step", "epoch") if name in table]
    name = next((name for name in (*SPEEDS, "elapsed") if name in own.parts[0].table), None)
    if name is None and (not names or set(table["line"].tolist()) != lines):
        return False
    several = speed.option.per == STEPS  # whose time is printed, and divided in a reading
    count = (speed.option.count or 1) if several else 1
    told = [(each, each, 1) for each in names]
    told += [(name, "duration" if several else name, count)] if name else []
    for of_log, of_grammar, times in told:
        read = _by_line(found, of_grammar)
        wanted = {line: all_of for line, all_of in _by_line(own, of_log).items() if of_log == name or line in read}
        if not set(read) <= lines or not all(
            any(abs(x - value * times) <= SAME * value * times for x in read.get(line, ()))
            for line, all_of in wanted.items()
            for value in all_of
        ):
            return False
    return True


def _by_line(reading: Reading, name: str) -> dict[int, list[float]]:
    """The numbers of a column by their lines, times in seconds."""
    table, found = reading.parts[0].table, dict[int, list[float]]()
    if name in table:
        unit = next(field.unit for (_, of), field in reading.fields.items() if of == name)
        values = table[name].astype(np.float64) * IN_SECONDS.get(unit or "", 1.0)
        for place in np.flatnonzero(np.isfinite(values)).tolist():
            found.setdefault(int(table["line"][place]), []).append(float(values[place]))
    return found


def _text(speed: Speed) -> str:
    """The grammar that reads of its lines the columns that the reading has, as far as these lines print them."""
    column, table = speed.column, speed.table
    is_clock = counts_by_clock(speed)
    records = TableRecords(table).fill(speed)
    printed = [(told, of) for told, of in records.printed if of in table.columns]
    if not is_clock and all(of is not column for _, of in printed):
        raise NoGrammarError(speed)
    printed = [(told, of) for told, of in printed if told.type != "INTEGER" or _is_integer(of)]
    totals = {of: total for total, of in _TOTALS.items() if total in records.columns}
    columns = [_Told(_rule(told), of.fields, totals.get(told.name, "INTEGER")) for told, of in printed]
    writer = _Writer(speed)
    orders: dict[tuple[tuple[str, bool, str], ...], tuple[list[_Told], list[Form]]] = {}
    for form in (form for form in table.places if is_clock or form in column.fields):
        here = sorted((c for c in columns if form in c.fields), key=lambda c: c.fields[form].start)
        order = tuple((c.text, c.fields[form].total is not None, _anchor(c.fields[form])) for c in here)
        orders.setdefault(order, (here, []))[1].append(form)
    if len(orders) > MOST_ALTERNATIVES:
        raise NoGrammarError(speed)
    longest = sorted(orders.values(), key=lambda one: -len(one[0]))
    lines = [line for told, forms in longest for line in writer.alternatives(told, forms)]
    return writer.grammar(f"{records.record}_line", list(dict.fromkeys(lines)))


def _rule(told: GrammarField) -> str:
    """A column of the vocabulary with what it means."""
    if told.name == "elapsed":
        return f"elapsed{{{told.type}}}"
    span = [f"per_{told.per}"] if told.per else []
    span += [f'"{told.since}"'] if told.since is not None else []
    kind = f"{told.kind}{{{', '.join(span)}}}" if told.kind and span else told.kind
    first = None if told.first is None else f'"{told.first}"'
    meant = ", ".join(filter(None, (first, told.unit, told.scope, kind)))
    return f"{told.name}{{{meant}}}" if meant else told.name


def _is_integer(column: Column) -> bool:
    """Whether all numbers of a column are printed in digits alone."""
    rows = [row for row in column.table.rows[:MOST_DIGITS_READ] if row.form in column.fields]
    return all(row.digits(column.fields[row.form].place).isdigit() for row in rows)


def _anchor(field: Field) -> str:
    """The text before a number by which a line is known to hold it: its name and the sign."""
    piece = _PIECE.split(field.before)[-1].strip()
    if not re.search(f"[{_LETTER}]", piece):
        tail = _NAME.search(field.before)
        piece = field.before[tail.start() if tail else 0 :].strip()
    return " ".join(re.sub(rf"^[^{_LETTER}\"'\[(]+(?=[A-Za-z])", "", piece).split())


class _Writer:
    """Writes alternatives, and keeps the terminals that they need."""

    def __init__(self, speed: Speed) -> None:
        self.speed, self.table = speed, speed.table
        self.terminals: dict[str, str] = {}  # their names by what they match
        self.texts = {row.form: row.text for row in reversed(self.table.rows)}

    def alternatives(self, columns: Sequence[_Told], forms: Sequence[Form]) -> list[str]:
        """The lines of some forms, all of whose columns stand in one order."""
        rows = [row for form in forms if (row := self._row(columns, form))]
        return rows or [self._line(columns, forms)]

    def _row(self, columns: Sequence[_Told], form: Form) -> str | None:
        """A row below a header: columns among its cells, and what is not read; None of a line that names its numbers.

        Raises NoGrammarError where only blanks part the cells.
        """
        row = next(row for row in self.table.rows if row.form is form)
        printed = line_of(self.table.log.path, row.line)
        if row.text in printed:
            return None
        said = [cell.rpartition(": ")[2] for cell in row.text.split(", ")]
        each = ((mark, cells_of(printed, sign)) for mark, sign in _MARKS.items())
        mark, texts = next((one for one in each if list(filter(None, one[1])) == said), ("", []))
        if not mark:
            raise NoGrammarError(self.speed)
        start, parts = 0, list[str]()
        for place, cell in enumerate(texts):
            parts += [f'"{mark}"'] if place else []
            if cell:
                start = self.texts[form].index(f": {cell}", start) + 2
                of_cell = (c.text for c in columns if start <= c.fields[form].start < start + len(cell))
                parts.append(next(of_cell, "_CELL"))
        if "_CELL" in parts:
            self.terminals[rf"/[^{mark}\n]++/"] = "_CELL"
        edge = [f'"{mark}"?'] if mark == "|" else []
        return " ".join([*edge, *parts, *edge])

    def _line(self, columns: Sequence[_Told], forms: Sequence[Form]) -> str:
        first = forms[0]
        parts = self._bar(first) if self.table.bar else self._stamp(forms)
        if self.table.bar and (bar := BAR.search(self.texts[first])):
            columns = [c for c in columns if c.fields[first].start > bar.start()]  # its name is read as text
        for column in columns:
            field = column.fields[first]
            if not (self.table.bar and field.total is not None):
                parts += self._way(_anchor(field), field, first)
            parts.append(column.text)
            if field.total is not None:
                parts += ['"/"', column.total]
            elif field.unit.strip(" ()[]"):
                parts += map(_literal, field.unit.split())
        self.terminals[r"/[^ \t\n][^\n]*+/"] = "_REST"
        return " ".join([*parts, "_REST?"])

    def _stamp(self, forms: Iterable[Form]) -> list[str]:
        """The moment at the start of the lines, where all have one of a kind behind the same sign."""
        known = set(forms)
        texts = [row.text for row in self.table.rows if row.form in known]
        for kind, pattern in _STAMPS.items():
            found = [re.match(rf"\s*([\[(<]?)(?:{pattern})(?!\d)", text) for text in texts]
            signs = {m[1] for m in found if m}
            if all(found) and len(signs) == 1:
                return [*(_literal(sign) for sign in signs if sign), f"time{{{kind}}}"]
        return []

    def _bar(self, form: Form) -> list[str]:
        """The name of a bar, its percentage and its picture."""
        text = self.texts[form]
        if (bar := BAR.search(text)) is None:
            raise NoGrammarError(self.speed)
        name = NUMBER.sub(" # ", text[: bar.start()]).split()
        self.terminals[r"/[0-9]{1,3}+%(?:\|[^|\n]*+\|)?/"] = "_BAR"
        return [*("NUMBER" if word == "#" else _literal(word) for word in name), "_BAR"]

    def _way(self, anchor: str, field: Field, form: Form) -> list[str]:
        """What stands before a column: whatever it is up to its name, and the name; or up to a number with its unit."""
        number, words = r"[ \t]*+[-+]?[0-9.nN]", anchor.split()
        if re.search(f"[{_LETTER}]", anchor):
            edge = self._edge(words[0], field, form)
            sought = edge + r"[ \t]*+".join(map(_escaped, words)) + number
            return [self._up_to(sought, sought), *map(_literal, words)]
        if unit := field.unit.strip():
            sought = rf"[-+]?[0-9][0-9.,eE+-]*+[ ]?{_escaped(unit)}"
            return [self._up_to(sought, rf"(?<![\w.]){sought}")]
        if field.total is not None:
            sought = rf"{_escaped(anchor)}[ \t]*+[0-9]++ *+\/"
            return [self._up_to(sought, sought), *map(_literal, words)]
        return [*map(_literal, words)]

    def _edge(self, word: str, field: Field, form: Form) -> str:
        """What may not stand before a name: no letters of another name; no path, but where lines have one there."""
        if not word[:1].isalnum():
            return ""
        text = self.texts[form]
        start = text.rfind(word, 0, field.start)
        return r"(?<![\w.])" if text[start - 1 : start] in ("/", "-", ".") else r"(?<![\w.\/-])"

    def _up_to(self, here: str, there: str) -> str:
        """A terminal of what may stand before a text, unless it stands here already."""
        pattern = rf"/(?!{here})[^ \t\n][^\n]*?(?={there})/"
        return self.terminals.setdefault(pattern, f"_TO_{len(self.terminals) + 1}") + "?"

    def grammar(self, kind: str, alternatives: Sequence[str]) -> str:
        """The text of the grammar of some alternatives of a line kind."""
        wrapped = [textwrap.wrap(a, WIDTH, break_long_words=False, break_on_hyphens=False) for a in alternatives]
        body = f"{kind}: " + "\n    | ".join(" \\\n    ".join(lines) for lines in wrapped)
        plain = re.sub(r'"(?:\\.|[^"\\])*"', '""', body)
        used = set(re.findall(r"(?<![\"\w])[a-zA-Z_]+(?=[{ },\"\n]|$)", plain))
        names = sorted({name for name in used if not name.startswith("_") and name != kind} | {"BLANK"})
        rows = self.table.rows[:MOST_DIGITS_READ]
        is_grouped = any("," in row.digits(f.place) for row in rows for f in row.form.fields if f.meaning)
        is_scaled = any(f.scale != 1 for form in self.table.places for f in form.fields)
        is_clocked = any(f.clock for c in self.table.columns for f in c.fields.values())
        written = "SCALED" if is_scaled else "GROUPED" if is_grouped else "CLOCKED" if is_clocked else ""
        override = [f"%override NUMBER: {written}"] if written else []
        names += [name for name in (written, "NUMBER") if written and name not in names]
        findings = [f"// {f.witness} ({f.by}): {f.ratio:.3g}" for f in self.speed.findings]
        head = [f"// Drafted: {self.speed.column.name}", f"// --read '{self.speed.read}'", *findings]
        terminals = [f"{name}: {pattern}" for pattern, name in self.terminals.items()]
        imports = [f"%import .vocabulary ({', '.join(names)})", *override, "%ignore BLANK"]
        return "\n".join([*head, "", f"start: {kind}", "", body, "", *terminals, "", *imports, ""])


def _literal(word: str) -> str:
    return '"' + word.replace("\\", r"\\").replace('"', r"\"") + '"'


def _escaped(text: str) -> str:
    """A text in a regular expression of a grammar."""
    return re.escape(text).replace("/", r"\/")
