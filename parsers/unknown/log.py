"""A log as tables: lines that begin alike, and under each name the numbers of those lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..grammar.timestamps import length_of_time
from ..scanning.prefix import after_prefix, has_prefix
from ..scanning.record_table import last_digit
from ..scanning.source import clean
from ..scanning.text import LogText
from ..series import FEW, Floats, Mask
from .naming import Meaning, meaning, split, words_of
from .text import ESCAPE, HEAD, LENGTH, NO_DATE, NUMBER, RAY, STAMP, Field, moment, parse

# Shares of the rows of a table, and how many of them are looked at.
NEARLY_ALL = 0.9  # one in ten may be cut off, overwritten or of another form
MAJORITY = 0.5  # what is true of most of them is true of the table
SAMPLE = 50  # rows that are looked at for what all lines of one form share
DAY = 86_400.0  # seconds: stamps without a date that fall by more than half of it are past midnight
# How much is read of a text.
HEAD_WORDS = 6  # of a line tell its kind: more of them are a sentence, which varies
HEAD_LINES = 3000  # of a text tell what it is
LONGEST_LINE = 20_000  # letters; longer lines are data, such as a configuration in one line
LONGEST_ROW = 2000  # letters of a row of a table that people read
MOST_LETTERS = 600_000  # of distinct templates, 6,000 lines: a text with more is no log, and each takes 0.3 ms
MOST_RECORDS = 1_000_000  # of one table: 400 MB of memory; more lines stay unmatched, and are counted so
MOST_TABLES = 300  # with most rows: programs print fewer kinds of lines, and each is held against each
MOST_COLUMNS = 300  # of a table: programs print fewer names, and each number is looked at

SPEEDS = ("rate", "time", "elapsed", "remaining")
LOSSES = ("loss", "learning_rate", "gradient_norm", "evidence")
_COUNTERS = ("step", "epoch")
_WORD = r"(?<![A-Za-z])(?:{})(?![A-Za-z])"
_EVALUATING = (
    r"test|testing|valid|val(?:idati(?:on|ng))?|eval(?:uat(?:ion|e|ed|ing|or))?|inference|predict\w*|dev|warm-?up"
)
_EVALUATION = re.compile(f"(?i){_WORD.format(_EVALUATING)}|验证|评估|测试")
_TRAINING = re.compile("(?i)" + _WORD.format("train|training|trainer|pretrain") + "|训练")
# Words of evaluations and preparations that also stand in lines of training.
_EITHER = frozenset(("log", "input", "output", "io", "load", "gen", "map", "test"))
_RANK = "rank"  # what programs call the number of the process that writes a line of JSON
_ONE_COMMA = re.compile(r"[-+]?\d{1,3},\d{3}")
_LAST_NUMBER = re.compile(r"[-+]?[\d.,:]+\Z")
_STATE = re.compile(r"\d+/\d+ \[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]")
_CELL_SIGNS = (r"\|", ",", r"\t", r"\s*\|\s*|\s{2,}", r"[\s│]+")
_CELL = re.compile(rf"[-+]?[\d.,:eE+/-]+(?:%|ms|[smh])?|nan|inf|-+|\d{{4}}-\d\d-\d\d[ T][\d:.]+||{LENGTH.pattern}")
_LEAD = re.compile(rf"\s*[\[(]?(?:{STAMP.pattern})[\])]?[ \-:]*(?:\[?[A-Z]{{4,8}}\]?[ \-:]+)?(?=\S)")
_ALONE = re.compile(r"(?<![A-Za-z_(/.\d-])\d")  # a digit of a number, and none of a name such as mAP50-95

Places = NDArray[np.intp]
Thing = TypeVar("Thing")


def share(mask: Mask) -> float:
    """Which part of all is so; nothing of none."""
    return float(mask.mean()) if len(mask) else 0.0


def nearly_all(values: Floats) -> bool:
    """Whether nearly all rows have a number."""
    return share(np.isfinite(values)) > NEARLY_ALL


def positive(values: Floats) -> Floats:
    """The numbers of some above 0."""
    return values[np.isfinite(values) & (values > 0)]


def _most(found: Sequence[Thing], size: Callable[[Thing], int], most: int) -> list[Thing]:
    """So many of the greatest ``size``, in their order."""
    kept = sorted(range(len(found)), key=lambda place: -size(found[place]))[:most]
    return [found[place] for place in sorted(kept)]


class Key(NamedTuple):
    """What lines of one table share.

    ``head``: the words they begin with. ``bar``: they are states of a progress bar, of so many steps in ``total``.
    ``evidence``: they show a loss or the like. ``step``: the name of their counter. ``counters``: the roles of the
    first two. ``rank``: where there are several, and all lines name theirs; else -1.
    """

    head: tuple[str, ...]
    bar: bool
    is_evaluation: bool
    evidence: bool
    step: str | None = None
    counters: tuple[str, ...] = ()
    total: float = 0.0
    rank: int = -1


@dataclass(eq=False)
class Form:
    """What lines that are equal but for their digits have in common; ``trains``: they say that they are of training."""

    fields: tuple[Field, ...]
    key: Key
    trains: bool


@dataclass(eq=False)
class Row:
    """A line, or a state of a progress bar: ``order`` counts both. ``rank``: that of a launcher's prefix, or -1."""

    line: int
    order: int
    text: str
    form: Form
    rank: int = -1

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where its numbers stand."""
        return [m.span() for m in NUMBER.finditer(self.text)]

    @cached_property
    def moment(self) -> tuple[float, float]:
        """POSIX seconds of its stamp, and how fine that is."""
        return moment(self.text)

    def digits(self, place: int) -> str:
        """A number as printed."""
        return self.text[slice(*self.spans[place])] if place < len(self.spans) else ""

    def at(self, place: int | None) -> float:
        """The number at a place among all of the line; NaN where there is none."""
        try:
            return float(self.digits(place).replace(",", "")) if place is not None else np.nan
        except ValueError:
            return np.nan

    def value(self, of: Field) -> float:
        """The number of a field."""
        if not of.clock or of.place >= len(self.spans):
            return self.at(of.place) * of.scale
        start = self.spans[of.place][0]
        found = LENGTH.match(self.text, start + (self.text[start] in "-+"))
        return length_of_time(found[0]) if found else np.nan


@dataclass(eq=False)
class Column:
    """The numbers under one name in the rows of a table."""

    table: Table
    name: str
    meaning: Meaning
    fields: dict[Form, Field] = field(default_factory=dict)

    def _filled(self, number: Callable[[Row, Field], float]) -> Floats:
        """A number for each row that has a field of this column, NaN for others."""
        values = np.full(len(self.table.rows), np.nan)
        for form, f in self.fields.items():
            for place in self.table.places.get(form, ()):
                values[place] = number(self.table.rows[place], f)
        return values

    @cached_property
    def values(self) -> Floats:
        """One a row, NaN where a row has none, or one whose comma may be that of decimals, as in `3,902`."""
        return self._filled(lambda row, f: np.nan if self._is_open(row, f) else row.value(f))

    def _is_open(self, row: Row, f: Field) -> bool:
        """Whether a comma may not group digits: no other decimals of the log stand behind a point, or it is JSON."""
        if _ONE_COMMA.fullmatch(row.digits(f.place)) is None:
            return False
        return not self.table.log.has_points or row.text[: row.spans[f.place][0]].rstrip().endswith('":')

    @cached_property
    def totals(self) -> Floats:
        """The second numbers of fractions."""
        return self._filled(lambda row, f: row.at(f.total))

    @cached_property
    def counts(self) -> Floats:
        """The numbers of steps that a time is of."""
        return self._filled(lambda row, f: row.at(f.of))

    @cached_property
    def quantum(self) -> float:
        """The smallest difference that the printed digits can show."""
        rows = [(row, f) for row in self.table.rows[:SAMPLE] if (f := self.fields.get(row.form))]
        if any(f.clock for _, f in rows):
            return 1.0
        digits = [row.digits(f.place).encode() for row, f in rows if f.place < len(row.spans)]
        return min(map(last_digit, digits), default=1.0) * max((f.scale for _, f in rows), default=1.0)

    def paired(self, table: Table, pairs: Places) -> Column:
        """The same for the rows of another table, which go with those at the places ``pairs``; -1 is none."""
        guest = Column(table, self.name, self.meaning)
        values, totals = (np.where(pairs >= 0, of[pairs], np.nan) for of in (self.values, self.totals))
        guest.__dict__.update(values=values, totals=totals, quantum=self.quantum)
        return guest

    @cached_property
    def used(self) -> Mask:
        """Which of the numbers are comparable.

        None of less than its steps or with an evaluation inside; of a bar that ends only its last states, which are
        means of whole passes.
        """
        table = self.table
        if table.bar and table.step is not None:
            ends: Mask = table.step.values == table.totals
            return ends if ends.any() else np.ones_like(ends)
        is_short: Mask = table.steps < self.counts - 1
        return ~(table.evaluates | is_short)

    @property
    def rises(self) -> bool:
        """Whether its numbers rise from line to line as the time since the start does, which begins near 0."""
        v, d = self.values[np.isfinite(self.values)], self._within_passes
        return len(np.unique(v)) > FEW and share(d >= 0) > NEARLY_ALL and bool(0 <= v[0] <= FEW * d.mean())

    @cached_property
    def runs_on(self) -> bool:
        """Whether its numbers fall only where steps or epochs begin anew, as the time since the start does."""
        return len(self._within_passes) < FEW or share(self._within_passes < 0) <= 1 - NEARLY_ALL

    @cached_property
    def _within_passes(self) -> Floats:
        """By how much its numbers grow from line to line where no pass begins anew, or, of a line each, they go on."""
        d, table = np.diff(self.values), self.table
        goes_on = np.diff(table.epochs) > 0
        of_one = goes_on if share(goes_on) > MAJORITY else ~goes_on
        kept = np.isfinite(d) & ~(np.diff(table.steps) < 0) & of_one
        return d[kept] if kept.sum() >= FEW else d[np.isfinite(d)]


@dataclass(eq=False)
class Table:
    """Rows of lines that begin alike."""

    log: Log
    key: Key
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def places(self) -> dict[Form, list[int]]:
        """Where rows of each form stand among all."""
        found: dict[Form, list[int]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.form, []).append(place)
        return found

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of its own lines; of names that vary those of most rows."""
        found: dict[tuple[Meaning, str, int], Column] = {}
        for form in self.places:
            seen = Counter[tuple[Meaning, str]]()
            for f in form.fields:
                if f.meaning is None or f.is_mean:
                    continue
                key = (f.meaning, f.name.lower() if f.meaning.name else "")
                name = f.name or f.unit.strip(" ()[]")
                found.setdefault((*key, seen[key]), Column(self, name, f.meaning)).fields[form] = f
                seen[key] += 1
        columns = _most([*found.values()], lambda c: sum(len(self.places[form]) for form in c.fields), MOST_COLUMNS)
        return _as_one_speed(columns) if self.bar else columns

    @cached_property
    def evaluates(self) -> Mask:
        """Which rows print the time of an evaluation that most of them do not: it is in their own time, too."""
        columns = [c for c in self.columns if c.meaning.role == "time" and "other" in c.meaning.flags]
        found: Mask = np.zeros(len(self.rows), np.bool_)
        for printed in (np.isfinite(column.values) for column in columns):
            found |= printed if share(printed) < MAJORITY else False
        return found

    def part(self, kept: Mask) -> Table:
        """The table of some of the rows."""
        table = replace(self, rows=[row for row, is_kept in zip(self.rows, kept, strict=True) if is_kept])
        table.__dict__["neighbours"] = [(other, pairs[kept]) for other, pairs in self.neighbours]
        return table

    def each_a_step(self) -> Table:
        """The same rows, each of which is one step: as a person says of lines that print no step."""
        table = self.part(np.ones(len(self.rows), np.bool_))
        step = Column(table, "", Meaning("step", ""))
        step.__dict__["values"] = np.arange(1.0, len(self.rows) + 1)
        table.__dict__["step"] = step
        return table

    @property
    def bar(self) -> bool:
        """Whether its rows are states of a progress bar."""
        return self.key.bar

    @property
    def is_evaluation(self) -> bool:
        """Whether its rows say that they are of an evaluation."""
        return self.key.is_evaluation

    @cached_property
    def trains(self) -> bool:
        """Whether rows say that they are of training."""
        return any(row.form.trains for row in self.rows[:SAMPLE])

    # ---- what lines tell that take turns with these

    @cached_property
    def neighbours(self) -> list[tuple[Table, Places]]:
        """The tables whose lines take turns with these, if these lack counts, clocks or evidence; and which goes along.

        One rule for blocks of lines, boxes, and bars beside lines.
        """
        if self.bar or self.is_evaluation or not self.of(*SPEEDS, guests=False):
            return []
        if self._counters(guests=False) and nearly_all(self._own_moments[0]) and self.key.evidence:
            return []
        others = (t for t in self.log.tables if not t.is_evaluation and len(t.rows) * 2 >= len(self.rows))
        each = ((other, self._pairs(other)) for other in others if other is not self)
        return [(other, pairs) for other, pairs in each if pairs is not None]

    def _pairs(self, other: Table) -> Places | None:
        """For each row that of another table that goes with it: always the one before, or always the one behind."""
        behind = np.searchsorted(other.order, self.order, side="left")
        own = np.median(np.diff(self.order)) if len(self.rows) > 1 else np.inf
        found = list[tuple[float, Places]]()
        for places in (behind - 1, behind):
            inside = (places >= 0) & (places < len(other.rows))
            if share(inside) < NEARLY_ALL or len(np.unique(places[inside])) < NEARLY_ALL * inside.sum():
                continue
            gap = float(np.median(np.abs(other.order[places[inside]] - self.order[inside])))
            if gap < own:
                found.append((gap, np.where(inside, places, -1)))
        return min(found, key=lambda pair: pair[0])[1] if found else None

    @cached_property
    def guests(self) -> list[Column]:
        """The columns of neighbours that count and tell the time."""
        roles = ("step", "epoch", "steps", "elapsed", "consumed", "remaining", "amount")
        each = ((c, pairs) for other, pairs in self.neighbours for c in other.of(*roles, guests=False))
        return [column.paired(self, pairs) for column, pairs in each if nearly_all(column.values)]

    @property
    def guest_evidence(self) -> bool:
        """Whether neighbours that are no bars show a loss or the like."""
        return any(other.key.evidence and not other.bar for other, _ in self.neighbours)

    @property
    def evidence(self) -> bool:
        """Whether rows show a loss or the like, or take turns with rows that do."""
        return self.key.evidence or self.guest_evidence

    def of(self, *roles: str, guests: bool = True) -> list[Column]:
        """The columns of some roles."""
        every = [*self.columns, *self.guests] if guests else self.columns
        return [column for column in every if column.meaning.role in roles]

    # ---- counters and clocks

    @cached_property
    def step(self) -> Column | None:
        """The column that counts steps: the first whose numbers are whole and rise."""
        if self.bar:
            return next((c for c in self.of("step") if np.isfinite(c.totals).any()), None)
        passes, counters = self._passes, self._counters()
        return next((c for c in counters if passes is None or _goes_around(c, passes)), None)

    def _counters(self, *, guests: bool = True) -> list[Column]:
        """The columns whose numbers are whole and rise as those of steps do."""
        of_environment = (c for c in self.of("consumed", guests=guests) if c.meaning.counts == "environment_steps")
        counted = (c for c in map(_that_rises, self.of("step", guests=guests)) if not self._counts_epochs(c))
        found = filter(_counts, (*counted, *self._unnamed, *of_environment))
        epochs = [c.values for c in self.of("epoch", guests=False) if len(c.values) > 1]
        return [c for c in found if not any(np.array_equal(c.values, of) for of in epochs)]  # such steps are epochs

    @cached_property
    def _passes(self) -> Column | None:
        """The first of them, where another one of so many goes around in it: `iteration: 3, step: 8/82`."""
        counters = self._counters()
        return counters[0] if any(_goes_around(c, counters[0]) for c in counters[1:]) else None

    def _counts_epochs(self, column: Column) -> bool:
        """Whether a fraction without a name goes on by one, with an evaluation beside each: `3/10 val_acc: 0.9`."""
        if column.meaning.name or self.bar or not share(np.diff(column.values) == 1) > MAJORITY:
            return False
        words = {word for form in column.fields for f in form.fields for word in split(f.before)}
        return bool(words & words_of("evaluated"))

    @property
    def _unnamed(self) -> list[Column]:
        """The first number of the lines, where it is whole and has neither name nor unit."""
        firsts = {form: form.fields[0] for form in self.places}
        is_bare = all(not (f.meaning or f.unit or re.search("[A-Za-z一-鿿]", f.before)) for f in firsts.values())
        return [Column(self, "", Meaning("step", ""), firsts)] if is_bare and len(self.rows) > 1 else []

    @cached_property
    def epoch(self) -> Column | None:
        """The column that counts epochs."""
        found = [*self.of("epoch"), *filter(self._counts_epochs, self.of("step", guests=False))]
        found += [self._passes] if self._passes else []
        return next((c for c in found if nearly_all(c.values)), None)

    @property
    def steps(self) -> Floats:
        """The number of the step of each row; NaN where nothing counts them."""
        return np.full(len(self.rows), np.nan) if self.step is None else self.step.values

    @property
    def epochs(self) -> Floats:
        """The same of the epochs."""
        return np.full(len(self.rows), np.nan) if self.epoch is None else self.epoch.values

    @cached_property
    def totals(self) -> Floats:
        """How many steps there are, as far as the counter says so."""
        if self.step is not None and np.isfinite(self.step.totals).any():
            return self.step.totals
        told = self.of("steps")
        return told[0].values if told else np.full(len(self.rows), np.nan)

    @cached_property
    def elapsed(self) -> list[Column]:
        """The columns that tell the time since the start: by their names, or as times of nothing else that rise."""
        bare = (c for c in self.of("time") if c.meaning.per is None and not c.meaning.flags)
        return [*(c for c in self.of("elapsed") if c.runs_on), *(c for c in bare if c.rises)]

    @cached_property
    def _own_moments(self) -> Floats:
        return np.array([row.moment for row in self.rows]).T

    @cached_property
    def moments(self) -> tuple[Floats, float]:
        """POSIX seconds of each row, or of a neighbour's, and how fine they are; without a date past midnight, too."""
        found, fine = self._own_moments.copy()
        if not nearly_all(found):
            clocked = ((other.moments, at) for other, at in self.neighbours if nearly_all(other._own_moments[0]))
            (others, finest), pairs = next(clocked, ((found, np.nan), np.arange(len(found))))
            found, fine = np.where(pairs >= 0, others[pairs], np.nan), np.append(fine, finest)
        known = np.isfinite(found)
        if ((found >= NO_DATE) & (found < NO_DATE + DAY)).any():
            found[known] = np.unwrap(found[known], period=DAY)
        return found, float(np.median(fine[np.isfinite(fine)])) if np.isfinite(fine).any() else np.nan

    @cached_property
    def order(self) -> Floats:
        """The order of each row among all of the log."""
        return np.array([row.order for row in self.rows], dtype=float)


def _as_one_speed(columns: list[Column]) -> list[Column]:
    """The columns of a bar, which says `1.03it/s` or `1.03s/it`, whatever is more than one: all of them as a rate."""
    speeds = [c for c in columns if "unnamed" in c.meaning.flags]
    rate = next((c for c in speeds if c.meaning.role == "rate" and c.meaning.counts == "steps"), None)
    time = next((c for c in speeds if c.meaning.role == "time" and c.meaning.per == "step"), None)
    if rate is None or time is None:
        return columns
    with np.errstate(all="ignore"):
        inverse = 1 / (time.values * (time.meaning.factor or 1.0))
    rate.__dict__["values"] = np.where(np.isfinite(rate.values), rate.values, inverse)
    return [column for column in columns if column is not time]


def _that_rises(column: Column) -> Column:
    """A counter of steps, or of `0/10, 0/20` the second number: the first is an epoch that stays."""
    if np.ptp(column.values) == 0 and np.ptp(column.totals) > 0:
        fields = {form: replace(f, place=f.total or 0, total=None) for form, f in column.fields.items()}
        return Column(column.table, column.name, column.meaning, fields)
    return column


def _goes_around(column: Column, passes: Column) -> bool:
    """Whether a counter of so many begins anew as another one goes on, and both together count on evenly."""
    d, turns, totals = np.diff(column.values), np.diff(passes.values), column.totals[1:]
    if not (d < 0).any():
        return False
    if split(passes.name)[-1:] in (("step",), ("steps",), ("update",), ("updates",)):  # a part of a step goes around
        return False
    is_even = share(d + turns * totals == np.median(d + turns * totals)) > NEARLY_ALL
    return is_even or bool(((d < 0) == (turns == 1)).all())


def _counts(column: Column) -> bool:
    """Whether the numbers of a column are whole and rise."""
    known = np.isfinite(v := column.values)
    if known.mean() < NEARLY_ALL or column.meaning.flags & {"other", "part"} or (v[known] % 1).any():
        return False
    d = np.diff(v[known])
    return len(d) == 0 or bool((d >= 0).mean() > MAJORITY and (d > 0).any())


# ---- from a text to tables


@dataclass
class Log:
    """All rows of a log, in tables.

    ``head``: its first lines. ``evidence``: the order of the rows that show a loss or the like. ``has_points``: it
    writes decimals behind a point.
    """

    path: Path
    tables: list[Table] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    evidence: list[int] = field(default_factory=list)
    has_points: bool = False


def read(path: Path) -> Log:
    """The rows of a log; raises LogError when it cannot be read."""
    log, tables = Log(path), dict[Key, Table]()
    forms, letters = dict[str, Form | None](), 0
    for order, (number, rank, text) in enumerate(_parts(log)):
        mask = NUMBER.sub("#", text)
        if mask not in forms and letters < MOST_LETTERS:
            forms[mask] = _form(text) if "#" in mask else None
            letters += len(text)
        if (form := forms.get(mask)) is None:
            continue
        row = Row(number, order, text, form, rank)
        log.has_points = log.has_points or re.search(r"\d\.\d", text) is not None
        if form.key.evidence:
            log.evidence.append(order)
        step = next((f.total for f in form.fields if f.meaning and f.meaning.role == "step" and f.total), None)
        key = form.key._replace(total=row.at(step)) if form.key.bar and step else form.key
        table = tables.setdefault(key, Table(log, key))
        if len(table.rows) < MOST_RECORDS:
            table.rows.append(row)
    each = [own for table in tables.values() for own in _of_ranks(table)]
    log.tables = _most(each, lambda table: len(table.rows), MOST_TABLES)
    return log


def _of_ranks(table: Table) -> list[Table]:
    """A table for each rank, where all lines name theirs: in a prefix of a launcher, or as a key of JSON."""
    named = [row.rank for row in table.rows]
    if min(named) < 0:
        named = _ranks_of_keys(table)
    ranks = sorted(set(named))
    if len(ranks) < 2:
        return [table]
    rows = {rank: [row for row, own in zip(table.rows, named, strict=True) if own == rank] for rank in ranks}
    return [replace(table, key=table.key._replace(rank=r), rows=own) for r, own in rows.items()]


def _ranks_of_keys(table: Table) -> list[int]:
    """The number that each row has under the name `rank`; none where these are not 0 to some other equally often."""
    places = {form: [f.place for f in form.fields if f.name == _RANK] for form in table.places}
    if any(len(of) != 1 for of in places.values()):
        return []
    counts = Counter(row.at(places[row.form][0]) for row in table.rows)
    if set(counts) != set(range(len(counts))) or max(counts.values()) - min(counts.values()) > 1:
        return []  # it is something else, such as the rank of an adapter
    return [int(row.at(places[row.form][0])) for row in table.rows]


def _parts(log: Log) -> Iterator[tuple[int, int, str]]:
    """The lines of a log with number and rank, each state of a progress bar by itself, cells behind their names."""
    header = ""
    for number, rank, line in _lines(log.path):
        if number <= HEAD_LINES:
            log.head.append(line)
        for drawn in line.split("\r"):
            header, text = _named_cells(header, drawn.rstrip())
            states = _STATE.finditer(text) if "%|" in text else ()
            ends = [0, *(state.end() for state in states), len(text)]  # a bar without an end of line runs into the next
            parts = (text[a:b] for a, b in pairwise(ends) if b - a <= LONGEST_LINE)
            yield from ((number, rank, part) for part in parts if part.strip())


def _lines(path: Path) -> Iterator[tuple[int, int, str]]:
    """The lines of a log with their numbers, and the ranks of the prefixes that launchers put before them, or -1."""
    number = 0
    for block in LogText(path).data():
        data = clean(block)
        prefixed, is_cut = has_prefix(b"\n" + data), not data.endswith(b"\n")
        lines = data.removesuffix(b"\n").split(b"\n")
        for place, raw in enumerate(lines, 1):
            number += 1
            if len(raw) > LONGEST_LINE and b"\r" not in raw:
                continue
            start, (first, end) = after_prefix(raw, 0, len(raw)) if prefixed else (0, (0, 0))
            text = RAY.sub("", ESCAPE.sub("", raw[start:].decode("utf-8", "replace")))
            if is_cut and place == len(lines):
                text = _LAST_NUMBER.sub("", text)  # its rest may be missing
            yield number, int(raw[first:end] or -1), text


def line_of(path: Path, number: int) -> str:
    """One line of a log; raises LogError when it cannot be read."""
    return next(text for found, _, text in _lines(path) if found == number)


def _form(text: str) -> Form | None:
    fields, head, drawn = parse(text)
    known = [(f, f.meaning) for f in fields if f.meaning]
    if not known:
        return None
    found = re.findall(r"[a-z一-鿿]+", NUMBER.sub(" ", head.lower()))
    words = [word for word in found if len(word) > 1 and word not in words_of("level")]
    lead = text[: min([HEAD, *(f.start for f, m in known if m.role in SPEEDS)])]
    says_training = bool(_TRAINING.search(lead))
    marks = [m for _, m in known if m.role in LOSSES]
    evaluates = (
        (bool(_EVALUATION.search(re.split("loss|acc|cost", lead.lower())[0])) and not says_training)
        or (bool(marks) and all("other" in m.flags for m in marks))
        or (bool(set(words[:HEAD_WORDS]) & words_of("not_training") - _EITHER) and not says_training)
        or (drawn and (bool(set(words) & words_of("not_training")) or bool(_many().search(text))))
    )
    evidence = any("other" not in m.flags for m in marks) and not evaluates
    key, trains = Key(tuple(words[:HEAD_WORDS]), drawn, evaluates, evidence), _TRAINING.search(head.replace("_", " "))
    if not drawn:
        names = (m.name for f, m in known if m.role == "step" and not f.is_mean)
        roles = [m.role for _, m in known if m.role in _COUNTERS]
        key = key._replace(step=next(names, None), counters=tuple(roles[:2]))
    return Form(fields, key, bool(trains))


@cache
def _many() -> re.Pattern[str]:
    """What counts runs or the like; `fold 3` is the name of one of them, and a bar in it counts something else."""
    words = "|".join(sorted(words_of("of_many_steps"), key=len, reverse=True))
    return re.compile(rf"(?i)(?<![a-z])(?:{words})(?![a-z])(?![\s_:#=(\[-]*\d++(?![%.]))")


# ---- rows below a header


def cells_of(text: str, sign: str) -> list[str]:
    """The cells of a row of a table, with a sign between them."""
    return [cell.strip() for cell in re.split(sign, text.strip(" |"))]


def _named_cells(header: str, text: str) -> tuple[str, str]:
    """A row of numbers below a header as if each number stood behind its name; a header is kept for rows below it."""
    if lead := _LEAD.match(text):  # a logger prints the table
        header, named = _named_cells(header, text[lead.end() :])
        return header, lead[0] + named
    if len(text) > LONGEST_ROW:
        return header, text
    of_header = ((names, cells_of(text, sign)) for names, sign in _titles(header) if header)
    alike = ((names, cells) for names, cells in of_header if len(names) == len(cells))
    if _ALONE.search(text):
        for names, cells in alike:
            if all(map(_CELL.fullmatch, cells)):
                told = (f"{name}: {cell}" for name, cell in zip(names, cells, strict=True) if cell)
                return header, ", ".join(told)
        return header, text
    is_another = any(all(re.search("[A-Za-z]", cell) for cell in cells) for _, cells in alike)
    return text if _titles(text) else "" if is_another else header, text


@lru_cache(maxsize=SAMPLE)
def _titles(text: str) -> list[tuple[list[str], str]]:
    """The names that a header of a table holds, by what may stand between them, if they count steps and tell more."""
    found = []
    each = ((cells_of(text, sign), sign) for sign in _CELL_SIGNS)
    for cells, sign in ((cells, sign) for cells, sign in each if len(cells) > 1):
        folders = Counter(cell.split("/")[0] for cell in cells if "/" in cell)
        grouped = tuple(f"{folder}/" for folder in words_of("time") if folders[folder] > 1)  # time/fps, time/iterations
        names = [cell.split("/", 1)[-1] if cell.startswith(grouped) else cell for cell in cells]
        roles = {m.role for name in names if name and (m := meaning(name))}
        if roles & {*_COUNTERS, "consumed"} and roles & {*SPEEDS, "loss"}:
            found.append((names, sign))
    return found
