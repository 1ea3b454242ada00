"""History rows: what tables and remarks say of each case, as values that are worded last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from parsers.io.message import Message, joined

from ...measure.number import percent, signed
from ...wording.words import whose
from ..output.comparison_links import Cell, LinkedText, place_links
from ..output.comparison_rows import AND, NONE, UNIT, changed, shortened
from .case_histories import CaseHistories
from .case_history import CaseHistory, HistorySegment, HistorySeries, SpeedChange, State
from .run_order import By
from .run_record import RunRecord

HEAD = ("Case", "From", "To", "Runs", "Throughput", "Unit", "Time", "Change", "Now")
ARE_NUMBERS = (False, False, False, True, True, False, True, False, False)
CHANGES_HEAD = ("Case", "#", "At", "What happened", "What differs", "Before", "Where", "After", "Where")
RUNS_HEAD = ("Began (UTC)", "Commit", "Version", "Throughput", "Log", "Lines", "SHA-256")
STATES: tuple[State, ...] = ("slower", "unknown", "environment", "faster", "same")
ENVIRONMENT_CHANGED = "environment changed"

ABOUT = (
    "Suites: {suites}; by {by}; changes of {gate} matter. Time: how much longer the same work takes than in the "
    "segment before."
)
SUMMARY = "{count} cases: {states}."
SUMMARY_OF_ONE = "{count} case: {states}."
NO_CASES = "The suites contain no case."
OF_STATE = "{count} {state}"
NOW = "{state}: {reason}."
RULE = "measured by {protocol}, without the first 10% of the records"
STATED_RULE = "measured by {protocol}"
ALL_CASES_RULE = "All cases: {rule}."
ENVIRONMENT_STEP = "{at}: {change} where the environment changed, so not counted as a change of the code; {differs}"
UNKNOWN_STEP = "{at}: {change}, but {reason}; {differs}"
STEP = "{at}: {state}, {change}; {differs}"
MARK = "{at}: the environment changed, the speed did not; {differs}"
SUSPECT = "{at}: the last {count} runs are at another speed ({change}); fewer than 3 confirm nothing"
SUSPECT_ONE = "{at}: the last run is at another speed ({change}); one run confirms nothing"
NO_DIFFERENCE = "nothing that the runs record differs"
AND_OTHERS = "{first}; {second}"
MEANING = "{at}: from here on other things are measured, so the series are not joined: {differs}"
BECAME = "{name} {a} → {b}"
GAP = "gap: {log}: {reason}"
MORE_GAPS = "more gaps: {count}"
MOST_GAPS = 10
MOST_DIFFERENCES = 6
MORE_DIFFERENCES = "more: {count}"
DIFFERENCE = "{name} {a} → {b} ({where})"
SHORT = 12  # characters of a commit or hash
MEANINGS = ("unit", "scope", "formats", "protocol")


def about(found: CaseHistories) -> Message:
    """What was looked at."""
    suites = ", ".join(str(path) for path in found.paths)
    return Message(ABOUT, suites=suites, by=Message(found.by), gate=percent(found.gate))


def summary(cases: Sequence[CaseHistory]) -> Message:
    """One line: how many cases are how by now."""
    if not cases:
        return Message(NO_CASES)
    counts = Counter(case.state for case in cases)
    each = [Message(OF_STATE, count=counts[one], state=in_words(one)) for one in STATES if counts[one]]
    return Message(SUMMARY_OF_ONE if len(cases) == 1 else SUMMARY, count=len(cases), states=joined(AND, each))


def in_words(state: State) -> Message:
    """How a case is, or a change was."""
    return Message(ENVIRONMENT_CHANGED if state == "environment" else state)


def place_of(run: RunRecord, by: By) -> str:
    """Where a run stands in the order: its date, the begin of its commit, or its version."""
    if by == "date":
        return (run.began or "")[:16].replace("T", " ")
    return (run.commit or "")[:SHORT] if by == "commit" else shortened(run.version or "")


def link_to(run: RunRecord, said: str | Message) -> list[LinkedText]:
    """A text that leads to the first line that the throughput of a run is made of."""
    return [LinkedText(said, run.log, run.first_line)]


def segment_rows(case: CaseHistory, by: By) -> Iterator[list[Cell]]:
    """A row for each segment, as ``HEAD``; of a case without any number one that says so."""
    if not case.series:
        yield [case.title, *[NONE] * (len(HEAD) - 2), in_words(case.state)]
    for series in case.series:
        for number, segment in enumerate(series.segments):
            step = series.steps[number - 1] if number else None
            is_newest = series is case.series[-1] and segment is series.segments[-1]
            yield [case.title, *_segment(series, segment, step, by), in_words(case.state) if is_newest else ""]


def _segment(series: HistorySeries, segment: HistorySegment, step: SpeedChange | None, by: By) -> list[Cell]:
    first, last = segment.runs[0], segment.last
    return [
        link_to(first, place_of(first, by)),
        link_to(last, place_of(last, by)),
        str(len(segment.runs)),
        f"{segment.throughput:.6g}",
        unit_of(series),
        signed(step.change) if step and step.change is not None else NONE,
        in_words(step.kind) if step else NONE,
    ]


def unit_of(series: HistorySeries) -> Message:
    """The unit of a series, and whose throughput it is."""
    return Message(UNIT, unit=series.first.unit, whose=whose(series.first.scope))


def remarks_of(case: CaseHistory, by: By, *, with_rule: bool = True) -> Iterator[Message]:
    """What is said of a case: why its state is unknown, what changed where, and which runs are gaps."""
    if case.reason:
        yield Message(NOW, state=in_words(case.state), reason=case.reason)
    for number, series in enumerate(case.series):
        if number:
            yield _meaning(case.series[number - 1].first, series.first, by)
        if with_rule:
            yield rule_of(series)
        yield from (what_happened(one, by) for one in numbered(series))
        if series.suspect is not None and (series.suspect[1] < 0 or series is not case.series[-1]):
            yield _suspect(series, *series.suspect, by)
    yield from (Message(GAP, log=gap.run.log, reason=gap.reason) for gap in case.gaps[:MOST_GAPS])
    if len(case.gaps) > MOST_GAPS:
        yield Message(MORE_GAPS, count=len(case.gaps) - MOST_GAPS)


def numbered(series: HistorySeries) -> list[SpeedChange]:
    """All changes of a series in their order: their numbers in charts and tables are places in this list, from 1."""
    return sorted((*series.steps, *series.marks), key=lambda one: one.at)


def shared_rule(found: CaseHistories) -> Message | None:
    """How all runs of all cases are measured, where that is one way."""
    rules = {rule_of(series) for case in found.cases for series in case.series}
    return rules.pop() if len(rules) == 1 else None


def rule_of(series: HistorySeries) -> Message:
    """How the runs of a series are measured."""
    return Message(RULE if series.first.own_window else STATED_RULE, protocol=series.first.protocol)


def what_happened(one: SpeedChange, by: By, *, with_differences: bool = True) -> Message:
    """One change in words."""
    at = place_of(one.after, by)
    differs = _differences(one) if with_differences else Message("")
    if one.change is None:
        return Message(MARK, at=at, differs=differs)
    change = signed(one.change)
    if one.reason is not None:
        return Message(UNKNOWN_STEP, at=at, change=change, reason=one.reason, differs=differs)
    if one.kind == "environment":
        return Message(ENVIRONMENT_STEP, at=at, change=change, differs=differs)
    return Message(STEP, at=at, state=in_words(one.kind), change=change, differs=differs)


def _differences(one: SpeedChange) -> Message:
    said = [changed(change, DIFFERENCE) for change in one.changes[:MOST_DIFFERENCES]] or [Message(NO_DIFFERENCE)]
    if len(one.changes) > MOST_DIFFERENCES:
        said.append(Message(MORE_DIFFERENCES, count=len(one.changes) - MOST_DIFFERENCES))
    return joined(AND_OTHERS, said)


def _suspect(series: HistorySeries, count: int, change: float, by: By) -> Message:
    told = {"at": place_of(series.runs[-count], by), "change": signed(change)}
    return Message(SUSPECT_ONE, **told) if count == 1 else Message(SUSPECT, count=count, **told)


def _meaning(before: RunRecord, after: RunRecord, by: By) -> Message:
    """What is measured otherwise than in the series before."""
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in MEANINGS]
    said = [Message(BECAME, name=Message(name), a=a or NONE, b=b or NONE) for name, a, b in pairs if a != b]
    return Message(MEANING, at=place_of(after, by), differs=joined(AND_OTHERS, said))


def change_rows(case: CaseHistory, by: By) -> Iterator[list[Cell]]:
    """A row for each thing that differs at a change, as ``CHANGES_HEAD``, with links to where both sides state it."""
    for series in case.series:
        for number, one in enumerate(numbered(series), 1):
            place = link_to(one.after, place_of(one.after, by))
            head: list[Cell] = [case.title, str(number), place, _in_short(one)]
            for change in one.changes:
                (a, b), (links_a, links_b) = map(shortened, change.said), map(place_links, change.places)
                yield [*head, shortened(change.name), a, links_a, b, links_b]
            if not one.changes:
                yield [*head, Message(NO_DIFFERENCE), NONE, NONE, NONE, NONE]


IN_SHORT = "{state} {change}"
SPEED_STAYED = "environment changed, same speed"


def _in_short(one: SpeedChange) -> Message:
    if one.change is None:
        return Message(SPEED_STAYED)
    return Message(IN_SHORT, state=in_words(one.kind), change=signed(one.change))


def run_rows(series: HistorySeries) -> Iterator[list[Cell]]:
    """A row for each run, as ``RUNS_HEAD``, the newest first."""
    for run in reversed(series.runs):
        yield [
            (run.began or NONE)[:19].replace("T", " "),
            (run.commit or NONE)[:SHORT],
            shortened(run.version or NONE),
            f"{run.throughput:.6g}",
            link_to(run, str(run.log)),
            f"{run.first_line}–{run.last_line}",
            run.log_sha256[:SHORT],
        ]
