"""An explanation as text for the terminal, in one language."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

import numpy as np
from rich.cells import cell_len

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined
from parsers.series import Series

from ..measure.checks import Check
from ..measure.diagnostics import name_of
from ..measure.measurement import Calculation
from ..measure.number import digits
from ..measure.protocol import RULE
from ..wording.words import Translate, whose, worded
from .derivation import LEFT, Derivation, Factor
from .explanation import Explanation

ENDS_SHOWN = 3
NAMES = 11  # columns that the names of facts take

BY = "{whose}, by {protocol}"
BY_RULE = "the default rule"
CONTRADICTED = "contradicted: {number} {unit}{whose}, or {other} {unit} ({ratio}×)"
OF_FORMAT = "{format}, {lines}"
LINES_IN_ALL = ("{count} line", "{count} lines")
RECORDS = ("{count} record", "{count} records")
VALUES = ("{count} value", "{count} values")
LEFT_OVER = "{records} left"
USED, SKIPPED = "{records}, {lines}", "{records}, {lines}: {reason}"
LINES, LINE = "lines {lines}", "line {lines}"
RANGE, RANGES = "{first} to {last}", "{first} to {last} in {count} ranges"
OF_LINE, OF_RANK = "line {line}: {text}", "rank {rank}: {text}"
SOURCE = "{name} ({column})"
CHECK = "{source} {says}: {number} {unit}, {ratio}× ({lines})"
TIMED = "{amount} {counted} in {seconds} seconds"
MORE = "… {count} more (listed by --values)"
STATISTIC = "{number}, the {statistic} of {values}"
FACTOR = "{count} {name} ({source})"
MEAN_OF_RANKS = "each value is the mean over {count} ranks"
SUM_OF_RANKS = "the sum of {count} ranks"
OF_STEPS = "{factors} = {samples} {counted} per step, divided by the step time"
PER_STEP = "× {factors} = {samples} {counted} per step"
NOT_SCALED: Mapping[str, str] = {
    "job": "none; the value is of the whole job",
    "node": "none; the value is of one node",
    "card": "none; the value is of one card",
}
NOT_KNOWN = "none; it is not known how many cards the value is of"
SAYS: Mapping[str, str] = {"agrees": "agrees", "differs": "differs", "silent": "decides nothing"}
COMBINED = "{number}, {how}"
ROUNDED = "{number} rounded to {printed} ({how})"
WARNING = "warning: {said}"


def ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers, at least one, as pairs of the first and the last of each run without a gap, ascending."""
    each = np.unique(numbers)
    gaps = np.flatnonzero(np.diff(each) > 1)
    return list(zip(each[np.append(0, gaps + 1)].tolist(), each[np.append(gaps, -1)].tolist(), strict=True))


def lines_shown(numbers: Sequence[int], most: int = 12) -> Message:
    """Line numbers, ``198 to 203, 205``; of very many runs how many there are."""
    runs = ranges(numbers)
    if len(runs) > most:
        return Message(RANGES, first=runs[0][0], last=runs[-1][1], count=len(runs))
    each = [Message(str(a)) if a == b else Message(RANGE, first=a, last=b) for a, b in runs]
    return joined("{first}, {second}", each)


def shown(explanation: Explanation, translate: Translate, *, colour: bool) -> str:
    """An explanation as text; long lines are left to the terminal, so that what is copied from it is whole."""
    page = StringIO()
    console = Console(page, force_terminal=colour, color_system="standard" if colour else None)
    for line in _ExplanationText(explanation, translate).lines():
        console.print(line, soft_wrap=True)
    return page.getvalue()


class _ExplanationText:
    """The lines of an explanation in the language of ``translate``."""

    def __init__(self, explanation: Explanation, translate: Translate) -> None:
        self.explanation = explanation
        self.translate = translate

    def say(self, key: str, /, **values: object) -> str:
        return worded(Message(key, **values), self.translate)

    def lines(self) -> Iterator[Text]:
        told = self.explanation
        yield Text(told.title, style="bold")
        yield self._number()
        for derivation in told.derivations:
            yield Text("")
            yield from self._derivation(derivation)
        if told.contradicts:
            yield from self._other_side(told.contradicts)
        else:
            if len(told.derivations) > 1:
                yield from self._together()
            how = joined("{first}, {second}", (Message(key, **values) for key, values in told.rounding))
            yield self._fact("rounding", self.say(ROUNDED, number=f"{told.number:.15g}", printed=told.printed, how=how))
            yield from self._variations()
        yield from (Text(self.say(WARNING, said=warning), style="yellow") for warning in told.warnings)

    def _number(self) -> Text:
        told, first = self.explanation, self.explanation.derivations[0]
        # What is no throughput says in its title whose it is.
        is_throughput = bool(told.unit) and first.measurement.unit == told.unit and not first.operations
        scope = whose(first.measurement.scope) if is_throughput else Message("")
        if by := told.contradicts:
            values = {"number": digits(told.number), "other": digits(told.number * by.ratio), "unit": told.unit}
            return Text(self.say(CONTRADICTED, **values, whose=scope, ratio=f"{by.ratio:.3f}"), style="bold red")
        words = Message(BY_RULE) if told.words == RULE else told.words
        by_protocol = self.say(BY, whose=scope, protocol=words)
        return Text.assemble((f"{told.printed} {told.unit}".strip(), "bold green"), by_protocol)

    def _fact(self, name: str, said: str) -> Text:
        label = self.translate(name)
        return Text.assemble((label + " " * max(NAMES - cell_len(label), 1), "dim"), said)

    def _heading(self, title: str) -> Iterator[Text]:
        yield from (Text(""), Text(self.translate(title), style="bold"))

    def _derivation(self, derivation: Derivation) -> Iterator[Text]:
        reading, found = derivation.reading, derivation.measurement
        name = reading.format.name if reading.format else Message("none")
        lines = Message.of_count(reading.account.total, *LINES_IN_ALL)
        yield self._fact("log", str(reading.path))
        yield self._fact("sha256", reading.sha256)
        yield self._fact("format", self.say(OF_FORMAT, format=name, lines=lines))
        stages = [
            (stage.worded(self.translate), self.say(LEFT_OVER, records=self._records(stage.left)))
            for stage in derivation.stages
        ]
        yield from (self._fact("protocol", line) for line in _aligned(stages))
        yield self._fact("source", self.say(SOURCE, name=name_of(found.estimate.name), column=found.estimate.source))
        yield from self._groups(derivation)
        yield from (self._fact("quoted", self.say(OF_LINE, line=n, text=text)) for n, text in derivation.quotes.items())
        if found.calculation is None:
            yield from self._stretches(found.series)
        else:
            yield from self._values(found.lines, found.calculation)
        yield from self._of_ranks(derivation)
        if found.estimate.counted:
            yield self._fact("scaling", self._scaling(derivation))
        yield from (self._fact("then", worded(step, self.translate)) for step in derivation.steps)
        unit = self.explanation.unit if derivation.operations else found.unit
        yield self._fact("unrounded", f"{derivation.value:.15g} {unit}".strip())
        yield from (self._fact("check", self._check(check)) for check in found.checks)

    def _groups(self, derivation: Derivation) -> Iterator[Text]:
        measured = derivation.measurement
        said = {"records": self._records(measured.records_used), "lines": _lines_named(measured.lines)}
        yield self._fact("used", self.say(USED, **said))
        for use, lines in measured.left_out.items():
            said = {"records": self._records(len(lines)), "lines": _lines_named(lines)}
            reason = Message(LEFT.format(use=use))
            yield self._fact("summed" if use == "summed" else "skipped", self.say(SKIPPED, **said, reason=reason))

    def _stretches(self, series: Series) -> Iterator[Text]:
        """The work and the seconds of each stretch, with what is printed at its end, and their sums."""
        columns = {"line": map(str, series.lines.tolist())}
        if series.timer == "clock":
            columns = {"from line": map(str, series.begins.tolist()), "to line": columns["line"]}
        if series.values is not None:
            columns["printed"] = map(_short, series.values.tolist())
        heads = [*map(self.translate, columns), series.unit, self.translate("seconds")]
        work, seconds = (map(_short, of.tolist()) for of in (series.work, series.seconds))
        rows = [heads, *zip(*columns.values(), work, seconds, strict=True)]
        yield from (self._fact("stretch", row) for row in self._ends(_aligned(rows), 1))
        sums = {"amount": f"{series.work.sum():.15g}", "seconds": f"{series.seconds.sum():.15g}"}
        yield self._fact("sum", self.say(TIMED, **sums, counted=series.unit))

    def _values(self, lines: Sequence[int], of: Calculation) -> Iterator[Text]:
        rows = zip(lines, of.values.tolist(), strict=True)
        told = [self.say(OF_LINE, line=line, text=_short(value)) for line, value in rows]
        yield from (self._fact("value", row) for row in self._ends(told))
        count = Message.of_count(len(told), *VALUES)
        said = {"number": f"{of.of_values:.15g}", "statistic": self.translate(f"statistic_{of.statistic}")}
        yield self._fact("statistic", self.say(STATISTIC, **said, values=count))

    def _of_ranks(self, derivation: Derivation) -> Iterator[Text]:
        found, ranks = derivation.measurement, derivation.measurement.ranks
        if ranks is None or not ranks.is_summed:
            return
        if found.calculation is not None:
            yield self._fact("ranks", self.say(MEAN_OF_RANKS, count=len(ranks.numbers)))
            return
        each = zip(ranks.numbers, ranks.values, strict=True)
        told = [self.say(OF_RANK, rank=rank, text=f"{value:.15g} {ranks.unit}") for rank, value in each]
        yield from (self._fact("by rank", one) for one in told)
        yield self._fact("ranks", self.say(SUM_OF_RANKS, count=len(ranks.numbers)))

    def _scaling(self, derivation: Derivation) -> str:
        """What leads from the statistic, or from work over time, to the number, with the source of each count."""
        found, calculation = derivation.measurement, derivation.measurement.calculation
        said = " × ".join(worded(_factor(known), self.translate) for known in derivation.factors)
        if not said:
            return self.translate(NOT_SCALED.get(found.scope, NOT_KNOWN))
        if found.series.counted == found.estimate.counted:
            return f"× {said}"
        key = OF_STEPS if calculation is not None and calculation.are_times else PER_STEP
        return self.say(key, factors=said, samples=f"{found.per_series:.15g}", counted=found.estimate.unit)

    def _check(self, check: Check) -> str:
        of = check.estimate
        said = {"number": digits(of.value), "unit": f"{of.unit}/s", "ratio": f"{check.ratio:.3f}"}
        lines = _lines_named(range(of.lines[0], of.lines[1] + 1))
        return self.say(CHECK, source=name_of(of.name), says=Message(SAYS[check.says]), lines=lines, **said)

    def _other_side(self, by: Check) -> Iterator[Text]:
        """How the source that contradicts the number comes to its own."""
        yield from self._heading("The other side")
        yield self._fact("check", self._check(by))
        other = self.explanation.number * by.ratio
        if by.series is not None:
            yield from self._stretches(by.series)
            yield self._fact("scaling", f"× {other / by.series.rate:.15g}")
        yield self._fact("unrounded", f"{other:.15g} {self.explanation.unit}")

    def _together(self) -> Iterator[Text]:
        yield from self._heading("Combined repeats")
        for derivation in self.explanation.derivations:
            unit = self.explanation.unit if derivation.operations else derivation.measurement.unit
            yield self._fact("repeat", f"{derivation.value:.15g} {unit}, {derivation.log}")
        how = self.translate(f"repeats_{self.explanation.protocol.repeats}")
        yield self._fact("combined", self.say(COMBINED, number=f"{self.explanation.number:.15g}", how=how))

    def _variations(self) -> Iterator[Text]:
        told = self.explanation
        if not told.variations:
            return
        yield from self._heading("With other protocols")
        used = min(derivation.measurement.records_used for derivation in told.derivations)
        rows = [(self.translate("this protocol"), told.printed, "", self._records(used))]
        for one in told.variations:
            percent = f"{round(one.percent(told.number), 2) + 0.0:+.2f}%"  # no -0.00
            rows.append((worded(one.name, self.translate), told.shown(one.value), percent, self._records(one.records)))
        yield from map(Text, _aligned(rows))

    def _records(self, count: int) -> str:
        return worded(Message.of_count(count, *RECORDS), self.translate)

    def _ends(self, rows: Sequence[str], heads: int = 0) -> list[str]:
        """The first and the last rows, after the heads; those between are counted."""
        left = len(rows) - heads - 2 * ENDS_SHOWN
        if left <= 1:
            return list(rows)
        return [*rows[: heads + ENDS_SHOWN], self.say(MORE, count=left), *rows[-ENDS_SHOWN:]]


def _short(value: float) -> str:
    return f"{value:.10g}"


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns begin below each other."""
    whole = [list(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*whole, strict=True)]
    filled = ([text + " " * (n - cell_len(text)) for text, n in zip(row, widths, strict=True)] for row in whole)
    return ["  ".join(row).rstrip() for row in filled]


def _lines_named(numbers: Sequence[int]) -> Message:
    return Message(LINE if len(set(numbers)) == 1 else LINES, lines=lines_shown(numbers))


def _factor(known: Factor) -> Message:
    name = known.name.removesuffix("s") if known.value == 1 else known.name
    return Message(FACTOR, count=f"{known.value:.15g}", name=Message(name), source=known.source.message)
