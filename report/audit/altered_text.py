"""Altered texts: where a file says otherwise than the text that it is to hold, line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest

MORE_LINES = 1000  # of a page, beyond twice those that it is to have; of what is longer the first difference is told
LONGEST = 160  # characters of an excerpt
CUT = " … "


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
    the end of the file, and of a byte order mark is in one of them."""
    if stood == right:
        return
    lines, wanted = _lines(stood.removeprefix("\ufeff").rstrip("\r\n")), _lines(right.rstrip("\r\n"))
    if lines == wanted:
        return
    if len(lines) > 2 * len(wanted) + MORE_LINES:
        yield next(_by_place(lines, wanted, 0))
        return
    start = _same(lines, wanted)
    end = _same(lines[start:][::-1], wanted[start:][::-1])
    for found in _aligned(lines[start : len(lines) - end], wanted[start : len(wanted) - end], start):
        yield replace(found, line=min(found.line, len(lines)))


def _lines(text: str) -> list[str]:
    """The lines of a text; where all end as on Windows, as an editor or git may make them, without that."""
    if "\r" in text and text.count("\r\n") == text.count("\n") == text.count("\r"):
        text = text.replace("\r\n", "\n")
    return text.split("\n")


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines, or characters, at the beginning are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _aligned(lines: Sequence[str], wanted: Sequence[str], start: int) -> list[Alteration]:
    """The fewest differences, by place where that are no more: it shows what stands where, as after a swap."""
    by_content = list(_by_content(lines, wanted, start))
    by_place = list(_by_place(lines, wanted, start)) if len(lines) == len(wanted) else by_content
    return min(by_place, by_content, key=len)


def _by_place(lines: Sequence[str], wanted: Sequence[str], start: int) -> Iterator[Alteration]:
    for number, (stood, right) in enumerate(zip_longest(lines, wanted), start + 1):
        if stood != right:
            yield Alteration(number, stood, right)


def _by_content(lines: Sequence[str], wanted: Sequence[str], start: int) -> Iterator[Alteration]:
    for tag, first, last, first_wanted, last_wanted in SequenceMatcher(
        None, lines, wanted, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            pairs = zip_longest(range(first, last), wanted[first_wanted:last_wanted])
            for at, right in pairs:
                yield Alteration(start + (last if at is None else at) + 1, None if at is None else lines[at], right)


def _common(one: str, other: str) -> tuple[int, int]:
    """How many characters at the beginning and at the end of two lines are the same, whole words and numbers only."""
    start = _same(one, other)
    end = _same(one[start:][::-1], other[start:][::-1])
    while start and _is_of_word(one[start - 1]):
        start -= 1
    while end and _is_of_word(one[len(one) - end]):
        end -= 1
    return start, end


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in ".,%+-_\u2021"


def _shortened(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST:
        return text
    half = (LONGEST - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
