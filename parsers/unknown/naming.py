"""What a number means by the words before it and the unit behind it: one lexer and one grammar of classes of words."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Words = tuple[str, ...]
LONGEST_NAME = 9  # words; what stands before them is a sentence
LONGEST_PHRASE = 4  # words of the vocabulary that are one
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[_\-.!@:\[\]()%#$*\"'|\\{}<>,;=+\s]+")
_UNIT_IN_NAME = re.compile(
    r"^(.*?)\s*[(\[]\s*([^()\[\]0-9]{1,24}?)\s*[)\]]$|^(.*\S) in (ms|s|sec|seconds|milliseconds)$", re.DOTALL
)

# What the letters of words say that are left of a name; vocabulary.toml has the letters, and ? is an unknown word.
_FLAGS = {"X": "other", "F": "other", "m": "other", "P": "part", "V": "mean", "?": "qualified", "O": "qualified"}
_ROLES = {"N": "step", "PN": "step", "E": "epoch", "B": "epoch", "Z": "amount", "c": "consumed", "K": "steps"}
_ROLES |= {"O": "loss", "A": "learning_rate", "D": "gradient_norm", "W": "evidence"}  # of training alone
_RATE = re.compile(r"(?P<what>[CNE])(?:/t|w)?/(?P<unit>S)")  # tokens / s
_PERIOD = re.compile(r"(?P<unit>[SM])/e?t?(?P<what>[NEC])")  # s / step
_GLUED_RATE = re.compile(r"C(?P<unit>S)\Z")  # tok_s
_TIME_OF = {
    "E": ("epoch", re.compile(r"E[wVe]*[TL]|[TL][wVet]*/?[ewVt]*E|/[ew]*E")),
    "N": ("step", re.compile(r"N[wV]*[TL]|[TL][wVe]*/?[ewV]*N|/[ew]*N|eN")),
}


@dataclass(frozen=True)
class Meaning:
    """What a number is.

    ``role``: rate, time, elapsed, remaining, step, steps, epoch, loss, learning_rate, gradient_norm, evidence, amount,
    consumed, other. ``counts``: what a rate or a count counts. ``per``: step or epoch, of a time. ``factor``: the
    seconds of its unit. ``flags``: other (not of training), part, mean, qualified (unknown words), unnamed, unproven.
    """

    role: str
    name: str
    counts: str | None = None
    per: str | None = None
    factor: float | None = None
    scope: str | None = None
    flags: frozenset[str] = frozenset()


# ---- words


@cache
def vocabulary() -> dict[str, dict[str, list[str]]]:
    """All words, by table and class."""
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


@cache
def words_of(name: str) -> frozenset[str]:
    """The single words of one class."""
    return frozenset(vocabulary()["class"][name])


@cache
def _lookup(table: str) -> dict[str, str]:
    return {word: key for key, words in vocabulary()[table].items() for word in words}


@cache
def _chinese() -> re.Pattern[str]:
    """The words of two letters or more that stand in a name without blanks around them: `本批耗时`."""
    known = (word for table in vocabulary().values() for words in table.values() for word in words)
    return re.compile("|".join(sorted(filter(re.compile("[一-鿿]{2,}").fullmatch, known), key=len, reverse=True)))


@cache
def split(text: str) -> Words:
    """The words of a name in lower case."""
    text = _chinese().sub(r" \g<0> ", text if text.isupper() else _CAMEL.sub(" ", text))
    words = _BETWEEN.sub(" ", text.lower()).replace("/", " / ").split()
    return tuple("/" if word == "per" else word for word in words)[-LONGEST_NAME:]


def counted(word: str) -> str | None:
    """What a word counts, in one word for all that mean the same."""
    of_class = next((f"{name}s" for name in ("step", "epoch") if word in words_of(name)), None)
    return of_class or _lookup("counted").get(word)


def seconds(word: str) -> float | None:
    """How many seconds a unit of time is."""
    found = _lookup("unit").get(word)
    return float(found) if found else None


@cache
def _phrases() -> dict[Words, str]:
    found = {split(word): "C" for word in _lookup("counted")}
    found |= {split(word): "M" if float(length) > 1 else "S" for word, length in _lookup("unit").items()}
    for name, letter in vocabulary()["letter"].items():
        found |= {split(word): str(letter) for word in vocabulary()["class"][name] if split(word) not in found}
    return {("/",): "/", **found}


@dataclass(frozen=True)
class _Phrase:
    """Words without those that say a scope: the letters of their classes, and the words of each."""

    letters: str
    words: tuple[Words, ...]
    scope: str | None

    def word(self, place: int) -> str:
        return self.words[place][-1]

    def without(self, found: re.Match[str]) -> str:
        return self.letters[: found.start()] + self.letters[found.end() :]


@cache
def _phrase(words: Words) -> _Phrase:
    """The longest known phrases among words first."""
    pieces, known = list[Words](), _phrases()
    while rest := words[sum(map(len, pieces)) :]:
        pieces.append(next((rest[:n] for n in range(LONGEST_PHRASE, 0, -1) if rest[:n] in known), rest[:1]))
    letters = "".join(known.get(piece, "?") for piece in pieces)
    of_job = "J" in letters or ("total" in words and re.search("[RC]", letters))
    scope = "card" if "G" in letters else "job" if of_job else None
    kept = [place for place in range(len(pieces)) if not re.match("/?G", letters[place:])]
    return _Phrase("".join(letters[p] for p in kept), tuple(pieces[p] for p in kept), scope)


# ---- the grammar


@cache
def meaning(name: str, unit: str = "", *, signed: bool = True) -> Meaning | None:
    """What a number under a name, with a unit behind it, is; ``signed``: a colon or equals sign stands between."""
    if (found := _UNIT_IN_NAME.match(name)) and (unit or split(found[2] or found[4])):
        name, unit = found[1] or found[3] or "", unit or found[2] or found[4]
    number = _Number(split(name), _phrase(split(name)), _phrase(split(unit)), signed)
    if speed := number.rate() or number.time():
        return speed
    return None if not number.words or (split(unit) and number.of.letters in "SM") else number.count()


@dataclass(frozen=True)
class _Number:
    """The words before a number as a phrase, ``key``, and the unit behind it, ``of``."""

    words: Words
    key: _Phrase
    of: _Phrase
    signed: bool

    def means(self, role: str, rest: str = "", *flags: str, **more: Any) -> Meaning:
        """Its meaning; ``rest``: the letters that say something beside what is measured."""
        said = (_FLAGS[letter] for letter in rest if letter in _FLAGS)
        return Meaning(role, " ".join(self.words), flags=frozenset((*said, *flags)), **more)

    def rate(self) -> Meaning | None:
        """A rate, or a time of one step or epoch, that words compose: tokens / s, s / step; or the name of a rate."""
        for phrase, other in ((self.key, self.of), (self.of, self.key)):
            for pattern in (_RATE, _PERIOD):
                if found := pattern.search(phrase.letters):
                    return self._composed(found, phrase, other)
        if not self.of.letters and (found := _GLUED_RATE.search(self.key.letters)):
            what = counted(self.key.word(found.start()))
            rest = self.key.without(found)
            return self.means("rate", rest, "unproven", counts=what, factor=1.0, scope=self.key.scope)
        return self._named_rate()

    def _composed(self, found: re.Match[str], phrase: _Phrase, other: _Phrase) -> Meaning | None:
        """What `tokens / s` or `s / step` in one of two phrases means; None where the other speaks against it."""
        what, is_rate = found["what"], found.re is _RATE
        if is_rate and not (phrase is self.key and other.letters):
            if "R" not in other.letters and set(other.letters) & set("OAZFK"):
                return None
        elif is_rate or what == "C":  # sec/it: 12 MB
            return self.means("other")
        rest = re.sub("[RT]", "", phrase.without(found) + other.letters)
        flags = () if self.key.letters else ("unnamed",)
        of = {"factor": seconds(phrase.word(found.start("unit"))), "scope": self.key.scope or self.of.scope}
        if is_rate:
            counts = "steps" if what == "N" else counted(phrase.word(found.start("what")))
            return self.means("rate", rest, *flags, counts=counts, **of)
        return self.means("time", rest, *flags, per="step" if what == "N" else "epoch", **of)

    def _named_rate(self) -> Meaning | None:
        """A rate by its name alone: throughput, ips, `2.1K wps`; nobody knows what it counts unless its name says."""
        key, of = self.key, self.of
        is_name, per_second = "R" in key.letters, of.letters == "/S"
        if not is_name and (of.letters != "R" or key.letters.strip("?wt")):
            return self.means("rate", "", "unnamed", factor=1.0) if per_second and not key.letters else None
        if "O" in key.letters or (is_name and of.letters not in ("", "R", "/S")):
            return None if of.letters in ("S", "M") else self.means("other")
        named = (_lookup("rate_counts").get(words[-1]) for words in (*key.words, *of.words))
        said = (counted(words[-1]) for letter, words in zip(key.letters, key.words, strict=True) if letter == "C")
        counts = next(filter(None, (*named, *said)), None)
        if counts == "environment_steps":
            return self.means("other")
        return self.means("rate", re.sub("[RCSN/]", "", key.letters), counts=counts, factor=1.0, scope=key.scope)

    def _unit_of_time(self) -> tuple[str, float | None] | None:
        """The letters of the name without its unit, and its seconds; None where what stands behind is no time."""
        letters, key = self.key.letters, self.key
        if self.of.letters:
            return (letters, seconds(self.of.word(0))) if self.of.letters in ("S", "M") else None
        if re.search("[TLQNE].*S\\Z|^[tw]*S\\Z|[TL].*M\\Z", letters):
            inner = letters[:-1]
            return inner if inner.endswith("/") else inner.replace("/", ""), seconds(key.word(-1))
        if found := re.match(r"T?(S)/(?!\?)", letters):  # timing_s/step
            return "T" + letters[found.end() :], seconds(key.word(found.start(1)))
        return letters, None

    def time(self) -> Meaning | None:
        """A time: of a step, of an epoch, since the start, that remains, or of nobody knows what."""
        if (told := self._unit_of_time()) is None:
            return None
        letters, factor = told
        other = self.means("other") if factor else None
        words, costs = set(self.words), words_of("needs_unit")
        is_cost = words & costs and not words & (words_of("time") - costs)  # that is what is minimized
        if set(letters) & set("OAZFc") or (factor is None and is_cost):
            return other
        if "Q" in letters:
            return self.means("remaining", letters, factor=factor)
        bare = re.sub("[twJ]", "", letters)
        for letter, (per, pattern) in _TIME_OF.items():
            is_composed = pattern.search(letters) and (factor or re.search("[TL]", letters))
            if is_composed or (factor and bare.lstrip("Ve").rstrip("V") == letter):
                rest = re.sub("[TLEN/ei]", "", letters)
                return self.means("time", rest, per=per, factor=factor, scope=self.key.scope)
        if bare.strip("Ve") == "L" or (bare == "T" and "total" in words):
            return self.means("elapsed", letters, factor=factor)
        return self._bare_time(letters, factor, is_named=self.signed or bare.strip("Ve") == "T") or other

    def _bare_time(self, letters: str, factor: float | None, *, is_named: bool) -> Meaning | None:
        """A time of which no word says what takes it."""
        if re.search("[TL]/?[we]*C", letters):  # the time of a sequence
            return self.means("other")
        if re.search("[TL]", letters) and (factor or is_named):
            rest = re.sub("[TLei/NE]", "", letters) + ("?" if re.search("[NE]", letters) else "")
            return self.means("time", rest, factor=factor, scope=self.key.scope)
        is_letter = len(self.words) == 1 and len(self.words[0]) == 1  # t= 2089s: its unit alone says what it is
        if factor and (is_letter or not letters.strip("tw")):
            return self.means("time", "", *(() if letters and not is_letter else ("unnamed",)), factor=factor)
        return None

    def count(self) -> Meaning | None:
        """A count of steps or epochs, or a number that only training prints; of a sentence the last words count."""
        letters, core, words = self.key.letters, self.key.letters.strip("twie"), self.words
        plain = self.means("", letters.replace("O", "")).flags
        of_batch = re.fullmatch(r"[Vtw]*C/N", letters)  # words/batch
        if of_batch or letters == "VC" or (core == "C" and "V" not in letters and plain <= {"mean"}):
            return self.means("amount", counts=counted(self.key.word(len(letters) - 3 if of_batch else -1)))
        if core in _ROLES:
            role = "steps" if core == "N" and "total" in words else _ROLES[core]
            return self.means(role, "", *(plain - {"mean"}), counts=next(filter(None, map(counted, words)), None))
        is_evidence = ("O" in letters and "y" not in letters) or core[-1:] in ("A", "O", "D")
        is_evidence |= self.signed and words[-1] in words_of("needs_unit")  # cost: 2.5
        if is_evidence or (core[-1:] == "W" and len(core) < 3):
            return self.means("evidence", "", *(plain & {"other"}))
        if "F" in letters:
            return self.means("other")
        if not self.signed and (tail := self._last_words()):
            return self.means("other") if "other" in plain else tail
        return self.means("step", "", *plain) if core in ("?N", "?wN") and "i" not in letters else None

    def _last_words(self) -> Meaning | None:
        """What the last words of a sentence count: `we are now at epoch`."""
        for length in range(min(3, len(self.words) - 1), 0, -1):
            tail = self.words[-length:]
            role = _ROLES.get(_phrase(tail).letters) if len(_phrase(tail).letters) == 1 else None
            if role and self.words[-length - 1] != "/":
                return Meaning(role, " ".join(tail))
        return None
