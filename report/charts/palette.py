"""The palette: a colour for each framework, the same in all charts, tables and pages; labels never need it."""

import re
from collections.abc import Iterable, Mapping
from zlib import crc32

# The colours on a light and on a dark ground; each has a contrast of 4 to 1 at least to its own.
FAMILIES: Mapping[str, tuple[str, str]] = {
    "paddle": ("#0b63b5", "#5aa9f5"),
    "tensorflow": ("#c4570a", "#f0954a"),
    "torch": ("#a3357f", "#e07ac0"),
    "mxnet": ("#1f8a70", "#4cc2a4"),
}
OTHERS: Mapping[str, tuple[str, str]] = {
    "other-1": ("#6a4fc0", "#a996f5"),
    "other-2": ("#8a6a00", "#d9b13b"),
    "other-3": ("#4b6a88", "#9bb6d0"),
    "other-4": ("#9c3f33", "#ee9385"),
}
LOOKS = {**FAMILIES, **OTHERS}
ALL = tuple(f"c-{name}" for name in LOOKS)


def look(title: str) -> str:
    """The class of the colour of a framework by the title of its column; an unknown one always has the same, too."""
    named = [family for family in FAMILIES if family in title.lower()]
    if len(named) == 1:
        return f"c-{named[0]}"
    word = re.sub(r"[\W\d_]+", " ", title.lower()).strip()
    return f"c-{[*OTHERS][crc32(word.encode()) % len(OTHERS)]}"


def rules(looks: Iterable[str] = ALL, *, dark: bool) -> str:
    """The colours of classes as rules of a style sheet for a light or a dark ground."""
    return "".join(f".{one}{{--c:{LOOKS[one.removeprefix('c-')][dark]}}}" for one in looks)
