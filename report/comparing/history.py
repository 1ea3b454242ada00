"""Histories: the runs of a case in their order as series of segments of one speed, and what changed between these."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter

from parsers.io.errors import LogError
from parsers.io.git import git, top_of
from parsers.io.message import Message
from parsers.runs.events import Unsound
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.number import percent, signed
from ..measure.protocol import Protocol
from ..wording.words import Translate, whose
from . import output, store
from .change_points import FEWEST, ChangePoint, change_points, refuse_without_extra, robust_noise, winsorised
from .conditions import Difference, differences
from .effect import GATE, Values, effect, share
from .sides import COPY, SKIPPED, Place, ReadRun, Run, each_read, found_runs, read_run
from .window import OF_SIZE, measured_alike

By = Literal["date", "commit", "name"]
State = Literal["slower", "faster", "same", "unknown"]

NO_RUNS = "no run gives a throughput"
NEWEST_IS_GAP = "the newest run gives no throughput"
FEW_RUNS = "only {count} of its runs are measured alike; 6 are needed"
SUSPECT = "the newest runs ({count}) take {change} longer; so few confirm nothing; run again"
HIDDEN = "the noise between runs ({noise}) hides a change of {gate} in the newest runs"
OTHER_STEPS = "the runs before and after the change measure different steps ({before} and {after})"
NO_PLACE = "it has no place in the order: neither run.json nor the log says its {by}."
WRONG_CLOCK = "it began at {began}: a clock was wrong."
BY_COMMIT = "ordered by commit: most runs do not say when they began"
BY_NAME = "ordered by name: most runs say neither when they began nor a commit that git knows here"
FIRST_DATE, AHEAD = "2000", timedelta(days=1)  # for clocks without a time zone
FAR = 4.0  # standard deviations from a level
HEAD = ("Case", "From", "To", "Runs", "Throughput", "Unit", "Time", "Change", "Now")
NUMBERS = (3, 4, 6)
ABOUT = (
    "Suites: {suites}; by {by}; changes of {gate} matter. Time: how much longer the same work takes than in the "
    "segment before."
)
MOST_GAPS, MOST_CHARTS = 10, 24
SHORT = 12  # characters of a commit


@dataclass(frozen=True)
class Segment:
    """Runs of one speed that follow each other; ``throughput``: their geometric mean, ``noise``: between them.

    ``change``: of the time per unit of work against the segment before, as a fraction; ``kind``: ``unknown`` where
    ``reason`` says so. ``differs``: what differs between the runs on both sides. All are empty of the first segment.
    """

    runs: tuple[Run, ...]
    throughput: float
    noise: float
    change: float | None = None
    kind: State | None = None
    differs: tuple[Difference, ...] = ()
    reason: Message | None = None


@dataclass(frozen=True)
class CaseHistory:
    """A case: its series of runs that are measured alike, each in segments, that of the newest run last.

    ``gaps``: runs without a number or a place, with the reason. ``state``: how the newest segment is against the one
    before it; ``reason``: why that is unknown. ``word``: by what its runs are ordered, where that is not as asked.
    """

    title: str
    series: tuple[tuple[Segment, ...], ...]
    gaps: tuple[Run, ...]
    state: State
    reason: Message | None = None
    word: Message | None = None


@cache
def _stored() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


def _read(suites: Sequence[Path], protocol: Protocol | None, workers: Workers | None) -> Iterator[Run]:
    """All runs of some suites, by suite and path, read where the store does not know them as they are now."""
    found = {str(place.log.absolute()): place for suite in suites for place in found_runs(suite)}
    stamps = {log: store.stamp_of(place.log) for log, place in found.items()}
    made_by = f"{version('tachograph')} {protocol.words() if protocol else ''}"
    known = store.load(made_by, stamps)
    if wanted := [log for log in found if log not in known]:
        read = each_read(partial(_told, protocol), [found[one] for one in wanted], workers)
        fresh = dict(zip(wanted, read, strict=True))
        store.save(made_by, fresh, stamps)
        known |= fresh
    for log, place in found.items():
        # A store has them by absolute paths, and names them as they were called when they were read.
        yield replace(_stored().validate_python(json.loads(known[log])), log=str(place.log))


def _told(protocol: Protocol | None, place: Place) -> str:
    """One run with its throughput, as ``compare`` measures a single one, or why there is none, as a store keeps it."""
    run = read_run(protocol, place)
    run = replace(run, case=run.case or place.root.resolve().name)
    if isinstance(run, ReadRun) and run.reading is not None:
        try:
            if unsound := next((one for one in run.reading.warnings if isinstance(one, Unsound)), None):
                raise NoMeasurement(unsound)
            (run,), _ = measured_alike([run], protocol)
            words = (protocol or Protocol.parse(run.number.protocol).without_window()).words()
            if run.number.unit.startswith("steps"):
                words += "".join(f" {name}={run.facts[name].value}" for name in OF_SIZE if name in run.facts)
            run = replace(run, number=replace(run.number, protocol=words))
        except NoMeasurement as error:
            run = replace(run, reason=Message(SKIPPED, log=run.log, reason=error.message))
    return json.dumps(_stored().dump_python(run, exclude_defaults=True))


def case_history(title: str, runs: Sequence[Run], by: By, gate: float) -> CaseHistory:
    """Find the changes of one case; raises ExtraError where ruptures or SciPy is not installed."""
    place_of, word = _order([run for run in runs if run.reason is None], by)
    judged, first = list[tuple[Any, Run]](), dict[str, Run]()
    latest = (datetime.now(UTC) + AHEAD).replace(tzinfo=None).isoformat()
    for run in sorted(runs, key=lambda one: (one.began or "", _natural(one.log))):
        original = first.setdefault(run.sha256, run) if run.reason is None else run
        is_wrong = run.began is not None and not FIRST_DATE <= run.began <= latest
        place = None if is_wrong else place_of(run)
        why = Message(NO_PLACE, by=Message(by)) if place is None else None
        if is_wrong and run.began:
            why = Message(WRONG_CLOCK, began=run.began[:19])
        if original is not run:
            why = why or Message(COPY, other=original.log)
        reason = run.reason or (Message(SKIPPED, log=run.log, reason=why) if why else None)
        judged.append((place, replace(run, reason=reason)))
    placed = [run for place, run in sorted((one for one in judged if one[0] is not None), key=lambda one: one[0])]
    alike: dict[tuple[str, ...], list[Run]] = {}
    for run in (run for run in reversed(placed) if run.reason is None):  # the newest series first
        number = run.number
        alike.setdefault((number.unit, number.scope, number.formats, number.protocol), []).append(run)
    series = tuple(_segments(of[::-1], gate) for of in reversed(alike.values()))
    found = CaseHistory(title, series, tuple(run for _, run in judged if run.reason), "unknown", word=word)
    if not series or placed[-1].reason:
        return replace(found, reason=Message(NEWEST_IS_GAP if series else NO_RUNS))
    newest = series[-1][-1]
    if doubt := _doubt(newest, gate):
        return replace(found, reason=doubt)
    return replace(found, state=newest.kind or "same", reason=newest.reason)


def _order(runs: Sequence[Run], by: By) -> tuple[Callable[[Run], Any], Message | None]:
    """What runs are ordered by, None of a run without a place; and by what where most do not say what is asked for."""
    if by == "date" and 2 * sum(run.began is not None for run in runs) >= len(runs):
        return lambda run: run.began, None
    commits = {run.commit for run in runs if run.commit} if by != "name" else set()
    places = _places_in_git(runs, commits) if commits else None
    if by == "commit" and places is None:
        in_time = sorted(runs, key=lambda one: one.began or "")
        places = {commit: at for at, commit in enumerate(dict.fromkeys(run.commit or "" for run in in_time))}
    if (known := places) is not None and 2 * sum(run.commit is not None for run in runs) >= len(runs):
        return lambda run: known.get(run.commit) if run.commit else None, None if by == "commit" else Message(BY_COMMIT)
    return lambda run: _natural(run.log), None if by == "name" else Message(BY_NAME)


def _places_in_git(runs: Sequence[Run], commits: set[str]) -> dict[str, int] | None:
    """The places of commits in the history of the checkout here, or that of the logs; None where it lacks one."""
    for folder in (Path.cwd(), Path(runs[0].log).absolute().parent):
        if all(map(str.isalnum, commits)) and (top := top_of(folder)):
            told = git(top, "rev-list", "--topo-order", "--reverse", *sorted(commits), "--")
            if told is not None:
                return {commit: at for at, commit in enumerate(told.split())}
    return None


def _natural(text: str) -> list[tuple[int, str]]:
    """A name in which 10 comes after 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text) if part]


def _segments(runs: Sequence[Run], gate: float) -> tuple[Segment, ...]:
    logs = _log_times(runs)
    points = change_points(logs, gate)
    found = list[Segment]()
    ends = pairwise([0, *(point.at for point in points), len(runs)])
    for (start, stop), point in zip(ends, [None, *points], strict=True):
        part = logs[start:stop]
        noise = float(np.expm1(part.std(ddof=1))) if len(part) > 1 else 0.0
        segment = Segment(tuple(runs[start:stop]), float(np.exp(-part.mean())), noise)
        found.append(_after(segment, runs[start - 1], point) if point else segment)
    return tuple(found)


def _after(segment: Segment, before: Run, point: ChangePoint) -> Segment:
    """A segment with what changed at its first run."""
    after, change = segment.runs[0], float(np.expm1(point.change))
    kind: State = "slower" if change > 0 else "faster"
    reason = None
    if (old := before.number.steps) and (new := after.number.steps) and max(old[0], new[0]) > min(old[1], new[1]):
        told = [Message("{first} to {last}", first=first, last=last) for first, last in (old, new)]
        kind, reason = "unknown", Message(OTHER_STEPS, before=told[0], after=told[1])
    differs = differences([before.conditions], [after.conditions])
    return replace(segment, change=change, kind=kind, differs=differs, reason=reason)


def _doubt(newest: Segment, gate: float) -> Message | None:
    """Why it is not known how the speed is now: the newest runs take longer, but are too few to be a segment; or there
    is one segment alone, of too few runs, or with so much noise that it would hide a change.
    """
    logs = _log_times(newest.runs)
    clipped = winsorised(logs, noise := robust_noise(logs))
    least = max(FAR * noise, float(np.log1p(gate)) / 2)
    for few in (2, 1):
        middle = float(np.median(clipped[:-few])) if len(logs) - few >= FEWEST else np.inf
        if (logs[-few:] - middle > least).all():
            return Message(SUSPECT, count=few, change=signed(float(np.expm1(np.median(logs[-few:]) - middle))))
    if len(logs) < 2 * FEWEST:
        return Message(FEW_RUNS, count=len(logs)) if newest.kind is None else None
    found = effect((np.exp(clipped[:-FEWEST]), np.exp(logs[-FEWEST:])), gate=gate)
    if found.verdict == "slower":
        return Message(SUSPECT, count=FEWEST, change=signed(found.change))
    is_hidden = newest.kind is None and (found.interval is None or found.interval[1] >= gate)
    return Message(HIDDEN, noise=percent(newest.noise), gate=percent(gate)) if is_hidden else None


def _log_times(runs: Sequence[Run]) -> Values:
    return -np.log(np.array([run.number.value for run in runs], np.float64))


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
            return output.FAILED
        return output.UNKNOWN if "unknown" in states or not states else output.PASSED

    def objects(self) -> Iterator[Any]:
        """Each case as JSON can hold it."""
        return map(output.plain, self.cases)

    def _repr_html_(self) -> str:
        return self.document().html("en", Path(), output.PART)

    def document(self) -> output.Document:
        """What it says."""
        changes = [
            (f"{case.title}, {_place(one.runs[0], self.by)}", change)
            for case in self.cases
            for series in case.series
            for one in series
            for change in one.differs
        ]
        return output.Document(
            "History",
            Message(ABOUT, suites=", ".join(map(str, self.paths)), by=Message(self.by), gate=percent(self.gate)),
            [
                output.Table(HEAD, [row for case in self.cases for row in _segment_rows(case, self.by)], NUMBERS),
                output.changes_table(changes, is_detail=True),
            ],
            [(case.title, told) for case in self.cases if (told := list(_remarks(case, self.by)))],
            output.summary([case.state for case in self.cases], "The suites contain no case."),
            lambda translate, folder: _chart(self, translate, folder),
        )


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
    in_utc = since.replace(tzinfo=since.tzinfo or UTC).astimezone(UTC) if since else None
    first = in_utc.replace(tzinfo=None).isoformat() if in_utc else ""
    paths = tuple(dict.fromkeys(map(Path, suites)))
    if gone := next((path for path in paths if not path.exists()), None):
        raise LogError.at(gone, "file or folder not found.")
    cases: dict[str, list[Run]] = {}
    for run in _read(paths, stated, workers):
        if (run.began or "") >= first:
            cases.setdefault(run.case, []).append(run)
    return History(paths, by, gate, tuple(case_history(title, runs, by, gate) for title, runs in cases.items()))


def _place(run: Run, by: By) -> str:
    """Where a run stands in the order: its date, the begin of its commit, or its name."""
    if by == "date" and run.began:
        return run.began[:16].replace("T", " ")
    return (run.commit or "")[:SHORT] if by == "commit" and run.commit else output.shortened(run.log)


def _link(run: Run, by: By) -> output.Link:
    return output.Link(_place(run, by), Path(run.log), run.number.lines[0])


def _segment_rows(case: CaseHistory, by: By) -> Iterator[output.Row]:
    """A row for each segment; of a case without any number one that says so."""
    if not case.series:
        yield case.state, [case.title, *[output.NONE] * (len(HEAD) - 2), Message(case.state)]
    for one in (segment for series in case.series for segment in series):
        number, is_newest = one.runs[0].number, one is case.series[-1][-1]
        cells: list[output.Cell] = [
            case.title,
            _link(one.runs[0], by),
            _link(one.runs[-1], by),
            str(len(one.runs)),
            f"{one.throughput:.6g}",
            Message("{unit}{whose}", unit=number.unit, whose=whose(number.scope)),
            output.NONE if one.change is None else signed(one.change),
            output.NONE if one.kind is None else Message(one.kind),
            Message(case.state) if is_newest else "",
        ]
        yield case.state if is_newest else "", cells


def _remarks(case: CaseHistory, by: By) -> Iterator[Message]:
    """Why the state of a case is unknown, how its runs are measured and ordered, and which of them are gaps."""
    if case.reason:
        yield Message("{verdict}: {reason}", verdict=Message(case.state), reason=case.reason)
    if case.word:
        yield case.word
    for series in case.series:
        yield Message("measured by {protocol}", protocol=series[0].runs[0].number.protocol)
        for one in series[1:]:
            told = {"at": _place(one.runs[0], by), "state": Message(one.kind or ""), "change": signed(one.change or 0)}
            if one.reason:
                yield Message("{at}: {state}, {change}: {reason}", reason=one.reason, **told)
            elif names := ", ".join(differing.name for differing in one.differs):
                yield Message("{at}: {state}, {change}; what differs there: {names}", names=names, **told)
    yield from (run.reason for run in case.gaps[:MOST_GAPS] if run.reason)
    if len(case.gaps) > MOST_GAPS:
        yield Message("more gaps: {count}", count=len(case.gaps) - MOST_GAPS)


def _chart(found: History, translate: Translate, folder: Path) -> Any:
    """A chart of each case, those that changed first: its runs, which lead to their logs, over their levels."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    charts, colour = [], output.colour(translate, legend=None)
    each = sorted(found.cases, key=lambda case: list(output.COLOURS).index(case.state))[:MOST_CHARTS]
    for case in (one for one in each if one.series):
        points, levels = list[dict[str, object]](), list[dict[str, object]]()
        for segment in case.series[-1]:
            begin, state = len(points), translate(segment.kind or "same")
            for at, run in enumerate(segment.runs, begin):
                link = _link(run, found.by)
                told = {"said": link.said, "address": output.hidden(link.address(folder)), "state": state}
                points.append({"at": at, "value": run.number.value, **told})
            levels.append({"at": begin, "to": len(points) - 1, "value": segment.throughput})
        y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=case.series[-1][0].runs[0].number.unit)
        x = alt.X("at:Q", title=None, axis=alt.Axis(labels=False, ticks=False, grid=False))
        level = alt.Chart(alt.InlineData(values=levels)).encode(x=x, x2="to:Q", y=y)
        dots = alt.Chart(alt.InlineData(values=points)).encode(
            x=x, y=y, color=colour, href="address:N", tooltip="said:N"
        )
        drawn = level.mark_rule(strokeWidth=5, opacity=0.3, color=output.COLOURS["same"])
        drawn += dots.mark_circle(size=40, opacity=1)
        charts.append(drawn.properties(width=560, height=140, title=alt.Title(case.title, anchor="start")))
    return alt.vconcat(*charts) if charts else None
