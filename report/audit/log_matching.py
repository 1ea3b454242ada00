"""Matching: which logs of a site back a published number, by links, names and folders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.reading import Reading

from ..published.labels import Value
from ..published.printed_cell import PrintedCell
from ..published.published_numbers import PublishedNumber
from ..published.published_site import Backing, DeadLink, PublishedSite
from ..published.site_logs import Log
from .candidates import Candidates, Fitting, best, named_with

# Axes on which a log must not say otherwise than the number; batch size may, which is a finding.
SHARING = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
DECISIVE = ("cards", "nodes", "device", "framework", "precision", *SHARING)
NAMED = "{axis} {value}"
# A value of an axis, in words.
STATED: Mapping[str, str] = {
    "nodes": "nodes {value}",
    "cards": "cards {value}",
    "batch_size": "batch size {value}",
    "precision": "precision {value}",
    "device": "device {value}",
    "framework": "framework {value}",
}
HALF = ("amp", "fp16", "bf16", "fp8")
FULL = ("fp32", "tf32")
MOST_RUNS_OF_A_LOG = 20  # each of which is tried


@dataclass(frozen=True)
class Match:
    """The logs that may back a number, the best first, and the dead links that were meant to."""

    backings: tuple[Backing, ...]
    dead: tuple[DeadLink, ...]


def agree(axis: str, one: Value, other: Value) -> bool:
    """Whether two values of an axis can be those of one case: few pages distinguish half precisions."""
    if axis == "precision":
        return one == other or any(one in family and other in family for family in (HALF, FULL))
    return one == other


def is_of_job(axis: str, own: Value, value: Value, facts: Mapping[str, Fact]) -> bool:
    """Whether a number's batch size may be that of the whole job, where its log has ``value`` for a card."""
    cards = facts["cards"].value if "cards" in facts else None
    if axis != "batch_size" or not (isinstance(own, int) and isinstance(value, int) and isinstance(cards, int)):
        return False
    return own == value * cards


def stated(axis: str, value: Value) -> Message:
    """An axis and its value: ``batch size 32``."""
    return Message(STATED.get(axis, NAMED), axis=axis.replace("_", " "), value=value)


def conflicts(case: Mapping[str, Value], said: Mapping[str, Value], axes: Iterable[str] = DECISIVE) -> list[str]:
    """The axes on which two cases cannot be one."""
    return [axis for axis in axes if axis in case and axis in said and not agree(axis, case[axis], said[axis])]


def runs_meant(reading: Reading, stated: Sequence[tuple[str, Value]]) -> list[int | None]:
    """Which runs of a log a number of a stated case may be of, from 1; None is the log as a whole.

    Where these labels tell its runs apart, the number is of one that fits them: the whole is of several cases then.
    """
    runs = reading.facts_of_runs
    if not 1 < len(runs) <= MOST_RUNS_OF_A_LOG:
        return [None]
    fitting = [number for number, facts in enumerate(runs, 1) if not any(_denies(facts, *one) for one in stated)]
    return [*fitting] if 0 < len(fitting) < len(runs) else [None, *fitting]


def _denies(facts: Mapping[str, Fact], axis: str, value: Value) -> bool:
    return axis in facts and facts[axis].value != value


class Matcher:
    """Finds the logs of numbers among those of a site."""

    def __init__(self, site: PublishedSite) -> None:
        self.site = site
        self._all = self._candidates(site.backings)

    @cached_property
    def _named(self) -> Candidates:
        return self._candidates(self.site.by_name)

    def _candidates(self, backings: Sequence[Backing]) -> Candidates:
        return Candidates(self.site, backings, _may_back, _fit_of_case, (*DECISIVE, "batch_size"))

    def match(self, number: PublishedNumber) -> Match:
        """The logs of a number: those that contradict it nowhere, of the nearest folder that has any.

        What sums up other rows has none.
        """
        if number.sums_up:
            return Match((), ())
        dead = tuple(d for d in self._all.dead(number.page) if _is_meant(number, d))
        return Match(_nearest(number, self._all), dead)

    def by_name(self, number: PublishedNumber) -> tuple[Backing, ...]:
        """The logs of a number by their own names, whatever the links of the page say."""
        return _nearest(number, self._named)


def is_named_for(number: PublishedNumber, log: Log) -> bool:
    """Whether the own name of a log says as many cards or nodes as a number, and nothing else than its labels."""
    return _may_back(number.case, Backing(log, log.named))


def _nearest(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    if (own := _of_own_links(number, candidates)) or number.is_prose:
        return own
    if named := candidates.named(number.row_names) if number.column_name else ():
        return tuple(
            one for one in named_with(named, number.column_name) if not _without_derived(number.case, one.said)
        )
    for folder in candidates.folders(number):
        if number.column_name:
            if named := _of_case(number, candidates.of_column(folder, number.column_name)):
                return _best(number, Fitting(best(named, [_shared_names(number, one) for one in named])))
        elif (fitting := candidates.fitting(folder, number.case)).backings:
            return _best(number, fitting)
    return _by_words(number, candidates)


def _of_own_links(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    """The log that the cell of a number links to, its head, or its row, where that is one and of no other case."""
    for links in number.linked[:2]:
        found = {backing.log.path: backing for link in links for backing in candidates.of_link(number.page, link)}
        fitting = [one for one in found.values() if number.is_prose or not _without_derived(number.case, one.said)]
        if len(fitting) == 1:
            return (fitting[0],)
    return ()


def _of_case(number: PublishedNumber, backings: Sequence[Backing]) -> list[Backing]:
    return [backing for backing in backings if _may_back(number.case, backing)]


def _shared_names(number: PublishedNumber, backing: Backing) -> tuple[float, ...]:
    """How many words of the names of a row the path of a log has."""
    own = {word for name in backing.log.names for word in name}
    return (len(own & {word for name in number.row_names for word in name}),)


def _by_words(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    """The only log in the folder of a page whose name holds what tells the row of a number from the other rows."""
    beside = candidates.beside(number.page) if number.row_words else ()
    found = [backing for backing in beside if number.row_words & backing.log.words]
    fitting = [backing for backing in found if not _without_derived(number.case, backing.said)]
    return (fitting[0],) if len(fitting) == 1 else ()


def _may_back(case: Mapping[str, Value], backing: Backing) -> bool:
    """Whether a log can be meant: it names its cards or nodes, and contradicts the case nowhere."""
    counted = ("cards", "nodes") if "cards" in case or "nodes" in case else ()
    names_it = not counted or any(a in case and case[a] == backing.said.get(a) for a in counted)
    return names_it and not _without_derived(case, backing.said)


def _without_derived(case: Mapping[str, Value], said: Mapping[str, Value]) -> list[str]:
    """The conflicts; nodes count only where one of both does not name its cards."""
    found = conflicts(case, said)
    return [axis for axis in found if axis != "nodes" or not ("cards" in case and "cards" in said)]


def is_itself(number: PublishedNumber, dead: DeadLink) -> bool:
    """Whether a number is itself the text of a dead link."""
    return dead.link in number.linked[0] and PrintedCell.of(dead.link.text) is not None


def _is_meant(number: PublishedNumber, dead: DeadLink) -> bool:
    if is_itself(number, dead):
        return True
    return bool(set(dead.said) & set(number.case) & {"cards", "nodes"}) and not conflicts(number.case, dead.said)


def _best(number: PublishedNumber, fitting: Fitting) -> tuple[Backing, ...]:
    """The logs that fit best of those that fit the case, several only where nothing distinguishes them; one once."""
    linked = [backing for backing in fitting.backings if backing.page == number.page]
    found = (Fitting(linked) if linked else fitting).best(number)
    return tuple({backing.log.path: backing for backing in found[::-1]}.values())[::-1]


def _fit_of_case(case: Mapping[str, Value], backing: Backing) -> tuple[float, ...]:
    """How much of a case the words of a log say."""
    same = {axis: axis in case and backing.said.get(axis) == case[axis] for axis in (*DECISIVE, "batch_size")}
    known = sum(same[axis] for axis in ("framework", "device", "cards", "nodes"))
    return (known, same["batch_size"], same["precision"])
