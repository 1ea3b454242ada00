"""The columns of a grammar that reads the lines of a choice: what is written of each, and where each form has it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..grammar.field import IN_SECONDS, UNITS
from ..naming.sense import DURATION, ELAPSED, EPOCH, RATE, REMAINING, STEP, STEP_RATE, STEP_TIME, UNKNOWN, WORK, Sense
from ..naming.slots import Slot
from .choice import Choice
from .line_form import LineForm
from .proofs.proof import Proven

# Columns beside those of speed that a grammar reads where its lines have them.
_BESIDE = ("epoch", "step", "loss", "learning_rate", "gradient_norm")
CELL = r"(?:[-+]?+(?:[0-9.][0-9.:eE+-]*+%?+|(?i:nan|inf))|-++)"  # of a row of numbers
_NAME = re.compile("[a-z_]+")
_TIMES = {factor: unit for unit, factor in IN_SECONDS.items()}
_LENGTHS = {60.0: "MINUTES", 3600.0: "HOURS"}


@dataclass(frozen=True)
class GrammarColumn:
    """A column of the grammar: ``text`` as it is written, the ``names`` to import, and the ``slot`` of each form.

    ``total``: how the second number of a fraction is written.
    """

    text: str
    names: tuple[str, ...]
    slots: Mapping[LineForm, Slot]
    total: str = "INTEGER"


def grammar_columns(choice: Choice, *, has_time: bool) -> dict[str, GrammarColumn]:
    """The columns that the lines of a choice have, by name."""
    main = choice.speeds[0].series
    found = {one.role: _speed(one, choice) for one in choice.speeds}
    for one in choice.speeds:
        if one.data:
            found["reader_time"] = GrammarColumn(
                f"reader_time{{{_TIMES[one.factor]}}}", ("reader_time", _TIMES[one.factor]), one.data
            )
    if has_time and (time := _time(main.slots)):
        found["time"] = time
    for role in _BESIDE:
        slots = {form: slot for form in main.slots if (slot := _slot(form, role)) and _is_written(role, slot, form)}
        if slots and not any(slot.is_rounded for slot in slots.values()):
            text, names = _beside(role, choice)
            total = choice.speeds[0].totals.get(role, "INTEGER")
            found[role] = GrammarColumn(text, (*names, total), slots, total)
    return found


def _time(forms: Collection[LineForm]) -> GrammarColumn | None:
    """The stamps of lines, where all begin with one of the same kind, and none is of a bar."""
    stamps = {form: form.stamp for form in forms if not form.is_bar}
    kinds = {stamp.kind if stamp else None for stamp in stamps.values()}
    if len(kinds) != 1 or (kind := kinds.pop()) is None or len(stamps) < len(forms):
        return None
    slots = {form: Slot(-1, s.start, s.end, s.before, "", None) for form, s in stamps.items() if s}
    return GrammarColumn(f"time{{{kind}}}", ("time", kind), slots)


def _slot(form: LineForm, role: str) -> Slot | None:
    return form.counter if role == "step" else form.first(role)


def _speed(one: Proven, choice: Choice) -> GrammarColumn:
    series = one.series
    if one.role in (STEP, EPOCH):
        return GrammarColumn(*_beside(one.role, choice), series.slots)
    if one.role == RATE:
        scope = series.sense.scope
        unit = series.sense.unit if series.sense.unit in UNITS["throughput"] else UNKNOWN
        return GrammarColumn(
            f"throughput{{{unit}, {scope}, unknown}}", ("throughput", str(unit), scope, UNKNOWN), series.slots
        )
    if one.role in (STEP_TIME, WORK):
        unit = _TIMES[one.factor]
        kind = 'running_mean{per_epoch, "0"}' if one.is_running_mean else UNKNOWN
        return GrammarColumn(f"{one.role}{{{unit}, {kind}}}", (one.role, unit, *_NAME.findall(kind)), series.slots)
    if one.role in (DURATION, REMAINING):
        meaning = (_TIMES[one.factor], UNKNOWN) if one.role == DURATION else (_TIMES[one.factor],)
        return GrammarColumn(f"{one.role}{{{', '.join(meaning)}}}", (one.role, *meaning), series.slots)
    if one.role == ELAPSED:
        length = _LENGTHS.get(one.factor, "NUMBER")
        return GrammarColumn(f"elapsed{{{length}}}", (ELAPSED, length), series.slots)
    return GrammarColumn("step_rate{unknown}", (STEP_RATE, UNKNOWN), series.slots)


def _beside(role: str, choice: Choice) -> tuple[str, tuple[str, ...]]:
    if role not in ("step", "epoch"):
        return role, (role,)
    series = choice.speeds[0].series
    numbers = series.steps if role == "step" else series.of(role)
    return f'{role}{{"{int(not (numbers == 0).any())}"}}', (role,)


def _is_written(role: str, slot: Slot, form: LineForm) -> bool:
    """Whether a number is one of those that the column takes: steps are whole."""
    is_count = role in ("step", "epoch") and not slot.is_rounded
    return not is_count or form.written(slot).replace(",", "").isdecimal()


def told(found: Sense) -> str | None:
    """How a grammar reads the numbers under a name; None where it does not, or the name does not prove their unit."""
    if found.flags:
        return None
    if found.role == RATE and found.unit:
        unit = found.unit if found.unit in UNITS["throughput"] else UNKNOWN
        return f"throughput{{{unit}, {found.scope}, unknown}}"
    if found.role == STEP_TIME and found.factor:
        return f"step_time{{{_TIMES[found.factor]}, unknown}}"
    held = {STEP_RATE: "step_rate{unknown}", "step": 'step{"0"}', "epoch": 'epoch{"0"}', "loss": "loss"}
    return held.get(found.role)


def row_of_columns(columns: Mapping[int, str], count: int, cell: str, gap: str, sign: str) -> tuple[str, list[str]]:
    """The columns of a row that are read, with a ``sign`` between, and the terminals for those that are not.

    ``cell``, ``gap``: the expressions of one that is not read, and of what stands between two.
    """
    row, terminals, before = list[str](), list[str](), -1
    for place, held in sorted(columns.items()):
        row += [sign] if row else []
        if skipped := place - before - 1:
            row.append(f"_SKIP_{place}")
            terminals.append(f"_SKIP_{place}: /(?:{cell}{gap}){{{skipped}}}/")
        row.append(held)
        before = place
    if behind := count - before - 1:
        row.append("_BEHIND")
        terminals.append(f"_BEHIND: /(?:{gap}{cell}){{{behind}}}/")
    return " ".join(row), terminals


def rows_of_columns(names: Sequence[str], columns: Mapping[int, str], sign: str) -> str:
    """The grammar of rows of numbers, of which nothing else has as many."""
    shown = {"\t": r"\t", "|": r"\|"}.get(sign, sign)
    between = '" " _PAD?' if sign == " " else f'_PAD? "{shown[-1] if sign == "|" else shown}" _PAD?'
    row, terminals = row_of_columns(columns, len(names), CELL, " ++" if sign == " " else f" *+{shown} *+", between)
    words = {*re.findall(r"[a-z_]+", " ".join(columns.values()))}
    kind = "step_line" if "step" in words else "epoch_line"
    body = [f"// A table: {', '.join(names)}", "", f"start: {kind}", "", f"{kind}: _EDGE? {row} _EDGE?", ""]
    imported = ", ".join(sorted({*words, "NUMBER", "INTEGER"}))
    return "\n".join([*body, *terminals, "_EDGE: /[ |]++/", "_PAD: / ++/", "", f"%import .vocabulary ({imported})", ""])


def cells(line: str, sign: str) -> tuple[str, ...]:
    """The cells of a line with a sign between them."""
    return tuple(re.split(r"\s+" if sign == " " else rf"\s*{re.escape(sign)}\s*", line.strip(" |\r")))


def so_many_cells(line: str, sign: str, count: int) -> tuple[str, ...]:
    """So many cells of a line, nothing where it has more or less; names may hold single blanks."""
    ways = (cells(line, sign), tuple(re.split(r"\s{2,}", line.strip())))
    return next((row for row in ways if len(row) == count), ())


def are_numbers(row: Sequence[str]) -> bool:
    """Whether cells are those of a row of numbers."""
    return all(re.fullmatch(CELL, cell) for cell in row)
