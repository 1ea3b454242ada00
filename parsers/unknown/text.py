"""The numbers of a line: where each stands, the name before it, the unit behind it; and the moment of the line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .constants import EPOCH_FIRST, EPOCH_LAST, HEAD, LONGEST_NAME
from .naming import Meaning, counted, meaning, seconds, split, words_of

NUMBER = re.compile(
    r"[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+\.?\d*(?:[eE][-+]?\d+)?|(?<![\w.])\.\d+(?:[eE][-+]?\d+)?"
    r"|(?<![A-Za-z])(?:nan|NaN|inf|Infinity)(?![A-Za-z]))"
)
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,:]\d+)?"
_DATE = (
    r"\d{4}[-/]\d\d[-/]\d\d|(?<!\d)\d{8}(?=[ T-]\d\d:)|(?<!\d)\d\d[-/.]\d\d[-/.](?:\d{4}|\d\d)(?!\d)"
    r"|(?<!\d)\d\d[-/]\d\d(?=[ ,])|[IWEF]\d{4}(?:\d{4})?(?= \d\d:)|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+"
)
_OF_DAY = r"\A\s{0,4}(?:(?:INFO|DEBUG|WARNING)[ :]\s?)?[\[(<]?"
STAMP = re.compile(
    rf"(?:{_DATE})[ ,T_-]*{_CLOCK}(?:Z|[+-]\d\d:?\d\d| \d{{4}})?(?: ?[AaPp][Mm](?![A-Za-z]))?"
    rf"|{_OF_DAY}{_CLOCK}(?![\d:<\/])(?: ?[AaPp][Mm](?![A-Za-z]))?|\d{{4}}[-/]\d\d[-/]\d\d(?!\d)"
)
LENGTH = re.compile(
    r"(?<!\d)(?:\d+ days?, *)?\d+:\d\d?:\d\d?(?:\.\d+)?(?![\d:])|(?<![\d:])\d+:\d\d(?:\.\d+)?(?![\d:])"
    r"|\b(?:\d+d ?)?(?:\d+h ?)?\d+m ?\d+(?:\.\d+)?s\b|\b\d+h ?\d+m\b"
)
_IDENTITY = re.compile(
    r"(?<![\w/])/?(?:gpu|GPU|cuda|rank|Rank|RANK|RK|device|worker|node|Node|local_rank|pid)[:=#\s\[]{0,2}\d+\]?"
    r"|(?<![\w./\\-])[\w./\\-]+\.(?:py|cpp|cc|cu|java|scala|h|npy|pt|pth|yaml|json|txt|log|bin)\b(?:[:\]]? ?\d+)?(?::\w+)?"
    r"|\b0x[0-9a-f]+|\b\d+(?:\.\d+){2,}\b|:::\w+v[\d.]+|\"?lineno\"?: *\d+|[$]:\d+|(?<![\w/])[\w/]+:\d+:\w+\]"
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
_SCALE = re.compile(r"([KkM])(?![A-Za-z/])")
_COUNTER = re.compile(r"(?i)(?<![\w.\-/])(?:epoch|batch|step|iter)\Z")  # glued to its number: epoch3
_TIME_UNIT = r"(?:ms|msecs?|s|secs?|seconds?|mins?|minutes?|秒)"
_OVER_COUNT = re.compile(rf"\s?{_TIME_UNIT}\s?(?:/|for|per)(?: the)?(?: last)?\s?(?=\d+\s?[A-Za-z])")  # 1.6s/20 iters
_BEHIND_COUNT = re.compile(r"\s?([A-Za-z一-鿿]+)[)\]]?\s?(?:[:=]|用时|耗时|in|took|time|cost|elapsed)?\s?[:=：]?\s?\Z")
BAR = re.compile(r"(?<![\d.])\d{1,3}%(?:\|[^|\r\n]*\|| ?[━─╸╺#>=. ]{3,}|(?= +\d+/\d+ \[\d))")
# A picture behind the steps, as Keras draws it, or a bar without an end: `52002 examples [00:10, 5200 examples/s]`.
_DRAWN = re.compile(r"\d+/\d+ (?:\[[=>.\- ]{5,}\]|[━╸╺─]{5,})|\d ?[A-Za-z]+ \[(?:\d+:)?\d\d:\d\d, ")
_TIMED = re.compile(rf"\s?{_TIME_UNIT}\s*[),]")  # loss: 2.1 (51.1 ms)
_MANY = re.compile(
    r"\s?([A-Za-z]+s)(?: (?:completed|finished|done|trained|took|in|took about|run in)){1,3} \Z"
)  # 2 epochs completed in 1.5 hours
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\[(?:\d{1,2};)*\d{1,2}m")
RAY = re.compile(r"^\(\w[^)]{0,40} pid=\d+[^)]*\) ")  # the process of Ray that printed a line


BAR_CLOCK = "bar"  # the name of what a bar says of the time since its start
NO_DATE = datetime(2024, 1, 1, tzinfo=UTC).timestamp()  # the day of stamps that tell only the time of day


@dataclass(frozen=True)
class Field:
    """A number by its place among all of a line. ``total``: the place of the second number of a fraction. ``of``: that of
    the count of steps that a time is of. ``clock``: it begins a length such as 1:02:03."""

    place: int
    start: int
    end: int
    before: str
    unit: str
    meaning: Meaning | None
    key: str = ""
    total: int | None = None
    of: int | None = None
    scale: float = 1.0
    clock: bool = False
    is_mean: bool = False


@dataclass(frozen=True)
class Parsed:
    """The fields of a line. ``bar``: it is the state of a progress bar. ``head``: what stands before its first number."""

    fields: tuple[Field, ...]
    head: str
    bar: bool


def parse(line: str) -> Parsed:
    reader = _Reader(line)
    fields = _without_counts(tuple(reader.fields()))
    known = [f for f in fields if f.meaning]
    first = min((m.start() for m in reader.numbers if not reader.marked(m)), default=len(line))
    first = min([first, *(f.start for f in known[:1])])
    stamp = reader.stamps[0][1] if reader.stamps and reader.stamps[0][0] < first else 0
    return Parsed(
        fields,
        line[:first] if stamp > first else line[stamp:first] or line[:first],
        reader.bar is not None or bool(_DRAWN.search(line)),
    )


def _without_counts(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Fields without the meaning of those that are the count of another: the 100 of `Time(100 iters): 1.25s`."""
    counts = {f.of for f in fields if f.of is not None}
    return tuple(replace(f, meaning=None) if f.place in counts else f for f in fields)


class _Reader:
    """Goes through the numbers of a line from left to right."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.numbers = list(NUMBER.finditer(line))
        self.stamps = [m.span() for m in STAMP.finditer(line)]
        self.lengths = {m.start(): m for m in LENGTH.finditer(line)}
        self.identities = [m.span() for m in _IDENTITY.finditer(line)]
        self.bar = BAR.search(line)

    def marked(self, found: re.Match[str]) -> int:
        """The end of the stamp, length or identity that a number is in; 0 of none."""
        spans = (*self.stamps, *(m.span() for m in self.lengths.values()), *self.identities)
        return max((end for start, end in spans if start <= found.end() - 1 < end), default=0)

    def fields(self) -> Iterator[Field]:
        last, skip, before = 0, False, None
        for place, found in enumerate(self.numbers):
            if skip:
                skip = False
                continue
            if end := self.marked(found):
                if (length := self._length(place, found, last, before)) is not None:
                    yield length
                    before = length
                last = max(last, end)
                continue
            if self._in_a_word(found) or BAR.match(self.line, found.start()):
                continue
            field = self._field(place, found, self.line[max(last, found.start() - LONGEST_NAME) : found.start()], before)
            skip = field.total is not None
            last = self.numbers[field.total].end() if field.total is not None else field.end + len(field.unit)
            before = field
            yield field

    def _in_a_word(self, found: re.Match[str]) -> bool:
        line, start, end = self.line, found.start(), found.end()
        before = line[start - 1 : start]
        if (line[start] in "+-" and before.isalnum()) or line[end : end + 1] == "_":
            return True
        glued = bool(before) and (before in "_.@" or (before.isascii() and before.isalpha()))
        return glued and not (_COUNTER.search(line, max(0, start - 12), start) and found[0].isdecimal())

    def _length(self, place: int, found: re.Match[str], last: int, before: Field | None) -> Field | None:
        """The length of time that begins with a number, if it has a name, or is the clock of a bar."""
        length = self.lengths.get(found.start()) or next(
            (m for m in self.lengths.values() if m.start() - 1 == found.start()), None
        )
        if length is None or any(a <= found.start() < b for a, b in self.stamps):
            return None
        text = self.line[max(last, length.start() - LONGEST_NAME) : length.start()]
        behind, ahead = self.line[length.end() : length.end() + 1], self.line[length.start() - 1 : length.start()]
        if (
            before
            and before.meaning
            and before.meaning.role == "step"
            and before.total is not None
            and not re.search("[A-Za-z]", text)
        ):
            told = Meaning("elapsed", BAR_CLOCK, factor=1.0)
        elif ahead == "<" and before and before.meaning and before.meaning.name == BAR_CLOCK:
            told = Meaning("remaining", "bar left", factor=1.0)
        else:
            key, signed = _key(text)
            spelt = length[0][-1:] in "smhd"  # 3m 21s needs no name
            told = meaning(key, "s", signed=signed) if (key or spelt) and not (before and _MANY.match(text)) else None
            if told is None or told.role not in ("time", "elapsed", "remaining"):
                return None
            return Field(place, *length.span(), text, "", told, key, clock=True)
        return Field(place, *length.span(), text, "", told, told.name, clock=True) if behind != ":" else None

    def _fraction(self, place: int) -> bool:
        if place + 1 >= len(self.numbers):
            return False
        one, two = self.numbers[place : place + 2]
        between = self.line[one.end() : two.start()]
        return one[0].isdecimal() and two[0].isdecimal() and between.strip() == "/" and not self.marked(two)

    def _field(self, place: int, found: re.Match[str], text: str, before: Field | None) -> Field:
        start, end = found.span()
        if (
            before
            and before.meaning
            and before.meaning.role not in ("step", "epoch")
            and _MEAN.match(text)
            and before.total is None
            and (before.meaning.role in ("rate", "time", "elapsed") or not _TIMED.match(self.line, end))
        ):
            return Field(place, start, end, text, "", before.meaning, before.key, is_mean=True)
        key, signed = _key(_WRAPPED.sub("", text))
        if self._fraction(place):
            m = self._of_fraction(text, key, signed, place)
            return Field(place, start, end, text, "", m, key if m and m.name else "", total=place + 1)
        is_epoch = before and before.meaning and before.meaning.role == "epoch"
        if (
            is_epoch
            and before.total is None
            and self.line[end : end + 1] == "]"
            and re.fullmatch(r"\]\s?\[\s*|,\s*", text)
        ):
            return Field(place, start, end, text, "", Meaning("step", "step"), "step")
        if re.search(r"\[\Z", text) and re.match(r"\s*,\s*\d+\s*\]", self.line[end:]) and split(key)[-1:] == ("step",):
            return Field(place, start, end, text, "", Meaning("epoch", "epoch"), key)
        if spelt := self._ordinal(text, end, key):
            return Field(place, start, end, text, "", spelt, spelt.name)
        if told := self._of_several(place, end, text, before):
            of, unit, m = told
            return Field(place, start, end, text, unit, m, key, of=of)
        if glued := re.match(r"s<(?=\d)", self.line[end : end + 3]) or (
            self.line[start - 1 : start] == "<" and before and before.key == BAR_CLOCK
        ):
            role = "elapsed" if isinstance(glued, re.Match) else "remaining"
            return Field(place, start, end, text, "s", Meaning(role, BAR_CLOCK, factor=1.0), BAR_CLOCK)
        scaled = _SCALE.match(self.line, end)
        behind = scaled.end() if scaled else end
        unit = self._unit(behind, key, text.endswith("("), signed)
        m = meaning(key, _plain(unit), signed=signed)
        word = re.match(r"\s([A-Za-z]+)(?!\w|/|\s?:)", self.line[behind:])
        if m and m.role == "rate" and not unit and word and counted(word[1].lower()):  # speed: 497 iterations
            return Field(place, start, end, text, "", None, key)
        if scaled and not (m and m.role in ("rate", "step")):
            return Field(place, start, end, text, "", None, key)
        scale = {"K": 1e3, "k": 1e3, "M": 1e6}[scaled[1]] if scaled else 1.0
        return Field(place, start, behind, text, unit if m else "", m, key, scale=scale)

    def _of_fraction(self, text: str, key: str, signed: bool, place: int) -> Meaning | None:
        """The first number of 10 / 200 counts steps or epochs by its name; without a name it is a step."""
        m = meaning(key, "", signed=signed) if key else None
        if m and m.role == "epoch":
            return m
        if self.bar:  # only the fraction behind its picture is that of a bar
            if self.numbers[place].start() < self.bar.start():
                return (
                    m
                    if m and m.role == "step"
                    else Meaning("epoch", "")
                    if not key or not re.search("[A-Za-z]", key)
                    else m
                )
            return Meaning("step", m.name if m and m.role == "step" else "", counts=m.counts if m else None)
        two = re.match(
            r"\[\s*\d+\s*/\s*\d+\s*\]\s?\[\s*\d+\s*/\s*\d+\s*\]", self.line[self.numbers[place].start() - 1 :]
        )
        if two:
            return Meaning("epoch", "epoch")
        return m if m and m.role in ("step", "steps") else Meaning("step", "") if m is None else None

    def _ordinal(self, text: str, end: int, key: str) -> Meaning | None:
        """What is counted in words around its number: `第 3 轮`, `1epoch:`."""
        behind = self.line[end : end + 12]
        if text.rstrip().endswith("第"):
            word = re.match(r"\s*(?:个\s*)?([A-Za-z]+|轮|步|批)", behind)
            what = counted(word[1].lower()) if word else None
            return Meaning(what[:-1], what[:-1]) if what in ("steps", "epochs") else None
        return Meaning("epoch", "epoch") if not key and re.match(r"epoch:", behind) else None

    def _of_several(self, place: int, end: int, text: str, before: Field | None) -> tuple[int, str, Meaning] | None:
        """The time of several steps whose count stands beside it: `1.6s/20 iters`, `Time(100 iters): 1.2s`."""
        if ahead := _OVER_COUNT.match(self.line, end):
            if place + 1 >= len(self.numbers):
                return None
            count = self.numbers[place + 1]
            word = re.match(r"\s?([A-Za-z]+)", self.line[count.end() :])
            if word and counted(word[1].lower()) == "steps":
                factor = seconds(ahead[0].split("/")[0].split()[0].strip().lower() or "s")
                return place + 1, ahead[0].split("/")[0], Meaning("time", "", per="steps", factor=factor or 1.0)
        if before and before.place == place - 1 and before.total is None and self.numbers[place - 1][0].isdecimal():
            bare = before.meaning is None or before.meaning.role not in ("step", "epoch", "steps")
            if (many := _MANY.match(text)) and (what := counted(many[1].lower())) in ("steps", "epochs"):
                if unit := re.match(rf"\s?{_TIME_UNIT}(?![A-Za-z/])", self.line[end:], re.IGNORECASE) or re.match(
                    r"\s?(?:h|hrs?|hours?)\b", self.line[end:]
                ):
                    return (
                        place - 1,
                        unit[0],
                        Meaning(
                            "time", many[0].strip(), counts=what, per="steps", factor=seconds(unit[0].strip().lower())
                        ),
                    )
            behind, unit = _BEHIND_COUNT.match(text), re.match(rf"\s?{_TIME_UNIT}(?![A-Za-z/])", self.line[end:])
            if bare and behind and unit and counted(behind[1].lower()) == "steps":
                known = _plain_words(before.before)
                if all(
                    w in words_of("time") | words_of("each") | {"over", "last", "past", "these", "/"}
                    for w in known[-3:]
                ):
                    return (
                        place - 1,
                        unit[0],
                        Meaning("time", " ".join(known[-3:]), per="steps", factor=seconds(unit[0].strip().lower())),
                    )
        return None

    def _unit(self, end: int, key: str, in_brackets: bool, signed: bool) -> str:
        """The text of the unit behind a number; nothing where that is the next name."""
        rest = self.line[end : end + 48]
        unit = _UNIT.match(rest)
        glued = not rest[:1].isspace()
        closed = in_brackets and unit is not None and unit[0].endswith(")")
        if unit is None or (_NEXT_IS_NAME.match(rest, unit.end()) and not (glued or closed)):
            return ""
        m = meaning("", unit[1])
        is_speed = m is not None and (m.role == "rate" or (m.role == "time" and m.per is not None))
        is_time = seconds(unit[1].lower()) is not None
        named = meaning(key, "", signed=signed) if key else None
        has_name = named is not None and (
            named.role not in ("rate", "time", "elapsed", "remaining") or "/" in named.name
        )
        if (is_speed or is_time) and re.match(r"[\])]?\s+[-\d.(]", rest[unit.end(1) :]) and not glued and has_name:
            return ""
        return rest[: unit.end(1)] if is_speed or is_time or glued else ""


def _plain(unit: str) -> str:
    return unit.strip(" [(])")


def _plain_words(text: str) -> tuple[str, ...]:
    return split(_SEPARATOR.split(text.rstrip(" (["))[-1])


def _key(before: str) -> tuple[str, bool]:
    """The name that stands before a number, and whether a sign stands between."""
    text = _OPENING.sub("", before)
    signed = bool(_SIGN.search(text)) or bool(re.search(r"[\"']\s*:\s*[\[({]*\Z", before))
    text = re.sub(r"[:=：＝>\-\s]+\Z", "", text) if signed else re.sub(r"(?<=\w) is\Z", "", text)
    text = text.rstrip(" \"'|")
    tail = re.search(r"[(\[][^()\[\]]*[)\]]\Z", text)
    name, brackets = (text[: tail.start()], tail[0]) if tail else (text, "")
    key = _SEPARATOR.split(name.rstrip(" \"'|"))[-1].strip(" \"'(*)#>-")
    return (f"{key} {brackets}" if key and brackets else key).lstrip("/ "), signed


_FULL = re.compile(r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)[ T_-]+(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_SHORT = re.compile(r"(?:[IWEF])?(\d\d)[-/]?(\d\d)(?:/(\d\d))? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d\d)-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_NAMED = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d)(?: (\d{4}))?")
_DAY_ONLY = re.compile(rf"(?:{_OF_DAY}|\A[\[\w\]]{{0,20}}\[)(\d\d):(\d\d):(\d\d)(?:[.,](\d{{1,6}}))?(?![\d:</])")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_POSIX = re.compile(
    r"(?i)[\"']?(?:time_ms|timestamp|time|ts|_timestamp)[\"']?\s*[:=]\s*[\"']?(\d{10}(?:\.\d+)?|\d{13})(?!\d)|:::\w+v[\d.]+ \w+ (\d{10}\.\d+)"
)


def moment(text: str) -> tuple[float, float]:
    """POSIX seconds of the stamp of a line, and how fine it is; NaN of none."""
    if (found := _POSIX.search(text[:400])) and (value := float(found[1] or found[2])):
        value, fine = (
            (value / 1e3, 1e-3)
            if value > EPOCH_LAST
            else (value, 10.0 ** -len(str(found[1] or found[2]).partition(".")[2]))
        )
        return (value, fine) if EPOCH_FIRST < value < EPOCH_LAST else (math.nan, math.nan)
    head = text[:HEAD]
    try:
        if found := _NAMED.search(head):
            month, *rest, year = found.groups()
            return _posix(year or 2024, _MONTHS.index(month) + 1, *rest), 1.0
        if every := list(_FULL.finditer(head)):  # a shipper of logs may put its own before that of the program
            found = next((m for m in every if m[7]), every[0])
            return _fraction(_posix(*found.groups()[:6]), found[7])
        if found := _DAY_ONLY.match(head):
            return _fraction(_posix(2024, 1, 1, *found.groups()[:3]), found[4])
        if found := _YEAR_FIRST.search(head[:60]):
            return _fraction(_posix(2000 + int(found[1]), *found.groups()[1:6]), found[7])
        if found := _SHORT.search(head[:80]):
            month, day, _, *clock, fraction = found.groups()
            if int(month) > 12:
                month, day = day, month
            return _fraction(_posix(2024, month, day, *clock), fraction)
    except ValueError:
        pass
    return math.nan, math.nan


def _posix(*parts: object) -> float:
    return datetime(*(int(str(p)) for p in parts), tzinfo=UTC).timestamp()  # type: ignore[arg-type]


def _fraction(whole: float, digits: str | None) -> tuple[float, float]:
    return (whole + float(f"0.{digits}"), 10.0 ** -len(digits)) if digits else (whole, 1.0)


def length(text: str) -> float:
    """The seconds of a length of time such as `1 day, 2:03:04`, `02:03`, `1h 2m 3s`."""
    found = LENGTH.match(text)
    if found is None:
        return math.nan
    days = re.match(r"(\d+) day", found[0])
    total = 86400.0 * int(days[1]) if days else 0.0
    if ":" in found[0]:
        parts = re.sub(r"^\d+ days?, *", "", found[0]).split(":")
        return total + sum(float(p) * 60**n for n, p in enumerate(reversed(parts)))
    for value, unit in re.findall(r"(\d+(?:\.\d+)?) ?([dhms])", found[0]):
        total += float(value) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[unit]
    return total
