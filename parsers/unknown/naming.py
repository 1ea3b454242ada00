"""What a number means by the words before it and the unit behind it: one lexer and one grammar of classes of words."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Words = tuple[str, ...]
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[_\-.!@:\[\]()%#$*\"'|\\{}<>,;=+\s]+")
_UNIT_IN_NAME = re.compile(
    r"^(.*?)\s*[(\[]\s*([^()\[\]0-9]{1,24}?)\s*[)\]]$|^(.*\S) in (ms|s|sec|seconds|milliseconds)$", re.DOTALL
)
LONGEST_NAME = 9  # words; what stands before them is a sentence
LONGEST_PHRASE = 4  # words of the vocabulary that are one

# One letter for each class of words, of which the grammar below is written.
_LETTERS = {
    "step": "N",
    "epoch": "E",
    "pass": "B",
    "rate": "R",
    "time": "T",
    "elapsed": "L",
    "remaining": "Q",
    "loss": "O",
    "learning_rate": "A",
    "gradient": "D",
    "evidence": "W",
    "settings": "y",
    "amount": "Z",
    "consumed": "c",
    "all_steps": "K",
    "physical": "F",
    "mean": "V",
    "number": "i",
    "each": "e",
    "card": "G",
    "job": "J",
    "training": "t",
    "neutral": "w",
    "not_training": "X",
    "part": "P",
    "of_many_steps": "m",
    "level": "w",
}
_RATE = re.compile(r"(?P<what>[CNE])(?:/t|w)?/(?P<unit>S)")  # tokens / s
_PERIOD = re.compile(r"(?P<unit>[SM])/e?t?(?P<what>[NEC])")  # s / step
_GLUED_RATE = re.compile(r"C(?P<unit>S)\Z")  # tok_s
_TIME_OF_STEP = re.compile(r"N[wV]*[TL]|[TL][wVe]*/?[ewV]*N|/[ew]*N|eN")
_TIME_OF_EPOCH = re.compile(r"E[wVe]*[TL]|[TL][wVet]*/?[ewVt]*E|/[ew]*E")


@dataclass(frozen=True)
class Meaning:
    """What a number is.

    ``role``: rate, time, elapsed, remaining, step, steps, epoch, loss, learning_rate, gradient_norm, evidence, amount,
    consumed, other. ``counts``: what a rate or a count counts. ``per``: step or epoch, of a time. ``factor``: the
    seconds of its unit. ``flags``: other (not of training), part, mean, qualified (unknown words), nameless, unproven.
    """

    role: str
    name: str
    counts: str | None = None
    per: str | None = None
    factor: float | None = None
    scope: str | None = None
    flags: frozenset[str] = frozenset()


@cache
def vocabulary() -> dict[str, dict[str, list[str]]]:
    """All words, by table and class."""
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


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


@cache
def _phrases() -> dict[Words, str]:
    found: dict[Words, str] = {}
    for letter, groups in (("C", vocabulary()["counted"]), ("S", vocabulary()["unit"])):
        for key, words in groups.items():
            long = letter == "S" and float(key) > 1
            found |= {split(word): "M" if long else letter for word in words}
    for name, words in vocabulary()["class"].items():
        if name in ("needs_unit", "evaluated", "warning"):
            continue
        found |= {split(word): _LETTERS[name] for word in words if split(word) not in found}
    return found


@cache
def _lookup(table: str) -> dict[str, str]:
    return {word: key for key, words in vocabulary()[table].items() for word in words}


@cache
def words_of(name: str) -> frozenset[str]:
    """The single words of one class."""
    return frozenset(vocabulary()["class"][name])


def counted(word: str) -> str | None:
    """What a word counts, in one word for all that mean the same."""
    if word in words_of("step"):
        return "steps"
    if word in words_of("epoch"):
        return "epochs"
    return _lookup("counted").get(word)


def seconds(word: str) -> float | None:
    """How many seconds a unit of time is."""
    found = _lookup("unit").get(word)
    return float(found) if found else None


@cache
def lex(words: Words) -> tuple[tuple[str, Words], ...]:
    """The words of a phrase with the letter of their class, the longest known phrases first; `?` for unknown words."""
    found, place, known = [], 0, _phrases()
    while place < len(words):
        ends = range(min(place + LONGEST_PHRASE, len(words)), place, -1)
        end = next((end for end in ends if words[place:end] in known), place + 1)
        piece = words[place:end]
        found.append(("/" if piece == ("/",) else known.get(piece, "?"), piece))
        place = end
    return tuple(found)


@dataclass(frozen=True)
class _Phrase:
    """A lexed phrase without its scope: the letters of its classes, and the words of each."""

    letters: str
    words: tuple[Words, ...]
    scope: str | None

    def word(self, place: int) -> str:
        return self.words[place][-1]

    def without(self, start: int, end: int) -> str:
        return self.letters[:start] + self.letters[end:]


def _phrase(words: Words) -> _Phrase:
    lexed = list(lex(words))
    scope = "card" if any(c == "G" for c, _ in lexed) else None
    kept = []
    for place, (letter, piece) in enumerate(lexed):
        after = lexed[place + 1][0] if place + 1 < len(lexed) else ""
        if letter == "G" or (letter == "/" and after == "G"):
            continue
        kept.append((letter, piece))
    if scope is None and any(c == "J" for c, _ in lexed):
        scope = "job"
    if scope is None and "total" in words and any(c in "RC" for c, _ in lexed):
        scope = "job"
    return _Phrase("".join(c for c, _ in kept), tuple(p for _, p in kept), scope)


@cache
def meaning(name: str, unit: str = "", *, signed: bool = True) -> Meaning | None:
    """What a number under a name, with a unit behind it, is; ``signed``: a colon or equals sign stands between."""
    if (found := _UNIT_IN_NAME.match(name)) and (unit or split(found[2] or found[4])):
        name, unit = found[1] or found[3] or "", unit or found[2] or found[4]
    words, behind = split(name), split(unit)
    key, of = _phrase(words), _phrase(behind)
    title = " ".join(words)
    if speed := _rate(key, of, title) or _time(key, of, title, signed):
        return speed
    return None if not words or (behind and of.letters in "SM") else _count(key, words, title, signed)


def _flags(letters: str) -> frozenset[str]:
    """What the words that are left of a name say beside what is measured."""
    names = {"X": "other", "P": "part", "V": "mean", "?": "qualified", "F": "other", "O": "qualified", "m": "other"}
    return frozenset(names[c] for c in letters if c in names)


def _rate(key: _Phrase, of: _Phrase, title: str) -> Meaning | None:
    """A rate, or a time of one step or epoch, that words compose: tokens / s, s / step; or the name of a rate."""
    for phrase, other in ((key, of), (of, key)):
        for pattern in (_RATE, _PERIOD):
            if found := pattern.search(phrase.letters):
                return _composed(key, of, title, found, phrase, other)
    if not of.letters and (found := _GLUED_RATE.search(key.letters)):
        flags = _flags(key.without(*found.span())) | {"unproven"}
        return Meaning("rate", title, counts=counted(key.word(found.start())), factor=1.0, scope=key.scope, flags=flags)
    return _named_rate(key, of, title)


def _composed(
    key: _Phrase, of: _Phrase, title: str, found: re.Match[str], phrase: _Phrase, other: _Phrase
) -> Meaning | None:
    """What `tokens / s` or `s / step` in one of two phrases means; None where the other speaks against it."""
    rest = re.sub("[RT]", "", phrase.without(*found.span()) + other.letters)
    factor = seconds(phrase.word(found.start("unit")))
    flags = _flags(rest) | ({"nameless"} if not key.letters else set())
    if found.re is _PERIOD:
        if found["what"] == "C":
            return Meaning("other", title)
        per = "step" if found["what"] == "N" else "epoch"
        return Meaning("time", title, per=per, factor=factor, scope=key.scope or of.scope, flags=flags)
    if phrase is key and other.letters:  # sec/it: 12 MB
        return Meaning("other", title)
    if "R" not in other.letters and set(other.letters) & set("OAZFK"):
        return None
    what = {"N": "steps", "E": "epochs"}.get(found["what"]) or counted(phrase.word(found.start("what")))
    return Meaning("rate", title, counts=what, factor=factor, scope=key.scope or of.scope, flags=flags)


def _named_rate(key: _Phrase, of: _Phrase, title: str) -> Meaning | None:
    """A rate by its name alone: throughput, ips, `2.1K wps`; nobody knows what it counts unless its name says so."""
    holder = key if "R" in key.letters else of if of.letters == "R" and not key.letters.strip("?wt") else None
    per_second = of.letters == "/S"
    if holder is None:
        nameless = per_second and not key.letters
        return Meaning("rate", title, factor=1.0, flags=frozenset({"nameless"})) if nameless else None
    if "O" in key.letters or (of.letters and holder is key and not per_second and of.letters != "R"):
        return Meaning("other", title) if of.letters not in ("S", "M") else None
    words = [w[-1] for w in (*key.words, *of.words)]
    counts = next((_lookup("rate_counts").get(w) for w in words if w in _lookup("rate_counts")), None)
    counts = counts or next((counted(p[-1]) for c, p in zip(key.letters, key.words, strict=True) if c == "C"), None)
    if counts == "environment_steps":
        return Meaning("other", title)
    rest = re.sub("[RCSN/]", "", key.letters)
    return Meaning("rate", title, counts=counts, factor=1.0, scope=key.scope, flags=_flags(rest))


def _unit_of_time(key: _Phrase, of: _Phrase) -> tuple[str, float | None] | None:
    """The letters of a name without its unit, and the seconds of the unit; None where what stands behind is no time."""
    letters = key.letters
    if of.letters:
        return (letters, seconds(of.word(0))) if of.letters in ("S", "M") else None
    if re.search("[TLQNE].*S\\Z|^[tw]*S\\Z|[TL].*M\\Z", letters):
        inner = letters[:-1]
        return inner if inner.endswith("/") else inner.replace("/", ""), seconds(key.word(-1))
    if found := re.match(r"T?(S)/(?!\?)", letters):  # timing_s/step
        return "T" + letters[found.end() :], seconds(key.word(found.start(1)))
    return letters, None


def _time(key: _Phrase, of: _Phrase, title: str, signed: bool) -> Meaning | None:
    """A time: of a step, of an epoch, since the start, that remains, or of nobody knows what."""
    if (told := _unit_of_time(key, of)) is None:
        return None
    letters, factor = told
    other = Meaning("other", title) if factor else None
    if set(letters) & set("OAZFc") or (factor is None and _is_cost(title)):
        return other
    if "Q" in letters:
        return Meaning("remaining", title, factor=factor, flags=_flags(letters))
    bare = re.sub("[twJ]", "", letters)
    for per, pattern, plain in (("epoch", _TIME_OF_EPOCH, "E"), ("step", _TIME_OF_STEP, "N")):
        is_composed = pattern.search(letters) and (factor or re.search("[TL]", letters))
        if is_composed or (factor and bare.lstrip("Ve").rstrip("V") == plain):
            flags = _flags(re.sub("[TLEN/ei]", "", letters))
            return Meaning("time", title, per=per, factor=factor, scope=key.scope, flags=flags)
    if bare.strip("Ve") == "L" or (bare == "T" and "total" in title.split()):
        return Meaning("elapsed", title, factor=factor, flags=_flags(letters))
    return _bare_time(letters, factor, key, title, is_named=signed or bare.strip("Ve") == "T") or other


def _is_cost(title: str) -> bool:
    """Whether a name says only that something costs: without a unit of time behind it that is what is minimized."""
    words, costs = set(title.split()), words_of("needs_unit")
    return bool(words & costs) and not words & (words_of("time") - costs)


def _bare_time(letters: str, factor: float | None, key: _Phrase, title: str, *, is_named: bool) -> Meaning | None:
    """A time of which no word says what takes it."""
    if re.search("[TL]/?[we]*C", letters):  # the time of a sequence
        return Meaning("other", title)
    if re.search("[TL]", letters) and (factor or is_named):
        rest = re.sub("[TLei/NE]", "", letters) + ("?" if re.search("[NE]", letters) else "")
        return Meaning("time", title, factor=factor, scope=key.scope, flags=_flags(rest))
    if factor and not letters.strip("tw"):
        return Meaning("time", title, factor=factor, flags=frozenset({"nameless"} if not letters else ()))
    return None


_COUNTS = {
    "N": "step",
    "PN": "step",  # micro_step
    "E": "epoch",
    "B": "epoch",
    "O": "loss",
    "A": "learning_rate",
    "D": "gradient_norm",
    "W": "evidence",
    "Z": "amount",
    "c": "consumed",
    "K": "steps",
}


def _count(key: _Phrase, words: Words, title: str, signed: bool) -> Meaning | None:
    """A count of steps or epochs, or a number that only training prints; of a sentence only the last words count."""
    letters, core = key.letters, key.letters.strip("twie")
    flags = _flags(letters.replace("O", ""))
    of_batch = re.fullmatch(r"[Vtw]*C/N", letters)  # words/batch
    if of_batch or letters == "VC" or (core == "C" and "V" not in letters and flags <= {"mean"}):
        return Meaning("amount", title, counts=counted(key.word(len(letters) - 3 if of_batch else -1)))
    if core in _COUNTS:
        role = "steps" if core == "N" and "total" in words else _COUNTS[core]
        counts = next((counted(w) for w in words if counted(w)), None)
        return Meaning(role, title, counts=counts, flags=flags - {"mean"})
    is_evidence = ("O" in letters and "y" not in letters) or core[-1:] in ("A", "O", "D")
    is_evidence |= bool(signed and words_of("needs_unit") & set(words[-1:]))  # cost: 2.5
    if is_evidence or (core[-1:] == "W" and len(core) < 3):
        return Meaning("evidence", title, flags=flags & {"other"})
    if "F" in letters:
        return Meaning("other", title)
    if not signed and "other" not in flags and (tail := _last_words(words)):
        return tail
    return Meaning("step", title, flags=flags) if core in ("?N", "?wN") and "i" not in letters else None


def _last_words(words: Words) -> Meaning | None:
    """What the last words of a sentence count: `we are now at epoch`."""
    for length in range(min(3, len(words) - 1), 0, -1):
        tail = _phrase(words[-length:])
        if len(tail.letters) == 1 and tail.letters in _COUNTS and words[-length - 1] != "/":
            return Meaning(_COUNTS[tail.letters], " ".join(words[-length:]))
    return None
