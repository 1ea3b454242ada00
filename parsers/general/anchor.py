"""Anchors: the words by which a grammar finds the place of a number in a line, or else its unit."""

import re
from collections.abc import Sequence
from itertools import takewhile

from ..naming.marks import DURATION, STAMP
from ..naming.slots import NUMBER, Slot

LONGEST_ANCHOR = 60
# What a number may begin with, wherever the name before it stands.
_BEGINS = r"[-+]?(?:[.0-9]|[nN][aA][nN]|[iI][nN][fF])"


class NoGrammarError(Exception):
    """The place of a number cannot be told by the words around it."""


def anchor(texts: Sequence[str], slots: Sequence[Slot]) -> list[str]:
    """The words before numbers: all that stand there where lines have the same, or what all of these end with."""
    return (texts[0] if are_same(texts) else _common_end([_own_before(slot) for slot in slots])).split()


def are_same(texts: Sequence[str]) -> bool:
    """Whether some texts are one, without a number."""
    return len(set(texts)) == 1 and not NUMBER.search(texts[0])


def common_begin(texts: Sequence[str]) -> list[str]:
    """The words that all texts begin with, up to the first number; raises NoGrammarError if they share none."""
    begins = zip(*(NUMBER.split(text, maxsplit=1)[0].split() for text in texts), strict=False)
    words = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, begins)]
    if not words or are_same(texts):
        raise NoGrammarError
    return words


def sought(words: Sequence[str]) -> str:
    """The expression for some words and the begin of a number behind them."""
    return r"[ \t]++".join(map(escaped, words)) + r"[ \t]*+" + _BEGINS


def where_it_begins(words: Sequence[str]) -> str:
    """The expression for where such words begin: not amid another name."""
    return r"(?<![\w.\/-])" if re.match(r"\w", words[0]) else ""


def sought_by_unit(slots: Sequence[Slot]) -> str:
    """The expression for a number and its unit; raises NoGrammarError where it has none, or several."""
    units = {slot.unit.strip() for slot in slots}
    if len(units) > 1 or not min(units):
        raise NoGrammarError
    return r"[0-9.]++[ \t]*+" + escaped(min(units))


def escaped(word: str) -> str:
    """The expression for a word, as a grammar writes it."""
    return re.escape(word).replace("/", r"\/")


def _common_end(texts: Sequence[str]) -> str:
    """The whole words that all texts end with, at most `LONGEST_ANCHOR` letters of them."""
    plain = [re.sub(r"\s+", " ", _after_marks(text)).rstrip() for text in texts]
    columns = zip(*(reversed(text) for text in plain), strict=False)
    length = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, columns))
    found = plain[0][len(plain[0]) - length :]
    if re.match(r"\w", found) and any(re.search(r"\w\Z", text[: len(text) - length]) for text in plain):
        found = re.sub(r"\A\w+", "", found)
    return found if length <= LONGEST_ANCHOR else re.sub(r"\A\S*\s", "", found[-LONGEST_ANCHOR:])


def _own_before(slot: Slot) -> str:
    """What stands before a number, without a unit that is glued to the number before it."""
    is_glued = slot.start > len(slot.before)
    return re.sub(r"\A[A-Za-z%]+[)\]\"',;]*(?=\s)", "", slot.before) if is_glued else slot.before


def _after_marks(text: str) -> str:
    """The text behind the last stamp, duration or number in it, so that no literal holds one."""
    ends = [found.end() for pattern in (STAMP, DURATION) for found in pattern.finditer(text)]
    return text[max(ends, default=0) :]
