"""The vocabulary file: what programs call the numbers that they print, in words."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Words = tuple[str, ...]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[_\-.!@:\[\]()%#$*\"'|\\{}<>,;=+\s]+")
_SECONDS = {"s": 1.0, "ms": 1e-3}
_LASTING = _SECONDS | {"min": 60.0, "h": 3600.0}
_MILLIONS = re.compile(r"m ([A-Za-z]+)(?![\w/]| per |\W{0,3}\d)")
MOST_WORDS = 9  # of a name; what stands before them is a sentence


@cache
def vocabulary() -> Mapping[str, Any]:
    """The tables of the vocabulary file."""
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


@cache
def split(text: str) -> Words:
    """The words of a name in lower case, ``/`` for both `per` and `/`; of a long text the last ones."""
    text = text if text.isupper() else _CAMEL.sub(" ", text)
    words = _BETWEEN.sub(" ", text.lower()).replace("/", " / ").split()
    return tuple("/" if word == "per" else word for word in words)[-MOST_WORDS:]


@cache
def named(table: str, key: str = "names") -> frozenset[Words]:
    """The names of a table, each as its words."""
    return frozenset(split(name) for name in vocabulary()[table][key])


@cache
def listed(kind: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(vocabulary()["words"][kind])


@cache
def scope_words(scope: str) -> frozenset[str]:
    """The words for a card, or for the whole job."""
    return frozenset(vocabulary()["scope"][scope])


def counted(word: str) -> str | None:
    """What a word counts, such as tokens; None where it counts nothing."""
    return _inverted("counted").get(word)


def seconds(word: str) -> float | None:
    """How many seconds the unit of time is that a word names."""
    return _SECONDS.get(_inverted("seconds").get(word, ""))


@cache
def _inverted(table: str) -> Mapping[str, str]:
    return {word: name for name, words in vocabulary()[table].items() for word in words}


def find(phrases: Iterable[Words], words: Sequence[str]) -> Words | None:
    """The longest of some names that stands in some words, of those as long the last."""
    found = ((len(p), i, p) for p in phrases for i in range(len(words)) if tuple(words[i : i + len(p)]) == p)
    return max(found, default=(0, 0, None))[2]


def without(phrase: Words, words: Sequence[str]) -> Words:
    """Some words but for a name that stands in them."""
    for place in range(len(words) - len(phrase) + 1):
        if tuple(words[place : place + len(phrase)]) == phrase:
            return (*words[:place], *words[place + len(phrase) :])
    return tuple(words)


def lasting(words: Words) -> float | None:
    """How many seconds a unit of time is that stands alone behind a number, which may be minutes or hours."""
    return _LASTING.get(_inverted("seconds").get(words[0], "")) if len(words) == 1 else None


def is_of_millions(behind: str) -> bool:
    """Whether a text behind a number says that it is millions of something: `12.5m tokens`, and no next name."""
    found = _MILLIONS.match(behind)
    return found is not None and counted(found[1].lower()) is not None
