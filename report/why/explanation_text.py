"""An explanation as text for the terminal, in one language."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from rich.cells import cell_len

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined

from ..measure.number import DEFAULT_DECIMALS, printed
from ..measure.statistic import reduce
from ..measuring.timing import Timed
from ..wording.words import Translate, whose, worded
from .derivation import REASONS, Derivation, Factor
from .explanation import Explanation
from .sensitivity import Variation

ENDS_SHOWN = 3
NAMES = 11  # columns that the names of facts take

BY = "{whose}, by {protocol}"
OF_FORMAT = "{format}, {lines}"
LINES_IN_ALL, LINE_IN_ALL = "{count} lines", "1 line"
RECORDS, RECORD = "{count} records", "1 record"
VALUES, VALUE = "{count} values", "1 value"
LEFT = "{records} left"
USED, SKIPPED = "{records}, {lines}", "{records}, {lines}: {reason}"
LINES, LINE = "lines {lines}", "line {lines}"
RANGE, RANGES = "{first} to {last}", "{first} to {last} in {count} ranges"
OF_LINE = "line {line}: {text}"
ESTIMATE = "{number} {unit}, {ratio}× (protocol: {protocol})"
TIMED = "{amount} {counted} in {seconds} seconds"
MORE = "… {count} more (listed by --values)"
STATISTIC = "{number}, the {statistic} of {values}"
FACTOR = "{count} {name} ({source})"
MEAN_OF_RANKS = "each value is the mean over {count} ranks"
OF_STEPS = "{factors} = {samples} {counted} per step, divided by the step time"
NOT_SCALED: Mapping[str | None, str] = {
    "job": "none; the value is of the whole job",
    "node": "none; the value is of one node",
    "card": "none; the value is of one card",
}
NOT_KNOWN = "none; it is not known how many cards the value is of"
COMBINED = "{number}, {how}"
ROUNDED = "{number} rounded to {printed} ({how})"
EQUALLY_VALID = "* equally valid: for a steady run it gives the same number"
WARNING = "warning: {said}"


def ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Return ascending numbers as pairs of the first and the last of each run without a gap."""
    first = last = None
    for number in numbers:
        if first is None or last is None or number > last + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def lines_shown(numbers: Sequence[int], most: int = 12) -> Message:
    """Return line numbers, ``198 to 203, 205``; of very many runs how many there are."""
    runs = list(ranges(sorted(set(numbers))))
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
        first = told.derivations[0]
        # What is no throughput says in its title whose it is.
        is_throughput = bool(told.unit) and first.measurement.unit == told.unit and not first.operations
        scope = whose(first.measurement.scope) if is_throughput else Message("")
        by = self.say(BY, whose=scope, protocol=told.words)
        yield Text(told.title, style="bold")
        yield Text.assemble((f"{told.printed} {told.unit}".strip(), "bold green"), by)
        for derivation in told.derivations:
            yield Text("")
            yield from self._derivation(derivation)
        if len(told.derivations) > 1:
            yield from self._together()
        yield self._fact("rounding", self._rounding())
        yield from self._sensitivity()
        yield from (Text(self.say(WARNING, said=warning), style="yellow") for warning in told.warnings)

    def _fact(self, name: str, said: str) -> Text:
        label = self.translate(name)
        return Text.assemble((label + " " * max(NAMES - cell_len(label), 1), "dim"), said)

    def _heading(self, title: str) -> Iterator[Text]:
        yield from (Text(""), Text(self.translate(title), style="bold"))

    def _derivation(self, derivation: Derivation) -> Iterator[Text]:
        reading, found = derivation.reading, derivation.found
        name = derivation.part.format.name if derivation.part.format else Message("none")
        lines = _counted(reading.account.total, LINE_IN_ALL, LINES_IN_ALL)
        yield self._fact("log", str(reading.path))
        yield self._fact("sha256", reading.sha256)
        yield self._fact("format", self.say(OF_FORMAT, format=name, lines=lines))
        stages = [
            (stage.worded(self.translate), self.say(LEFT, records=_records(stage.left))) for stage in derivation.stages
        ]
        yield from (self._fact("protocol", line) for line in _aligned(stages))
        yield from self._groups(derivation)
        yield from (self._fact("quoted", self.say(OF_LINE, line=n, text=text)) for n, text in derivation.quotes.items())
        yield from self._timed(derivation, found) if isinstance(found, Timed) else self._values(derivation)
        yield from self._of_ranks(derivation)
        yield self._fact("scaling", self._scaling(derivation))
        yield from (self._fact("then", worded(step, self.translate)) for step in derivation.steps)
        unit = self.explanation.unit if derivation.operations else derivation.measurement.unit
        yield self._fact("unrounded", f"{derivation.value:.15g} {unit}".strip())
        for check in derivation.checks:
            number, unit, words = check.measurement.value, check.measurement.unit, check.measurement.protocol.words()
            said = {"number": f"{number:.6g}", "unit": unit, "ratio": f"{check.ratio:.3f}", "protocol": words}
            yield self._fact("estimate", self.say(ESTIMATE, **said))

    def _groups(self, derivation: Derivation) -> Iterator[Text]:
        measured = derivation.measurement
        used = self.say(USED, records=_records(measured.records_used), lines=_lines_named(measured.lines))
        yield self._fact("used", used)
        for use, lines in measured.left_out.items():
            said = {"records": _records(len(lines)), "lines": _lines_named(lines), "reason": Message(REASONS[use])}
            yield self._fact("summed" if use == "summed" else "skipped", self.say(SKIPPED, **said))

    def _timed(self, derivation: Derivation, timed: Timed) -> Iterator[Text]:
        for row in derivation.records.to_dict("records"):
            yield self._fact("time", self.say(OF_LINE, line=row["line"], text=row[derivation.column]))
        amount, seconds = f"{timed.amount:.15g}", f"{timed.seconds:.15g}"
        yield self._fact("statistic", self.say(TIMED, amount=amount, counted=timed.counted, seconds=seconds))

    def _values(self, derivation: Derivation) -> Iterator[Text]:
        lines, values = derivation.records["line"].tolist(), derivation.values
        rows = zip(lines, values.tolist(), strict=True)
        told = [Message(OF_LINE, line=line, text=f"{value:.10g}") for line, value in rows]
        yield from (self._fact("value", worded(row, self.translate)) for row in _ends(told))
        statistic = derivation.protocol.statistic
        number, count = f"{reduce(values, statistic):.15g}", _counted(len(told), VALUE, VALUES)
        said = self.say(STATISTIC, number=number, statistic=self.translate(f"statistic_{statistic}"), values=count)
        yield self._fact("statistic", said)

    def _of_ranks(self, derivation: Derivation) -> Iterator[Text]:
        ranks = derivation.measurement.ranks
        if ranks and ranks.is_summed:
            yield self._fact("ranks", self.say(MEAN_OF_RANKS, count=len(ranks.numbers)))
        if ranks:
            yield self._fact("by rank", worded(ranks.summary, self.translate))

    def _scaling(self, derivation: Derivation) -> str:
        """What leads from the statistic to the number, with the source of each count."""
        said = " × ".join(worded(_factor(known), self.translate) for known in derivation.factors)
        if not said:
            return self.translate(NOT_SCALED.get(derivation.measurement.scope, NOT_KNOWN))
        if isinstance(derivation.found, Timed) or derivation.column == "throughput":
            return f"× {said}"
        counted = derivation.found.unit.removesuffix("/s")
        return self.say(OF_STEPS, factors=said, samples=f"{derivation.found.factor:.15g}", counted=counted)

    def _together(self) -> Iterator[Text]:
        yield from self._heading("Combined repeats")
        for derivation in self.explanation.derivations:
            measured = derivation.measurement
            unit = self.explanation.unit if derivation.operations else measured.unit
            yield self._fact("repeat", f"{derivation.value:.15g} {unit}, {derivation.log}")
        repeats = self.translate(f"repeats_{self.explanation.protocol.repeats}")
        number = f"{self.explanation.number:.15g}"
        yield self._fact("combined", self.say(COMBINED, number=number, how=repeats))

    def _rounding(self) -> str:
        protocol, number = self.explanation.protocol, self.explanation.number
        steps = [step for step in protocol.steps() if step[0].startswith(("decimals", "signif", "rounding"))]
        if len(steps) == 1:
            steps = [("decimals", {"count": DEFAULT_DECIMALS}), *steps]
        how = joined("{first}, {second}", (Message(key, **values) for key, values in steps))
        return self.say(ROUNDED, number=f"{number:.15g}", printed=self.explanation.printed, how=how)

    def _sensitivity(self) -> Iterator[Text]:
        told = self.explanation
        if not told.variations:
            return
        yield from self._heading("With other protocols")
        used = min(derivation.measurement.records_used for derivation in told.derivations)
        as_it_is = (self.translate("this protocol"), told.printed, "", worded(_records(used), self.translate))
        yield from map(Text, _aligned([as_it_is, *map(self._variation, told.variations)]))
        if any(variation.is_as_good for variation in told.variations):
            yield Text(self.translate(EQUALLY_VALID), style="dim")

    def _variation(self, variation: Variation) -> tuple[str, str, str, str]:
        name = worded(variation.name, self.translate) + (" *" if variation.is_as_good else "")
        value = printed(variation.value, self.explanation.protocol)
        percent = f"{round(variation.percent(self.explanation.number), 2) + 0.0:+.2f}%"  # no -0.00
        return name, value, percent, worded(_records(variation.records), self.translate)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns begin below each other."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    filled = ([text + " " * (n - cell_len(text)) for text, n in zip(row, widths, strict=True)] for row in rows)
    return ["  ".join(row).rstrip() for row in filled]


def _counted(count: int, one: str, several: str) -> Message:
    return Message(one) if count == 1 else Message(several, count=count)


def _records(count: int) -> Message:
    return _counted(count, RECORD, RECORDS)


def _lines_named(numbers: Sequence[int]) -> Message:
    return Message(LINE if len(set(numbers)) == 1 else LINES, lines=lines_shown(numbers))


def _ends(rows: Sequence[Message]) -> list[Message]:
    """The first and the last rows; those between are counted."""
    left = len(rows) - 2 * ENDS_SHOWN
    if left <= 1:
        return list(rows)
    return [*rows[:ENDS_SHOWN], Message(MORE, count=left), *rows[-ENDS_SHOWN:]]


def _factor(known: Factor) -> Message:
    name = known.name.removesuffix("s") if known.value == 1 else known.name
    return Message(FACTOR, count=known.value, name=Message(name), source=known.source.message)
