"""Patterns: the text by which a page file finds some logs, and no others."""

import glob
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from pathlib import Path

from ...evidence.case_runs import logs_of
from ...pagefile.page import Axis, Value

_NOT_SEEN = re.compile(r"[^\S ]")
_WORDS = re.compile(r"\d+|[^\W\d_]+")


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


def template_of(patterns: Sequence[str], cases: Sequence[Mapping[Axis, Value]]) -> str | None:
    """One pattern with axes in braces that is each of ``patterns`` in its case; None where there is none."""
    first, *others = [_WORDS.split(pattern) for pattern in patterns]
    words = [_WORDS.findall(pattern) for pattern in patterns]
    if any(other != first for other in others) or len({*map(len, words)}) > 1:
        return None
    text = first[0]
    for each, after in zip(zip(*words, strict=True), first[1:], strict=True):
        word = each[0] if len({*each}) == 1 else _axis(each, cases)
        if word is None:
            return None
        text += word + after
    return text


def _axis(words: Sequence[str], cases: Sequence[Mapping[Axis, Value]]) -> str | None:
    """The axis whose values some words are, in braces."""
    found = (axis for axis in cases[0] if [str(case.get(axis, "")) for case in cases] == list(words))
    return next((f"{{{axis}}}" for axis in found), None)


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
    before = _common_begin(names)
    after = _common_begin([name[len(before) :][::-1] for name in names])[::-1]
    return f"{_literal(before)}*{_literal(after)}"


def _common_begin(names: Sequence[str]) -> str:
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
