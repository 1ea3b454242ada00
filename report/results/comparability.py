"""Comparability: what keeps numbers of a table from being compared, and the notes that say what a reader must know.

Where the protocols of a row, or the records that they meet, favour one side, its numbers are also given by the rule.

Each note is said once, numbered and marked where it applies. A note on all numbers of a column stands at its head, one
on all of a row at its title, any other at its numbers. Notes are the one block of cautions of a number: the page, its
panel and ``why`` show the same ones. What neither changes a number nor forbids a comparison is none: it is told with
the evidence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial

import numpy as np

from parsers.io.message import Message, joined

from ..measure.diagnostics import Code, Diagnostic, NoEvidenceError, NoMeasurement, say
from ..measure.measurement import Measurement, combine
from ..measure.number import signed, without_noise
from ..measure.protocol import Protocol
from ..measure.statistic import reduce_repeats
from ..pagefile.page import Page, Table
from ..pagefile.parts import Axis
from .environment import VERSION, first_begin
from .made import Made, MadeRun
from .model import Note
from .resolve import OF_MEASURING, RULE, refuse_other_number
from .store import LogStore

# A number and its title: that of its column among those of a row, of its row among those of a column.
Side = tuple[str, Made]
Rows = Sequence[Sequence[Made]]


class Unlike(StrEnum):
    """What differs between numbers, beside an axis or a version, which its name stands for."""

    RULES = "protocols"
    KINDS = "kinds_of_records"
    SLOW_START = "slow_start"
    SLOW_END = "slow_end"
    FEW = "sample_sizes"
    DATES = "dates"


AXES: tuple[Axis, ...] = ("nodes", "cards", "batch_size", "precision")
VERSIONS = (VERSION, "cuda", "cudnn")
# What these state covers steps of earlier records, too, so that no record of them is one interval of the run.
COVERS_EARLIER = {"kind_running_mean", "kind_total"}
SLOWER = 0.01
MANY, TIMES_AS_MANY = 20, 2
FAR_APART = np.timedelta64(183, "D")


@dataclass(frozen=True)
class Difference:
    """What differs between numbers that are compared.

    ``each``: what is so, with the titles of the sides. It is in neutral words (``skip_records=10``, ``128``,
    ``2023-07``), but for the keys ``kind_*`` of ``KINDS``.
    """

    code: str
    each: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Line:
    """A row or a column of a table whose numbers are not compared like with like.

    ``at``: which one, from 0. ``differences``: what differs. ``common``: of a row that a protocol favours one side of,
    its numbers by the rule, by their ids; empty where it does not give all of them.
    """

    is_row: bool
    at: int
    differences: tuple[Difference, ...]
    common: Mapping[str, float] = field(default_factory=dict)


def lines(page: Page, table: Table, rows: Rows, store: LogStore) -> Iterator[Line]:
    """The rows and columns of a table that are not directly comparable; ``rows``: its results, from logs of ``store``.

    Rows are compared in all tables, columns in those that show one framework or how it scales. Only throughputs are
    compared, and none that are quoted.
    """
    found: list[tuple[bool, int, list[Side], bool]] = []  # the last: whether their rules are compared
    for at, row in enumerate(rows):
        found.append((True, at, [(one.result.column, one) for one in _compared(row)], True))
    # Side by side the columns are compared; a table of one framework shows how it scales, too.
    scaled_columns = {column.column for column in table.columns if column.quantity.origin == "scaling"}
    is_of_one_framework = len({column.column for column in table.columns}) == 1
    for at, column in enumerate(table.columns):
        if column.column in scaled_columns or is_of_one_framework:
            sides = [(one.result.row, one) for one in _compared(row[at] for row in rows)]
            found.append((False, at, sides, column.column in scaled_columns))
    # The numbers that ratios of a row are made of may stand in several tables, and so in no one row.
    titles = {one.name: one.title for one in page.tables}
    for at, row in enumerate(rows):
        sides = [(titles[part.place.table.name], part) for one in row for part in _compared(one.parts)]
        if len({title for title, _ in sides}) > 1:
            found.append((True, at, sides, True))
    for is_row, at, sides, are_rules in found:
        rules = tuple(of_rules(sides)) if are_rules else ()
        is_of_this_row = is_row and all(one.place.table is table for _, one in sides)
        if differences := (*rules, *of_runs(sides)):
            common = by_the_rule([one for _, one in sides], store) if rules and is_of_this_row else {}
            yield Line(is_row, at, differences, common)


def _compared(numbers: Iterable[Made]) -> list[Made]:
    return [one for one in numbers if one.printed is not None and one.is_throughput]


# ---- what differs


def of_rules(sides: Sequence[Side]) -> Iterator[Difference]:
    """What in the protocols, or in the records that they meet, favours one of the sides, which all have a number."""
    if len(sides) < 2:
        return
    are_repeated = any(len(one.runs) > 1 for _, one in sides)
    keys = [key for key in OF_MEASURING if are_repeated or key != "repeats"]
    differing = [key for key in keys if len({getattr(_protocol(one), key) for _, one in sides}) > 1]
    yield from _unlike(Unlike.RULES, sides, partial(_words, keys=differing))
    kinds = _titles_by_what_is_said((_kind(one) or "", title) for title, one in sides)
    if len(kinds) > 1 and kinds.keys() & COVERS_EARLIER:
        yield Difference(Unlike.KINDS, {kind: titles for kind, titles in kinds.items() if kind})
    for code, place in ((Unlike.SLOW_START, 0), (Unlike.SLOW_END, -1)):
        yield from _slow(code, [(title, _gained(one, place)) for title, one in sides])
    used = [(title, _steps_used(one)) for title, one in sides]
    counts = [count for _, count in used if count]
    if counts and min(counts) < MANY <= max(counts) and TIMES_AS_MANY * min(counts) <= max(counts):
        yield Difference(Unlike.FEW, _titles_by_what_is_said((str(count), title) for title, count in used if count))


def of_runs(sides: Sequence[Side]) -> Iterator[Difference]:
    """What the logs say of the runs that differs between the sides, although their labels do not."""
    if len(sides) < 2:
        return
    for axis in AXES:
        if len({one.place.case.get(axis) for _, one in sides}) == 1:
            yield from _unlike(axis, sides, partial(_fact_of, name=axis))
    formats: dict[str, list[Side]] = {}  # versions of different programs are never the same
    for title, one in sides:
        format_ = one.runs[0].reading.format
        formats.setdefault(format_.name if format_ else "", []).append((title, one))
    for version in VERSIONS:
        for alike in formats.values():
            yield from _unlike(version, alike, partial(_fact_of, name=version))
    yield from _dates(sides)


def _unlike(code: str, sides: Iterable[Side], say: Callable[[Made], str]) -> Iterator[Difference]:
    """The difference, where there is one among the sides that say anything."""
    told = _titles_by_what_is_said((said, title) for title, one in sides if (said := say(one)))
    if len(told) > 1:
        yield Difference(code, told)


def _titles_by_what_is_said(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The titles of the sides of which the same is said, once each."""
    titles: dict[str, dict[str, None]] = {}
    for said, title in pairs:
        titles.setdefault(said, {})[title] = None
    return {said: tuple(whose) for said, whose in titles.items()}


def _protocol(one: Made) -> Protocol:
    return one.runs[0].measured.protocol


def _words(one: Made, keys: Sequence[str]) -> str:
    """These keys of a protocol as it states them; those that it leaves out only where it leaves out all."""
    protocol = _protocol(one)
    stated = [word for word in protocol.words(2).split() if word.partition("=")[0] in keys]
    return " ".join(stated or [f"{key}={getattr(protocol, key)}" for key in keys])


def _kind(one: Made) -> str | None:
    """The key of what the records state that are read; None where the estimate does not take them as they are."""
    run = one.runs[0]
    found = run.measured
    if found.calculation is None or found.protocol.estimate == "instant":
        return None
    read = run.reading.fields.get((found.estimate.kind, found.estimate.source))
    return f"kind_{read.kind}" if read and read.kind else None


def _slow(code: Unlike, gained: Sequence[tuple[str, float]]) -> Iterator[Difference]:
    """The difference, where one slow record costs one side more than another."""
    shares = [share for _, share in gained]
    if max(shares) - min(shares) >= SLOWER:
        yield Difference(
            code, _titles_by_what_is_said((f"{share:+.1%}", title) for title, share in gained if share >= SLOWER)
        )


def _gained(one: Made, place: int) -> float:
    """What share a number gains without the first (0) or last (-1) record of each of its runs; 0 where it loses."""
    protocol, runs = _protocol(one), [run.measured for run in one.runs]
    each = [run.calculation for run in runs if run.calculation is not None and run.records_used > 1]
    if protocol.statistic == "last" or _kind(one) in COVERS_EARLIER or len(each) < len(runs):
        return 0.0
    without = [replace(one, values=np.delete(one.values, place)).result for one in each]
    try:
        before, after = (reduce_repeats(of, protocol.repeats) for of in ([one.result for one in each], without))
    except NoMeasurement:
        return 0.0
    return max(0.0, after / before - 1) if before else 0.0


def _steps_used(one: Made) -> int | None:
    """How many step records made the number; None where it is of epochs, summaries or a clock, which need few."""
    protocol = _protocol(one)
    if protocol.records != "step" or protocol.estimate == "clock" or protocol.statistic == "last":
        return None
    return sum(run.measured.records_used for run in one.runs)


def _fact_of(one: Made, name: str) -> str:
    """What the logs of a number say; nothing where none of them says it."""
    facts = [run.reading.facts[name] for run in one.runs if name in run.reading.facts]
    # Names of files say fp16 for whatever is not fp32; what the log says itself is precise.
    told = [fact for fact in facts if name != "precision" or not fact.source.is_name]
    return "/".join({str(fact.value): None for fact in told})


def _dates(sides: Sequence[Side]) -> Iterator[Difference]:
    known = [(title, time) for title, one in sides if (time := first_begin(one.runs)) is not None]
    times = [time for _, time in known]
    if times and max(times) - min(times) > FAR_APART:
        months = ((str(time.astype("M8[M]")), title) for title, time in sorted(known, key=lambda side: side[1]))
        yield Difference(Unlike.DATES, _titles_by_what_is_said(months))


# ---- one rule for a row


def by_the_rule(row: Sequence[Made], store: LogStore) -> dict[str, float]:
    """The numbers of a row, which are all throughputs, by the rule, by their ids; empty where it lacks one of them.

    It reads the same of all logs: work over time in the steady part of each, the median of several runs.
    """
    found = dict[str, float]()
    for one in row:
        try:
            measured = [_by_the_rule(run, one.shown.rate, store) for run in one.runs]
            found[one.result.id] = without_noise(combine(measured, RULE))
        except (NoMeasurement, NoEvidenceError):
            return {}
    return found


def _by_the_rule(run: MadeRun, unit: str, store: LogStore) -> Measurement:
    """What the rule gives of the run of a number; raises NoEvidenceError where that is not in the unit of its table."""
    if run.wanted is None:
        raise NoEvidenceError("no_logs_named")
    of_several = len(run.reading.facts_of_runs) > 1
    found = store.measured(replace(run.wanted, protocol=Protocol(run=run.measured.run) if of_several else RULE))
    refuse_other_number(unit, run.log, found.unit, found.scope)
    return found


# ---- notes

# What is said against numbers by another figure of each; ``ratio`` is that figure / the number.
AGAINST: Mapping[str, str] = {Code.CONTRADICTED: "others_differ", Code.OVER_TIME: "over_time_differs"}
RANGE = "{low} to {high}"
TITLES = -1  # the row, or the column, of the titles

Place = tuple[int, int]  # of a table: its row and its column
# What is said, where, and the ids of the numbers that it is about, with what it says of just this one.
Noted = tuple[Message, set[Place], dict[str, Message | None]]

# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[str, Callable[[str], object]] = {
    Unlike.SLOW_START: lambda share: float(share.rstrip("%")),
    Unlike.SLOW_END: lambda share: float(share.rstrip("%")),
    Unlike.FEW: int,
    Unlike.DATES: str,
}


def notes(rows: Rows, unlike: Sequence[Line]) -> list[Note]:
    """The notes of a table with these rows of results; ``unlike``: those of its rows and columns that are."""
    differing = [one for line in unlike for one in _of_comparison(rows, line)]
    titles_of_kinds = {place for place, _, one in differing if one.code == Unlike.KINDS}
    alike: dict[object, list[tuple[Place, Made, Diagnostic]]] = {}
    for row, cells in enumerate(rows):
        for column, made in enumerate(cells):
            are_kinds_told = not titles_of_kinds.isdisjoint({(row, TITLES), (TITLES, column)})
            for one in made.cautions:
                # Where kinds of records differ, that note says which are running means.
                if not (are_kinds_told and one.code == Code.RUNNING_MEANS):
                    alike.setdefault(one.code if one.code in AGAINST else one, []).append(((row, column), made, one))
    by_code: dict[str, list[tuple[Place, list[Made], Difference]]] = {}
    for found in differing:
        by_code.setdefault(found[2].code, []).append(found)
    told = [*map(_of_cells, alike.values()), *map(_of_differences, by_code.values())]
    marked = sorted(((_marks(places, rows), said, ids) for said, places, ids in told), key=lambda one: min(one[0]))
    return [
        Note(number, said, [_spelt(place, rows) for place in places], ids)
        for number, (places, said, ids) in enumerate(marked, start=1)
    ]


def _of_cells(alike: Sequence[tuple[Place, Made, Diagnostic]]) -> Noted:
    """What is said of each of some numbers, or against them by figures of their own."""
    first, places = alike[0][2], {place for place, _, _ in alike}
    if first.code not in AGAINST:
        return first.message, places, {made.result.id: None for _, made, _ in alike}
    shares = [one.number("ratio") - 1 for _, _, one in alike]
    said = say(AGAINST[first.code], range=_range(signed(min(shares)), signed(max(shares))))
    return said.message, places, {made.result.id: one.message for _, made, one in alike}


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


# ---- what keeps numbers from being compared


def _of_comparison(rows: Rows, one: Line) -> Iterator[tuple[Place, list[Made], Difference]]:
    """Where each difference is marked, and the numbers that it is about: a slow record at the numbers that it is of,
    any other at the title."""
    title = (one.at, TITLES) if one.is_row else (TITLES, one.at)
    at = [(one.at, to) for to in range(len(rows[0]))] if one.is_row else [(row, one.at) for row in range(len(rows))]
    every = {(row, column): rows[row][column] for row, column in at}
    compared = {place: made for place, made in every.items() if made.printed and (made.is_throughput or made.parts)}
    for difference in one.differences:
        # The cells that differ may say so themselves, beside their numbers.
        if any(difference.code in made.denied for made in every.values()):
            continue
        if difference.code not in (Unlike.SLOW_START, Unlike.SLOW_END):
            yield title, list(compared.values()), difference
            continue
        slow = {title for titles in difference.each.values() for title in titles}
        for place, made in compared.items():
            if (made.result.column if one.is_row else made.result.row) in slow and made.is_throughput:
                yield place, [made], difference


def _of_differences(alike: Sequence[tuple[Place, list[Made], Difference]]) -> Noted:
    """What is said of all differences of one kind."""
    places, ids = {place for place, _, _ in alike}, {made.result.id: None for _, cells, _ in alike for made in cells}
    sides: dict[str, dict[str, None]] = {}
    for _, _, difference in alike:
        for said, titles in difference.each.items():
            sides.setdefault(said, {}).update(dict.fromkeys(titles))
    return _said_of(alike[0][2].code, sides).message, places, {**ids}


def _said_of(code: str, sides: Mapping[str, Mapping[str, None]]) -> Diagnostic:
    if code == Unlike.RULES:
        return say("unlike_protocols")
    if code in RANGES:
        ordered = sorted(sides, key=RANGES[code])  # type: ignore[arg-type]
        return say(f"unlike_{code}", each=_range(ordered[0], ordered[-1]))
    named = {said: joined("{first}, {second}", map(Message, titles)) for said, titles in sides.items()}
    words = {said: Message(said) if code == Unlike.KINDS else said for said in sides}
    each = [say("on_sides", said=words[said], titles=titles).message for said, titles in named.items()]
    told = joined("{first}; {second}", each)
    return say(f"unlike_{code}", each=told) if code == Unlike.KINDS else say("unlike_fact", fact=code, each=told)


# ---- where they stand


def _marks(places: set[Place], rows: Rows) -> list[Place]:
    """The places of a note, with the head of a column or the title of a row in place of all its numbers.

    In place of the titles of all rows that have a number stands the head of their titles.
    """
    shown = {(row, column) for row, cells in enumerate(rows) for column, made in enumerate(cells) if made.printed}
    of_rows = {(row, TITLES) for row, _ in shown}
    lines = {(TITLES, TITLES): of_rows}
    lines |= {(TITLES, to): {place for place in shown if place[1] == to} for to in range(len(rows[0]))}
    lines |= {title: {place for place in shown if place[0] == title[0]} for title in of_rows}
    found: list[Place] = []
    for title, line in lines.items():
        if len(line) > 1 and line <= places:
            places = places - line
            found.append(title)
    return sorted([*found, *places])


def _spelt(place: Place, rows: Rows) -> str:
    row, column = place
    if row == TITLES:
        return "corner" if column == TITLES else f"column:{column}"
    return f"row:{row}" if column == TITLES else rows[row][column].result.id
