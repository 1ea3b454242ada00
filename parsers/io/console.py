"""Console: styled text on a terminal. The styles are ours alone; the text is made printable wherever it comes from."""

import sys
from collections.abc import Iterable
from typing import IO, Any

import rich.console
import rich.text
from rich.segment import Segment

from .printable import printable, printable_lines


class Text(rich.text.Text):
    """A line of styled text; what is not seen is escaped, newlines too, so that it is one line."""

    def __init__(self, text: object = "", style: Any = "", **options: Any) -> None:
        super().__init__(printable(text), style, **options)

    def append(self, text: Any, style: Any = None) -> "Text":
        """Add a text at the end."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self

    @classmethod
    def assemble(cls, *parts: Any, **options: Any) -> "Text":
        """Put parts together, each a text, or one and its style."""
        made = cls(**options)
        for part in parts:
            made.append(*(part if isinstance(part, tuple) else (part,)))
        return made


class Console(rich.console.Console):
    """A console that takes no text for markup and lets no escape of others through, whatever is printed."""

    def __init__(self, file: IO[str] | None, **options: Any) -> None:
        super().__init__(file=file, highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """The pieces of what is printed: their text is made printable, and control codes are those of the console."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)


def live(*, err: bool = False) -> Console:
    """A console on the terminal itself: its control codes go past the stream that makes all else printable."""
    return Console(sys.__stderr__ if err else sys.__stdout__)


def show(page: str) -> None:
    """Print what a console wrote, whose colours only a terminal takes."""
    out = sys.__stdout__ if sys.stdout.isatty() else None
    (out or sys.stdout).write(page)
