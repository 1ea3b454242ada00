"""Changes: what differs between the runs of two sides, each thing named once, with all places that state it.

A thing differs where the values that the runs of one side have are not those of the other. What only one side records
is no difference: nothing is known of the other. A word of a command that only repeats a change is not named again.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from parsers.runs.run_folder import RUN_FILE

from .compared_runs import ComparedRun
from .conditions import WORDS, Condition, StatedAt, StatedRun, conditions, sections, stated_run

ABSENT = "-"
# What is the product of others: it is named only where these do not explain it.
PRODUCTS: Mapping[str, Sequence[str]] = {
    "cards": ("nodes", "cards_per_node"),
    "data_parallel": ("cards",),
    "job_batch_size": ("batch_size", "cards", "accumulation"),
    "job_batch_tokens": ("batch_size", "cards", "accumulation", "sequence_length"),
}
# Longer commands and values are compared as a whole.
MOST_WORDS, LONGEST_WORD = 2000, 1000
# How many cards a job has is stated in several ways.
OF_CARDS = ("nodes", "cards", "cards_per_node", "data_parallel")
# What makes two machines two: the noise between these is not that between repeats on one.
OF_MACHINE = (
    *("device", "environment.gpus", "environment.gpu_memory_mib", "environment.cpu", "environment.cores"),
    "scheduler.nodes",
)

Values = tuple[str, ...]
StatedPlaces = tuple[StatedAt, ...]


@dataclass(frozen=True)
class ChangedCondition:
    """One thing that differs: its name in neutral words, and for each side its values and where they are stated."""

    name: str
    values: tuple[Values, Values]
    places: tuple[StatedPlaces, StatedPlaces]

    @property
    def said(self) -> tuple[str, str]:
        """The values of each side as text, ``-`` where it has none."""
        a, b = (" / ".join(values) or ABSENT for values in self.values)
        return a, b


@dataclass(frozen=True)
class _Stated:
    """What the runs of one side say: by name the values with their places, and the first condition of that name.

    ``sections``: what all of them record.
    """

    told: Mapping[str, Mapping[str, StatedPlaces]]
    first: Mapping[str, Condition]
    sections: frozenset[str]


def changes(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> list[ChangedCondition]:
    """What differs between two sides, at least one run each, in the order in which their runs state it."""
    return stated_changes(*([stated_run(run) for run in side] for side in (a, b)))


def stated_changes(a: Sequence[StatedRun], b: Sequence[StatedRun]) -> list[ChangedCondition]:
    """The same for runs of which only the conditions are known."""
    sides = _stated(a), _stated(b)
    found = _without_products(list(_by_thing(sides)))
    for name in WORDS:
        found = _with_words(found, name, a[0], b[0])
    return found


def unrecorded(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> tuple[list[str], list[str]]:
    """The parts of run.json that the runs of each side lack, and those of the other side have."""
    of_a, of_b = (
        {name for name in _stated([stated_run(run) for run in side]).sections if name and "." not in name}
        for side in (a, b)
    )
    return sorted(of_b - of_a), sorted(of_a - of_b)


def of_machine(found: Sequence[ChangedCondition]) -> list[ChangedCondition]:
    """The changes that make it another machine."""
    return [change for change in found if change.name in OF_MACHINE]


def _stated(runs: Sequence[StatedRun]) -> _Stated:
    told: dict[str, dict[str, StatedPlaces]] = {}
    first: dict[str, Condition] = {}
    for condition in (condition for run in runs for condition in conditions(run)):
        places = told.setdefault(condition.name, {})
        places[condition.value] = (*places.get(condition.value, ()), condition.place)
        first.setdefault(condition.name, condition)
    return _Stated(told, first, frozenset.intersection(*(frozenset(sections(run)) for run in runs)))


def _by_thing(sides: tuple[_Stated, _Stated]) -> Iterator[ChangedCondition]:
    """The changes of all names; those of one thing as one, by the name that tells it first."""
    found: dict[str, ChangedCondition] = {}
    for name in dict.fromkeys((*sides[0].told, *sides[1].told)):
        if (change := _change(name, sides)) is not None:
            thing = _first(name, sides).thing
            first = found.setdefault(thing, change)
            if first is not change:
                found[thing] = _with_places(first, change.places)
    yield from found.values()


def _change(name: str, sides: tuple[_Stated, _Stated]) -> ChangedCondition | None:
    a, b = (side.told.get(name, {}) for side in sides)
    is_known = all(name in side.told or _first(name, sides).section in side.sections for side in sides)
    if a.keys() == b.keys() or not is_known or (not (a and b) and _is_of_run_file(a or b, sides)):
        return None
    return ChangedCondition(name, (tuple(a), tuple(b)), (_first_places(a), _first_places(b)))


def _first(name: str, sides: tuple[_Stated, _Stated]) -> Condition:
    return next(side.first[name] for side in sides if name in side.first)


def _is_of_run_file(values: Mapping[str, StatedPlaces], sides: tuple[_Stated, _Stated]) -> bool:
    """Whether only the case in a run.json says so, and the other side has no run.json that could."""
    is_of_case = all(place.file.name == RUN_FILE for places in values.values() for place in places)
    return is_of_case and not all(side.sections - {""} for side in sides)


def _first_places(values: Mapping[str, StatedPlaces]) -> StatedPlaces:
    """One place for each value: the runs of a side state it alike."""
    return tuple(places[0] for places in values.values())


def _with_places(change: ChangedCondition, places: tuple[StatedPlaces, StatedPlaces]) -> ChangedCondition:
    a, b = (
        (*own, *(place for place in more if place not in own)) for own, more in zip(change.places, places, strict=True)
    )
    return replace(change, places=(a, b))


def _without_products(found: Sequence[ChangedCondition]) -> list[ChangedCondition]:
    """The changes but for counts that follow from other changed ones."""
    ratios = {change.name: ratio for change in found if (ratio := _ratio(change))}
    of_both = [change for change in found if all(change.values)]
    return [change for change in found if not _follows(change.name, ratios) and not _is_told_anew(change, of_both)]


def _is_told_anew(change: ChangedCondition, others: Sequence[ChangedCondition]) -> bool:
    """Whether only one side states a count of cards, which is the one that changed."""
    if change.name not in OF_CARDS or all(change.values):
        return False
    side = 0 if change.values[0] else 1
    return any(other.name in OF_CARDS and other.values[side] == change.values[side] for other in others)


def _ratio(change: ChangedCondition) -> float | None:
    try:
        ((a,), (b,)) = change.values
        return float(b) / float(a)
    except (ValueError, ZeroDivisionError):
        return None


def _follows(name: str, ratios: Mapping[str, float]) -> bool:
    factors = [ratios[factor] for factor in PRODUCTS.get(name, ()) if factor in ratios]
    return name in ratios and bool(factors) and math.isclose(math.prod(factors), ratios[name])


def _with_words(found: list[ChangedCondition], key: str, a: StatedRun, b: StatedRun) -> list[ChangedCondition]:
    """The changes with those of the words of a command; one that repeats another change is a place more of it."""
    if key not in a.run or key not in b.run or _is_made_by_recipe(found, a, b):
        return found
    places = tuple((StatedAt(run.log.with_name(RUN_FILE), key=key),) for run in (a, b))
    for name, one, other in _word_changes(_words(a.run[key]), _words(b.run[key])):
        known = next((number for number, change in enumerate(found) if _repeats(change, name, one, other, b)), None)
        if known is None:
            values = ((one,) if one else (), (other,) if other else ())
            found = [*found, ChangedCondition(f"{key} {name}".strip(), values, (places[0], places[1]))]
        else:
            found[known] = _with_places(found[known], (places[0], places[1]))
    return found


def _is_made_by_recipe(found: Sequence[ChangedCondition], a: StatedRun, b: StatedRun) -> bool:
    """Whether one recipe made both commands out of variables, so that changed variables say all."""
    is_one = a.run.get("recipe") is not None and a.run.get("recipe") == b.run.get("recipe")
    keys = [place.key or "" for change in found for places in change.places for place in places]
    return is_one and any(key.startswith("variables.") for key in keys)


def _words(command: object) -> list[str]:
    """The words of a command, which is a list of them or a line of shell."""
    if isinstance(command, list):
        return [str(word) for word in command]
    try:
        return shlex.split(str(command))
    except ValueError:
        return str(command).split()


def _word_changes(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The option, and the words of each side that are not those of the other."""
    if max(len(a), len(b)) > MOST_WORDS:
        if a != b:
            yield "", " ".join(a), " ".join(b)
        return
    for kind, start, stop, begin, end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if stop - start != end - begin:
            yield _option(a, start), " ".join(a[start:stop]), " ".join(b[begin:end])
            continue
        for place, (one, other) in enumerate(zip(a[start:stop], b[begin:end], strict=True), start):
            name, equals, value = one.partition("=")
            of_other, _, other_value = other.partition("=")
            is_pair = bool(equals) and name == of_other
            yield (name, value, other_value) if is_pair else (_option(a, place), one, other)


def _option(words: Sequence[str], place: int) -> str:
    """The option whose value a word may be."""
    before = words[place - 1] if place else ""
    return before if before.startswith("-") and "=" not in before else ""


def _repeats(change: ChangedCondition, name: str, one: str, other: str, run: StatedRun) -> bool:
    """Whether two words differ as a known change does, and are of the same thing.

    Of numbers the name of the option tells it, or the ``case_from`` of the run: others may be equal by chance.
    """
    if max(map(len, change.values)) > 1 or max(len(one), len(change.said[0])) > LONGEST_WORD:
        return False
    a, b = change.said
    if not re.fullmatch(rf"(?s)(.*(?<![\w.]))?{re.escape(a)}((?![\w.]).*)?", one) or one.replace(a, b) != other:
        return False
    case_from = run.run.get("case_from")
    proof = str(case_from.get(change.name, "")) if isinstance(case_from, dict) else ""
    return not _is_number(a) or _plain(change.name.split(" ")[-1]) in _plain(f"{name} {one}") or other in proof.split()


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.rpartition(".")[2].lower())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
