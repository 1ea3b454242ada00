"""The text of a grammar that reads the lines of a choice: written as a person would, with what was assumed above."""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..naming.sense import EPOCH
from ..naming.slots import BAR, NUMBER, Slot
from .anchor import (
    LONGEST_ANCHOR,
    NoGrammarError,
    anchor,
    are_same,
    common_begin,
    sought,
    sought_by_unit,
    where_it_begins,
)
from .bars.bar_line import bar_line
from .choice import Choice
from .grammar_columns import GrammarColumn, grammar_columns
from .line_form import LineForm
from .stated_counts import Statement

MOST_ALTERNATIVES = 12
WIDTH = 104
# That of a bar without a name, which no other bar is from there on.
_NAMELESS_PERCENT = r"/(?<![^ \t\n])(?<![^ \t\n] )(?<![^ \t\n]  )(?<![^ \t\n]   )[0-9]++(?=%)/"
# What a person writes in place of unknown.
_MEANT = ("card", "node", "job", "instant", "window_mean")
# How a fact is written that is not only its name: nobody knows whether a step is one of several passes.
HELD = {"cards": "cards{INTEGER}", "accumulation": "accumulation{unknown}"}


@dataclass
class GrammarText:
    """A grammar under work: its alternatives, terminals and the names that it imports.

    ``stated``: counts that lines of their own tell. ``has_time``: the stamps of lines are read where all have one.
    ``is_from_begin``: lines are told from others by how they begin, too.
    """

    choice: Choice
    stated: Sequence[Statement] = ()
    has_time: bool = True
    is_from_begin: bool = False
    alternatives: list[str] = field(default_factory=list)
    terminals: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=lambda: {"NUMBER", "INTEGER", "REST", "BLANK"})

    def text(self, comments: Sequence[str]) -> str:
        """The whole grammar under some comments; raises NoGrammarError when lines do not say where a number stands."""
        kind = _kind(self.choice)
        rules = [self._of_bar() if self.choice.speeds[0].is_bar else self._of_columns(self.choice, kind)]
        if self.choice.epochs:
            rules.append(self._of_columns(Choice([self.choice.epochs]), self.choice.epochs.series.kind))
        facts = [self._fact(statement) for statement in self.stated]
        written = {"NUMBER": self._number(), "INTEGER": self._integer()}
        overrides = [f"%override {name}: {other}" for name, other in written.items() if name != other]
        known = _MEANT if "unknown" in self.names else ()
        imported = ", ".join(sorted({*self.names, *written.values(), *known}))
        last = [*overrides, "%ignore BLANK"]
        head = [f"// {line}".rstrip() for line in comments]
        if facts:
            rules.append(_rule("fact_line", facts))
        start = "start: " + " | ".join(rule.partition(":")[0] for rule in rules)
        body = [*head, "", start, "", *rules, "", *self.terminals, ""]
        return "\n".join([*body, f"%import .vocabulary ({imported})", *last]) + "\n"

    def _of_columns(self, choice: Choice, kind: str) -> str:
        """The rule for lines of a kind that have the columns of a choice."""
        columns = grammar_columns(choice, has_time=self.has_time)
        self.alternatives = []
        for sequence, forms in _sequences(columns).items():
            self.alternatives += self._alternatives([columns[name] for name, _ in sequence], forms)
        if len(self.alternatives) > MOST_ALTERNATIVES:
            raise NoGrammarError
        return _rule(f"{kind}_line", self.alternatives)

    def _of_bar(self) -> str:
        """The rule for the drawings of a progress bar."""
        best = self.choice.speeds[0]
        if (line := bar_line(best.series, counts="epoch" if best.role == EPOCH else "step")) is None:
            raise NoGrammarError
        self.terminals += line.terminals
        self.names |= line.names
        return line.rule

    def _integer(self) -> str:
        """The terminal that takes the counts of the lines as they are written."""
        rows = self.choice.speeds[0].series.rows
        counts = [(row, slot) for row in rows for slot in (row.form.counter, row.form.first("epoch")) if slot]
        is_grouped = any("," in row.numbers[slot.place] for row, slot in counts if slot.place < len(row.numbers))
        is_grouped |= any(statement.is_grouped for statement in self.stated)
        return "GROUPED_INTEGER" if is_grouped else "INTEGER"

    def _number(self) -> str:
        """The terminal that takes the numbers of the lines as they are written."""
        series = self.choice.speeds[0].series
        if any(one.series.is_clocked for one in self.choice.speeds):
            return "CLOCKED"
        if any(one.series.is_scaled for one in self.choice.speeds):
            return "SCALED"
        return "GROUPED" if any("," in number for row in series.rows for number in row.numbers) else "NUMBER"

    def _fact(self, statement: Statement) -> str:
        """The alternative for lines that state a count."""
        words = statement.name.split()
        self.names |= {statement.column} | ({"unknown"} if statement.column == "accumulation" else set())
        column = HELD.get(statement.column, statement.column)
        return " ".join([f"{self._skip(words)}?", *map(_literal, words), column, "REST?"])

    def _alternatives(self, columns: Sequence[GrammarColumn], forms: Sequence[LineForm]) -> list[str]:
        """The alternative for some forms, or one for each way in which they write the names of the columns."""
        try:
            return [self._alternative(columns, forms)]
        except NoGrammarError:
            ways: dict[tuple[str, ...], list[LineForm]] = {}
            for form in forms:
                ways.setdefault(tuple(_last_word(column.slots[form]) for column in columns), []).append(form)
            if len(ways) < 2:
                raise
        return [self._alternative(columns, of_way) for of_way in ways.values()]

    def _alternative(self, columns: Sequence[GrammarColumn], forms: Sequence[LineForm]) -> str:
        """One alternative of the line kind: what stands before each of its columns, and what ends it."""
        parts, ends = self._bar_start(forms, columns[0]), dict.fromkeys(forms, 0)
        if parts:
            ends = {form: columns[0].slots[form].start for form in forms}
        first = next(column for column in columns if not column.text.startswith("time{"))
        for column in columns:
            slots = {form: column.slots[form] for form in forms}
            texts = [form.text[ends[form] : slots[form].start] for form in forms]
            if self.is_from_begin and column is first:
                parts += [_literal(word) for word in common_begin(texts)]
            parts += self._way(texts, list(slots.values()))
            parts += [column.text, *self._behind(column, slots)]
            self.names.update(column.names)
            ends = {form: _end(form, slot) for form, slot in slots.items()}
        return " ".join([*parts, "REST?"])

    def _bar_start(self, forms: Sequence[LineForm], first: GrammarColumn) -> list[str]:
        """How a bar begins that counts steps first: with its name, if any, so that no other bar is read.

        Nothing for other lines. Raises NoGrammarError for bars of several names.
        """
        if not any(form.is_bar for form in forms):
            return []
        return self._bar_between([form.text[: first.slots[form].start] for form in forms])

    def _bar_between(self, texts: Sequence[str]) -> list[str]:
        """The name of a bar, its percentage and its picture, where all of some texts hold these.

        Numbers in the name may differ: `Epoch 3/20 train:  20%|##   | `. Raises NoGrammarError for bars of several
        names.
        """
        found = [BAR.search(text) for text in texts]
        if not all(found):
            return []
        starts = [text[: bar.start()] for text, bar in zip(texts, found, strict=True) if bar]
        heads = {" ".join(NUMBER.sub(" # ", start).split()) for start in starts}
        if len(heads) > 1 or (head := heads.pop()).startswith("#"):
            raise NoGrammarError
        is_drawn = all("|" in bar[0] for bar in found if bar)
        percent = "NUMBER" if head else self._terminal(_NAMELESS_PERCENT, "PERCENT")
        picture = [self._terminal(r"/\|[^|\n]*+\|/", "PICTURE")] if is_drawn else []
        return [*("NUMBER" if word == "#" else _literal(word) for word in head.split()), percent, '"%"', *picture]

    def _way(self, texts: Sequence[str], slots: Sequence[Slot]) -> list[str]:
        """What stands between two columns: the very text where all lines have it, or else what it ends with."""
        if bar := self._bar_between(texts):
            return bar
        is_same, words = are_same(texts), anchor(texts, slots)
        if not words:
            return [] if is_same else [f"{self._skip_to_unit(slots)}?"]
        literals = [_literal(word) for word in words]
        if is_same and len(texts[0]) <= LONGEST_ANCHOR:
            return literals
        return [f"{self._skip(words)}?", *literals]

    def _skip(self, words: Sequence[str]) -> str:
        """The terminal for whatever stands before some words that a number follows."""
        begins = where_it_begins(words) + sought(words)
        return self._terminal(rf"/(?!{sought(words)})[^ \t\n][^\n]*?(?={begins})/", f"TO_{_name(words)}")

    def _skip_to_unit(self, slots: Sequence[Slot]) -> str:
        """The terminal for whatever stands before a number that only its unit tells."""
        begins, about = sought_by_unit(slots), f"TO_{_name([slots[0].unit.strip()])}"
        return self._terminal(rf"/(?!{begins})[^ \t\n][^\n]*?(?=(?<![\w.]){begins})/", about)

    def _terminal(self, pattern: str, about: str) -> str:
        """The name of a terminal of this pattern."""
        for line in self.terminals:
            name, _, known = line.partition(": ")
            if known == pattern:
                return name
        self.terminals.append(f"_{about}_{len(self.terminals) + 1}: {pattern}")
        return self.terminals[-1].partition(":")[0]

    def _behind(self, column: GrammarColumn, slots: Mapping[LineForm, Slot]) -> list[str]:
        """The unit behind a column, or the rest of a fraction."""
        if any(slot.total is not None for slot in slots.values()):
            total = self.choice.speeds[0].series.total
            return ['"/"', column.total if total is None else f'"{total:.0f}"']
        units = {slot.unit.strip() for slot in slots.values()}
        return [_literal(word) for word in units.pop().split()] if len(units) == 1 else []


def _kind(choice: Choice) -> str:
    """The kind of the lines of a choice; a bar counts steps or epochs."""
    best = choice.speeds[0]
    if best.is_bar:
        return "epoch" if best.role == EPOCH else "step"
    return best.series.kind


def _sequences(columns: Mapping[str, GrammarColumn]) -> dict[tuple[tuple[str, bool], ...], list[LineForm]]:
    """The orders in which lines have columns, whether each is of a fraction, and the forms of each order.

    Raises NoGrammarError when they are many.
    """
    found: dict[tuple[tuple[str, bool], ...], list[LineForm]] = {}
    for form in next(iter(columns.values())).slots:
        names = [name for name in columns if form in columns[name].slots]
        names.sort(key=lambda name: columns[name].slots[form].start)
        sequence = tuple((name, columns[name].slots[form].total is not None) for name in names)
        found.setdefault(sequence, []).append(form)
    if len(found) > MOST_ALTERNATIVES:
        raise NoGrammarError
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _last_word(slot: Slot) -> str:
    return next(iter(slot.before.split()[-1:]), "")


def _end(form: LineForm, slot: Slot) -> int:
    if slot.total is not None:
        return list(NUMBER.finditer(form.text))[slot.total].end()
    return slot.end + len(slot.unit)


def _literal(word: str) -> str:
    return '"' + word.replace("\\", r"\\").replace('"', r"\"") + '"'


def _name(words: Sequence[str]) -> str:
    letters = re.sub(r"[^A-Z]+", "_", " ".join(words).upper()).strip("_")
    return letters[-24:].strip("_") or "NUMBER"


def _rule(name: str, alternatives: Sequence[str]) -> str:
    return f"{name}: " + "\n    | ".join(map(_wrapped, dict.fromkeys(alternatives)))


def _wrapped(alternative: str) -> str:
    """An alternative on lines that are not too long; no literal of it holds a blank."""
    lines = textwrap.wrap(alternative, WIDTH, break_long_words=False, break_on_hyphens=False)
    return " \\\n    ".join(lines)


def commented(texts: Iterable[str]) -> list[str]:
    """Comment lines of at most 120 letters."""
    return [line for text in texts for line in re.findall(r".{1,116}(?:\s|\Z)", text)]
