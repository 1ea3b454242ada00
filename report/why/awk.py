"""awk: a command to copy and paste that gives the printed digits from the raw log, or from the numbers in it."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from parsers.io.message import Message, joined

from ..measuring.protocol import Protocol
from ..measuring.timing import Timed
from . import extraction
from .calculation import EXACT, Calculation, of_records, of_repeats, printing
from .derivation import Derivation
from .finder import Finder, finder
from .sample import Term, term

# In the C locale a letter is a byte and a number has a point in every awk.
AWK = "LC_ALL=C awk"
TAB, ESCAPED_TAB = "\t", r"\t"  # awk reads both, but a terminal makes blanks of the first
SORT = "LC_ALL=C sort -n"
MOST_NUMBERS = 5000

CLOCK = (
    "The number is computed from two timestamps; the command starts from the work done between them, and its seconds."
)
UNDONE = "Each value is computed from several records; the command starts from the values, not from the log."
NOT_FOUND = "No fixed text selects exactly these numbers; the command starts from the values."
TOO_MANY = "No fixed text selects exactly these numbers, and {count} values are too many for a command."
OTHER_DIGITS = "awk does not reproduce these digits, because it rounds each operation and cannot divide by 0."


@dataclass(frozen=True)
class AwkCommand:
    """A command for a POSIX shell, None where there is none, and a sentence where it does not start from the log."""

    text: str | None
    note: Message | None = None


def command(derivation: Derivation) -> AwkCommand:
    """Return the command that prints the throughput of a log as its protocol does. Raises LogError."""
    if derivation.sample.timed is not None:
        return AwkCommand(_of_clock(derivation, derivation.sample.timed, is_rounded=True), Message(CLOCK))
    calculation = next((found for found in of_records(derivation, is_rounded=True) if found.is_right), None)
    return _calculated(derivation, calculation) if calculation else AwkCommand(None, Message(OTHER_DIGITS))


def together(derivations: Sequence[Derivation], value: float, protocol: Protocol) -> AwkCommand:
    """Return the command that prints the throughput of several logs, put together; ``value``: the same, unrounded."""
    for one_by_one in zip(*(_with_all_digits(derivation) for derivation in derivations), strict=False):
        results = [result for result, _ in one_by_one]
        calculation = next((found for found in of_repeats(results, value, protocol) if found.is_right), None)
        if calculation:
            return _joined([part for _, part in one_by_one], calculation)
    return AwkCommand(None, Message(OTHER_DIGITS))


def _with_all_digits(derivation: Derivation) -> Iterator[tuple[float, AwkCommand]]:
    """What awk comes to for one log, and the command, the plainest first."""
    if derivation.sample.timed is not None:
        text = _of_clock(derivation, derivation.sample.timed, is_rounded=False)
        return repeat((derivation.value, AwkCommand(text, Message(CLOCK))), 2)
    found = of_records(derivation, is_rounded=False)
    return ((calculation.result, _calculated(derivation, calculation)) for calculation in found)


def _joined(parts: Sequence[AwkCommand], calculation: Calculation) -> AwkCommand:
    notes = dict.fromkeys(part.note for part in parts if part.note)
    note = joined("{first} {second}", notes) if notes else None
    texts = [part.text for part in parts if part.text is not None]
    if len(texts) < len(parts):
        return AwkCommand(None, note)
    return AwkCommand(_piped("{\n" + "".join(f"{text};\n" for text in texts) + "}", calculation), note)


def _calculated(derivation: Derivation, calculation: Calculation) -> AwkCommand:
    """The command that starts from the log where it can, else from the values."""
    made_of = term(derivation.sample, derivation.part.fields, derivation.facts, derivation.protocol.records)
    if made_of and (found := finder(derivation, made_of)):
        return AwkCommand(_of_log(derivation, made_of, found, calculation))
    values = derivation.sample.values.tolist()
    if len(values) > MOST_NUMBERS:
        return AwkCommand(None, Message(TOO_MANY, count=len(values)))
    return AwkCommand(_of_values(values, calculation), Message(NOT_FOUND if made_of else UNDONE))


def _of_log(derivation: Derivation, made_of: Term, found: Finder, calculation: Calculation) -> str:
    names = ("i", "j")
    functions = "".join(dict.fromkeys(extraction.FUNCTIONS[x.spelling] for x in found.extractions))
    tests = [x.test(name) for x, name in zip(found.extractions, names, strict=False)]
    number = made_of.awk.format(*(x.number(name) for x, name in zip(found.extractions, names, strict=False)))
    conditions = " && ".join(filter(None, dict.fromkeys([*found.selection.conditions, *tests])))
    head = f"{functions}{found.preparation.rule}{conditions}"
    if calculation.loop.is_sorted:
        numbers = f'{head} {{ printf "%.17g\\n", {number} }}'
        return _piped(found.preparation.command(derivation.log, _awk(numbers, found)), calculation)
    program = f"{head} {{ {calculation.loop.each.format(number)} }}\nEND {{ {calculation.end()} }}"
    return found.preparation.command(derivation.log, _awk(program, found))


def _awk(program: str, found: Finder | None = None) -> str:
    separators = {x.separator.decode() for x in found.extractions if x.field} - {" "} if found else set()
    options = [shlex.quote(separator.replace(TAB, ESCAPED_TAB)) for separator in separators]
    return f"{' -F '.join([AWK, *options])} '\n{program}'"


def _piped(numbers: str, calculation: Calculation) -> str:
    """Numbers, one a line, as the values of a calculation."""
    program = f"{{ {calculation.loop.each.format('$1')} }}\nEND {{ {calculation.end()} }}"
    sort = [SORT] if calculation.loop.is_sorted else []
    return " | ".join([numbers, *sort, _awk(program)])


def _of_values(values: Sequence[float], calculation: Calculation) -> str:
    return _piped(rf"printf '%s\n' {' '.join(map(repr, values))}", calculation)


def _of_clock(derivation: Derivation, timed: Timed, *, is_rounded: bool) -> str:
    measured = derivation.measurement
    shown = printing(derivation.value, measured.protocol) if is_rounded else f'printf "{EXACT}\\n", x'
    rate = f"{timed.amount!r} / {timed.seconds!r}"
    for operation in derivation.operations:
        rate = operation.awk.format(rate)
    return f"{AWK} 'BEGIN {{ x = sprintf(\"{EXACT}\", {rate}); {shown} }}'"
