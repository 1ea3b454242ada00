"""Candidates: the logs of a site that may back a number, found by folder and case without looking at all others."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..published.document import Link
from ..published.labels import Value
from ..published.published_numbers import PublishedNumber
from ..published.published_site import Backing, DeadLink, PublishedSite
from ..published.site_logs import Log

Case = Mapping[str, Value]
Fit = tuple[float, ...]

_ARE_LOGS = re.compile(r"(?<![a-z])logs?(?![a-z])", re.IGNORECASE)


class Candidates:
    """The logs of a site, each kind of number answered once for all numbers of its kind.

    ``may_back``: whether a log can be meant for a case. ``of_case``: how well it fits the case, the first thing that
    counts. ``axes``: those on which both depend.
    """

    def __init__(
        self,
        site: PublishedSite,
        backings: Sequence[Backing],
        may_back: Callable[[Case, Backing], bool],
        of_case: Callable[[Case, Backing], Fit],
        axes: Sequence[str],
    ) -> None:
        self._site, self._may_back, self._of_case, self._axes = site, may_back, of_case, axes
        self._by_folder: dict[str, list[Backing]] = {}
        for backing in backings:
            for folder in (backing.log.path, *map(str, Path(backing.log.path).parents)):
                self._by_folder.setdefault("" if folder == "." else folder, []).append(backing)
        self._by_case: dict[tuple[str, tuple[Value | None, ...]], Fitting] = {}
        self._by_name: dict[tuple[str, ...], list[Backing]] = {}
        for backing in backings:
            for name in dict.fromkeys(backing.log.names):
                self._by_name.setdefault(name, []).append(backing)
        self._of_columns: dict[tuple[str, tuple[str, ...]], Sequence[Backing]] = {}
        self._by_link: dict[tuple[Path | None, Link | None], list[Backing]] = {}
        for backing in backings:
            if backing.link:
                self._by_link.setdefault((backing.page, backing.link), []).append(backing)
        self._targets: dict[tuple[Path, str], str | None] = {}
        self._folders: dict[Path, str] = {}
        self._beside: dict[str, list[Backing]] = {}
        self._dead: dict[Path, list[DeadLink]] = {}
        for link in site.dead:
            self._dead.setdefault(link.page, []).append(link)

    def dead(self, page: Path) -> Sequence[DeadLink]:
        """The dead links of a page."""
        return self._dead.get(page, ())

    def of_link(self, page: Path, link: Link) -> Sequence[Backing]:
        """The logs that a link of a page leads to."""
        return self._by_link.get((page, link), ())

    def beside(self, page: Path) -> Sequence[Backing]:
        """The logs right in the folder of a page, or in a folder of logs there."""
        folder = self._folder_of(page)
        if folder not in self._beside:
            depth = len(Path(folder).parts)
            names = ((one, Path(one.log.path).parts[depth:]) for one in self._by_folder.get(folder, ()))
            self._beside[folder] = [one for one, rest in names if len(rest) == 1 or _ARE_LOGS.search(rest[0])]
        return self._beside[folder]

    def named(self, names: Iterable[tuple[str, ...]]) -> Sequence[Backing]:
        """The logs that have one of some names, or that lie in a folder that has."""
        return [backing for name in names for backing in self._by_name.get(name, ())]

    def folders(self, number: PublishedNumber) -> list[str]:
        """Where to look: what the labels of the number link to, then the folder of the page; each once."""
        linked = [self._target(number.page, link.address) for link in number.links]
        return list(
            dict.fromkeys([*(path for path in linked if path not in (None, "", ".")), self._folder_of(number.page)])
        )

    def _folder_of(self, page: Path) -> str:
        if page not in self._folders:
            self._folders[page] = self._site.folder_of(page)
        return self._folders[page]

    def _target(self, page: Path, address: str) -> str | None:
        key = (page, address)
        if key not in self._targets:
            self._targets[key] = self._site.target(page, address)
        return self._targets[key]

    def fitting(self, folder: str, case: Case) -> "Fitting":
        """The logs of a folder that may back a case, and fit it as well as any of them."""
        key = (folder, tuple(case.get(axis) for axis in self._axes))
        if key not in self._by_case:
            possible = [one for one in self._by_folder.get(folder, ()) if self._may_back(case, one)]
            self._by_case[key] = Fitting(best(possible, [self._of_case(case, one) for one in possible]))
        return self._by_case[key]

    def of_column(self, folder: str, name: tuple[str, ...]) -> Sequence[Backing]:
        """The logs of a folder whose paths hold the name of a column."""
        if (folder, name) not in self._of_columns:
            self._of_columns[folder, name] = named_with(self._by_folder.get(folder, ()), name)
        return self._of_columns[folder, name]


@dataclass(frozen=True, eq=False)
class Fitting:
    """Logs that fit a case alike; those of many that share most words with a number are found all at once."""

    backings: Sequence[Backing]

    def best(self, number: PublishedNumber) -> list[Backing]:
        """Those whose paths have a word that only its row has, then most words of its labels and fewest others.

        Then those in the fewest folders.
        """
        shared = self._shared(number.words)
        kept = np.arange(len(self.backings))
        for fits in (self._shared(number.row_words) > 0, shared - 0.01 * (self._sizes - shared), -self._depths):
            kept = kept[fits[kept] == fits[kept].max()]
        return [self.backings[place] for place in kept.tolist()]

    def _shared(self, words: Iterable[str]) -> NDArray[np.int64]:
        """How many of some words the path of each log has."""
        counts = np.zeros(len(self.backings), dtype=np.int64)
        for word in words:
            counts[self._having.get(word, [])] += 1
        return counts

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        return np.array([len(one.log.words) for one in self.backings], dtype=np.int64)

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        return np.array([len(Path(one.log.path).parts) for one in self.backings], dtype=np.int64)

    @cached_property
    def _having(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, one in enumerate(self.backings):
            for word in one.log.words:
                found.setdefault(word, []).append(place)
        return found


def named_with(backings: Sequence[Backing], name: tuple[str, ...]) -> list[Backing]:
    """Those whose path holds a name, with the fewest other words beside it."""
    others = [_others(backing.log, name) for backing in backings]
    least = min((count for count in others if count is not None), default=None)
    return [backing for backing, count in zip(backings, others, strict=True) if count is not None and count == least]


def _others(log: Log, name: tuple[str, ...]) -> int | None:
    """How many other words there are beside a name where the path of a log has it; None where it has it not."""
    found = [len(own) - len(name) for own in log.names if _holds(own, name)]
    return min(found, default=None)


def _holds(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(words[start : start + len(name)] == name for start in range(len(words) - len(name) + 1))


def best(backings: Sequence[Backing], fits: Sequence[Fit]) -> list[Backing]:
    """Those whose fit is the best; several where nothing distinguishes them."""
    highest = max(fits, default=())
    return [backing for backing, fit in zip(backings, fits, strict=True) if fit == highest]
