"""Where a line breaks that carries the marks of a metric line: Lark parses it and says what it expected."""

from collections.abc import Iterable
from dataclasses import dataclass

from lark.exceptions import UnexpectedInput
from lark.lexer import PatternStr, TerminalDef

from .format import Format


@dataclass(frozen=True)
class Break:
    """A line (physical number from 1), the column (from 1) where it breaks, and what could have stood there."""

    line: int
    column: int
    text: str
    expected: tuple[str, ...]

    def __str__(self) -> str:
        """Three lines: where, the text around, and a caret."""
        start = max(0, self.column - 41)
        shown = "".join(
            c if c.isprintable() else "\ufffd" for c in self.text[start : self.column + 39].replace("\t", " ")
        )
        caret = " " * (self.column - 1 - start) + "^"
        return f"line {self.line}, column {self.column}: expected {' or '.join(self.expected)}\n{shown}\n{caret}"


def explain(fmt: Format, number: int, line: bytes) -> Break | None:
    """Where a line that resembles a metric line of the format breaks; None when Lark has nothing against it."""
    text = line.decode("utf-8", "replace")
    try:
        fmt.judge.parse(text)
    except UnexpectedInput as error:
        return _break(fmt, number, text, error)
    return None


def _break(fmt: Format, number: int, text: str, error: UnexpectedInput) -> Break:
    column = error.column if isinstance(error.column, int) and error.column > 0 else len(text.rstrip()) + 1
    names: Iterable[object] = getattr(error, "allowed", None) or getattr(error, "expected", None) or ()
    terminals = {terminal.name: terminal for terminal in fmt.judge.terminals}
    wanted = sorted(_shown(terminals.get(str(name)), str(name)) for name in names)
    return Break(number, column, text, tuple(wanted) or ("something else",))


def _shown(terminal: TerminalDef | None, name: str) -> str:
    """A literal as it is printed, any other terminal by its name."""
    if terminal is not None and isinstance(terminal.pattern, PatternStr):
        return f'"{terminal.pattern.value}"'
    return "the end of the line" if name == "$END" else name.removeprefix("vocabulary__").strip("_")
