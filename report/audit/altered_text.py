"""Altered texts: where a file says otherwise than the text that it is to hold, line by line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest

MORE_LINES = 1000  # of a page, beyond twice those that it is to have; of what is longer the first difference is told
LONGEST = 160  # characters of an excerpt
CUT = " … "
_WORDS = re.compile(r"[\w.,%+\u2021-]+|.", re.DOTALL)


@dataclass(frozen=True)
class Alteration:
    """One line that is not as it is to be.

    ``line``: its number in the file, from 1; of a line that is not there, that of the line in its place. ``stood``: the
    words that differ, as they stand in the file, from the character ``start`` on; None where the line is missing.
    ``right``: what they are to be, None where there is to be no such line.
    """

    line: int
    stood: str | None
    right: str | None
    start: int = 0

    @classmethod
    def of(cls, line: int, stood: str | None, right: str | None) -> "Alteration":
        """A line beside what it is to be: what both begin and end with, in whole words and numbers, is left out."""
        if stood is None or right is None:
            return cls(line, stood, right)
        parts, wanted = _WORDS.findall(stood), _WORDS.findall(right)
        start = _same(parts, wanted)
        behind = _same(parts[start:][::-1], wanted[start:][::-1])
        stood, right = ("".join(some[start : len(some) - behind]) for some in (parts, wanted))
        return cls(line, stood, right, sum(map(len, parts[:start])))

    @property
    def excerpts(self) -> tuple[str | None, str | None]:
        """The words that differ, not too long: those that stand there, and those that should."""
        return _shortened(self.stood), _shortened(self.right)

    def touches(self, first: int, length: int) -> bool:
        """Whether some characters of the line, from a column on, are among those that are not as they are to be."""
        return self.stood is not None and self.start < first - 1 + length and first - 1 < self.start + len(self.stood)


def altered(stood: str, right: str) -> Iterator[Alteration]:
    """The lines of a file that are not as they are to be.

    Every difference is in one of them, but that of line ends, also at the end of the file, and of a byte order mark.
    """
    lines = stood.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n").split("\n")
    wanted = right.replace("\r\n", "\n").rstrip("\n").split("\n")
    if len(lines) > 2 * len(wanted) + MORE_LINES:  # comparing them would take long
        at = _same(lines, wanted)
        yield Alteration.of(at + 1, lines[at], wanted[at] if at < len(wanted) else None)
        return
    for tag, first, last, *between in SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes():
        for at, one in zip_longest(range(first, last), wanted[slice(*between)]) if tag != "equal" else ():
            number = min(last if at is None else at, len(lines) - 1) + 1
            yield Alteration.of(number, None if at is None else lines[at], one)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal parts both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _shortened(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST:
        return text
    half = (LONGEST - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
