"""Histories: the cases of suites over time, as a program gets them and as they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parsers.io.errors import LogError
from parsers.io.message import Message
from parsers.sharing.workers import Workers

from ..measure.number import percent, signed
from ..measure.protocol import Protocol
from ..wording.words import Translate, whose
from .change_points import refuse_without_extra
from .compare import share
from .conditions import Difference
from .effect import GATE
from .history import By, CaseHistory, State, case_history, indexed_runs
from .output import (
    COLOURS,
    FAILED,
    NONE,
    PASSED,
    UNIT,
    UNKNOWN,
    WHY,
    Cell,
    Document,
    Link,
    Row,
    Table,
    changes_table,
    fragment,
    grouped,
    hidden,
    plain,
    shortened,
    summary,
)
from .sides import Run

NO_SUITE = "file or folder not found."
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
MORE_GAPS = "more gaps: {count}"
MOST_GAPS, MOST_CHARTS = 10, 24
SHORT = 12  # characters of a commit
WIDTH, HEIGHT = 560, 140


@dataclass(frozen=True)
class History:
    """All cases of some suites over time; a notebook shows them as the command prints them.

    ``gate``: the smallest change that matters, as a fraction of the time.
    """

    paths: tuple[Path, ...]
    by: By
    gate: float
    cases: tuple[CaseHistory, ...]

    @property
    def status(self) -> int:
        """What the gate says: 1 where a case became slower, else 3 where one is unknown, else 0."""
        states = {case.state for case in self.cases}
        if "slower" in states:
            return FAILED
        return UNKNOWN if "unknown" in states or not states else PASSED

    def objects(self) -> Iterator[Any]:
        """Each case as JSON can hold it."""
        return map(plain, self.cases)

    def document(self) -> Document:
        """What it says."""
        return Document(
            "History",
            Message(ABOUT, suites=", ".join(map(str, self.paths)), by=Message(self.by), gate=percent(self.gate)),
            [
                Table(HEAD, [row for case in self.cases for row in _segment_rows(case, self.by)], NUMBERS),
                changes_table((one for case in self.cases for one in _changes(case, self.by)), is_detail=True),
            ],
            grouped([(case.title, list(_remarks(case, self.by))) for case in self.cases]),
            summary([case.state for case in self.cases], STATES, NO_CASES),
            lambda translate, folder: _chart(self, translate, folder),
        )

    def _repr_html_(self) -> str:
        return fragment(self.document())


def history(
    *suites: str | Path,
    by: By = "date",
    protocol: str | Protocol | None = None,
    gate: float | str = GATE,
    since: datetime | None = None,
    workers: Workers | None = None,
) -> History:
    """Find where the speed of each case of ``suites`` changed.

    A suite is a folder of run folders, or of logs; cases of one name are one case. Runs are ordered ``by`` date, commit
    or name; where most do not say the date, by the order that git has of their commits, else by name. They are
    measured by ``protocol`` (by default the first that a run allows, without the first 10% of its records).
    ``gate``: the smallest change that matters, as a share of the time per unit of work (``"3%"``). ``since``: runs
    that began earlier are left out; a time without a zone is UTC. ``workers``: who reads the logs; by default all
    cores. What was read is kept in the user's caches.

    Raises LogError where a suite is missing or has no log, ProtocolError, GateError, and ExtraError where ruptures or
    SciPy is not installed.
    """
    gate = share(gate)
    refuse_without_extra()
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    first = since.astimezone(UTC).replace(tzinfo=None).isoformat() if since and since.tzinfo else ""
    first = first or (since.isoformat() if since else "")
    cases: dict[str, list[Run]] = {}
    paths = tuple(dict.fromkeys(map(Path, suites)))
    if gone := next((path for path in paths if not path.exists()), None):
        raise LogError.at(gone, NO_SUITE)
    for run in indexed_runs(paths, stated, workers):
        if not first or (run.began or "") >= first:
            cases.setdefault(run.case, []).append(run)
    each = tuple(case_history(title, runs, by, gate) for title, runs in cases.items())
    return History(paths, by, gate, each)


def _place(run: Run, by: By) -> str:
    """Where a run stands in the order: its date, the begin of its commit, or its name."""
    if by == "date" and run.began:
        return run.began[:16].replace("T", " ")
    return (run.commit or "")[:SHORT] if by == "commit" and run.commit else shortened(run.log)


def _link(run: Run, by: By) -> Link:
    return Link(_place(run, by), Path(run.log), run.number.lines[0])


def _segment_rows(case: CaseHistory, by: By) -> Iterator[Row]:
    """A row for each segment; of a case without any number one that says so."""
    if not case.series:
        yield case.state, [case.title, *[NONE] * (len(HEAD) - 2), Message(case.state)]
    for series in case.series:
        for one in series:
            first, is_newest = one.runs[0], one is case.series[-1][-1]
            cells: list[Cell] = [
                case.title,
                _link(first, by),
                _link(one.runs[-1], by),
                str(len(one.runs)),
                f"{one.throughput:.6g}",
                Message(UNIT, unit=first.number.unit, whose=whose(first.number.scope)),
                NONE if one.change is None else signed(one.change),
                NONE if one.kind is None else Message(one.kind),
                Message(case.state) if is_newest else "",
            ]
            yield case.state if is_newest else "", cells


def _remarks(case: CaseHistory, by: By) -> Iterator[Message]:
    """Why the state of a case is unknown, how its runs are measured and ordered, and which of them are gaps."""
    if case.reason:
        yield Message(WHY, verdict=Message(case.state), reason=case.reason)
    if case.word:
        yield case.word
    for series in case.series:
        yield Message(RULE, protocol=series[0].runs[0].number.protocol)
        for one in series[1:]:
            told = {"at": _place(one.runs[0], by), "state": Message(one.kind or "unknown")}
            told |= {"change": signed(one.change or 0)}
            if one.reason:
                yield Message(STEP, reason=one.reason, **told)
            elif one.differs:
                yield Message(DIFFERS, names=", ".join(differing.name for differing in one.differs), **told)
    yield from (run.reason for run in case.gaps[:MOST_GAPS] if run.reason)
    if len(case.gaps) > MOST_GAPS:
        yield Message(MORE_GAPS, count=len(case.gaps) - MOST_GAPS)


def _changes(case: CaseHistory, by: By) -> Iterator[tuple[str, Difference]]:
    """Each thing that differs at a change."""
    for series in case.series:
        for one in series[1:]:
            yield from ((f"{case.title}, {_place(one.runs[0], by)}", change) for change in one.differs)


def _chart(found: History, translate: Translate, folder: Path) -> Any:
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
                told = {"at": at, "value": run.number.value, "state": state, "said": str(link.said)}
                points.append({**told, "address": hidden(link.address(folder))})
                at += 1
            levels.append({"at": begin, "to": at - 1, "value": segment.throughput})
        y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=case.series[-1][0].runs[0].number.unit)
        x = alt.X("at:Q", title=None, axis=alt.Axis(labels=False, ticks=False, grid=False))
        level = alt.Chart(alt.InlineData(values=levels)).mark_rule(strokeWidth=5, opacity=0.3, color=COLOURS["same"])
        dots = alt.Chart(alt.InlineData(values=points)).mark_circle(size=40, opacity=1)
        drawn = level.encode(x=x, x2="to:Q", y=y) + dots.encode(
            x=x, y=y, color=colour, href="address:N", tooltip="said:N"
        )
        charts.append(drawn.properties(width=WIDTH, height=HEIGHT, title=alt.Title(case.title, anchor="start")))
    return alt.vconcat(*charts) if charts else None
