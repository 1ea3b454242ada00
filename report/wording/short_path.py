"""Short paths: what the files of a page are called where their whole paths would be too long."""

from collections.abc import Iterable, Sequence, Set
from itertools import count


def short_paths(paths: Set[str]) -> dict[str, str]:
    """What each path is called: its name, with as many folders before it as tell all files of that name apart."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(_end(path, 1), []).append(path)
    return {path: short for alike in by_name.values() for path, short in _told_apart(alike)}


def _told_apart(paths: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Different paths, each with its last parts; of all as many."""
    ends = ([_end(path, parts) for path in paths] for parts in count(1))
    return zip(paths, next(found for found in ends if len(set(found)) == len(paths)), strict=True)


def _end(path: str, parts: int) -> str:
    return "/".join(path.split("/")[-parts:])
