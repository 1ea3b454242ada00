"""What a history says: its table of segments, what differs at changes, its chart, and one JSON object a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from parsers.io.message import Message

from ..measure.number import percent, signed
from ..wording.words import Translate, whose
from .history import By, CaseHistories, CaseHistory, HistoryRun, Segment, State
from .output import COLOURS, NONE, Cell, Document, Link, Table, hidden, shortened
from .tables import CHANGES_HEAD, UNIT, WHY, change_row, summary

HEAD = ("Case", "From", "To", "Runs", "Throughput", "Unit", "Time", "Change", "Now")
NUMBERS = (3, 4, 6)
STATES: tuple[State, ...] = ("slower", "unknown", "faster", "same")
ABOUT = (
    "Suites: {suites}; by {by}; changes of {gate} matter. Time: how much longer the same work takes than in the "
    "segment before."
)
NO_CASES = "The suites contain no case."
RULE = "measured by {protocol}"
STEP = "{at}: {state}, {change}: {reason}"
DIFFERS = "{at}: {state}, {change}; what differs there: {names}"
GAP = "gap: {log}: {reason}"
MORE_GAPS = "more gaps: {count}"
MOST_GAPS, MOST_CHARTS = 10, 24
SHORT = 12  # characters of a commit
WIDTH, HEIGHT = 560, 140


def history_document(found: CaseHistories) -> Document:
    """What a history says."""
    rules = {_rule(series) for case in found.cases for series in case.series}
    remarks: list[tuple[str | Message, Sequence[Message]]] = [
        (case.title, said) for case in found.cases if (said := list(_remarks(case, found.by, with_rule=len(rules) > 1)))
    ]
    if len(rules) == 1:
        remarks.append((Message("all cases"), list(rules)))
    rows = [(case, row) for case in found.cases for row in _segment_rows(case, found.by)]
    return Document(
        "History",
        Message(ABOUT, suites=", ".join(map(str, found.paths)), by=Message(found.by), gate=percent(found.gate)),
        [
            Table(HEAD, [row for _, row in rows], [case.state if row[-1] else "" for case, row in rows], NUMBERS),
            Table(CHANGES_HEAD, [row for case in found.cases for row in _change_rows(case, found.by)], is_detail=True),
        ],
        remarks,
        summary([case.state for case in found.cases], STATES, NO_CASES),
        lambda translate, folder: _chart(found, translate, folder),
    )


def _place(run: HistoryRun, by: By) -> str:
    """Where a run stands in the order: its date, the begin of its commit, or its name."""
    if by == "date" and run.began:
        return run.began[:16].replace("T", " ")
    return (run.commit or "")[:SHORT] if by == "commit" and run.commit else shortened(run.log)


def _link(run: HistoryRun, by: By) -> Link:
    return Link(_place(run, by), Path(run.log), run.lines[0])


def _rule(series: Sequence[Segment]) -> Message:
    return Message(RULE, protocol=series[0].runs[0].protocol)


def _segment_rows(case: CaseHistory, by: By) -> Iterator[list[Cell]]:
    """A row for each segment; of a case without any number one that says so."""
    if not case.series:
        yield [case.title, *[NONE] * (len(HEAD) - 2), Message(case.state)]
    for series in case.series:
        for one in series:
            first = one.runs[0]
            yield [
                case.title,
                _link(first, by),
                _link(one.runs[-1], by),
                str(len(one.runs)),
                f"{one.throughput:.6g}",
                Message(UNIT, unit=first.unit, whose=whose(first.scope)),
                NONE if one.change is None else signed(one.change),
                NONE if one.kind is None else Message(one.kind),
                Message(case.state) if one is case.series[-1][-1] else "",
            ]


def _remarks(case: CaseHistory, by: By, *, with_rule: bool) -> Iterator[Message]:
    """Why the state of a case is unknown, how its runs are measured and ordered, and which of them are gaps."""
    if case.reason:
        yield Message(WHY, verdict=Message(case.state), reason=case.reason)
    if case.word:
        yield case.word
    for series in case.series:
        if with_rule:
            yield _rule(series)
        for one in series[1:]:
            told = {"at": _place(one.runs[0], by), "state": Message(one.kind or "unknown")}
            told |= {"change": signed(one.change or 0)}
            if one.reason:
                yield Message(STEP, reason=one.reason, **told)
            elif one.differs:
                yield Message(DIFFERS, names=", ".join(differing.name for differing in one.differs), **told)
    yield from (Message(GAP, log=run.log, reason=reason) for run, reason in case.gaps[:MOST_GAPS])
    if len(case.gaps) > MOST_GAPS:
        yield Message(MORE_GAPS, count=len(case.gaps) - MOST_GAPS)


def _change_rows(case: CaseHistory, by: By) -> Iterator[list[Cell]]:
    """A row for each thing that differs at a change, with links to where both sides state it."""
    for series in case.series:
        for one in series[1:]:
            yield from (change_row(f"{case.title}, {_place(one.runs[0], by)}", change) for change in one.differs)


def _chart(found: CaseHistories, translate: Translate, folder: Path) -> Any:
    """A chart of each case, those that changed first: its runs, which lead to their logs, over their levels."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    each = sorted(found.cases, key=lambda case: STATES.index(case.state))[:MOST_CHARTS]
    names = [translate(one) for one in STATES]
    colours = [COLOURS[one] for one in STATES]
    colour = alt.Color("state:N", legend=None, scale=alt.Scale(domain=names, range=colours))
    charts = []
    for case in (one for one in each if one.series):
        points, levels, at = [], [], 0
        for segment in case.series[-1]:
            state, begin = translate(segment.kind or "same"), at
            for run in segment.runs:
                link = _link(run, found.by)
                told = {"at": at, "value": run.throughput, "state": state, "said": str(link.said)}
                points.append({**told, "address": hidden(link.address(folder))})
                at += 1
            levels.append({"at": begin, "to": at - 1, "value": segment.throughput})
        y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=case.series[-1][0].runs[0].unit)
        x = alt.X("at:Q", title=None, axis=alt.Axis(labels=False, ticks=False, grid=False))
        level = alt.Chart(alt.InlineData(values=levels)).mark_rule(strokeWidth=5, opacity=0.3, color=COLOURS["same"])
        dots = alt.Chart(alt.InlineData(values=points)).mark_circle(size=40, opacity=1)
        drawn = level.encode(x=x, x2="to:Q", y=y) + dots.encode(
            x=x, y=y, color=colour, href="address:N", tooltip="said:N"
        )
        charts.append(drawn.properties(width=WIDTH, height=HEIGHT, title=alt.Title(case.title, anchor="start")))
    return alt.vconcat(*charts) if charts else None
