"""Why a number is what it is: its lines, its values and steps, and what other sources and protocols give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from parsers.io.errors import TachographError
from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ..measure.number import digits
from ..measure.protocol import Protocol
from ..results.model import Factor, Records, Report, Result, Run
from ..wording.words import whose
from .view import MISSING, OF, TIMED, WITH, View, lines_named, short, sums

ENDS_SHOWN = 3
NAMES = 11  # columns that the names of facts take
SHOWN = 8

PUBLISHED = "published: {digits} ({agreement}), {url}"
NOT_ONE = "{count} cells of the page match {name}: {cells}."
NONE = "No cell of the page matches {name}; cells: {cells}."
RECORDS = ("{count} record", "{count} records")
FACTOR = "{count} {name} ({source})"
NOTE, WARNING = "note {number}: {said}", "warning: {said}"
CONTRADICTED = "contradicted: {number} {unit}{whose}, or {other} {unit} ({ratio}×)"


class NoCellError(TachographError):
    """A name that no cell of a page has, or several; one sentence says which there are."""


def named(report: Report, name: str) -> Result:
    """The result of a name: its id, or the digits that only one result prints.

    Raises NoCellError for another name, and where several results have it.
    """
    asked, results = name.removeprefix("#"), report.results
    digits = [one for one in results if one.digits == asked.replace(",", "")]
    # What is derived of a throughput may repeat its digits.
    found = [one for one in results if one.id == asked] or [one for one in digits if one.kind.is_throughput] or digits
    if len(found) == 1:
        return found[0]
    if found:
        raise NoCellError(NOT_ONE, count=len(found), name=repr(name), cells=_listed(found))
    raise NoCellError(NONE, name=repr(name), cells=_listed([one for one in results if one.digits] or results))


def _listed(results: Sequence[Result]) -> Message:
    said = [Message(WITH, said=one.id, more=one.digits or MISSING) for one in results[:SHOWN]]
    listed, more = joined("{first}, {second}", said), len(results) - len(said)
    return Message("{cells} and {count} more", cells=listed, count=more) if more else listed


def explained(view: View, result: Result, title: str) -> str:
    """A number as text of printable lines; long ones are left to the terminal, so that what is copied is whole."""
    return "".join(f"{printable(line)}\n" for line in _Explanation(view, result).lines(title))


def rows(report: Report, result: Result) -> list[list[tuple[float, ...]]]:
    """The numbers that each run is computed from: values of records, or the work and the seconds of each interval."""
    return [
        [(value,) for _, value in run.records.terms]
        if run.statistic
        else [(work, seconds) for _, _, work, seconds in run.records.intervals]
        for run in report.runs_of(result)
    ]


class _Explanation:
    """The lines of an explanation in the language of a view."""

    def __init__(self, view: View, result: Result) -> None:
        self.view, self.result = view, result
        self.runs = view.report.runs_of(result)
        self.say, self.translate = view.say, view.translate

    def lines(self, title: str) -> Iterator[str]:
        result, view = self.result, self.view
        yield title
        yield self._number()
        if result.source:
            source = view.page.sources[result.source]
            published_at = self.say(WITH, said=self.translate(source.title), more=source.date)
            yield f"‡ {view.specified([published_at, source.url])}"
        if published := result.published:
            told = {"digits": published.digits, "agreement": view.agreement(result)}
            yield self.say(PUBLISHED, **told, url=view.page.sources[published.source].url)
        for run in self.runs:
            yield ""
            yield from self._run(run)
        for id_ in result.operands:
            yield self._fact("of", f"{view.number(view.result(id_))}, {view.place(view.result(id_))}, {id_}")
        if result.digits and (self.runs or result.operands):
            yield from self._together()
            yield from self._variations()
        noted = [self.say(NOTE, number=number, said=said) for number, said in view.cautions(result)]
        noted += [self.say(WARNING, said=said) for said in (*view.qualifiers(result), *view.details(result))]
        yield from noted
        states = [(axis, value, said) for axis, value, _, said in view.case(result)] if self.runs else []
        yield from (self.say(OF, of=f"{a} {v}", said=said) for a, v, said in states)

    def _number(self) -> str:
        result = self.result
        if result.digits is None:
            return self._reason()
        if result.protocol is None:
            return self.view.number(result)
        run = self.runs[0]
        # What is no throughput says in its title whose it is.
        scope = whose(run.scope) if run.measured_unit == result.unit and not run.operations else Message("")
        is_stated = Protocol.parse(result.protocol).states_rule
        words: Message | str = self.view.rule(result) if is_stated else Message("the default rule")
        by_protocol = self.view.worded(Message("{whose}, by {protocol}", whose=scope, protocol=words))
        return self.view.number(result) + by_protocol

    def _reason(self) -> str:
        """Why there is no number; of a log that contradicts itself both sides."""
        run = self.runs[0] if self.runs else None
        by = next((check for check in run.checks if check.says == "differs"), None) if run else None
        if run is None or by is None:
            return self.view.reason(self.result)
        told = {"number": digits(run.value), "other": digits(run.value * by.ratio), "unit": run.unit}
        said = Message(CONTRADICTED, **told, whose=whose(run.scope), ratio=f"{by.ratio:.3f}")
        return self.view.worded(said)

    def _fact(self, name: str, said: str) -> str:
        label = self.translate(name)
        return label + " " * max(NAMES - cell_len(label), 1) + said

    def _of_line(self, line: int, said: str) -> str:
        return self.say(OF, of=self.say("line {line}", line=line), said=said)

    def _heading(self, title: str) -> Iterator[str]:
        yield from ("", self.translate(title))

    def _run(self, run: Run) -> Iterator[str]:
        view, log, records = self.view, self.view.report.logs[run.log], run.records
        yield self._fact("log", view.path(run.log))
        yield self._fact("sha256", log.sha256)
        format_ = log.format or self.translate("none")
        yield self._fact("format", view.specified([format_, view.length(log.lines)]))
        if said := view.method(self.result):
            yield self._fact("protocol", said)
        if run.source:
            yield self._fact("source", self.say(WITH, said=view.source(run), more=run.column))
        if used := records.used:
            yield self._fact("used", view.specified([self._records(len(used)), view.worded(lines_named(used))]))
        yield from (self._fact("skipped", said) for said in view.left_out(run))
        ends = [line for line in dict.fromkeys((used[0], used[-1])) if line in log.excerpt] if used else []
        yield from (self._fact("quoted", self._of_line(line, log.excerpt[line])) for line in ends)
        if run.statistic:
            yield from self._values(run)
        elif records.intervals:
            yield from self._intervals(records, run.counted)
        yield from self._of_ranks(run)
        yield from (self._fact("computed", step) for step in view.run_steps(run))
        if run.counted and (run.statistic or records.intervals):
            yield self._fact("scaling", self._scaling(run))
        unit = self.result.unit if run.operations else run.unit
        yield self._fact("unrounded", f"{run.value:.15g} {unit}".strip())
        yield from (self._fact("check", view.check(check)) for check in run.checks)
        yield from self._other_side(run)
        for file in run.also:
            yield self._fact("also", f"{view.path(file.path)}, {view.lines_used(file.first, file.last, file.used)}")

    def _intervals(self, records: Records, counted: str) -> Iterator[str]:
        """The work and the seconds of each interval, with what is printed at its end."""
        found = records.intervals
        columns = {"line": [str(line) for _, line, _, _ in found]}
        printed = dict(records.terms)
        if printed:
            columns["printed"] = [short(printed[line]) if line in printed else "" for _, line, _, _ in found]
        else:
            columns = {"from line": [str(begin) for begin, _, _, _ in found], "to line": columns["line"]}
        heads = [*map(self.translate, columns), counted, self.translate("seconds")]
        numbers = ([short(one[at]) for one in found] for at in (2, 3))
        table = [heads, *zip(*columns.values(), *numbers, strict=True)]
        yield from (self._fact("interval", row) for row in self._ends(_aligned(table), 1))

    def _values(self, run: Run) -> Iterator[str]:
        told = [self._of_line(line, short(value)) for line, value in run.records.terms]
        yield from (self._fact("value", row) for row in self._ends(told))

    def _of_ranks(self, run: Run) -> Iterator[str]:
        if (ranks := run.ranks) is not None and ranks.is_summed and not run.statistic:
            for rank, value in zip(ranks.numbers, ranks.values, strict=True):
                yield self._fact("by rank", self.say(OF, of=rank, said=f"{value:.15g} {ranks.unit}"))

    def _scaling(self, run: Run) -> str:
        """What leads from the statistic, or from work over time, to the number, with the source of each count."""
        said = " × ".join(map(self._factor, run.factors))
        return f"× {said} = {run.factor:.15g}" if said else self.translate("none")

    def _factor(self, known: Factor) -> str:
        name = known.name.removesuffix("s") if known.value == 1 else known.name
        source = self.view.worded(known.source)
        return self.say(FACTOR, count=f"{known.value:.15g}", name=self.translate(name), source=source)

    def _other_side(self, run: Run) -> Iterator[str]:
        """How the source that contradicts the number comes to its own."""
        by = next((check for check in run.checks if check.says == "differs"), None)
        if run.other_side is None or by is None:
            return
        yield from self._heading("The other side")
        yield self._fact("check", self.view.check(by))
        yield from self._intervals(run.other_side, by.counted)
        work, seconds = sums(run.other_side)
        told = {"factor": short(work), "value": short(seconds), "result": short(work / seconds)}
        yield self._fact("computed", self.say(TIMED, **told, counted=by.counted, unit=f"{by.counted}/s"))
        other = run.value * by.ratio
        yield self._fact("scaling", f"× {other / (work / seconds):.15g}")
        yield self._fact("unrounded", f"{other:.15g} {run.unit}")

    def _together(self) -> Iterator[str]:
        result, value = self.result, f"{self.result.value:.15g}"
        if len(self.runs) > 1:
            yield from self._heading("Combined repeats")
            for run in self.runs:
                yield self._fact("repeat", f"{run.value:.15g} {result.unit}, {self.view.path(run.log)}")
        if len(self.runs) > 1 or result.operands:
            yield self._fact("computed", self.view.calculation(result)[0])
        told = {"number": value, "printed": result.digits, "how": self.view.printing(result)}
        yield self._fact("rounding", self.say("{number} rounded to {printed} ({how})", **told))

    def _variations(self) -> Iterator[str]:
        told = self.view.variations(self.result)
        if not told:
            return
        yield from self._heading("With other protocols")
        used = min(len(run.records.used) for run in self.runs)
        lines = [(self.translate("this protocol"), str(self.result.digits), "", self._records(used))]
        lines += [(name, value, change, self._records(records)) for name, value, change, records in told]
        yield from _aligned(lines)

    def _records(self, count: int) -> str:
        return self.view.worded(Message.of_count(count, *RECORDS))

    def _ends(self, told: Sequence[str], heads: int = 0) -> list[str]:
        """The first and the last rows, after the heads; those between are counted."""
        left = len(told) - heads - 2 * ENDS_SHOWN
        if left <= 1:
            return list(told)
        return [*told[: heads + ENDS_SHOWN], self.say("… {count} more", count=left), *told[-ENDS_SHOWN:]]


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns begin below each other."""
    whole = [list(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*whole, strict=True)]
    filled = ([text + " " * (n - cell_len(text)) for text, n in zip(row, widths, strict=True)] for row in whole)
    return ["  ".join(row).rstrip() for row in filled]
