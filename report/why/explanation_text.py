"""Ranges of line numbers, as readers and awk take them."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from parsers.io.console import Console, Text
from parsers.io.message import counted

from ..measuring.number import DEFAULT_DECIMALS, printed
from ..measuring.statistic import reduce
from ..wording.words import whose, words
from .calculation import samples
from .derivation import REASONS, Derivation
from .explanation import Explanation
from .sample import Factor
from .sensitivity import Variation


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


def lines_shown(numbers: Sequence[int], most: int = 12) -> str:
    """Return line numbers in one text, ``198 to 203, 205``; of very many runs how many there are."""
    runs = list(ranges(sorted(set(numbers))))
    if len(runs) > most:
        return f"{runs[0][0]} to {runs[-1][1]} in {len(runs)} ranges"
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)


ENDS_SHOWN = 3
NAMES = 11  # columns that the names of facts take


def shown(explanation: Explanation, *, colour: bool) -> str:
    """An explanation as text; long lines are left to the terminal, so that what is copied from it is whole."""
    page = StringIO()
    console = Console(page, force_terminal=colour, color_system="standard" if colour else None)
    for line in _lines(explanation):
        console.print(line, soft_wrap=True)
    return page.getvalue()


def _lines(explanation: Explanation) -> Iterator[Text]:
    scope = whose(explanation.derivations[0].measurement.scope)
    yield Text(explanation.title, style="bold")
    yield Text.assemble((f"{explanation.printed} {explanation.unit}", "bold green"), f"{scope}, by {explanation.words}")
    for derivation in explanation.derivations:
        yield Text("")
        yield from _derivation(derivation)
    if len(explanation.derivations) > 1:
        yield from _together(explanation)
    yield _fact("rounding", _rounding(explanation))
    yield from _sensitivity(explanation)
    yield from (Text(f"warning: {warning}", style="yellow") for warning in explanation.warnings)
    yield from _command(explanation)


def _fact(name: str, said: str) -> Text:
    return Text.assemble((f"{name:<{NAMES}}", "dim"), said)


def _heading(title: str) -> Iterator[Text]:
    yield from (Text(""), Text(title, style="bold"))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns begin below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _derivation(derivation: Derivation) -> Iterator[Text]:
    reading, part = derivation.reading, derivation.part
    yield _fact("log", str(reading.path))
    yield _fact("sha256", reading.sha256)
    yield _fact("format", f"{part.format.name if part.format else 'none'}, {counted(reading.account.total, 'line')}")
    stages = [(stage.words, f"{_records(stage.left)} left") for stage in derivation.stages]
    yield from (_fact("protocol", line) for line in _aligned(stages))
    yield from _groups(derivation)
    yield from (_fact("quoted", f"line {line}: {text}") for line, text in derivation.quotes.items())
    yield from _timed(derivation) if derivation.sample.timed else _values(derivation)
    yield from _of_ranks(derivation)
    yield _fact("scaling", _scaling(derivation))
    yield _fact("unrounded", f"{derivation.measurement.value:.15g} {derivation.measurement.unit}")
    for check in derivation.checks:
        found = check.measurement
        said = f"{found.value:.6g} {found.unit}, {check.ratio:.3f}× (protocol: {found.protocol.words()})"
        yield _fact("estimate", said)


def _groups(derivation: Derivation) -> Iterator[Text]:
    measured = derivation.measurement
    yield _fact("used", f"{_records(measured.records_used)}, {_lines_named(measured.lines)}")
    for use, lines in measured.left_out.items():
        name = "summed" if use == "summed" else "skipped"
        yield _fact(name, f"{_records(len(lines))}, {_lines_named(lines)}: {REASONS[use]}")


def _records(count: int) -> str:
    return counted(count, "record")


def _lines_named(numbers: Sequence[int]) -> str:
    return f"{'line' if len(set(numbers)) == 1 else 'lines'} {lines_shown(numbers)}"


def _timed(derivation: Derivation) -> Iterator[Text]:
    used = derivation.sample
    for row in used.records.to_dict("records"):
        yield _fact("time", f"line {row['line']}: {row[used.column]}")
    if used.timed:
        yield _fact("statistic", f"{used.timed.amount:.15g} {used.timed.counted} in {used.timed.seconds:.15g} seconds")


def _values(derivation: Derivation) -> Iterator[Text]:
    lines, values = derivation.sample.records["line"].tolist(), derivation.sample.values
    rows = [f"line {line}: {value:.10g}" for line, value in zip(lines, values.tolist(), strict=True)]
    yield from (_fact("value", row) for row in _ends(rows))
    name = derivation.protocol.statistic.replace("_", " ")
    statistic = reduce(values, derivation.protocol.statistic)
    yield _fact("statistic", f"{statistic:.15g}, the {name} of {len(rows)} {'value' if len(rows) == 1 else 'values'}")


def _ends(rows: Sequence[str]) -> list[str]:
    """The first and the last rows; those between are counted."""
    left = len(rows) - 2 * ENDS_SHOWN
    if left <= 1:
        return list(rows)
    return [*rows[:ENDS_SHOWN], f"… {left} more (listed by --json)", *rows[-ENDS_SHOWN:]]


def _of_ranks(derivation: Derivation) -> Iterator[Text]:
    ranks = derivation.measurement.ranks
    if ranks and ranks.is_summed:
        yield _fact("ranks", f"each value is the mean over {len(ranks.numbers)} ranks")
    if ranks:
        yield _fact("by rank", str(ranks))


def _scaling(derivation: Derivation) -> str:
    """What leads from the statistic to the number, with the source of each count."""
    said = " × ".join(f"{_count(known)} ({known.source})" for known in derivation.factors)
    if not said:
        return f"none; the value is{whose(derivation.measurement.scope)}"
    if derivation.sample.column == "throughput":
        return f"× {said}"
    return f"{said} = {samples(derivation):.15g} {_counted(derivation)} per step, divided by the step time"


def _count(known: Factor) -> str:
    name = known.name.removesuffix("s") if known.value == 1 else known.name
    return f"{known.value} {name}"


def _counted(derivation: Derivation) -> str:
    return derivation.sample.step[1] if derivation.sample.step else "samples"


def _together(explanation: Explanation) -> Iterator[Text]:
    yield from _heading("Combined repeats")
    for derivation in explanation.derivations:
        measured = derivation.measurement
        yield _fact("repeat", f"{measured.value:.15g} {measured.unit}, {derivation.log}")
    repeats = words("en").gettext(f"repeats_{explanation.protocol.repeats}")
    yield _fact("combined", f"{explanation.number:.15g}, {repeats}")


def _rounding(explanation: Explanation) -> str:
    steps = [step for step in explanation.protocol.steps() if step[0].startswith(("decimals", "signif", "rounding"))]
    if len(steps) == 1:
        steps = [("decimals", {"count": DEFAULT_DECIMALS}), *steps]
    said = ", ".join(words("en").gettext(key).format(**values) for key, values in steps)
    return f"{explanation.number:.15g} rounded to {explanation.printed} ({said})"


def _sensitivity(explanation: Explanation) -> Iterator[Text]:
    if not explanation.variations:
        return
    yield from _heading("With other protocols")
    used = min(derivation.measurement.records_used for derivation in explanation.derivations)
    as_it_is = ("this protocol", explanation.printed, "", _records(used))
    rows = [as_it_is, *(_variation(variation, explanation) for variation in explanation.variations)]
    yield from map(Text, _aligned(rows))
    if any(variation.is_as_good for variation in explanation.variations):
        yield Text("* equally valid: for a steady run it gives the same number", style="dim")


def _variation(variation: Variation, explanation: Explanation) -> tuple[str, str, str, str]:
    mark = " *" if variation.is_as_good else ""
    value = printed(variation.value, explanation.protocol)
    percent = f"{round(variation.percent(explanation.number), 2) + 0.0:+.2f} %"  # no -0.00
    return f"{variation.name}{mark}", value, percent, _records(variation.records)


def _command(explanation: Explanation) -> Iterator[Text]:
    yield from _heading("Reproduce with awk")
    if explanation.command.note:
        yield Text(explanation.command.note)
    if explanation.command.text is not None:
        yield from (Text(line, style="cyan") for line in explanation.command.text.split("\n"))
