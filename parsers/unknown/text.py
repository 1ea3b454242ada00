"""The numbers of a line: where each stands, the name before it, the unit behind it; and the moment of the line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .naming import Meaning, counted, meaning, seconds, split, words_of

HEAD = 160  # letters in which a line says when it was printed, and of what it is
LONGEST_NAME = 200  # letters before a number: what stands before them does not name it
SHORT = 32  # letters behind a number that may say what it counts
EPOCH_FIRST, EPOCH_LAST = 946_684_800, 4_102_444_800  # the years 2000 and 2100 in POSIX seconds: others are no stamps
BAR_CLOCK = "bar"  # the name of what a bar says of the time since its start
NO_YEAR = 2000  # of stamps without one, as grammars have it: no run is as old, so that nobody is told a year
NO_DATE = datetime(NO_YEAR, 1, 1, tzinfo=UTC).timestamp()  # the day of stamps that tell only the time of day
NUMBER = re.compile(
    r"[-+]?(?:(?!0,)\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+\.?\d*(?:[eE][-+]?\d+)?|(?<![\w.])\.\d+(?:[eE][-+]?\d+)?"
    r"|(?<![A-Za-z])(?:nan|NaN|inf|Infinity)(?![A-Za-z]))"
)
# Of one digit where twelve hours are counted twice.
_HOUR = r"(?:\d\d|(?<![\d:])\d(?=:\d\d:\d\d ?[AaPp][Mm]))"
_CLOCK = rf"{_HOUR}:\d\d:\d\d(?:[.,:]\d+)?"
_DATE = (
    r"\d{4}[-/]\d\d[-/]\d\d|(?<!\d)\d{8}(?=[ T-]\d\d:)|(?<!\d)\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d)(?!\d)"
    r"|(?<!\d)\d\d[-/]\d\d(?=[ ,])|[IWEF]\d{4}(?:\d{4})?(?= \d\d:)|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+"
)
_THREAD = r" +\d+ [\w.]+:\d+\]"  # behind the stamp of absl, with the line of the source
_OF_DAY = r"\A\s{0,4}(?:(?:INFO|DEBUG|WARNING)[ :]\s?)?[\[(<]?"
STAMP = re.compile(
    rf"(?:{_DATE})[ ,T_-]*{_CLOCK}(?:{_THREAD}|Z|[+-]\d\d:?\d\d| \d{{4}})?(?: ?[AaPp][Mm](?![A-Za-z]))?"
    rf"|{_OF_DAY}{_CLOCK}(?![\d:<\/])(?: ?[AaPp][Mm](?![A-Za-z]))?|\d{{4}}[-/]\d\d[-/]\d\d(?!\d)"
)
_AND, _HOURS, _MINUTES = r"(?:,| and)? {0,2}", r"\d+ ?h(?:(?:ou)?rs?)?", r"\d+ ?m(?:in(?:ute)?s?)?"
_SECONDS, _THOUSANDTHS = r"\d+(?:\.\d+)? ?s(?:ec(?:ond)?s?)?", r"\d+ ?ms"
LENGTH = re.compile(
    r"(?<!\d)(?:\d+ days?, )?\d+:\d\d?:\d\d?(?:\.\d+)?(?![\d:])|(?<![\d:])\d+:\d\d(?:\.\d+)?(?![\d:])"
    rf"|\b(?:(?:\d+ ?d(?:ays?)?{_AND})?(?:{_HOURS}{_AND})?{_MINUTES}{_AND}{_SECONDS}(?:{_AND}{_THOUSANDTHS})?"
    rf"|{_HOURS}{_AND}{_MINUTES}|{_SECONDS}{_AND}{_THOUSANDTHS})(?![\w/])"
)
_IDENTITY = re.compile(
    r"(?<![\w/])/?(?:gpu|GPU|cuda|rank|Rank|RANK|RK|device|worker|node|Node|local_rank|pid)[:=#\s\[]{0,2}\d+\]?"
    r"|(?<![\w./\\-])[\w./\\-]+\.(?:py|cpp|cc|cu|java|scala|h|npy|pt|pth|yaml|json|txt|log|bin)\b"
    r"(?:[:\]]? ?\d+)?(?::\w+)?"
    r"|\b0x[0-9a-f]+|\b\d+(?:\.\d+){2,}\b|\"?lineno\"?: *\d+|[$]:\d+|(?<![\w/])[\w/]+:\d+:\w+\]"
)
_UNIT = re.compile(
    r"[ ]{0,2}[\[(]?((?:/s(?:ec)?|[A-Za-z一-鿿]+(?: ?/ ?[A-Za-z一-鿿]+){0,2})"
    r"(?: per /?[A-Za-z]+(?: per /?[A-Za-z]+)?)?)(?![\w/]| /)[\])]?"
)
_NEXT_IS_NAME = re.compile(r"[\])]?\s*[\"']?\s*[:=：]")
_OPENING = re.compile(r"[\s\"'\[({*|]*\Z")
_SIGN = re.compile(r"[:=：＝>]\Z|[\"']\s*:\s*\Z")
_SEPARATOR = re.compile(
    r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:|\A\s*(?:DEBUG|INFO|WARNING)\s+|[,;|\t{}\"'<>，；。~]|\s{2,}"
    r"|\s[-–=]+>?\s|[:：]\s|：|[\])\[]|\((?![^()]*\)\Z)|(?<=\s)\S{1,80}\.py(?=\s)"
)
_WRAPPED = re.compile(r"(?<![A-Za-z])(?:(?:np|numpy|jnp|torch)\.)?(?:float|int|tensor|array|Array)(?:16|32|64)?\(\[?\Z")
_MEAN = re.compile(r"[A-Za-z/%]{0,6},?\s*\(\s*\Z")
_SCALE = re.compile(r"(?: (?=[KkM][a-z]+/))?([KkM])(?=(?:tok|sampl|im(?:g|age)|seq|word)|(?![A-Za-z/]))")
_COUNTER = re.compile(r"(?i)(?<![\w.\-/])(?:epoch|batch|step|iter)\Z")  # glued to its number: epoch3
_TIME_UNIT = r"(?:ms|msecs?|s|secs?|seconds?|mins?|minutes?|秒)"
_LENGTH_UNIT = re.compile(rf"\s?(?:{_TIME_UNIT}|h|hrs?|hours?)(?![A-Za-z/])", re.IGNORECASE)
_OVER_COUNT = re.compile(rf"\s?{_TIME_UNIT}\s?(?:/|for|per)(?: the)?(?: last)?\s?(?=\d+\s?[A-Za-z])")  # 1.6s/20 iters
_BEHIND_COUNT = re.compile(r"\s?([A-Za-z一-鿿]+)[)\]]?\s?(?:[:=]|用时|耗时|in|took|time|cost|elapsed)?\s?[:=：]?\s?\Z")
BAR = re.compile(r"(?<![\d.])\d{1,3}%(?:\|[^|\r\n]*\|| ?[━─╸╺#>=. ]{3,}|(?= +\d+/\d+ \[\d))")
# A picture beside the steps, as of Keras and rich, or a bar without an end: `52002 examples [00:10, 5200 examples/s]`.
_DRAWN = re.compile(r"\d+/\d+ (?:\[[=>.\- ]{5,}\]|[━╸╺─]{5,})|[━╸╺]+ .*?\d+/\d+|\d ?[A-Za-z]+ \[(?:\d+:)?\d\d:\d\d, ")
_UNENDED = re.compile(r" ?[A-Za-z]+ \[")  # behind the count of a bar without an end: 40it [00:08, 5.02it/s]
_OF_ORDINAL = re.compile(r"\s*(?:个\s*)?([A-Za-z]+|轮|步|批)")
_DONE = re.compile(r" ([A-Za-z]+) (?:done|completed|finished|processed)(?![A-Za-z])")
_SAME_OF = re.compile(r"\s?((?:[A-Za-z]+/s)?/[A-Za-z]+)\)")  # tps 5126 (641/gpu)
_TIMED = re.compile(rf"\s?{_TIME_UNIT}\s*[),]")  # loss: 2.1 (51.1 ms)
_MANY = re.compile(r"\s?([A-Za-z]+s)(?: (?:completed|finished|done|trained|took|in|took about|run in)){1,3} \Z")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\[(?:\d{1,2};)*\d{1,2}m")
RAY = re.compile(r"^\(\w[^)]{0,40} pid=\d+[^)]*\) ")  # the process of Ray that printed a line


@dataclass(frozen=True)
class Field:
    """A number by its place among all of a line.

    ``before``: the text between the last number and it. ``signed``: a colon or equals sign stands behind its name.
    ``total``: the place of the second number of a fraction. ``of``: that of the count of steps that a time is of.
    ``clock``: it begins a length such as 1:02:03. ``is_mean``: it stands in brackets behind what it is a mean of.
    """

    place: int
    start: int
    end: int
    before: str
    unit: str = ""
    meaning: Meaning | None = None
    name: str = ""
    signed: bool = False
    total: int | None = None
    of: int | None = None
    scale: float = 1.0
    clock: bool = False
    is_mean: bool = False


def parse(line: str) -> tuple[tuple[Field, ...], str, bool]:
    """The numbers of a line, what stands before the first of them, and whether it is a state of a progress bar."""
    reader = _Reader(line)
    every = tuple(reader.fields())
    counts = {f.of for f in every if f.of is not None}  # the 100 of `Time(100 iters): 1.25s` means nothing by itself
    fields = tuple(replace(f, meaning=None) if f.place in counts else f for f in every)
    starts = [m.start() for m in reader.numbers if not reader.marked(m)][:1] + [f.start for f in fields if f.meaning][
        :1
    ]
    first = min(starts, default=len(line))
    stamp = reader.stamps[0][1] if reader.stamps and reader.stamps[0][0] < first else 0
    return fields, line[:first] if stamp > first else line[stamp:first] or line[:first], reader.drawn


class _Reader:
    """Goes through the numbers of a line from left to right; ``last``: the field before."""

    def __init__(self, line: str) -> None:
        self.line, self.numbers = line, list(NUMBER.finditer(line))
        self.stamps = [m.span() for m in STAMP.finditer(line)]
        self.lengths = list(LENGTH.finditer(line))
        self.marks = [*self.stamps, *(m.span() for m in self.lengths), *(m.span() for m in _IDENTITY.finditer(line))]
        self.bar = BAR.search(line)
        self.drawn = self.bar is not None or bool(_DRAWN.search(line))
        self.last: Field | None = None

    def marked(self, found: re.Match[str]) -> int:
        """The end of the stamp, length or identity that a number is in; 0 of none."""
        return max((end for start, end in self.marks if start < found.end() <= end), default=0)

    def fields(self) -> Iterator[Field]:
        end, second = 0, -1
        for place, found in enumerate(self.numbers):
            if place == second:
                continue
            if mark := self.marked(found):
                field = self._length(place, found, end)
                end = max(end, mark)
            elif self._is_in_word(found) or BAR.match(self.line, found.start()):
                continue
            else:
                text = self.line[max(end, found.start() - LONGEST_NAME) : found.start()]
                key, signed = _key(_WRAPPED.sub("", text))
                at = Field(place, *found.span(), text, name=key, signed=signed)
                kinds = (self._mean, self._fraction, self._of_pair, self._ordinal, self._of_several, self._named)
                field = next(filter(None, (kind(at) for kind in kinds)))
                second = -1 if field.total is None else field.total
                end = field.end + len(field.unit) if field.total is None else self.numbers[second].end()
            if field is not None:
                self.last = field
                yield field

    def _is_in_word(self, found: re.Match[str]) -> bool:
        line, start, end = self.line, found.start(), found.end()
        before = line[start - 1 : start]
        if (line[start] in "+-" and before.isalnum()) or line[end : end + 1] == "_":
            return True
        glued = bool(before) and (before in "_.@" or (before.isascii() and before.isalpha()))
        return glued and not (_COUNTER.search(line, max(0, start - 12), start) and found[0].isdecimal())

    def _length(self, place: int, found: re.Match[str], end: int) -> Field | None:
        """The length of time that begins with a number or its sign, if it has a name or is the clock of a bar."""
        length = next((m for m in self.lengths if m.start() - found.start() in (0, 1)), None)
        if length is None or any(a <= found.start() < b for a, b in self.stamps):
            return None
        text = self.line[max(end, length.start() - LONGEST_NAME) : length.start()]
        key, told = "", self._of_bar(length, text)
        if told is None:
            (key, signed), is_spelt = _key(text), length[0][-1:] in "smhd"  # 3m 21s needs no name
            if (key or is_spelt) and not (self.last and _MANY.match(text)):
                told = meaning(key, "s", signed=signed)
            if told is None or told.role not in ("time", "elapsed", "remaining"):
                return None
        elif self.line[length.end() : length.end() + 1] == ":":
            return None
        return Field(place, *length.span(), text, meaning=told, name=key or told.name, clock=True)

    def _of_bar(self, length: re.Match[str], text: str) -> Meaning | None:
        """What a length behind the count of a bar is: the time since its start, or that it will take."""
        last, is_bare = self.last, not re.search("[A-Za-z]", text)
        if last and last.meaning and last.meaning.role == "step" and last.total is not None and is_bare:
            return Meaning("elapsed", BAR_CLOCK, factor=1.0)
        if last and last.meaning and last.meaning.name == BAR_CLOCK and self.line[: length.start()].endswith("<"):
            return Meaning("remaining", "bar left", factor=1.0)
        is_drawn = self.drawn and (is_bare or _UNENDED.fullmatch(text))
        return (
            Meaning("time", BAR_CLOCK, factor=1.0) if is_drawn else None
        )  # rises since the start, or falls to the end

    def _mean(self, at: Field) -> Field | None:
        """A number in brackets behind another one: `0.51 (0.48)`; or the same of one card: `5126 (641/gpu)`."""
        last = self.last
        if last is None or last.meaning is None or last.total is not None or not _MEAN.match(at.before):
            return None
        is_timed = last.meaning.role not in ("rate", "time", "elapsed") and _TIMED.match(self.line, at.end)
        if last.meaning.role in ("step", "epoch") or is_timed:
            return None
        if last.meaning.role == "rate" and (of := _SAME_OF.match(self.line, at.end)):
            name = of[1] if of[1][0] != "/" else (last.name or last.unit.strip()) + of[1]
            if (m := meaning(name)) and m.scope == "card":
                return replace(at, meaning=m, name=name)
        return replace(at, meaning=last.meaning, name=last.name, is_mean=True)

    def _fraction(self, at: Field) -> Field | None:
        """The first number of 10 / 200 counts steps or epochs by its name; without a name it is a step."""
        if at.place + 1 >= len(self.numbers):
            return None
        one, two = self.numbers[at.place : at.place + 2]
        between = self.line[one.end() : two.start()]
        if between.strip() != "/" or not (one[0].isdecimal() and two[0].isdecimal()) or self.marked(two):
            return None
        m = self._of_fraction(at)
        return replace(at, meaning=m, name=at.name if m and m.name else "", total=at.place + 1)

    def _of_fraction(self, at: Field) -> Meaning | None:
        m = meaning(at.name, "", signed=at.signed) if at.name else None
        is_of_steps = m is not None and m.role == "step"
        if m and m.role == "epoch":
            return m
        if self.bar and at.start < self.bar.start():  # only the fraction behind its picture is that of a bar
            is_named = m is None or is_of_steps or re.search("[A-Za-z]", at.name)
            return m if is_named and at.name else Meaning("epoch", "")
        if self.bar:
            return m if is_of_steps else Meaning("step", "", counts=m.counts if m else None)
        if re.match(r"\[\s*\d+\s*/\s*\d+\s*\]\s?\[\s*\d+\s*/\s*\d+\s*\]", self.line[max(at.start - 1, 0) :]):
            return Meaning("epoch", "epoch")
        return Meaning("step", "") if m is None else m if m.role in ("step", "steps") else None

    def _of_pair(self, at: Field) -> Field | None:
        """An epoch and its step in brackets: `Epoch [3][100]`, `Epoch [3, 100]`, `step [3, 100]`, `[3, 100] loss`."""
        last, rest = self.last, self.line[at.end : at.end + SHORT]
        is_epoch = last and last.meaning and last.meaning.role == "epoch" and last.total is None
        if is_epoch and rest[:1] == "]" and re.fullmatch(r"\]\s?\[\s*|,\s*", at.before):
            return replace(at, meaning=Meaning("step", "step"), name="step")
        pair = re.match(r"\s*,\s*\d+\s*\]( loss\b)?", rest) if at.before[-1:] == "[" else None
        is_named = pair and (split(at.name)[-1:] == ("step",) or (pair[1] and not at.name))
        return replace(at, meaning=Meaning("epoch", "epoch")) if is_named else None

    def _ordinal(self, at: Field) -> Field | None:
        """What is counted in words around its number: `第 3 轮`, `1epoch:`, `20 batches done`."""
        behind = self.line[at.end : at.end + SHORT]
        found = (_OF_ORDINAL if at.before.rstrip().endswith("第") else _DONE).match(behind)
        what = counted(found[1].lower()) if found else "epochs" if not at.name and behind.startswith("epoch:") else None
        one = what[:-1] if what in ("steps", "epochs") else None
        return replace(at, meaning=Meaning(one, one), name=one) if one else None

    def _of_several(self, at: Field) -> Field | None:
        """The time of several steps whose count stands beside it."""
        name: tuple[str, str | None] | None = None
        if ahead := _OVER_COUNT.match(self.line, at.end):  # 1.6s/20 iters
            count = self.numbers[at.place + 1]
            word = re.match(r"\s?([A-Za-z]+)", self.line[count.end() : count.end() + SHORT])
            unit, of = ahead[0].split("/")[0], at.place + 1
            if word and counted(word[1].lower()) == "steps":
                name = "", None
        else:
            found, last = _LENGTH_UNIT.match(self.line, at.end), self.last
            if found is None or last is None or last.place != at.place - 1 or last.total is not None:
                return None
            unit, of = found[0], last.place
            name = self._count_before(last, at.before) if self.numbers[of][0].isdecimal() else None
        if name is None:
            return None
        factor = seconds(unit.split()[0].lower()) or 1.0
        told = Meaning("time", name[0], counts=name[1], per="steps", factor=factor)
        return replace(at, meaning=told, unit=unit, of=of)

    def _count_before(self, last: Field, text: str) -> tuple[str, str | None] | None:
        """The name of a time whose count stands before it, and what is counted; None where that is no such count."""
        many = _MANY.match(text)  # 2 epochs completed in 1.5 hours
        if many and (what := counted(many[1].lower())) in ("steps", "epochs"):
            return many[0].strip(), what
        behind = _BEHIND_COUNT.match(text)  # Time(100 iters): 1.25s
        is_bare = last.meaning is None or last.meaning.role not in ("step", "epoch", "steps")
        words = split(_SEPARATOR.split(last.before.rstrip(" (["))[-1])[-3:]
        is_time = set(words) <= words_of("time") | words_of("each") | {"over", "last", "past", "these", "/"}
        is_of_steps = behind is not None and counted(behind[1].lower()) == "steps"
        return (" ".join(words), None) if is_bare and is_of_steps and is_time else None

    def _named(self, at: Field) -> Field:
        """A number by the name before it and the unit behind it."""
        scaled = _SCALE.match(self.line, at.end)
        behind = scaled.end() if scaled else at.end
        unit = self._unit(behind, at)
        m = meaning(at.name, unit.strip(" [(])"), signed=at.signed)
        word = re.match(r"\s([A-Za-z]+)(?!\w|/|\s?:)", self.line[behind : behind + SHORT])
        is_count = m and m.role == "rate" and not unit and word and counted(word[1].lower())  # speed: 497 iterations
        if is_count or (scaled and not (m and m.role in ("rate", "step"))):
            return at
        scale = {"K": 1e3, "k": 1e3, "M": 1e6}[scaled[1]] if scaled else 1.0
        return replace(at, meaning=m, end=behind, unit=unit if m else "", scale=scale)

    def _unit(self, end: int, at: Field) -> str:
        """The text of the unit behind a number; nothing where that is the next name."""
        rest = self.line[end : end + 48]
        unit, glued = _UNIT.match(rest), not rest[:1].isspace()
        closed = at.before.endswith("(") and unit is not None and unit[0].endswith(")")
        if unit is None or re.match(r"\d,", self.line[max(at.start - 2, 0) : at.start]):  # the end of 128,4
            return ""
        if _NEXT_IS_NAME.match(rest, unit.end()) and not (glued or closed):
            return ""
        m = meaning("", unit[1])
        is_speed = m is not None and (m.role == "rate" or (m.role == "time" and m.per is not None))
        is_time = seconds(unit[1].lower()) is not None
        if (is_speed or is_time) and not glued and re.match(r"[\])]?\s+[-\d.(]", rest[unit.end(1) :]):
            named = meaning(at.name, "", signed=at.signed) if at.name else None
            is_time_of = named is not None and named.role in ("time", "elapsed", "remaining")
            if named and ("/" in named.name or not (is_time_of or named.role == "rate")):
                return ""
            if is_time_of and m is not None and m.role == "rate":  # time 1.5 tok/s 4096
                return ""
        return rest[: unit.end(1)] if is_speed or is_time or glued or "/" in unit[1] else ""  # 62 km/h is no name


def _key(before: str) -> tuple[str, bool]:
    """The name that stands before a number, and whether a sign stands between."""
    text = _OPENING.sub("", before)
    signed = bool(_SIGN.search(text)) or bool(re.search(r"[\"']\s*:\s*[\[({]*\Z", before))
    text = re.sub(r"[:=：＝>\-\s]+\Z", "", text) if signed else re.sub(r"(?<=\w) is\Z", "", text)
    text = text.rstrip(" \"'|")
    tail = re.search(r"[(\[][^()\[\]]*[)\]]\Z", text)
    name, brackets = (text[: tail.start()], tail[0]) if tail else (text, "")
    key = _SEPARATOR.split(name.rstrip(" \"'|"))[-1].strip(" \"'(*)#>-")
    if not key and before.endswith("]["):  # [STEP][100]
        key, brackets = brackets.strip("[]"), ""
    return (f"{key} {brackets}" if key and brackets else key).lstrip("/. "), signed


_AT = rf"(?P<H>{_HOUR}):(?P<M>\d\d):(?P<S>\d\d)(?:[.,](?P<f>\d{{1,6}}))?(?: ?(?P<half>[AaPp])[Mm](?![A-Za-z]))?"
_NAME_OF_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MOMENTS = tuple(
    re.compile(date + _AT + year)
    for date, year in (
        (rf"{_NAME_OF_DAY} (?P<b>[A-Z][a-z]{{2}}) +(?P<d>\d+) ", r"(?: (?P<y>\d{4}))?"),
        (r"(?P<y>\d{4})[-/]?(?P<m>\d\d)[-/]?(?P<d>\d\d)[ T_-]+", ""),
        (rf"(?:{_OF_DAY}|\A[\[\w\]]{{0,20}}\[)", r"(?![\d:</])"),
        (r"(?<!\d)(?P<y>\d\d)-(?P<m>\d\d)-(?P<d>\d\d) ", ""),
        (r"(?<!\d)(?P<m>\d\d?)[-/.](?P<d>\d\d?)[-/.](?P<y>\d{4})[ ,T-]+", ""),
        (r"(?P<m>\d\d)[-/]?(?P<d>\d\d)(?:/\d\d)? ", ""),
    )
)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_POSIX = re.compile(
    r"(?i)[\"']?(?:time_ms|timestamp|time|ts|_timestamp)[\"']?\s*[:=]\s*[\"']?(\d{10}(?:\.\d+)?|\d{13})(?!\d)"
    r"|\A(?:\w+:){0,2}\[(\d{10}\.\d+)\]"
)
_NO_MOMENT = math.nan, math.nan


def moment(text: str) -> tuple[float, float]:
    """POSIX seconds of the stamp of a line, and how fine it is; NaN of none."""
    if (found := _POSIX.search(text[:400])) and float(digits := str(found[1] or found[2])):
        value, fine = float(digits), 10.0 ** -len(digits.partition(".")[2])
        value, fine = (value / 1e3, 1e-3) if value > EPOCH_LAST else (value, fine)
        return (value, fine) if EPOCH_FIRST < value < EPOCH_LAST else _NO_MOMENT
    try:
        return _stamp(text[:HEAD])
    except ValueError:  # the 32nd of a month
        return _NO_MOMENT


def _stamp(head: str) -> tuple[float, float]:
    """The same of a stamp in letters and signs; raises ValueError for one that no calendar has."""
    every = next(filter(None, (list(of.finditer(head)) for of in _MOMENTS)), None)
    if every is None:
        return _NO_MOMENT
    # A shipper of logs may put its own stamp before that of the program.
    told = next((m for m in every if m["f"]), every[0]).groupdict()
    month = _MONTHS.index(told["b"]) // 3 + 1 if told.get("b") else int(told.get("m") or 1)
    year, day = int(told.get("y") or NO_YEAR), int(told.get("d") or 1)
    if month > 12:
        month, day = day, month
    year += 2000 if year < 100 else 0
    hour, minute, second = (int(told[name]) for name in "HMS")
    if told["half"]:  # the first hour of each half of a day is 12
        hour = hour % 12 + (12 if told["half"] in "Pp" else 0)
    when = datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    digits = told["f"]
    return (when + float(f"0.{digits}"), 10.0 ** -len(digits)) if digits else (when, 1.0)
