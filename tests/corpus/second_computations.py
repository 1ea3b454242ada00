"""Second computations: how fast the lines of a log say that its steps follow each other, by their text alone.

No grammar reads these lines: bars are read by their own clock, counters are the numbers that rise from line to line,
and times are those that stand at the start of lines, in a total or in what remains. Only which lines a measurement
used is taken from it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median, quantiles

DAY = 86400
# A clock in whole seconds says little of less, and a pause, such as an evaluation, takes several times a step.
LEAST_SECONDS = 20
PAUSE = 3.0
LEAST_LINES = 5
DRAWN_AGAIN, NEAR = 2, 3  # seconds and lines at most until a bar is drawn again as it closes
# How often a number rises that counts steps, how many of the lines used tell a time, and how alike the rates are that
# remaining times give.
RISES = 0.8
TOLD = 0.9
ALIKE = 1.3

BAR = re.compile(
    r"(?<![\d/])(?P<done>\d+)/(?P<total>\d+) \[(?P<passed>[\d:]+)<(?:[^\]\r\n]*?(?P<loss>loss\w*\W{1,3}\d))?",
    re.IGNORECASE,
)
CLOCK = r"(?:(?P<days>\d+) days?, )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)"
REMAINS = re.compile(rf"(?:\beta|remaining(?:_time)?|time left)\W{{1,4}}{CLOCK}", re.IGNORECASE)
OF_TOTAL = re.compile(r"\[\s*(\d+)/(\d+)\]|current_steps\W+(\d+)\W+total_steps\W+(\d+)")
TOTAL_TIME = re.compile(
    r"(?:total[ _]time|train_time|time[ _]elapsed|elapsed(?:[ _]time)?|used time)\W{1,3}"
    r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|h|min|m|secs?|seconds|s)?(?![\w:])",
    re.IGNORECASE,
)
IN_SECONDS = {"ms": 0.001, "m": 60, "min": 60, "h": 3600}
DATED = re.compile(r"(?<!\d)(\d{4})[-/](\d\d)[-/](\d\d)[ T_](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
# The clocks of a bar (`8:22:16<24:30:18`) are no stamps.
TIMED = re.compile(r"(?<![\d:<])(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?(?![\d:<])")
AT_START = 48
COUNT = re.compile(
    r"(?:(?P<name>[A-Za-z_]+)[^A-Za-z\d]{0,4})?(?<!\d:)(?<![\d.,e+-])(?P<count>\d[\d,]*)(?!\d|[.:]\d|e[+-])"
)
STEP = re.compile(r"step|iter|batch|update", re.IGNORECASE)
EPOCH = re.compile(r"epoch", re.IGNORECASE)
TOKENS = re.compile(r"(?:trained|total|consumed|seen)[ _]tokens\W{0,3}([\d,]+)", re.IGNORECASE)
BATCH = re.compile(r"batch[\w ]{0,12}?(?:size)?\W{1,4}(\d+)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Point:
    """What had been done after some seconds."""

    done: float
    seconds: float


def step_rates(text: str, used: Sequence[int], *, is_clock: bool) -> Iterator[tuple[str, float]]:
    """The steps a second of the lines that a measurement used (from 1), each by another part of their text, and which.

    ``is_clock``: whether the measurement is one of a clock, which then says nothing more.
    """
    lines = text.split("\n")
    of_measurement = [lines[number - 1] for number in used if number <= len(lines)]
    if (rate := by_bars(lines[used[0] - 1 : used[-1]], of_measurement)) is not None:
        yield "bars", rate
    if (rate := by_what_remains(of_measurement)) is not None:
        yield "remaining time", rate
    if not is_clock:
        for name, seconds in (("stamps", stamps(of_measurement)), ("total time", totals(of_measurement))):
            if (rate := by_clock(of_measurement, seconds)) is not None:
                yield name, rate


def by_bars(lines: Sequence[str], used: Sequence[str]) -> float | None:
    """Steps a second by the clock of the bars of one total, those that a measurement used; None of several totals.

    Where all these show a loss, passes without one are of another loop.
    """
    of_used = [bars[-1] for line in used if (bars := list(BAR.finditer(line)))]
    totals, has_loss = {found["total"] for found in of_used}, all(found["loss"] for found in of_used)
    if len(totals) != 1:
        return None
    passes: list[list[Point]] = []
    with_loss, drawn = set(), 0
    every = ((number, found) for number, line in enumerate(lines) for found in BAR.finditer(line))
    own = [(number, found) for number, found in every if found["total"] in totals]
    for number, found in own if not _goes_on([found for _, found in own]) else _before_their_end(own):
        point, is_near = Point(int(found["done"]), _passed(found["passed"])), number - drawn <= NEAR
        drawn = number
        if not passes or _begins_anew(
            passes[-1][-1] if passes[-1] else None, point, int(found["total"]), is_near=is_near
        ):
            passes.append([Point(0, 0)] if found["done"] == found["total"] else [])
        if not passes[-1] or point.done > passes[-1][-1].done:  # else drawn again, with a later time
            passes[-1].append(point)
        if found["loss"]:
            with_loss.add(len(passes) - 1)
    passes = [one for place, one in enumerate(passes) if place in with_loss or not has_loss]
    ends = [(one[0], one[-1]) for one in passes if len(one) > 1]
    seconds = sum(last.seconds - first.seconds for first, last in ends)
    is_long = seconds >= LEAST_SECONDS * max(1, len(ends))
    return sum(last.done - first.done for first, last in ends) / seconds if is_long else None


def _goes_on(drawn: Sequence[re.Match[str]]) -> bool:
    """Whether the clock of a bar rises wherever its steps begin anew."""
    points = [Point(int(found["done"]), _passed(found["passed"])) for found in drawn]
    begins = [pair for pair in pairwise(points) if pair[1].done < pair[0].done]
    return len(begins) > 1 and all(after.seconds > before.seconds for before, after in begins)


def _before_their_end(drawn: Sequence[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """Without the drawings at the end of passes: with a clock that goes on these may stand behind an evaluation."""
    return [(number, found) for number, found in drawn if found["done"] != found["total"]]


def _begins_anew(last: Point | None, point: Point, total: int, *, is_near: bool) -> bool:
    """Whether a bar is drawn in another pass: at its end, where it may be drawn once more near by, by its clock."""
    if last is None or point.done != last.done:
        return last is not None and point.done < last.done
    return point.done == total and not (is_near and abs(point.seconds - last.seconds) <= DRAWN_AGAIN)


def _passed(clock: str) -> float:
    parts = [int(part) for part in clock.split(":")]
    return float(sum(part * 60**place for place, part in enumerate(reversed(parts))))


def by_what_remains(lines: Sequence[str]) -> float | None:
    """Steps a second by the steps and the time that remain, where all lines that tell them say about the same."""
    left = [remains for line in lines if (remains := _remaining(line)) is not None]
    if len(left) < LEAST_LINES:
        return None
    tenths = quantiles((one.done / one.seconds for one in left), n=10)
    rate = sum(one.done for one in left) / sum(one.seconds for one in left)
    return rate if tenths[-1] <= ALIKE * tenths[0] else None


def _remaining(line: str) -> Point | None:
    time, count = REMAINS.search(line), OF_TOTAL.search(line)
    if not time or not count:
        return None
    done, total = (int(number) for number in count.groups() if number)
    whole = int(time["days"] or 0) * DAY + int(time["hours"]) * 3600 + int(time["minutes"]) * 60
    seconds = whole + float(time["seconds"])
    # Until half is done, the first steps weigh much in what a program expects.
    return Point(total - done, seconds) if seconds >= 3 * LEAST_SECONDS and done < total <= 2 * done else None


def by_clock(lines: Sequence[str], seconds: Sequence[float | None]) -> float | None:
    """Steps a second by some times of lines, and by the first number on them that rises; without pauses."""
    times = [at for at in seconds if at is not None]
    counts = counter([line for line, at in zip(lines, seconds, strict=True) if at is not None])
    if counts is None or len(times) < TOLD * len(lines):
        return None
    pairs = zip(pairwise(counts), pairwise(times), strict=True)
    apart = [
        (after - before, end - start) for (before, after), (start, end) in pairs if after > before and end >= start
    ]
    tick = min((time for _, time in apart if time > 0), default=0)
    usual = median(time / steps for steps, time in apart) if tick else 0
    kept = [(steps, time) for steps, time in apart if time <= max(PAUSE * usual * steps, 2 * tick)]
    passed = sum(time for _, time in kept)
    return sum(steps for steps, _ in kept) / passed if passed >= LEAST_SECONDS else None


def counter(lines: Sequence[str]) -> list[int] | None:
    """The number behind the stamps of some lines that is a whole one on all and rises as a rule.

    Of several it is the first that is called a step or the like, or else the first that rises by more than one and is
    not called an epoch.
    """
    rows = [list(COUNT.finditer(_without_stamp(line))) for line in lines]
    if len(rows) < LEAST_LINES:
        return None
    rising = [column for column in zip(*rows, strict=False) if _rises(column)]
    named = [column for column in rising if STEP.search(column[0]["name"] or "")]
    others = [column for column in rising if not EPOCH.search(column[0]["name"] or "") and _is_coarse(column)]
    found = next(iter((*named, *others)), None)
    return None if found is None else [_whole(one) for one in found]


def _rises(column: Sequence[re.Match[str]]) -> bool:
    rises = sum(_whole(after) > _whole(before) for before, after in pairwise(column))
    return rises >= RISES * (len(column) - 1)


def _is_coarse(column: Sequence[re.Match[str]]) -> bool:
    """Whether numbers rise by more than one from line to line, as those of epochs do not."""
    return median(_whole(after) - _whole(before) for before, after in pairwise(column)) > 1


def _whole(found: re.Match[str]) -> int:
    return int(found["count"].replace(",", ""))


def _without_stamp(line: str) -> str:
    return TIMED.sub(" ", DATED.sub(" ", line))


def stamps(lines: Sequence[str]) -> list[float | None]:
    """The seconds of the stamps at the start of some lines, since some midnight; None of one without a stamp."""
    found: list[float | None] = []
    for line in lines:
        dated, timed = DATED.search(line[:AT_START]), TIMED.search(line[:AT_START])
        if dated:
            *whole, fraction = dated.groups()
            found.append(datetime(*map(int, whole)).timestamp() + float(f"0.{fraction or 0}"))  # type: ignore[arg-type]
        elif timed:
            hours, minutes, seconds, fraction = timed.groups()
            found.append(int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}"))
        else:
            found.append(None)
    return found


def totals(lines: Sequence[str]) -> list[float | None]:
    """The seconds since the start that some lines tell; None of a line that tells none."""
    found = (TOTAL_TIME.search(line) for line in lines)
    return [float(one["number"]) * IN_SECONDS.get((one["unit"] or "s").lower(), 1) if one else None for one in found]


def tokens_of_a_step(text: str, used: Sequence[int]) -> float | None:
    """How many tokens a step has by what the lines that a measurement used say of all tokens so far."""
    lines = text.split("\n")
    told = [line for number in used if number <= len(lines) and TOKENS.search(line := lines[number - 1])]
    counts = counter([TOKENS.sub(" ", line) for line in told])
    if counts is None or counts[-1] <= counts[0]:
        return None
    first, last = (int(TOKENS.findall(told[place])[-1].replace(",", "")) for place in (0, -1))
    return (last - first) / (counts[-1] - counts[0])


def named_batch(text: str, near: float) -> int | None:
    """The size of a batch that a text names and that is within 2% of a number, if any."""
    named = {int(number) for number in BATCH.findall(text) if 0 < len(number) < 9}
    return next((size for size in sorted(named) if size and abs(near / size - 1) <= 0.02), None)
