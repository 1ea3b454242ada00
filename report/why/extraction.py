"""Extractions: how awk finds a number in a line, by a fixed text before it or by the number of its field."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Literal

from .number_position import NumberPosition, number_of
from .preparation import Numbered

Spelling = Literal["plain", "grouped", "clock"]

LONGEST_MARK = 80
_NUMBER = re.compile(rb"[ \t\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_CLOCK = re.compile(rb"[0-9][0-9:.]*")
_DIGIT = re.compile(rb"[0-9]")
_BLANKS = b" \t"
_WORD_BEGINS = re.compile(rb"(?<![A-Za-z0-9_./-])[A-Za-z]")
# Splitting at one blank splits at runs of blanks, in awk as here.
_FIELDS = re.compile(rb"[^ \t]+")
SEPARATORS = (b" ", b"|", b",", b"\t", b";")

# awk reads the digits that a text begins with; these make a text of which that is the number.
SPELT: Mapping[Spelling, str] = {"plain": "{text}", "grouped": "ungrouped({text})", "clock": "seconds({text})"}
FUNCTIONS: Mapping[Spelling, str] = {
    "plain": "",
    "grouped": 'function ungrouped(text) { gsub(/,/, "", text); return text + 0 }\n',
    "clock": (
        "function seconds(text,  part, count, i, sum) {\n"
        '  match(text, /[0-9][0-9:.]*/); count = split(substr(text, RSTART, RLENGTH), part, ":")\n'
        "  for (i = 1; i <= count; i++) sum = sum * 60 + part[i]\n"
        "  return sum }\n"
    ),
}


def awk_string(text: bytes) -> str:
    """Return a text as awk spells it, safe within single quotes of a shell."""
    said = text.decode("utf-8", "surrogateescape")
    return '"' + "".join(_escaped(character) for character in said) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character != "'" and character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def read(text: bytes, spelling: Spelling) -> float:
    """Return the number that awk reads at the begin of a text; NaN where it reads none."""
    if spelling == "clock":
        found = _CLOCK.search(text)
        return number_of(found[0], "DURATION") if found and b".." not in found[0] else float("nan")
    number = _NUMBER.match(text.replace(b",", b"") if spelling == "grouped" else text)
    return float(number[1]) if number else float("nan")


@dataclass(frozen=True)
class Extraction:
    """How awk finds the number: after the first ``mark`` of a line, or in a ``field`` of a line that holds the mark.

    ``field``: its number from 1 after splitting at ``separator``; None where it stands after the mark.
    """

    mark: bytes
    spelling: Spelling = "plain"
    field: int | None = None
    separator: bytes = b" "

    def selects(self, line: bytes) -> bool:
        """Whether awk finds a number in a line."""
        return self.mark in line

    def of(self, line: bytes) -> float:
        """The number that awk finds in a line that it selects."""
        if self.field is None:
            return read(line[line.index(self.mark) + len(self.mark) :], self.spelling)
        fields = _FIELDS.findall(line) if self.separator == b" " else line.split(self.separator)
        return read(fields[self.field - 1], self.spelling) if len(fields) >= self.field else float("nan")

    def test(self, name: str) -> str:
        """The condition of awk that a line holds the mark, none where that is empty; ``name`` keeps its place."""
        if not self.mark:
            return ""
        found = f"index($0, {awk_string(self.mark)})"
        return f"({name} = {found})" if self.field is None else found

    def number(self, name: str) -> str:
        """The number, in awk; ``name`` is the variable of ``test``."""
        text = f"substr($0, {name} + {len(self.mark)})"
        if self.field is not None:
            text = f"${self.field}"
        return SPELT[self.spelling].format(text=text)


def extractions(places: Sequence[NumberPosition]) -> Sequence[Extraction]:
    """Return the ways to find the number in every line by the shortest text and by the longest; none where none does.

    That is by words that stand before it; else by letters and signs; else by the number of its field.
    """
    before = [place.line.text[: place.start].rstrip(_BLANKS) for place in places]
    common = common_start([text[: -LONGEST_MARK - 1 : -1] for text in before])[::-1]
    spellings: tuple[Spelling, ...] = ("clock",) if _is_clock(places) else ("plain", "grouped")
    for marks in (_by_words(common), _by_letters(common)):
        ways = [Extraction(mark, spelling) for mark in marks for spelling in spellings]
        if (shortest := _first(ways, places)) and (longest := _first(ways[::-1], places)):
            return shortest, longest
    return [way for spelling in spellings for way in _by_fields(places, spelling)]


def _first(ways: Sequence[Extraction], places: Sequence[NumberPosition]) -> Extraction | None:
    return next((way for way in ways if _stands_after(way, places)), None)


def common_start(texts: Sequence[bytes]) -> bytes:
    """Return what all of some texts begin with."""
    low, high = min(texts), max(texts)
    return low[: next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def _is_clock(places: Sequence[NumberPosition]) -> bool:
    return any(b":" in (_CLOCK.match(place.line.text, place.start) or [b""])[0] for place in places)


def _by_words(common: bytes) -> Iterator[bytes]:
    """Ends of a text that begin with a word, the shortest first."""
    yield from (common[found.start() :] for found in reversed(list(_WORD_BEGINS.finditer(common))))


def _by_letters(common: bytes) -> Iterator[bytes]:
    """Ends of a text that hold no digit, which would be one of another number."""
    signs = _DIGIT.split(common)[-1]
    yield from (signs[start:] for start in range(len(signs) - 1, -1, -1))


def _stands_after(extraction: Extraction, places: Sequence[NumberPosition]) -> bool:
    """Whether the first mark of every line is that before the number, and awk reads the number there."""
    for place in places:
        text = place.line.text
        end = text.find(extraction.mark) + len(extraction.mark)
        if end > place.start or text[end : place.start].strip(_BLANKS):
            return False
        if not isclose(extraction.of(text), place.value, rel_tol=1e-14):
            return False
    return True


def _by_fields(places: Sequence[NumberPosition], spelling: Spelling) -> Iterator[Extraction]:
    for mark in _marks(places):
        for separator in SEPARATORS:
            numbers = {_field(place, separator) for place in places}
            found = Extraction(mark, spelling, next(iter(numbers)), separator)
            if len(numbers) == 1 and all(isclose(found.of(p.line.text), p.value, rel_tol=1e-14) for p in places):
                yield found


def _field(place: NumberPosition, separator: bytes) -> int:
    before = place.line.text[: place.start]
    return len(_FIELDS.findall(before + b"0")) if separator == b" " else before.count(separator) + 1


def _marks(places: Sequence[NumberPosition]) -> list[bytes]:
    """Texts that each line of the number holds, the longest first; none at all is in every line."""
    literals = {literal.encode() for place in places for literal in place.variant.literals}
    return [*sorted((x for x in literals if all(x in p.line.text for p in places)), key=len, reverse=True)[:1], b""][:1]


# A longer list of line numbers is nothing that a shell takes as one argument.
LONGEST_LIST = 90_000


@dataclass(frozen=True)
class LineSelection:
    """From line ``first`` to line ``last``, with a ``prefix``; of these only, or all but, the ``listed`` numbers."""

    first: int
    last: int
    prefix: bytes = b""
    listed: tuple[int, ...] = ()
    is_without: bool = False

    @property
    def conditions(self) -> list[str]:
        """The conditions, all of which hold, in awk."""
        said = [f"NR >= {self.first}", f"NR <= {self.last}"] if self.first < self.last else [f"NR == {self.first}"]
        if self.prefix:
            said.append(f"index($0, {awk_string(self.prefix)}) == 1")
        if self.listed:
            numbers = " ".join(map(str, self.listed))
            said.append(f'{"!" if self.is_without else ""}index(" {numbers} ", " " NR " ")')
        return said


def selection(
    used: Sequence[Numbered], lines: Iterable[Numbered], found_by: Sequence[Extraction]
) -> LineSelection | None:
    """Return what selects the used lines among all in which the numbers can be found.

    ``used``: at least one, ascending. ``lines``: all lines of the log. None where that takes too long a list of lines.
    """
    first, last = used[0].number, used[-1].number
    numbers = {line.number for line in used}
    others = [
        line
        for line in lines
        if first <= line.number <= last and line.number not in numbers and all(x.selects(line.text) for x in found_by)
    ]
    if not others:
        return LineSelection(first, last)
    prefix = common_start([line.text for line in used])
    if prefix and not any(line.text.startswith(prefix) for line in others):
        return LineSelection(first, last, prefix)
    return _listed(first, last, sorted(numbers), [line.number for line in others])


def _listed(first: int, last: int, used: Sequence[int], others: Sequence[int]) -> LineSelection | None:
    is_without = len(others) < len(used)
    listed = tuple(others if is_without else used)
    if sum(len(str(number)) + 1 for number in listed) > LONGEST_LIST:
        return None
    return LineSelection(first, last, b"", listed, is_without)
