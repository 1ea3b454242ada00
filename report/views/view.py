"""A report in one language: what all of its views say, each sentence made here of its code or key and its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from parsers.io.message import Message, joined

from ..measure.diagnostics import name_of
from ..measure.number import DEFAULT_DECIMALS, printed, signed
from ..measure.number import digits as significant
from ..measure.protocol import RULE, Protocol
from ..measure.quantity import QUANTITIES, Shown
from ..measure.ranks import RankSpread
from ..measure.run_figures import after
from ..measure.statistic import reduce, reduce_repeats
from ..results.model import (
    CheckedBy,
    Column,
    Compared,
    Finding,
    Note,
    Records,
    Report,
    Result,
    Row,
    Run,
    Table,
)
from ..wording.words import Translator, worded

TEMPLATES = Path(__file__).parents[1] / "templates"
MISSING = "-"
SAME_DIGITS, GIVES = "the same to the last digit", "recomputed: {change}"
RECOMPUTED = "{same} of {count} published numbers are what their logs give to the last digit."
SIGNS = ("%", "×")  # stand at the digits, without a blank
RATIO = Protocol(decimals=2)
# What is done with the numbers of several runs.
OF_REPEATS = "repeats_"
# How the number is printed.
# Those whose records no statistic can take.
UNREADABLE = ("no_value", "other_rank", "summed", "repeated")

SECTIONS = {
    "tested": "What is tested",
    "environment": "Environment",
    "setup": "Set-up",
    "steps": "Test steps",
}
COUNTS = {
    "measured": "Measured from logs: {count}",
    "quoted": "quoted (‡, no public log): {count}",
    "missing": "missing: {count}",
}
WITH, OF = "{said} ({more})", "{of}: {said}"  # a detail of what is said, and what it is said of
NOT_RECORDED, UNSAID = "not recorded", "–"
IN_BRIEF = {
    "other_case": "not comparable: the log's configuration does not match its label",
    "unlike_cases": "not comparable: {fact} {of} and {against}",
}
# What a number is of, where its page does not label it: one, and several.
UNITS = {"cards": ("{count} card", "{count} cards"), "nodes": ("{count} node", "{count} nodes")}
STATES = {
    "confirmed": "confirmed: {source}",
    "contradicted": "contradicted: {said} ({source})",
    "unconfirmed": "no log confirms it",
}
LEFT = "{reason}: {count} ({lines})"
USED = "Records used: {used} of {available}."
STATISTIC = "Values: {count}; {statistic}: {value}"
SCALED = "{value} × {factor} = {result} {unit}"
TIMED = "{factor} {counted} in {value} s = {result} {unit}"
REPEATS = "{repeats}, of {values}: {result}"
QUOTIENT = "{of} ÷ {against} = {result}"
WHOLE = "{of} ÷ {against} ÷ {ideal} × {whole} = {result}"
RANGE, RANGES = "{first} to {last}", "{first} to {last} in {count} ranges"
MOST_RANGES = 12
ALL_RECORDS, SECOND_HALF = "all records", "second half of the records"
CHECK = "{source} {says}: {number} {unit}, {ratio}× ({lines})"
SAYS = {"agrees": "agrees", "differs": "differs", "silent": "decides nothing"}
LINES_NAMED = ("line {lines}", "lines {lines}")  # the forms of a count
MIDDLES = ("mean", "median", "harmonic_mean")


CHARTED = ("throughput", "scaling_efficiency")  # the first that a table shows is drawn as bars
FEWEST_BARS = 2


@dataclass(frozen=True)
class Bar:
    """A number as a bar: its titles (of one column that of its row alone), the family of its colour, its share of the
    longest bar of its group in percent, what is said beside it, and whether it is drawn ``pale``: quoted, or of another
    case than its titles say.
    """

    result: Result
    row: str
    column: str
    family: str
    share: float
    said: str
    pale: bool


def templates(**options: Any) -> Environment:
    """The templates of all views; ``options``: what makes text safe where it is to stand."""
    loader = FileSystemLoader([TEMPLATES, TEMPLATES / "html"])
    return Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, **options)  # noqa: S701 - as the options say


class View(Translator):
    """A report in a language that has a catalogue."""

    def __init__(self, report: Report, language: str) -> None:
        super().__init__(language, report.page.words.get(language, {}))
        self.report, self.page, self.language = report, report.page, language
        self._heads: dict[tuple[str, bool], list[str]] = {}

    def result(self, id_: str) -> Result:
        """A result by its id."""
        return self.report.by_id[id_]

    def worded(self, said: Message, shown: Callable[[str], str] = str) -> str:
        """A message in the language; ``shown``: what makes its values safe where it is to stand."""
        return worded(said, self.translate, shown)

    def sentence(self, said: Message, shown: Callable[[str], str] = str) -> str:
        """The same as a sentence: the name of a fact that begins it is a word within a sentence elsewhere."""
        text = self.worded(said, shown)
        return text[:1].upper() + text[1:] if said.key.startswith("{fact}") else text

    # ---- the page

    @cached_property
    def summary(self) -> str:
        """What the page shows, how many of its numbers are measured, quoted and missing, and when, in a line."""
        own = self.report.own
        counts = {origin: sum(one.origin == origin for one in own) for origin in COUNTS}
        counted = [self.say(COUNTS[origin], count=n) for origin, n in counts.items() if n or origin == "measured"]
        units = self.enumerated(self.page.units)
        told = [self.say("Unit: {unit}.", unit=units), self.say("{said}.", said=self.joined(counted))]
        if months := sorted({one.begun[:7] for one in self.report.results if one.begun}):
            range_ = self.say(RANGE, first=months[0], last=months[-1]) if len(months) > 1 else months[0]
            told.append(self.say("Runs: {months}.", months=range_))
        return self.sentences([*told, self.say("Each number links to its evidence.")])

    @property
    def sections(self) -> dict[str, str]:
        """The sections after the results that the page has, with their titles."""
        there = {*self.page.sections, *(["environment"] if self.page.environment else [])}
        return {key: self.translate(title) for key, title in SECTIONS.items() if key in there}

    def case_title(self, case: Mapping[str, object]) -> str:
        """A case as a title: the cards of a device, then its other axes."""
        labels = {axis: self._label(axis, value) for axis, value in case.items()}
        if {"cards", "device"} <= labels.keys():
            cards = self.page.labels.get("cards", {}).get(str(case["cards"]), str(case["cards"]))
            labels["cards"] = self.say("{cards} × {device}", cards=cards, device=labels.pop("device"))
        return self.specified(labels.values()) if labels else ""

    def _label(self, axis: str, value: object) -> str:
        stated = self.page.labels.get(axis, {}).get(str(value))
        if axis in UNITS and stated is None and isinstance(value, int):
            return self.worded(Message.of_count(value, *UNITS[axis]))
        return self.translate(stated or (f"BS={value}" if axis == "batch_size" else str(value)))

    def finding_case(self, finding: Finding) -> str:
        """What a finding is about: what its cases share, and what each of them is of."""
        told = [self.case_title(finding.shared)] if finding.shared else []
        each = [self.case_title(case) for case in finding.cases if case]
        return self.specified([*told, *([self.both(each)] if each else [])])

    def verdict(self, finding: Finding) -> str:
        """What is said of the column of the first numbers."""
        column = self.translate(finding.column)
        return self.say(finding.verdict, column=column) if finding.verdict else column

    def both(self, texts: Sequence[str]) -> str:
        """Several texts, the last after an "and"."""
        *before, last = texts
        return self.say("{before} and {last}", before=self.enumerated(before), last=last) if before else last

    def beside(self, other: Compared) -> str:
        """How another number compares with the first, in a few words; empty where there is nothing to say."""
        if other.id is None:
            return self.translate("no log")
        if other.reason is not None:
            return self.worded(Message(IN_BRIEF.get(other.reason.code, "{fact}"), **other.reason.message.values))
        return "" if other.ratio is None else f"{printed(other.ratio, RATIO)}×"

    def environment(self, line_break: str) -> list[list[str]]:
        """The machines and programs of the runs, as their run.json say: rows of cells in Markdown."""
        unknown = {UNSAID: self.translate(NOT_RECORDED)}
        return [
            [line_break.join(unknown.get(text, text) for text in map(self.worded, cell)) for cell in row]
            for row in self.page.environment
        ]

    def text_of(self, block: Mapping[str, str]) -> str:
        """A text of the page file in this language, else in English, else in the first that there is."""
        return (block.get(self.language) or block.get("en") or next(iter(block.values()), "")).strip()

    # ---- tables

    def heads(self, table: Table, *, are_short: bool = False) -> list[str]:
        """The titles of the columns; of further columns of one program what they show alone.

        ``are_short``: with the short titles of the page where it states any.
        """
        if (key := (table.name, are_short)) not in self._heads:
            is_one = len({column.key for column in table.columns}) == 1
            titles = [
                self.translate(column.short if are_short and column.short else column.title) for column in table.columns
            ]
            self._heads[key] = (
                titles
                if self.caption(table)
                else [
                    self._head(column, title, is_said=bool(at) and is_one and not column.is_titled)
                    for at, (column, title) in enumerate(zip(table.columns, titles, strict=True))
                ]
            )
        return self._heads[key]

    def _head(self, column: Column, title: str, *, is_said: bool) -> str:
        """The title of a column: one that does not show the throughput of the page says what it shows, in which unit.

        ``is_said``: whether its own title is said before it.
        """
        if column.is_plain and not is_said:
            return title
        quantity = self.translate(column.quantity)
        if is_said:
            quantity = quantity[:1].upper() + quantity[1:]
        shown = self.say(WITH, said=quantity, more=column.unit) if column.unit else quantity
        return shown if is_said else self.specified([title, shown])

    def caption(self, table: Table) -> str:
        """What all its numbers are, where that is not the throughput of the page nor told by their titles."""
        kinds = {(column.quantity, column.unit) for column in table.columns}
        if len(kinds) > 1 or len(table.columns) == 1 or table.columns[0].is_plain:
            return ""
        ((quantity, unit),) = kinds
        name = self.translate(quantity)
        if name.casefold() == self.translate(table.title).casefold():
            return self.say("Unit: {unit}.", unit=unit)
        return self.say("{said}.", said=self.say(WITH, said=name[:1].upper() + name[1:], more=unit))

    def row_title(self, row: Row) -> str:
        """The title of a row after that of its group."""
        return self.specified(self.translate(title) for title in (row.group, row.title) if title)

    def marks(self, table: Table) -> dict[str, list[int]]:
        """The numbers of the notes at each place of a table."""
        found: dict[str, list[int]] = {}
        for note in table.notes:
            for mark in note.marks:
                found.setdefault(mark, []).append(note.number)
        return found

    def note(self, note: Note, id_: str | None = None) -> str:
        """A note of a table, or what it says of one number."""
        return self.sentence((note.results.get(id_) if id_ else None) or note.said)

    def taken(self, row: Row, at: int) -> str:
        """What a column takes the case of a group of rows for; empty where that is what the heading says."""
        return self.enumerated(map(self.translate, row.taken[at])) if row.taken and row.taken[at] else ""

    def unconfirmed(self, table: Table) -> str:
        """The labels of a table that no log confirms, once; empty where logs confirm all."""
        measured = [one for id_ in table.ids if (one := self.result(id_)).origin == "measured"]
        axes: dict[str, int] = {}
        for one in measured:
            for axis, value in one.case.items():
                axes[axis] = axes.get(axis, 0) + (value.state == "unconfirmed")
        told = [
            self.say("{axis} ({count} of {total} numbers)", axis=self.axis(axis), count=n, total=len(measured))
            if n < len(measured)
            else self.axis(axis)
            for axis, n in axes.items()
            if n
        ]
        return self.say("No log confirms these labels: {axes}.", axes=self.enumerated(told)) if told else ""

    def bars(self, table: Table) -> list[tuple[str, list[Bar]]]:
        """The bars of a table by group: of its columns that show the first quantity that is charted; else none."""
        shown = [column.quantity for column in table.columns]
        charted = next((quantity for quantity in CHARTED if quantity in shown), None)
        groups: dict[str, list[tuple[Result, str, str, str]]] = {}
        for row in table.rows:
            for id_, head, column in zip(row.results, self.heads(table), table.columns, strict=True):
                if column.quantity == charted and (self.result(id_).value or 0) > 0:
                    named = head if shown.count(charted) > 1 else ""
                    bar = self.result(id_), self.translate(row.title), named, column.family or "other"
                    groups.setdefault(self.translate(row.group), []).append(bar)
        if sum(map(len, groups.values())) < FEWEST_BARS:
            return []
        longest = {group: max(one[0].value or 0 for one in own) for group, own in groups.items()}
        return [(group, [self._bar(*one, longest=longest[group]) for one in own]) for group, own in groups.items()]

    def _bar(self, result: Result, row: str, column: str, family: str, *, longest: float) -> Bar:
        said = self.qualifiers(result)
        share = 100 * (result.value or 0) / longest
        return Bar(result, row, column, family, share, self.enumerated(said), bool(said) or result.rests_on_quotes)

    def axis(self, axis: str) -> str:
        """The word for an axis."""
        found = self.translate(axis)
        return found if found != axis else self.translate(axis.replace("_", " "))

    @property
    def published_numbers(self) -> tuple[list[Result], int]:
        """The results that differ from what was published of them, and how many were published in all."""
        there = [one for one in self.report.results if one.published]
        return [one for one in there if one.published and not one.published.agrees], len(there)

    def published_said(self) -> str:
        """How many of the published numbers are what their logs give; empty where none was published."""
        differ, count = self.published_numbers
        return self.say(RECOMPUTED, same=count - len(differ), count=count) if count else ""

    def agreement(self, result: Result) -> str:
        """Whether a number is what was published of it."""
        published = result.published
        return self.say(SAME_DIGITS) if published and published.agrees else self.say(GIVES, change=self.change(result))

    def change(self, result: Result) -> str:
        """By how much a number differs from the published one."""
        return signed((result.value or 0) / float(result.published.digits) - 1) if result.published else ""

    # ---- one number

    def number(self, result: Result) -> str:
        """A number with its mark and its unit; a sign of percent or times stands at the digits."""
        mark = "‡" if result.rests_on_quotes else ""
        unit = result.unit
        return f"{result.digits}{unit}{mark}" if unit in SIGNS else f"{result.digits}{mark} {unit}".strip()

    def qualifiers(self, result: Result) -> list[str]:
        """What is so instead of its labels, and what else is said beside it."""
        return [self.worded(said) for said in result.qualifiers]

    def place(self, result: Result) -> str:
        """Where a number stands: table, row and column."""
        table, row, at = self.report.places[result.id]
        return " · ".join([self.translate(table.title), self.row_title(row), self.heads(table)[at]])

    def cautions(self, result: Result) -> list[tuple[int, str]]:
        """The one block of cautions of a number: what the notes of its table say of it, by their numbers."""
        table = self.report.places[result.id][0]
        return [(note.number, self.note(note, result.id)) for note in table.notes if result.id in note.results]

    def details(self, result: Result) -> list[str]:
        """What else its logs say."""
        return [self.sentence(said.message) for said in result.details]

    def case(self, result: Result) -> list[tuple[str, str, str, str]]:
        """Each axis with its value, its state, and who says so."""
        return [
            (
                self.axis(axis),
                str(one.value),
                one.state,
                self.say(STATES[one.state], source=self.worded(one.source) if one.source else "", said=one.said),
            )
            for axis, one in result.case.items()
        ]

    def method(self, result: Result) -> str:
        """What was done, where the protocol in its neutral words does not say it: by the rule, or for a quantity."""
        if not result.kind.is_throughput:
            return self.translate(result.kind.rule)
        is_by_rule = result.protocol and not Protocol.parse(result.protocol).states_rule
        return self.translate(RULE) if is_by_rule else ""

    def printing(self, result: Result) -> str:
        """How the number is rounded, in the neutral words of a protocol."""
        how = _shown(result).printing(Protocol.parse(result.protocol or "plain"))
        digits = ("decimals", DEFAULT_DECIMALS) if how.decimals is None else ("decimals", how.decimals)
        name, count = ("significant", how.significant) if how.significant is not None else digits
        return f"{name}={count} rounding={how.rounding}"

    def rule(self, result: Result) -> str:
        """The protocol in neutral words, as page files and ``--protocol`` take it."""
        if result.protocol is None:
            return ""
        words = result.kind.words(Protocol.parse(result.protocol))
        return words if "repeats=" in words or result.repeats is None else f"{words} repeats={result.repeats}"

    def calculation(self, result: Result) -> list[str]:
        """How the values of all runs become the number, and how that is printed."""
        rounded = self.say("Rounded: {printed}", printed=self.number(result))
        if result.operands:
            of, against = (self.result(id_).digits for id_ in result.operands)
            told = {"of": of, "against": against, "result": short(result.value or 0)}
            whole = {"ideal": short(result.ideal), "whole": result.whole}
            step = self.say(WHOLE, **told, **whole) if result.whole != 1 else self.say(QUOTIENT, **told)
            return [step, rounded]
        if result.value is None or not result.runs:
            return []
        if len(runs := self.report.runs_of(result)) == 1:
            return [rounded]
        told = {"values": ", ".join(short(run.value) for run in runs), "result": short(result.value)}
        name = f"quantity_{result.quantity}" if result.kind.of_runs else f"{OF_REPEATS}{result.repeats}"
        return [self.say(REPEATS, **told, repeats=self.translate(name)), rounded]

    def run_steps(self, run: Run) -> list[str]:
        """How what one log prints becomes its value, a step each."""
        records = run.records
        done = [self.worded(step) for step in operations(run)]
        if not (run.statistic or records.intervals):
            observed = {"result": short(run.measured), "unit": run.measured_unit}
            return [self.say("Computed from the marked lines: {result} {unit}", **observed), *done]
        counts = self.say(USED, used=len(records.used), available=len(records.lines))
        return [counts, *self._reduced(run), *done]

    def _reduced(self, run: Run) -> Iterator[str]:
        result = {"result": short(run.measured), "unit": run.measured_unit}
        if not run.statistic:
            work, seconds = sums(run.records)
            rate = {"counted": run.counted, "unit": f"{run.counted}/s", "result": short(work / seconds)}
            yield self.say(TIMED, factor=short(work), value=short(seconds), **rate)
            if run.ranks and run.ranks.is_summed:
                yield self.say("The sum of {count} ranks: {result} {unit}", count=len(run.ranks.numbers), **result)
            elif run.factor != 1:
                yield self.say(SCALED, value=short(work / seconds), factor=short(run.factor), **result)
            return
        terms = [value for _, value in run.records.terms]
        value = {"value": short(reduce(np.array(terms), run.statistic))}
        count_ = {"count": len(terms), "statistic": self.translate(f"statistic_{run.statistic}")}
        if run.factor == 1 and not run.are_times:
            yield self.say(STATISTIC, **count_, value=f"{value['value']} {run.measured_unit}")
            return
        if run.ranks and run.ranks.is_summed:
            yield self.say("Each value is the mean of {count} ranks.", count=len(run.ranks.numbers))
        yield self.say(STATISTIC, **count_, **value)
        scaled = {**value, "factor": short(run.factor), "counted": run.counted, **result}
        yield self.say(TIMED if run.are_times else SCALED, **scaled)

    def left_out(self, run: Run) -> list[str]:
        """The records that are not used, by why."""
        return [
            self.say(
                LEFT, reason=self.translate(f"left_{use}"), count=len(lines), lines=self.worded(lines_named(lines))
            )
            for use, lines in run.records.left_out.items()
        ]

    def lines_used(self, first: int, last: int, used: int) -> str:
        """Which lines of a file were used, in short."""
        if first == last:
            return self.say("line {line}", line=first)
        return self.say("{first} to {last}, {count} used", first=first, last=last, count=used)

    def used(self, run: Run) -> str:
        """Which lines of its log a run used."""
        lines = run.records.used
        return self.lines_used(lines[0], lines[-1], len(lines)) if lines else ""

    def source(self, run: Run) -> str:
        """What is read of its records."""
        return self.worded(name_of(run.source)) if run.source else ""

    def variations(self, result: Result) -> list[tuple[str, str, str, int]]:
        """The number by other windows and statistics of the same source that all of its runs allow: which, the digits,
        by how much it differs, and how many records it uses."""
        if not result.value:
            return []
        runs = self.report.runs_of(result)
        each = [dict(variations_of(run)) for run in runs if not result.kind.of_runs]
        shared = [name for name in (each[0] if each else ()) if all(name in of for of in each)]
        told = []
        for name in shared:
            values, records = zip(*(of[name] for of in each), strict=True)
            value = values[0] if len(values) == 1 else reduce_repeats(values, result.repeats or "mean")
            if isfinite(value):
                change = signed(value / result.value - 1)
                told.append((self.worded(name), self.printed(result, value), change, min(records)))
        return told

    def printed(self, result: Result, value: float) -> str:
        """Another value in the digits of a number."""
        return printed(value, _shown(result).printing(Protocol.parse(result.protocol or "plain")))

    def reason(self, result: Result) -> str:
        """Why there is no number; empty where there is one."""
        return self.sentence(result.reason.message) if result.reason else ""

    def check(self, check: CheckedBy) -> str:
        """What another source of the log says of the same quantity."""
        told = {"number": significant(check.value), "unit": check.unit, "ratio": f"{check.ratio:.3f}"}
        lines = lines_named(range(check.lines[0], check.lines[1] + 1))
        return self.worded(
            Message(CHECK, source=name_of(check.source), says=Message(SAYS[check.says]), lines=lines, **told)
        )

    def spread(self, ranks: RankSpread) -> list[str]:
        """How far ranks are apart: how many, the slowest, the median, the fastest."""
        ordered = sorted(zip(ranks.values, ranks.numbers, strict=True), reverse=ranks.are_times)
        median = f"{np.median(ranks.values):.6g} {ranks.unit}"
        return [str(len(ranks.numbers)), self._of_rank(ranks, *ordered[0]), median, self._of_rank(ranks, *ordered[-1])]

    def _of_rank(self, ranks: RankSpread, value: float, rank: int) -> str:
        told = {"number": f"{value:.6g} {ranks.unit}", "rank": rank}
        if ranks.cards_per_node is None:
            return self.say("{number} (rank {rank})", **told)
        return self.say("{number} (rank {rank} on node {node})", **told, node=rank // ranks.cards_per_node)

    def length(self, lines: int) -> str:
        """How long a file is."""
        return self.say("{count} line" if lines == 1 else "{count} lines", count=lines)

    def path(self, log: str) -> str:
        """A log as seen from where its page is."""
        return f"{self.report.logs_folder}/{log}" if self.report.logs_folder not in (None, ".") else log


def _shown(result: Result) -> Shown:
    decimals = len(result.digits.partition(".")[2]) if result.digits else 0
    return Shown(QUANTITIES[result.quantity], result.rate, decimals)


# ---- arithmetic of runs


def short(value: float) -> str:
    """A value with ten significant digits."""
    return f"{value:.10g}"


def sums(records: Records) -> tuple[float, float]:
    """The work and the seconds of the intervals used."""
    _, _, work, seconds = zip(*records.intervals, strict=True)
    return float(np.sum(work)), float(np.sum(seconds))


def operations(run: Run) -> list[Message]:
    """The arithmetic behind what was measured, each step with its result."""
    found, value = [], run.measured
    for one in run.operations:
        found.append(one.shown(value))
        value = one.of(value)
    return found


def variations_of(run: Run) -> Iterator[tuple[Message, tuple[float, int]]]:
    """What other records and other statistics of its source make of a run, in the unit of its value, of how many."""
    is_sum = run.ranks is not None and run.ranks.is_summed and not run.statistic
    # A clock reads two records; the intervals between others are not those of its number.
    if is_sum or (not run.statistic and Protocol.parse(run.protocol).states_rule):
        return
    for name, value, records in _variations(run):
        yield Message(name), (after(run.operations, value), records)


def _variations(run: Run) -> Iterator[tuple[str, float, int]]:
    records, used_lines = run.records, {*run.records.used}
    left = {line for use in UNREADABLE for line in records.left_out.get(use, ())}
    rows = zip(records.lines, records.values if run.statistic else records.work, strict=False)
    readable = [at for at, (line, value) in enumerate(rows) if value is not None and line not in left]
    used = [at for at in readable if records.lines[at] in used_lines]
    own = np.array(records.values if run.statistic else records.work, float)
    seconds = np.array(records.seconds, float)

    def made(at: Sequence[int], statistic: str) -> float:
        if run.statistic:
            found = reduce(own[at], statistic)
            return run.factor / found if run.are_times else found * run.factor
        each = own[at] / seconds[at]
        return float(reduce(each, statistic) if statistic else own[at].sum() / seconds[at].sum()) * run.factor

    for name, at in ((ALL_RECORDS, readable), (SECOND_HALF, readable[len(readable) // 2 :])):
        if len(at) > 1 and at != used:
            yield name, made(at, run.statistic), len(at)
    others = [name for name in MIDDLES if name != run.statistic] if run.statistic in (*MIDDLES, "") else ()
    for statistic in others if run.statistic else ["median"]:
        if len(used) > 1:
            yield f"statistic_{statistic}", made(used, statistic), len(used)


def ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers, at least one, as pairs of the first and the last of each run without a gap, ascending."""
    each = np.unique(numbers)
    gaps = np.flatnonzero(np.diff(each) > 1)
    return list(zip(each[np.append(0, gaps + 1)].tolist(), each[np.append(gaps, -1)].tolist(), strict=True))


def ranges_shown(numbers: Sequence[int]) -> Message:
    """Line numbers, ``198 to 203, 205``; of very many runs how many there are."""
    runs = ranges(numbers)
    if len(runs) > MOST_RANGES:
        return Message(RANGES, first=runs[0][0], last=runs[-1][1], count=len(runs))
    each = [Message(str(a)) if a == b else Message(RANGE, first=a, last=b) for a, b in runs]
    return joined("{first}, {second}", each)


def lines_named(numbers: Sequence[int]) -> Message:
    """Line numbers with what they are: ``line 5``, ``lines 198 to 203, 205``."""
    return Message.of_count(len(set(numbers)), *LINES_NAMED, lines=ranges_shown(numbers))
