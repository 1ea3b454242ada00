"""The numbers of a line, and what stands around each: the name before it, the unit behind it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .marks import DURATION, IDENTITY, LENGTH, STAMP
from .ordinal import full_name, is_of_word, ordinal
from .sense import ELAPSED, EPOCH, RATE, REMAINING, SPEEDS, STEP, STEP_TIME, TIME, Sense, composed, per_epoch, sense
from .stretch import stretch
from .time_phrase import plain_unit, time_over
from .vocabulary import counted, is_of_millions, lasting, named, seconds, split

NUMBER = re.compile(
    r"[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+\.?\d*(?:[eE][-+]?\d+)?|(?<![\w.])\.\d+(?:[eE][-+]?\d+)?"
    r"|(?<![A-Za-z])(?:nan|NaN|inf|Infinity)(?![A-Za-z]))"
)
_UNIT = re.compile(
    r"[ ]{0,2}[\[(]?((?:/s(?:ec)?|[A-Za-z一-鿿]+(?: ?/ ?[A-Za-z一-鿿]+){0,2})"
    r"(?: per /?[A-Za-z]+(?: per /?[A-Za-z]+)?)?)(?![\w/]| /)[\])]?"
)
_OF_TIME = re.compile(
    r"\s?(?:(?:ms|s|secs?|seconds|min|mins|minutes|h|hrs?|hours?)(?: elapsed| total| so far)?\s*\)"
    r"|[A-Za-z]+/s(?:ec)?\b|(?:ms|s|secs?|seconds)(?: ?/ ?| per )[A-Za-z]+(?: [A-Za-z]+)?\s*[),])"
)
_NEXT_IS_NAME = re.compile(r"[\])]?\s*[\"']?\s*[:=：]")
_COUNTER = re.compile(r"(?i)(?<![\w.\-/])(?:epoch|batch|step|iter)\Z")  # glued to its number: `epoch3; batch12;`
_FRACTION = re.compile(r"\s*/\s*\Z")
# The epoch and its step side by side: `Train: [0/300][10/1251]`.
_PAIR_OF_FRACTIONS = re.compile(r"\[\s*\d+\s*/\s*\d+\s*\]\s?\[\s*\d+\s*/\s*\d+\s*\]")
_OPENING = re.compile(r"[\s\"'\[({*]*\Z")
_SIGN = re.compile(r"[:=：＝>]\Z")
# The level and the name of a logger of Python stand before a name: `INFO:trainer:step/sec: 2.5`, `INFO Time: 2.5s`.
_SEPARATOR = re.compile(
    r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:|\A\s*(?:DEBUG|INFO|WARNING)\s+|[,;|\t{}\"'<>，；。~]|\s{2,}|\s[-–=]+>?\s|[:：]\s|：|[\])\[]|\((?![^()]*\)\Z)|(?<=\s)\S{1,80}\.py(?=\s)"
)
_MEAN = re.compile(r"[A-Za-z/%]{0,6},?\s*\(\s*\Z")
# What a number is wrapped into where a program prints objects: `np.float64(2.5)`, `tensor(2.5`.
_WRAPPED = re.compile(r"(?<![A-Za-z])(?:(?:np|numpy|jnp|torch)\.)?(?:float|int|tensor|array|Array)(?:16|32|64)?\(\[?\Z")
# Thousands or millions of a rate: `2.17K wps`; thousands of a time in a known unit: `time_ms: 4.71K`, where M may be
# minutes; a count that is rounded: `step:1K`. Nobody knows whether B is a billion or bytes.
_SCALED = re.compile(r"([KkMBG])(?![A-Za-z/])")
_SCALES = {"K": 1e3, "k": 1e3, "M": 1e6}
# A name in brackets that is that of a second number, in brackets as well: `time (data): 2.0 (0.5)`.
_NAME_OF_SECOND = re.compile(r"\s*\([A-Za-z_ ]+\)\Z")
_SECOND = re.compile(r"\s*\(\s*[-+.\d]")
LONGEST_UNIT = 48
# How far a bar is, before its steps; Colab draws no picture: `20%|##   | 1/5 [00:01<`, `20% 1/5 [00:01<`.
BAR = re.compile(r"(?<![\d.])\d{1,3}%(?:\|[^|\r\n]*\||(?= +\d+/\d+ \[\d))")


@dataclass(frozen=True)
class Slot:
    """A number of a line, by the place of its text among all numbers.

    ``before``: the text since the last number, stamp or the like. ``unit``: the text of its unit, as it stands behind.
    ``total``: the number is the first of a fraction, and this is the place of the second. ``is_mean``: the number, in
    brackets, is a mean of the one before it. ``scale``: what it is multiplied by, for a K or M behind it. ``of``: the
    number is the time of several steps, and this is the place of their count.
    """

    place: int
    start: int
    end: int
    before: str
    unit: str
    sense: Sense | None
    total: int | None = None
    is_mean: bool = False
    scale: float = 1.0
    clock: int = 0
    of: int | None = None

    @property
    def is_rounded(self) -> bool:
        """Whether it would count steps, but in thousands."""
        return self.scale != 1 and self.sense is not None and self.sense.role == STEP


@dataclass(frozen=True)
class LineSlots:
    """The numbers of a line that mean something, or might; and what of the line stands before them all."""

    slots: tuple[Slot, ...]
    head: str
    has_stamp: bool


def numbers(line: str) -> list[re.Match[str]]:
    """All numbers of a line, those in stamps and names among them."""
    return list(NUMBER.finditer(line))


def parse(line: str) -> LineSlots:
    """Find what each number of a line means; lines that are equal but for their numbers have the same slots."""
    reader = _SlotReader(line)
    slots = tuple(reader.slots())
    known = [slot for slot in slots if slot.sense]
    head = line[: known[0].start - len(known[0].before)] + known[0].before if known else line
    return LineSlots(slots, head, reader.has_stamp)


class _SlotReader:
    """Goes through the numbers of a line from left to right."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.found = numbers(line)
        stamps = [found.span() for found in STAMP.finditer(line)]
        self.has_stamp = bool(stamps)
        self.lengths = {found.start(): found for found in DURATION.finditer(line)}
        others = [found.span() for found in (*self.lengths.values(), *IDENTITY.finditer(line))]
        self.marks = sorted([*stamps, *others])

    def slots(self) -> Iterator[Slot]:
        """Each number that is none of a stamp, a name or a word."""
        last, skip = 0, False
        before: Slot | None = None
        for place, found in enumerate(self.found):
            if skip:
                skip = False
                continue
            if end := self._mark(found):
                if (length := self._length(place, found, last)) is not None:
                    yield length
                last, before = max(last, end), None
                continue
            if self._is_in_a_word(found):
                continue
            text = self.line[last : found.start()]
            is_percent = bool(BAR.match(self.line, found.start()))  # of a bar: Iteration:  20%|##   | 1/5
            unknown = Slot(place, *found.span(), text, "", None) if is_percent else None
            slot = unknown or self._of_several(place, found, text, before) or self._slot(place, found, text, before)
            skip = slot.total is not None
            last = self.found[slot.total].end() if slot.total is not None else slot.end + len(slot.unit)
            before = slot
            yield slot

    def _length(self, place: int, found: re.Match[str], last: int) -> Slot | None:
        """The length of time that begins with a number, where its name says what took so long."""
        length = self.lengths.get(found.start())
        if length is None or not LENGTH.fullmatch(length[0]) or self._mark(found) > length.end():
            return None
        text = self.line[last : length.start()]
        key, is_strong = self._key(text, length.end())
        meaning = sense(key, "s", is_strong=is_strong)
        if meaning is None or meaning.role not in (TIME, ELAPSED, REMAINING) or not key:
            return None
        return Slot(place, *length.span(), text, "", meaning, clock=len(NUMBER.findall(length[0])))

    def _mark(self, found: re.Match[str]) -> int:
        return max((end for start, end in self.marks if start <= found.end() - 1 < end), default=0)

    def _is_in_a_word(self, found: re.Match[str]) -> bool:
        line, start, end = self.line, found.start(), found.end()
        before = line[start - 1 : start]
        if line[start] in "+-" and before.isalnum():  # resnet-50
            return True
        if line[end : end + 1] == "_":
            return True
        is_glued = bool(before) and (is_of_word(before) or before in "_.@")
        return is_glued and not (_COUNTER.search(line, max(0, start - LONGEST_UNIT), start) and found[0].isdecimal())

    def _slot(self, place: int, found: re.Match[str], text: str, before: Slot | None) -> Slot:
        start, end = found.span()
        if _is_mean(text, before, self.line[end:]):
            return Slot(place, start, end, text, "", before.sense if before else None, is_mean=True)
        if self._is_fraction(place):
            counter = EPOCH if _PAIR_OF_FRACTIONS.match(self.line, start - 1) else self._ordinal(text, place + 1)
            meaning = Sense(counter, counter) if counter else _fraction_sense(text, before)
            return Slot(place, start, end, text, "", meaning, place + 1)
        key, is_strong = self._key(text, end)
        key = full_name(key, self.line[:start])
        counter = EPOCH if self._is_epoch_of_pair(text, key, end) else self._ordinal(text, place)
        if counter:
            return Slot(place, start, end, text, "", Sense(counter, counter))
        if before and _is_step_of(text, before, self.line[end : end + 1]):
            name = f"{before.sense.name} step" if before.sense else ""
            return Slot(place, start, end, text, "", Sense("step", name))
        scaled = _SCALED.match(self.line, end)
        behind = scaled.end() if scaled else end
        unit = self._unit(behind, key, is_strong=is_strong, is_in_brackets=text.endswith("("))
        meaning = sense(key, plain_unit(unit), is_strong=is_strong)
        scale = _SCALES.get(scaled[1]) if scaled else None if is_of_millions(self.line[end:]) else 1.0
        if scale is None or (scaled and not _may_be_scaled(meaning, scale)):
            return Slot(place, start, end, text, "", None)
        return Slot(place, start, behind, text, unit if meaning else "", meaning, scale=scale)

    def _of_several(self, place: int, found: re.Match[str], text: str, before: Slot | None) -> Slot | None:
        """The time of several steps, whose count stands before or behind it; None of other numbers."""
        count = before if before and before.place == place - 1 and self._is_bare_count(before) else None
        told = stretch(self.line, text, found.end(), follows_count=count is not None)
        about = count.before if told and told.before and count else text
        key, is_strong = self._key(text, found.end())
        if told is None or (meaning := told.sense(key, about, is_strong=is_strong)) is None:
            return None
        return Slot(place, *found.span(), text, told.unit, meaning, of=place + (-1 if told.before else 1))

    def _is_bare_count(self, slot: Slot) -> bool:
        """Whether a number is whole and counts nothing under a name of its own."""
        is_counter = slot.sense is not None and slot.sense.role in (STEP, EPOCH, "steps")
        return self.line[slot.start : slot.end].isdecimal() and not is_counter and slot.total is None

    def _key(self, text: str, end: int) -> tuple[str, bool]:
        """The name before a number that ends somewhere, and whether a sign stands between."""
        key, is_strong = _key(_WRAPPED.sub("", text))
        return (_NAME_OF_SECOND.sub("", key) if _SECOND.match(self.line, end) else key), is_strong

    def _is_epoch_of_pair(self, text: str, key: str, end: int) -> bool:
        is_first = text.endswith("[") and re.match(r"\s*,\s*\d+\s*\]", self.line[end:])
        return bool(is_first) and split(key) in named("step")

    def _ordinal(self, text: str, last: int) -> str | None:
        end = self.found[last].end()
        return ordinal(text, self.line[end : end + LONGEST_UNIT])

    def _is_fraction(self, place: int) -> bool:
        if place + 1 >= len(self.found):
            return False
        first, second = self.found[place : place + 2]
        between = self.line[first.end() : second.start()]
        is_whole = first[0].isdecimal() and second[0].isdecimal()
        return is_whole and bool(_FRACTION.match(between)) and not self._mark(second)

    def _unit(self, end: int, key: str, *, is_strong: bool, is_in_brackets: bool) -> str:
        """The text of the unit behind a number, with what stands between; nothing where that is the next name.

        The colon behind a number in brackets ends what its own name begins: `train (445.2 sec): loss 0.5`.
        """
        rest = self.line[end : end + LONGEST_UNIT]
        unit = _UNIT.match(rest)
        if length := time_over(rest):
            return rest[:length]
        is_glued = not rest[:1].isspace()
        is_closed = is_in_brackets and unit is not None and unit[0].endswith(")")
        if unit is None or (_NEXT_IS_NAME.match(rest, unit.end()) and not (is_glued or is_closed)):
            return ""
        words = split(unit[1])
        is_speed = composed(words) is not None or words in named("rate") or per_epoch(words) is not None
        is_speed |= words[1:2] == ("/",) and counted(words[0]) is not None  # samples/min
        is_speed |= any(sign == "/" and seconds(word) for sign, word in pairwise(words[1:]))  # Ktokens/s
        is_time = lasting(words) is not None or words[:1] == ("/",)
        if is_speed and re.match(r"[\])]?\s+[-\d.(]", rest[unit.end(1) :]) and _has_a_name(key, is_strong=is_strong):
            return ""
        return rest[: unit.end(1)] if is_speed or is_time or is_glued else ""


def _may_be_scaled(found: Sense | None, scale: float) -> bool:
    if found is None:
        return False
    is_time = found.role in (STEP_TIME, TIME) and found.factor is not None
    return found.role in (RATE, STEP) or (is_time and scale == _SCALES["K"])


def _is_mean(text: str, before: Slot | None, rest: str) -> bool:
    """Whether a number in brackets is a mean of the one before it: one with a unit of time is none of a loss."""
    if before is None or before.sense is None or before.sense.role in ("step", "epoch") or not _MEAN.match(text):
        return False
    return before.sense.role in SPEEDS or not _OF_TIME.match(rest)


def _has_a_name(key: str, *, is_strong: bool) -> bool:
    """Whether a number needs no unit, so that what stands behind is the next name: `loss 2.5 tokens/s 100`."""
    found, words = sense(key, "", is_strong=is_strong) if key else None, split(key)
    if seconds(words[0] if words else "") and words[1:2] == ("/",):  # sec/kimg
        return True
    if found is None or found.role == "other":
        return False
    return found.role not in SPEEDS or composed(words) is not None


def _is_step_of(text: str, before: Slot, behind: str) -> bool:
    """Whether a number in brackets stands behind that of the epoch: `Epoch [1][20]`."""
    is_epoch = before.sense is not None and before.sense.role == "epoch"
    return is_epoch and bool(re.fullmatch(r"\]\s?\[\s*|,\s*", text)) and behind == "]"


def _fraction_sense(text: str, before: Slot | None) -> Sense | None:
    """What the first number of `10 / 200` is: an epoch or a step by its name, a step where it has none."""
    key, is_strong = _key(text)
    found = sense(key, "", is_strong=is_strong) if key else None
    if found and found.role == "epoch":
        return found
    if found and found.role not in ("step", "steps"):
        return None
    return Sense("step", found.name if found else "")


def _key(before: str) -> tuple[str, bool]:
    """The name that stands before a number, and whether a sign stands between."""
    text = _OPENING.sub("", before)
    is_strong = bool(_SIGN.search(text))
    text = re.sub(r"[:=：＝>\-\s]+\Z", "", text) if is_strong else re.sub(r"(?<=\w) is\Z", "", text)
    text = text.rstrip(" \"'")
    tail = re.search(r"[(\[][^()\[\]]*[)\]]\Z", text)
    name, brackets = (text[: tail.start()], tail[0]) if tail else (text, "")
    key = _SEPARATOR.split(name.rstrip(" \"'"))[-1].strip(" \"'(*)#>-")
    return (f"{key} {brackets}" if key and brackets else key).lstrip("/ "), is_strong
