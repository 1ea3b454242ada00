"""Patterns: the text by which a page file finds some logs, and no others."""

import glob
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby, takewhile
from pathlib import Path

from ..pagefile.parts import Axis, Case, Value
from ..results.store import logs_of

_NOT_SEEN = re.compile(r"[^\S ]")


def pattern_of(folder: Path, paths: Sequence[str], others: Collection[str] = ()) -> str | None:
    """The pattern for `logs` of a run that finds just these logs below a folder; None where there is none.

    ``others``: logs that it may find as well, because they are never evidence. Tried in this order: the path itself;
    ``*`` for each name of the path that differs; the characters that differ, one by one.
    """
    for pattern in _candidates(paths):
        found = set(logs_of(folder, pattern))
        if set(paths) <= found <= {*paths, *others}:
            return pattern.replace("{", "{{").replace("}", "}}")
    return None


Files = dict[Axis, dict[str, str]]


def template_of(patterns: Sequence[str], cases: Sequence[Case]) -> tuple[str, Files] | None:
    """One pattern with axes in braces that is each of ``patterns`` in its case; None where there is none.

    With it how paths spell the values of an axis, where that is otherwise than the case. An axis stands where the paths
    of two cases differ that differ in it alone.
    """
    text, case = patterns[0], cases[0]
    spans: dict[tuple[int, int], Axis] = {}
    files: Files = {}
    for axis in case:
        alone = [
            at for at, other in enumerate(cases) if all((other[one] != case[one]) == (one == axis) for one in case)
        ]
        ways = [found for widened in _WIDER if (found := _spelt(patterns, cases, axis, alone, widened))]
        if not ways:
            return None
        span, spelt = next((way for way in ways if all(str(value) == said for value, said in way[1].items())), ways[-1])
        if any(span[0] < end and start < span[1] for start, end in spans):
            return None
        spans[span] = axis
        if any(str(value) != said for value, said in spelt.items()):
            files[axis] = {str(value): said for value, said in spelt.items()}
    for (start, end), axis in sorted(spans.items(), reverse=True):
        text = f"{text[:start]}{{{axis}}}{text[end:]}"
    for pattern, one in zip(patterns, cases, strict=True):
        values = {axis: files.get(axis, {}).get(str(value), str(value)) for axis, value in one.items()}
        if text.format_map({str(axis): value for axis, value in values.items()}) != pattern.format_map({}):
            return None
    return text, files


# What a value of an axis may be in a path: digits, or letters and digits.
_WIDER = (str.isdigit, str.isalnum)


def _spelt(
    patterns: Sequence[str], cases: Sequence[Case], axis: Axis, alone: Sequence[int], widened: Callable[[str], bool]
) -> tuple[tuple[int, int], dict[Value, str]] | None:
    """Where the first pattern states an axis, and how each value is spelt there; ``alone``: cases that differ in it."""
    first = patterns[0]
    if not alone:
        return None
    start = min(len(_common([first, patterns[at]])) for at in alone)
    left = min(len(_common([first[start:][::-1], patterns[at][start:][::-1]])) for at in alone)
    end = len(first) - left
    while start and widened(first[start - 1]) and (widened(first[start : start + 1]) or start == end):
        start -= 1
    while end < len(first) and widened(first[end]) and (widened(first[end - 1 : end]) or start == end):
        end += 1
    rest = len(first) - end
    spelt = {cases[0][axis]: first[start:end]}
    spelt |= {cases[at][axis]: patterns[at][start : len(patterns[at]) - rest] for at in alone}
    return ((start, end), spelt) if all(said and "/" not in said for said in spelt.values()) else None


def _candidates(paths: Sequence[str]) -> Iterator[str]:
    if len(paths) == 1:
        yield _literal(paths[0])
        return
    parts = [path.split("/") for path in paths]
    if len({*map(len, parts)}) == 1:
        yield "/".join(_starred([*names], whole=True) for names in zip(*parts, strict=True))
        yield "/".join(_starred([*names], whole=False) for names in zip(*parts, strict=True))
    if len({*map(len, paths)}) == 1:
        yield "".join(_one_of([*characters]) for characters in zip(*paths, strict=True))


def _starred(names: list[str], *, whole: bool) -> str:
    """Names of one place of the paths, with ``*`` for what differs."""
    if len({*names}) == 1:
        return _literal(names[0])
    if whole and all(name.isdecimal() for name in names):
        return "*"
    before = _common(names)
    after = _common([name[len(before) :][::-1] for name in names])[::-1]
    return f"{_literal(before)}*{_literal(after)}"


def _common(names: Sequence[str]) -> str:
    """What all names begin with."""
    columns = takewhile(lambda characters: len({*characters}) == 1, zip(*names, strict=False))
    return "".join(characters[0] for characters in columns)


def _one_of(characters: list[str]) -> str:
    several = sorted({*characters})
    if len(several) == 1:
        return _literal(several[0])
    return f"[{''.join(several)}]" if all(c.isalnum() and c.isascii() for c in several) else "?"


def _literal(text: str) -> str:
    """A text that stands for itself; a character that cannot stand on a line of a page file is any one character."""
    return "".join(
        glob.escape("".join(some)) if is_seen else "?" * len([*some]) for is_seen, some in groupby(text, _is_seen)
    )


def _is_seen(character: str) -> bool:
    return character.isprintable() and not _NOT_SEEN.match(character) and len(character.splitlines()) < 2
