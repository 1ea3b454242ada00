"""From an accepted speed to a grammar of the project that reads the log the same, with the option as its annotation."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from .judge import EPOCH, LEFT, LINE, STEP, STEPS
from .log import Column, Form, Table
from .option import BAR, CLOCK
from .speed import Speed
from .text import BAR as BAR_PATTERN
from .text import BAR_CLOCK, NUMBER, Field

_COUNTED = ("images", "samples", "sequences", "tokens", "words", "environment_steps")
_LENGTHS = {1e-3: "milliseconds", 1.0: "seconds", 60.0: "minutes", 3600.0: "hours"}
_STAMPS = {
    "STAMP": r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?",
    "COMPACT_STAMP": r"\d{8}[ T-]\d\d:\d\d:\d\d(?:[.,]\d+)?",
    "YEARLESS_STAMP": r"\d\d[-/]?\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?",
}
_BESIDE = ("epoch", "loss", "learning_rate", "gradient_norm")
_PIECE = re.compile(r"[,;|\t{}]|\s{2,}|(?<=\])|\)\s")
MOST_ALTERNATIVES = 12  # more orders of the same columns are no format


class NoGrammarError(ValueError):
    """The lines cannot be written as one rule; its only argument says what stands in the way."""


@dataclass(frozen=True)
class _Column:
    text: str
    fields: dict[Form, Field]


def draft(speed: Speed) -> str:
    """A grammar for the lines of a speed. Raises NoGrammarError."""
    column = speed.verdict.column
    table = column.table
    columns = [*_beside(table), *([] if speed.option.target == CLOCK else [_Column(_written(speed), column.fields)])]
    if any(c.meaning.role == "elapsed" and c.meaning.name == BAR_CLOCK for c in table.columns):
        columns += [
            _Column("elapsed{DURATION}", c.fields)
            for c in table.columns
            if c.meaning.name == BAR_CLOCK and c.meaning.role == "elapsed" and all(f.clock for f in c.fields.values())
        ]
    writer = _Writer(table, column.fields)
    orders: dict[tuple, list[Form]] = {}
    for form in dict.fromkeys(
        row.form for row in table.rows if row.form in column.fields or speed.option.target == CLOCK
    ):
        here = sorted((c for c in columns if form in c.fields), key=lambda c: c.fields[form].start)
        orders.setdefault(
            tuple((c.text, c.fields[form].total is not None, _anchor(form, c.fields[form])) for c in here), []
        ).append(form)
    if len(orders) > MOST_ALTERNATIVES:
        raise NoGrammarError("orders")
    lines = [
        writer.alternative([next(c for c in columns if c.text == text) for text, *_ in order], forms)
        for order, forms in sorted(orders.items(), key=lambda item: -len(item[0]))
    ]
    kind = (
        "step_line"
        if table.step is not None and table.step in table.columns
        else "epoch_line"
        if table.epoch
        else "summary_line"
    )
    return _grammar(speed, kind, list(dict.fromkeys(lines)), writer)


def _written(speed: Speed) -> str:
    """The column of the vocabulary that a speed is."""
    h = speed.option.hypothesis
    mean = 'running_mean{per_run, "0"}' if h.is_mean else "unknown"
    if h.kind == "rate" and h.counts == "steps" and h.factor == 1.0:
        return f"step_rate{{{mean}}}"
    if h.kind == "rate" and h.counts != "epochs" and h.factor == 1.0:
        return f"throughput{{{h.counts if h.counts in _COUNTED else 'unknown'}, {h.scope or 'unknown'}, {mean}}}"
    unit = _LENGTHS.get(h.factor)
    if unit is None or h.kind == "rate":
        raise NoGrammarError("unit")
    if h.per == STEP:
        return f"step_time{{{unit}, {mean}}}"
    if h.per in (LINE, STEPS, EPOCH):
        return f"duration{{{unit}}}"
    if h.per == LEFT:
        return f"remaining{{{unit}}}"
    clock = any(f.clock for f in speed.verdict.column.fields.values())
    return f"elapsed{{{'DURATION' if clock else {'minutes': 'MINUTES', 'hours': 'HOURS'}.get(unit, 'NUMBER')}}}"


def _beside(table: Table) -> list[_Column]:
    """The counters and losses of a table, each once a line."""
    found = []
    if table.step is not None and table.step in table.columns and (table.step.values % 1 == 0).all():
        found.append(_Column(f'step{{"{int(not (table.step.values == 0).any())}"}}', table.step.fields))
    for role in _BESIDE:
        column: Column | None = next((c for c in table.columns if c.meaning.role == role and not c.meaning.flags), None)
        if column is None or column is table.step:
            continue
        if role == "epoch":
            if (column.values[column.values == column.values] % 1).any() or not all(
                "." not in row.digits(column.fields[row.form].place)
                for row in table.rows[:50]
                if row.form in column.fields
            ):
                continue
            found.append(_Column(f'epoch{{"{int(not (column.values == 0).any())}"}}', column.fields))
        else:
            found.append(_Column(role, column.fields))
    return found


def _anchor(form: Form, field: Field) -> str:
    """The text before a number by which a line is known to hold it: its name and the sign, without blanks at the ends."""
    piece = _PIECE.split(field.before)[-1].strip()
    if not re.search("[A-Za-z一-鿿]", piece):
        tail = re.search(r"(?<![A-Za-z一-鿿])[A-Za-z一-鿿][^\d]{0,30}\Z", field.before)
        piece = (
            field.before[tail.start() :].strip()
            if tail and tail.start()
            else field.before.strip()
            if len(field.before.strip()) < 30
            else piece
        )
    return re.sub(r"^[^A-Za-z一-鿿\"'\[(]+(?=[A-Za-z])", "", piece)


class _Writer:
    """Writes alternatives, and keeps the terminals that they need."""

    def __init__(self, table: Table, main: dict[Form, Field]) -> None:
        self.table = table
        self.terminals: dict[str, str] = {}
        texts = {row.form: row.text for row in table.rows}
        self.texts = texts

    def alternative(self, columns: list[_Column], forms: list[Form]) -> str:
        parts = self._stamp(forms)
        if self.table.bar:
            parts += self._bar(forms)
            bar = BAR_PATTERN.search(self.texts[forms[0]])
            columns = [
                c for c in columns if bar is None or c.fields[forms[0]].start > bar.start()
            ]  # its name is read as text
        for place, column in enumerate(columns):
            field = column.fields[forms[0]]
            anchors = {_anchor(form, column.fields[form]) for form in forms}
            anchor = max(anchors, key=len) if len(anchors) == 1 else _common_end(anchors)
            if not (self.table.bar and field.total is not None):
                parts += self._way(anchor, field, forms[0], first=place == 0)
            parts.append(column.text)
            if field.total is not None:
                parts += ['"/"', "INTEGER"]
            elif field.unit.strip(" ()[]") and (field.meaning is not None):
                units = {column.fields[form].unit.strip() for form in forms}
                parts += [_literal(word) for word in units.pop().split()] if len(units) == 1 else []
        return " ".join([*parts, "_REST?"])

    def _stamp(self, forms: list[Form]) -> list[str]:
        """The moment at the start of the lines, where all have one of a kind behind the same sign."""
        if self.table.bar:
            return []
        texts = [row.text for row in self.table.rows if row.form in forms]
        for kind, pattern in _STAMPS.items():
            found = [re.match(rf"\s*([\[(<]?)(?:{pattern})(?!\d)", text) for text in texts]
            if all(found) and len({m[1] for m in found if m}) == 1:
                sign = next(m[1] for m in found if m)
                return [*([_literal(sign)] if sign else []), f"time{{{kind}}}"]
        return []

    def _bar(self, forms: list[Form]) -> list[str]:
        """The name of a bar, its percentage and its picture."""
        text = self.texts[forms[0]]
        bar = BAR_PATTERN.search(text)
        if bar is None:
            raise NoGrammarError("bar")
        name = NUMBER.sub(" # ", text[: bar.start()]).split()
        self.terminals["_BAR"] = r"/[0-9]{1,3}+%(?:\|[^|\n]*+\|)?/"
        return [*("NUMBER" if word == "#" else _literal(word) for word in name), "_BAR"]

    def _way(self, anchor: str, field: Field, form: Form, *, first: bool) -> list[str]:
        """What stands before a column: whatever it is up to its name, and the name; or up to a number with its unit."""
        number = r"[ \t]*+[-+]?[0-9.nN]"
        if re.search("[A-Za-z一-鿿]", anchor):
            words = anchor.split()
            edge = self._edge(words[0], field, form)
            sought = r"[ \t]*+".join(re.escape(word).replace("/", r"\/") for word in words)
            name = self._terminal(rf"/(?!{edge}{sought}{number})[^ \t\n][^\n]*?(?={edge}{sought}{number})/")
            return [f"{name}?", *map(_literal, words)]
        unit = field.unit.strip()
        if unit:
            sought = rf"[-+]?[0-9][0-9.,eE+-]*+[ ]?{re.escape(unit).replace('/', chr(92) + '/')}"
            name = self._terminal(rf"/(?!{sought})[^ \t\n][^\n]*?(?=(?<![\w.]){sought})/")
            return [f"{name}?"]
        if field.total is not None:
            sought = rf"{re.escape(anchor)}[ \t]*+[0-9]++ *+\/"
            name = self._terminal(rf"/(?!{sought})[^ \t\n][^\n]*?(?={sought})/")
            return [f"{name}?", *map(_literal, anchor.split())]
        signs = [w for w in anchor.split() if w]
        if first and len(signs) <= 1:
            return [_literal(w) for w in signs]
        if not first and len(anchor) <= 6:
            return [_literal(w) for w in signs]
        raise NoGrammarError("nameless")

    def _edge(self, word: str, field: Field, form: Form) -> str:
        """What may not stand before a name: no letters of another name; no path, but where these lines have one there."""
        if not word[:1].isalnum():
            return ""
        text = self.texts[form]
        start = text.rfind(word, 0, field.start)
        return r"(?<![\w.])" if text[start - 1 : start] in ("/", "-", ".") else r"(?<![\w.\/-])"

    def _terminal(self, pattern: str) -> str:
        name = next((n for n, known in self.terminals.items() if known == pattern), f"_TO_{len(self.terminals) + 1}")
        self.terminals[name] = pattern
        return name


def _common_end(texts: set[str]) -> str:
    """The words that all texts end with."""
    ends = [text.split()[::-1] for text in texts]
    kept = []
    for words in zip(*ends, strict=False):  # the shortest ends first
        if len(set(words)) > 1:
            break
        kept.append(words[0])
    return " ".join(reversed(kept))


def _literal(word: str) -> str:
    return '"' + word.replace("\\", r"\\").replace('"', r"\"") + '"'


def _grammar(speed: Speed, kind: str, alternatives: list[str], writer: _Writer) -> str:
    wrapped = [
        " \\\n    ".join(textwrap.wrap(a, 116, break_long_words=False, break_on_hyphens=False)) for a in alternatives
    ]
    body = f"{kind}: " + "\n    | ".join(wrapped)
    used = set(re.findall(r"(?<![\"\w])[a-zA-Z_]+(?=[{ },\"\n]|$)", re.sub(r'"(?:\\.|[^"\\])*"', '""', body)))
    names = sorted(
        {n for n in used if not n.startswith("_") and n not in ("step_line", "epoch_line", "summary_line")} | {"BLANK"}
    )
    digits = [row.digits(f.place) for row in writer.table.rows[:500] for f in row.form.fields if f.meaning]
    grouped = any("," in d for d in digits)
    scaled = any(f.scale != 1 for form in writer.texts for f in form.fields)
    override = ["%override NUMBER: SCALED"] if scaled else ["%override NUMBER: GROUPED"] if grouped else []
    names += (["SCALED"] if scaled else ["GROUPED"] if grouped else []) + (
        ["NUMBER"] if override and "NUMBER" not in names else []
    )
    if "_REST?" in body:
        writer.terminals["_REST"] = r"/[^ \t\n][^\n]*+/"
    findings = [f"// {f.witness.value} ({f.by}): {f.ratio:.3g}" for f in speed.findings]
    return "\n".join(
        [
            f"// Drafted: {speed.column or BAR}",
            f"// --read '{speed.read}'",
            *findings,
            "",
            f"start: {kind}",
            "",
            body,
            "",
            *(f"{n}: {p}" for n, p in writer.terminals.items()),
            "",
            f"%import .vocabulary ({', '.join(names)})",
            *override,
            "%ignore BLANK",
            "",
        ]
    )
