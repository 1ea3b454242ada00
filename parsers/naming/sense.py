"""What a number means by the name before it and the unit behind it, in the words of one vocabulary file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from .time_phrase import time_phrase
from .vocabulary import Words, counted, find, lasting, listed, named, scope_words, seconds, split, vocabulary, without

RATE, STEP_RATE, STEP_TIME, TIME = "throughput", "step_rate", "step_time", "time"
ELAPSED, REMAINING = "elapsed", "remaining"
DURATION = "duration"  # of an epoch
STEP, EPOCH = "step", "epoch"  # counted by the stamps of lines
WORK = "work_time"  # of a step, without its data
SPEEDS = (RATE, STEP_RATE, STEP_TIME, TIME)
# Names that are the whole of what stands before a number.
_PLAIN = ("step", "steps", "epoch", "loss", "learning_rate", "gradient_norm", "training", ELAPSED, REMAINING)
EVIDENCE = frozenset(("loss", "learning_rate", "gradient_norm", "training"))
UNKNOWN = "unknown"
ENVIRONMENT_STEPS = "environment_steps"

_IN_BRACKETS = re.compile(r"^(.*?)\s*[(\[]\s*([^()\[\]0-9]{1,24}?)\s*[)\]]$", re.DOTALL)
_IN_SECONDS = re.compile(r"^(.*\S) in (ms|s|sec|seconds|milliseconds)$")


@dataclass(frozen=True)
class Sense:
    """What a number is.

    ``role``: throughput, step_rate, step_time, a ``time`` of which nobody knows what took it, or the column of a
    grammar that it may be. ``unit``: what a throughput counts. ``factor``: how many seconds the unit of time is, where
    that is told. ``flags``: "other" (not of training), "part", "mean", "qualified" (its name holds words that are not
    known), "nameless", "unitless", "of_epoch" (its name says that an epoch took this time), "of_loop" (that one of a
    loop did).
    """

    role: str
    name: str
    unit: str | None = None
    factor: float | None = None
    scope: str = UNKNOWN
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Composed:
    """A rate or a time of a step that words say by themselves, and the words that are left."""

    role: str
    unit: str | None
    factor: float
    left: Words


@cache
def sense(key: str, unit: str, *, is_strong: bool) -> Sense | None:
    """What a number under a name, with a unit behind it, is; None where the vocabulary does not know.

    ``is_strong``: a colon or an equals sign stands between the two.
    """
    key, told = _unit_of(key, unit)
    words = _with_loss(split(key))
    behind = _with_minutes(words, split(told))
    of_epoch = _composed_sense(words, behind) or _epoch_sense(words, behind) or _phrase_sense(words, behind)
    found = of_epoch or _plain_sense(words, behind, is_strong=is_strong)
    return found or _rate_sense(words, behind) or _time_sense(words, behind)


def _unit_of(key: str, unit: str) -> tuple[str, str]:
    """The name, and the unit that stands behind the number, or else in brackets behind the name."""
    found = _IN_BRACKETS.match(key) or _IN_SECONDS.match(key)
    if found and (unit or split(found[2])):
        return found[1], unit or found[2]
    return key, unit


def _with_loss(words: Words) -> Words:
    """The words of a name, of which the last may hold that for a loss: `valloss` is one of an evaluation."""
    before = words[-1].removesuffix("loss") if words else ""
    return (*words[:-1], before, "loss") if before and before != words[-1] else words


def _with_minutes(words: Words, behind: Words) -> Words:
    """The unit behind a number; minutes where it is `m` behind a time: `time=0.5m`, `ran for 12.5m`."""
    if behind != ("m",):
        return behind
    is_called_time = find(named("step_time", "unproven") | named("elapsed"), words) is not None
    return ("min",) if is_called_time or not listed("durations").isdisjoint(words) else behind


def _composed_sense(words: Words, behind: Words) -> Sense | None:
    by_name, by_unit = composed(words), composed(behind)
    if (found := by_name or by_unit) is None:
        return None
    is_scaled = not listed("scaled").isdisjoint((*words, *behind))
    if is_scaled or (by_name and by_unit and (by_name.role, by_name.unit) != (by_unit.role, by_unit.unit)):
        return Sense("other", " ".join(words))
    if is_of_environment := _is_of_environment(found, (*words, *behind)):
        found = replace(found, role=RATE, unit=ENVIRONMENT_STEPS)
    elif is_of_environment is None:
        return Sense("other", " ".join(words))
    names = {word for name in named("rate") for word in name} if found.role != STEP_TIME else {"time", "cost", "speed"}
    names |= listed("environment") if is_of_environment else set()
    names |= set(vocabulary()["counted"]["steps"]) if found.role == RATE else set()  # train_iter_items/sec
    left = tuple(word for word in (found.left if by_name else words) if word not in names)
    is_unknown = not by_name and "qualified" in qualities(left)
    flags = qualities(left) | ({"nameless"} if not words else set()) | ({"qualified"} if is_unknown else set())
    unit, factor = found.unit, found.factor
    return Sense(found.role, " ".join(words), unit, factor, _scope((*words, *behind)), frozenset(flags))


def _is_of_environment(found: _Composed, around: Words) -> bool | None:
    """Whether a rate counts steps of environments, by the words around it; None where its steps are of other things."""
    if found.role not in (STEP_RATE, STEP_TIME) or not set(around) & (listed("environment") | listed("agent")):
        return False
    return True if found.role == STEP_RATE and not set(around) & listed("agent") else None


def composed(words: Words) -> _Composed | None:
    """COUNTED / SECOND, or SECOND / STEP, among some words; `/ card` may stand behind either."""
    kept = tuple(_without_scope(words))
    for place in range(len(kept) - 2):
        first, sign, last = kept[place : place + 3]
        left = (*kept[:place], *kept[place + 3 :])
        if sign != "/":
            continue
        if (unit := counted(first)) and (factor := seconds(last)):
            return _Composed(STEP_RATE, None, factor, left) if unit == "steps" else _Composed(RATE, unit, factor, left)
        if (factor := seconds(first)) and (unit := counted(last)):
            return _Composed(STEP_TIME if unit == "steps" else "other", None, factor, left)
    return None


def _without_scope(words: Words) -> Iterable[str]:
    """Some words without `/ card`."""
    cards = scope_words("card")
    for place, word in enumerate(words):
        is_scope = word in cards and place and words[place - 1] == "/"
        is_sign = word == "/" and place + 1 < len(words) and words[place + 1] in cards
        if not is_scope and not is_sign:
            yield word


def _scope(words: Words) -> str:
    return "card" if set(words) & scope_words("card") else UNKNOWN


def qualities(words: Iterable[str]) -> set[str]:
    """What the words of a name say beside what is measured."""
    found = set[str]()
    known = listed("whole") | scope_words("card") | scope_words("job") | {"/"}
    for word in words:
        if word in listed("not_training"):
            found.add("other")
        elif word in listed("part"):
            found.add("part")
        elif word in listed("mean"):
            found.add("mean")
        elif word not in known:
            found.add("qualified")
    return found


def _factor_of(words: Words, behind: Words) -> float | None:
    """How many seconds the unit of a time is, by what stands behind it or by the end of its name."""
    return lasting(behind) if behind else seconds(words[-1]) if words else None


def _plain_sense(words: Words, behind: Words, *, is_strong: bool) -> Sense | None:
    if not words:
        return None
    name = " ".join(words)
    if _is_of_training(words):
        is_other = "other" in qualities(words)
        return Sense("training", name, flags=frozenset({"other"} if is_other else ()))
    is_time = lasting(behind) is not None
    for role in (*_PLAIN, "amount"):
        if role == ELAPSED and (factor := _unit_of_elapsed(words)) and not behind:
            return Sense(ELAPSED, name, factor=factor)
        if words in named(role) and not (is_time and role in ("step", "steps", "epoch")):
            return Sense(role, name, factor=_factor_of(words, behind) if role in (ELAPSED, REMAINING) else None)
    if words in named("other"):
        return Sense("other", name)
    return None if is_strong or is_time else _weak_sense(words)


def _unit_of_elapsed(words: Words) -> float | None:
    """How many seconds the unit is in which a name of the time since the start ends: `wall_time_s`, `elapsed_min`."""
    return lasting(words[-1:]) if words[:-1] in named("elapsed", "with_unit") else None


def _is_of_training(words: Words) -> bool:
    """Whether a longer name ends as that of a loss or a learning rate, or is that of a part of a loss: `loss_box`."""
    training = vocabulary()["training"]
    if words in named("loss") | named("learning_rate") | named("training"):
        return False
    is_part = "loss" in words and words[-1] not in training["settings"]
    return words[-1] in training["tail"] or is_part


def _weak_sense(words: Words) -> Sense | None:
    """A name of which only the last words count: a sentence without a sign ends before a number."""
    for count in (3, 2, 1):
        last = words[-count:]
        for role in ("step", "epoch", "steps", *EVIDENCE):
            if len(words) > count and last in named(role) and "other" not in qualities(words[:-count]):
                return Sense(role, " ".join(last))
    return None


def _rate_sense(words: Words, behind: Words) -> Sense | None:
    """A throughput by its name; nobody knows what it counts unless the name says so."""
    name = find(named("rate"), words) or (behind if behind in named("rate") and not words else None)
    if name is None and not words and _is_per_second(behind):
        return Sense(RATE, "", None, 1.0, flags=frozenset({"nameless", "unitless"}))
    if name is None or "loss" in words or (len(behind) == 1 and seconds(behind[0])):
        return None
    left = tuple(word for word in without(name, words) if (word,) not in named("rate"))
    is_in_all = not behind and any(before == "total" and counted(word) for before, word in pairwise(left))
    if is_in_all or (behind and not _is_per_second(behind) and behind not in named("rate")):
        return Sense("other", " ".join(words))
    rates = vocabulary()["rate"]
    told = rates["behind"].get(" ".join(behind)) or next(filter(None, map(rates["counts"].get, words)), None)
    unit = told or next(filter(None, map(counted, left)), None)
    if unit == "steps" or any(map(seconds, left)):
        return Sense("other", " ".join(words))
    flags = qualities(word for word in left if not counted(word)) | (set() if unit else {"unitless"})
    return Sense(RATE, " ".join(words), unit, 1.0, _scope((*words, *behind)), frozenset(flags))


def _is_per_second(behind: Words) -> bool:
    return len(behind) == 2 and behind[0] == "/" and seconds(behind[1]) == 1.0


def _epoch_sense(words: Words, behind: Words) -> Sense | None:
    """The time of an epoch, by its name, or by a unit of time behind what would count epochs: `1 epoch: 12.5 secs`."""
    about = {word for (word,) in named("step_time", "about_epoch")}
    is_named = not behind and seconds(words[-3] if words[2:] else "") is not None  # min is the least in a name
    if factor := per_epoch(words[-3:] if is_named else behind):
        told = qualities(word for word in (words if behind else words[:-3]) if word not in about) | {"of_epoch"}
        return Sense(TIME, " ".join(words or behind), None, factor, _scope(words), frozenset(told))
    factor = lasting(behind)
    if not behind and len(words) > 1 and (factor := seconds(words[-1])):  # epoch_time_s
        words = words[:-1]
    names = named("step_time", "of_epoch") - (set() if factor else named("epoch"))
    name = find(names, words)
    if name is None or "loss" in words or (behind and factor is None):
        return None
    flags = qualities(word for word in without(name, words) if word not in about) | {"of_epoch"}
    return Sense(TIME, " ".join(words), None, factor, _scope(words), frozenset(flags))


def per_epoch(words: Words) -> float | None:
    """How many seconds the unit of time is in one over an epoch: `s/epoch`."""
    return lasting(words[:1]) if words[1:2] == ("/",) and words[2:] in named("epoch") else None


def _phrase_sense(words: Words, behind: Words) -> Sense | None:
    """A time that words say is that of one step or one epoch: `each step took 2.5 s`; or of one loop: `2.5s per loop`.

    Where it is called an epoch's, stamps may show the unit.
    """
    is_per_loop = behind[1:2] == ("/",) and not listed("loop").isdisjoint(behind[2:])
    if is_per_loop and (factor := lasting(behind[:1])):
        flags = qualities(word for word in words if word not in ("time", "cost", "speed")) | {"of_loop"}
        return Sense(STEP_TIME, " ".join(words or behind), None, factor, flags=frozenset(flags))
    phrase, factor = time_phrase(words), lasting(behind)
    if phrase is None or (factor is None and (behind or phrase.of != EPOCH)):
        return None
    flags = ({"mean"} if phrase.is_mean else set()) | ({f"of_{phrase.of}"} if phrase.of != STEP else set())
    return Sense(TIME if phrase.of == EPOCH else STEP_TIME, " ".join(words), None, factor, flags=frozenset(flags))


def _time_sense(words: Words, behind: Words) -> Sense | None:
    factor = lasting(behind)
    if behind and factor is None:
        return None
    if factor is None and words and (factor := seconds(words[-1])):
        words = words[:-1] or words
    if factor and behind and not words:
        return Sense(TIME, " ".join(behind), None, factor, flags=frozenset({"nameless"}))
    name = find(named("step_time"), words) or (words if factor and words in named("step_time", "of_step") else None)
    if name is not None:
        role = STEP_TIME if factor else TIME
        return Sense(role, " ".join(words), None, factor, _scope(words), _flags_of_time(words, without(name, words)))
    unproven = named("step_time", "unproven") | (named("step_time", "in_seconds") if factor else set())
    name = find(unproven, words)
    left = without(name, words) if name else words
    if name is None or "qualified" in qualities(left):
        return Sense("other", " ".join(words)) if factor and words else None
    return Sense(TIME, " ".join(words), None, factor, _scope(words), _flags_of_time(words, left))


def _flags_of_time(words: Words, left: Words) -> frozenset[str]:
    """The flags of a time by the words that are ``left`` of its name; that of a processor or card is a part."""
    is_of_card = any(word in scope_words("card") and behind == "time" for word, behind in pairwise(words))
    return frozenset(qualities(left) | ({"part"} if is_of_card else set()))
