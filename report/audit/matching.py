"""Matching: which logs back a published number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .labels import Value
from .published_numbers import PublishedNumber
from .published_site import Backing, DeadLink, PublishedSite

# Axes on which a log must not say otherwise than the number; batch size may, which is a finding.
DECISIVE = ("cards", "nodes", "device", "framework", "precision")
HALF = ("amp", "fp16", "bf16", "fp8")
FULL = ("fp32", "tf32")


@dataclass(frozen=True)
class Match:
    """The logs that may back a number, the best first, and the dead links that were meant to."""

    backings: tuple[Backing, ...]
    dead: tuple[DeadLink, ...]


def agree(axis: str, one: Value, other: Value) -> bool:
    """Whether two values of an axis can be those of one case: half precisions are told apart by few."""
    if axis == "precision":
        return one == other or any(one in family and other in family for family in (HALF, FULL))
    return one == other


def conflicts(case: Mapping[str, Value], said: Mapping[str, Value], axes: Iterable[str] = DECISIVE) -> list[str]:
    """The axes on which two cases cannot be one."""
    return [axis for axis in axes if axis in case and axis in said and not agree(axis, case[axis], said[axis])]


def match(number: PublishedNumber, site: PublishedSite) -> Match:
    """The logs of a number: those that contradict it nowhere, of the nearest folder that has any."""
    dead = tuple(d for d in site.dead if d.page == number.page and _is_meant(number, d))
    return Match(_nearest(number, site, site.backings), dead)


def match_by_name(number: PublishedNumber, site: PublishedSite) -> tuple[Backing, ...]:
    """The logs of a number by their own names, whatever the links of the page say."""
    return _nearest(number, site, site.by_name)


def _nearest(number: PublishedNumber, site: PublishedSite, backings: Sequence[Backing]) -> tuple[Backing, ...]:
    possible = [backing for backing in backings if _may_back(number, backing)]
    for folder in _folders(number, site):
        inside = [backing for backing in possible if _is_inside(backing.log.path, folder)]
        if inside:
            return _best(number, inside)
    return ()


def _may_back(number: PublishedNumber, backing: Backing) -> bool:
    """Whether a log can be meant: it names its cards or nodes, and contradicts the number nowhere."""
    counted = ("cards", "nodes") if "cards" in number.case or "nodes" in number.case else ()
    names_it = not counted or any(a in number.case and number.case[a] == backing.said.get(a) for a in counted)
    return names_it and not _without_derived(number.case, backing.said)


def _without_derived(case: Mapping[str, Value], said: Mapping[str, Value]) -> list[str]:
    """The conflicts; nodes count only where one of both does not name its cards."""
    found = conflicts(case, said)
    return [axis for axis in found if axis != "nodes" or not ("cards" in case and "cards" in said)]


def _is_meant(number: PublishedNumber, dead: DeadLink) -> bool:
    return bool(set(dead.said) & set(number.case) & {"cards", "nodes"}) and not conflicts(number.case, dead.said)


def _folders(number: PublishedNumber, site: PublishedSite) -> Sequence[str]:
    """Where to look: what the labels of the number link to, then the folder of the page."""
    linked = [site.target(number.page, link.address) for link in number.links]
    existing = [path for path in linked if path is not None and path not in ("", ".")]
    return [*existing, site.folder_of(number.page)]


def _is_inside(path: str, folder: str) -> bool:
    return not folder or path == folder or Path(path).is_relative_to(folder)


def _best(number: PublishedNumber, backings: Sequence[Backing]) -> tuple[Backing, ...]:
    """The logs that fit best, several only where nothing tells them apart; one log once."""
    ranked = sorted(backings, key=lambda backing: _fit(number, backing), reverse=True)
    best = [backing for backing in ranked if _fit(number, backing) == _fit(number, ranked[0])]
    return tuple({backing.log.path: backing for backing in best[::-1]}.values())[::-1]


def _fit(number: PublishedNumber, backing: Backing) -> tuple[float, ...]:
    case, said = number.case, backing.said
    same = {axis: axis in case and said.get(axis) == case[axis] for axis in (*DECISIVE, "batch_size")}
    words = len(number.words & backing.log.words) - 0.01 * len(backing.log.words - number.words)
    folders = -len(Path(backing.log.path).parts)
    linked_here = backing.page == number.page
    known = sum(same[axis] for axis in ("framework", "device", "cards", "nodes"))
    return (known, same["batch_size"], same["precision"], linked_here, words, folders)
