"""Histories: the runs of a case in their order as series of segments of one speed, and what changed between these."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter

from parsers.io.git import git, top_of
from parsers.io.message import Message
from parsers.runs.health import Unsound
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.number import percent, signed
from ..measure.protocol import Protocol
from .change_points import FEWEST, ChangePoint, change_points, robust_noise, winsorised
from .conditions import Difference, differences
from .effect import Values, effect
from .sides import COPY, SKIPPED, Place, ReadRun, Run, each_read, found_runs, read_run
from .store import Store, stamp_of
from .window import OF_SIZE, measured_alike

By = Literal["date", "commit", "name"]
State = Literal["slower", "faster", "same", "unknown"]

NO_RUNS = "no run gives a throughput"
NEWEST_IS_GAP = "the newest run gives no throughput"
FEW_RUNS = "only {count} of its runs are measured alike; 6 are needed"
SUSPECT = "the newest runs ({count}) take {change} longer; so few confirm nothing; run again"
HIDDEN = "the noise between runs ({noise}) hides a change of {gate} in the newest runs"
OTHER_STEPS = "the runs before and after the change measure different steps ({before} and {after})"
TO = "{first} to {last}"
NO_DATE = "neither run.json nor the log says when the run began."
NO_COMMIT = "run.json does not state a commit."
IN_FUTURE = "it began at {began}, which is in the future: a clock was wrong."
BEFORE_ALL = "it began at {began}, before there were such logs: a clock was wrong."
BY_COMMIT = "ordered by commit: most runs do not say when they began"
BY_NAME = "ordered by name: most runs say neither when they began nor a commit that git knows here"
FIRST_DATE, AHEAD = "2000", timedelta(days=1)  # for clocks without a time zone
FAR = 4.0  # standard deviations from a level


@cache
def _stored() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


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
    p: float | None = None
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


def indexed_runs(suites: Sequence[Path], protocol: Protocol | None, workers: Workers | None) -> Iterator[Run]:
    """All runs of some suites, by suite and path, read where the store does not know them as they are now."""
    found = {str(place.log.absolute()): place for suite in suites for place in found_runs(suite)}
    stamps = {log: stamp_of(place.log) for log, place in found.items()}
    store = Store(protocol.words() if protocol else "")
    known = store.load(stamps)
    wanted = [log for log in found if log not in known]
    if wanted:
        read = each_read(partial(_told, protocol), [found[one] for one in wanted], workers)
        fresh = dict(zip(wanted, read, strict=True))
        store.save(fresh, stamps)
        known |= fresh
    for log, place in found.items():
        # A store has them by absolute paths, and names them as they were called when they were read.
        yield replace(_stored().validate_python(json.loads(known[log])), log=str(place.log))


def _told(protocol: Protocol | None, place: Place) -> str:
    """One run, read and measured, as a store keeps it."""
    run = read_run(protocol, place)
    run = replace(run, case=run.case or place.root.resolve().name)
    if isinstance(run, ReadRun):
        run = _by_itself(run, protocol)
    return json.dumps(_stored().dump_python(run, exclude_defaults=True))


def _by_itself(run: ReadRun, stated: Protocol | None) -> Run:
    """A run with its throughput, as ``compare`` measures a single one; or why there is none."""
    if unsound := next((one for one in run.reading.warnings if isinstance(one, Unsound)), None):
        return replace(run, reason=Message(SKIPPED, log=run.log, reason=unsound))
    try:
        (measured,), _ = measured_alike([run], stated)
    except NoMeasurement as error:
        return replace(run, reason=Message(SKIPPED, log=run.log, reason=error.message))
    facts, number = run.reading.facts, measured.number
    protocol = (stated or Protocol.parse(number.protocol).without_window()).words()
    if number.unit.startswith("steps"):
        protocol += "".join(f" {name}={facts[name].value}" for name in OF_SIZE if name in facts)
    return replace(measured, number=replace(number, protocol=protocol))


def case_history(title: str, runs: Sequence[Run], by: By, gate: float) -> CaseHistory:
    """Find the changes of one case; raises ExtraError where ruptures or SciPy is not installed."""
    key, word = _order([run for run in runs if run.reason is None], by)
    missing = Message(NO_COMMIT if by == "commit" else NO_DATE)
    judged, first = list[Run](), dict[str, Run]()
    for run in sorted(runs, key=lambda one: (one.began or "", _natural(one.log))):
        original = first.setdefault(run.sha256, run) if run.reason is None else run
        why = _wrong_clock(run) or (missing if key(run) is None else None)
        if original is not run:
            why = why or Message(COPY, other=original.log)
        judged.append(replace(run, reason=run.reason or (Message(SKIPPED, log=run.log, reason=why) if why else None)))
    placed = [run for run in judged if key(run) is not None and not _wrong_clock(run)]
    placed.sort(key=lambda run: (key(run), run.began or "", _natural(run.log)))
    alike: dict[tuple[str, ...], list[Run]] = {}
    for run in (run for run in reversed(placed) if run.reason is None):  # the newest series first
        number = run.number
        alike.setdefault((number.unit, number.scope, number.formats, number.protocol), []).append(run)
    series = tuple(_segments(of[::-1], gate) for of in reversed(alike.values()))
    gaps = tuple(run for run in judged if run.reason)
    if not series or placed[-1].reason:
        return CaseHistory(title, series, gaps, "unknown", Message(NEWEST_IS_GAP if series else NO_RUNS), word)
    newest = series[-1][-1]
    if doubt := _doubt(newest, gate):
        return CaseHistory(title, series, gaps, "unknown", doubt, word)
    return CaseHistory(title, series, gaps, newest.kind or "same", newest.reason, word)


def _order(runs: Sequence[Run], by: By) -> tuple[Callable[[Run], Any], Message | None]:
    """What runs are ordered by, None of a run without a place; and by what where most do not say what is asked for."""
    if by == "date" and 2 * sum(run.began is not None for run in runs) >= len(runs):
        return lambda run: run.began, None
    commits = {run.commit for run in runs if run.commit} if by != "name" else set()
    places = _places_in_git(runs, commits) if commits else None
    if by == "commit" and places is None:
        in_time = sorted(runs, key=lambda one: one.began or "")
        places = {commit: at for at, commit in enumerate(dict.fromkeys(run.commit or "" for run in in_time))}
    if places is not None and 2 * sum(run.commit is not None for run in runs) >= len(runs):
        known = places
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


def _wrong_clock(run: Run) -> Message | None:
    if run.began is None:
        return None
    if run.began < FIRST_DATE:
        return Message(BEFORE_ALL, began=run.began[:19])
    latest = (datetime.now(UTC) + AHEAD).replace(tzinfo=None).isoformat()
    return Message(IN_FUTURE, began=run.began[:19]) if run.began > latest else None


def _natural(text: str) -> list[tuple[int, str]]:
    """A name in which 10 comes after 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text) if part]


def _segments(runs: Sequence[Run], gate: float) -> tuple[Segment, ...]:
    logs = _log_times(runs)
    points = change_points(logs, gate)
    ends = pairwise([0, *(point.at for point in points), len(runs)])
    parts = [(tuple(runs[start:stop]), logs[start:stop]) for start, stop in ends]
    noises = [float(np.expm1(part.std(ddof=1))) if len(part) > 1 else 0.0 for _, part in parts]
    plain = [Segment(of, float(np.exp(-part.mean())), noise) for (of, part), noise in zip(parts, noises, strict=True)]
    return (plain[0], *(_step(one, runs, point) for one, point in zip(plain[1:], points, strict=True)))


def _step(plain: Segment, runs: Sequence[Run], point: ChangePoint) -> Segment:
    before, after = runs[point.at - 1], runs[point.at]
    change = float(np.expm1(point.change))
    kind: State = "slower" if change > 0 else "faster"
    reason = None
    steps = [one.number.steps for one in (before, after) if one.number.steps]
    if len(steps) == 2 and max(steps)[0] > min(last for _, last in steps):
        told = [Message(TO, first=first, last=last) for first, last in steps]
        kind, reason = "unknown", Message(OTHER_STEPS, before=told[0], after=told[1])
    differs = tuple(differences([before.conditions], [after.conditions]))
    return replace(plain, change=change, kind=kind, p=point.p, differs=differs, reason=reason)


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
