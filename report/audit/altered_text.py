"""Altered texts: where a file says otherwise than the text that it is to hold, line by line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
    line in the file, None where it is missing. ``right``: what it is to be, None where there is to be no such line.
    """

    line: int
    stood: str | None
    right: str | None

    @property
    def excerpts(self) -> tuple[str | None, str | None]:
        """The words that differ: those that stand there, and those that should; None where there is no such line."""
        if self.stood is None or self.right is None:
            return _shortened(self.stood), _shortened(self.right)
        start, end = _common(self.stood, self.right)
        stood, right = (_shortened(line[start : len(line) - end]) for line in (self.stood, self.right))
        return stood, right

    def touches(self, first: int, length: int) -> bool:
        """Whether some characters of the line, from a column on, are among those that are not as they are to be."""
        if self.stood is None or self.right is None:
            return self.stood is not None
        start, end = _common(self.stood, self.right)
        return first - 1 < len(self.stood) - end and first - 1 + length > start


def altered(stood: str, right: str) -> Iterator[Alteration]:
    """The lines of a file that are not as they are to be; every difference but that of line ends, also at
    the end of the file, and of a byte order mark is in one of them.

    The fewest differences, by place where that are no more: it shows what stands where, as after a swap.
    """
    lines, wanted = _lines(stood.removeprefix("\ufeff").rstrip("\r\n")), _lines(right.rstrip("\r\n"))
    by_place = [Alteration(n, *pair) for n, pair in enumerate(zip_longest(lines, wanted), 1) if pair[0] != pair[1]]
    if len(lines) > 2 * len(wanted) + MORE_LINES:
        found = by_place[:1]
    else:
        by_content = list(_by_content(lines, wanted)) if by_place else []
        found = by_place if len(lines) == len(wanted) and len(by_place) <= len(by_content) else by_content
    yield from (replace(one, line=min(one.line, len(lines))) for one in found)


def _lines(text: str) -> list[str]:
    """The lines of a text; where all end as on Windows, as an editor or git may make them, without that."""
    if "\r" in text and text.count("\r\n") == text.count("\n") == text.count("\r"):
        text = text.replace("\r\n", "\n")
    return text.split("\n")


def _by_content(lines: Sequence[str], wanted: Sequence[str]) -> Iterator[Alteration]:
    """The differences between what both begin and end with, which ``difflib`` would compare for long."""
    start, end = _same(lines, wanted)
    lines, wanted = lines[start : len(lines) - end], wanted[start : len(wanted) - end]
    for tag, first, last, *between in SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes():
        for at, right in zip_longest(range(first, last), wanted[slice(*between)]) if tag != "equal" else ():
            yield Alteration(start + (last if at is None else at) + 1, None if at is None else lines[at], right)


def _same(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many parts are the same at the beginning of both, and then at the end."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    back = zip(reversed(one[start:]), reversed(other[start:]), strict=False)
    return start, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], back))


def _common(one: str, other: str) -> tuple[int, int]:
    """How many characters at the beginning and at the end of two lines are the same, whole words and numbers only."""
    parts = _WORDS.findall(one)
    start, end = _same(parts, _WORDS.findall(other))
    return sum(map(len, parts[:start])), sum(map(len, parts[len(parts) - end :]))


def _shortened(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST:
        return text
    half = (LONGEST - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
