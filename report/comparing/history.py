"""Histories: the runs of a case in their order as series of segments of one speed, and what changed between these."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter

from parsers.grammar.field import Scope
from parsers.io.errors import TachographError, said_of
from parsers.io.files import sha256_of
from parsers.io.git import git, top_of
from parsers.io.message import Message
from parsers.runs.health import Unsound
from parsers.runs.runfile import run_file
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.number import percent, signed
from ..measure.protocol import Protocol
from ..results.agreement import JOB_BATCH
from ..results.environment import stated_start
from ..results.model import Said
from .change_points import FEWEST, ChangePoint, change_points, robust_noise, winsorised
from .compare import FAILED, PASSED, UNKNOWN
from .conditions import Condition, Difference, conditions_of, differences
from .effect import Values, effect
from .sides import Place, SideRun, bytes_of, found_runs, run_or_reason
from .store import Store, stamp_of
from .window import BESIDE, OF_STEP, measured_alike

By = Literal["date", "commit", "name"]
State = Literal["slower", "faster", "same", "unknown"]

NO_RUNS = "no run gives a throughput"
NEWEST_IS_GAP = "the newest run gives no throughput"
FEW_RUNS = "only {count} of its runs are measured alike; 6 are needed"
SUSPECT = "the newest runs ({count}) take {change} longer; so few confirm nothing; run again"
HIDDEN = "the noise between runs ({noise}) hides a change of {gate} in the newest runs"
OTHER_STEPS = "the runs before and after the change measure different steps ({before} and {after})"
TO = "{first} to {last}"
NO_DATE = "Neither run.json nor the log says when the run began."
NO_COMMIT = "run.json does not state a commit."
IN_FUTURE = "The run began at {began}, which is in the future: a clock was wrong."
BEFORE_ALL = "The run began at {began}, before there were such logs: a clock was wrong."
COPY = "The log is a copy of {other}."
BY_COMMIT = "ordered by commit: most runs do not say when they began"
BY_NAME = "ordered by name: most runs say neither when they began nor a commit that git knows here"
FIRST_DATE, AHEAD = "2000", timedelta(days=1)  # for clocks without a time zone
FEWEST_RUNS = 2 * FEWEST
FAR = 4.0  # standard deviations from a level


@dataclass(frozen=True)
class HistoryRun:
    """One run as its log and its run.json tell it.

    ``began``: ISO 8601, UTC or as the log says. ``throughput`` in ``unit``, that of ``scope``, by the rule ``protocol``
    over ``steps``, from the first to the last of ``lines``. ``reason``: why there is none. ``conditions``: what it was
    made with.
    """

    log: str
    case: str
    sha256: str = ""
    began: str | None = None
    commit: str | None = None
    throughput: float = 0.0
    unit: str = ""
    scope: Scope = "unknown"
    formats: str = ""
    protocol: str = ""
    steps: tuple[int, int] | None = None
    lines: tuple[int, int] = (1, 1)
    reason: Said | None = None
    conditions: dict[str, Condition] = field(default_factory=dict, repr=False)

    @property
    def meaning(self) -> tuple[str, ...]:
        """What must be alike for two throughputs to be compared."""
        return self.unit, self.scope, self.formats, self.protocol


@cache
def _stored() -> TypeAdapter[HistoryRun]:
    return TypeAdapter(HistoryRun)


@dataclass(frozen=True)
class Segment:
    """Runs of one speed that follow each other; ``throughput``: their geometric mean, ``noise``: between them.

    ``change``: of the time per unit of work against the segment before, as a fraction; ``kind``: ``unknown`` where
    ``reason`` says so. ``differs``: what differs between the runs on both sides. All are empty of the first segment.
    """

    runs: tuple[HistoryRun, ...]
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
    gaps: tuple[tuple[HistoryRun, Message], ...]
    state: State
    reason: Message | None = None
    word: Message | None = None


@dataclass(frozen=True)
class CaseHistories:
    """All cases of some suites over time.

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


def indexed_runs(
    suites: Sequence[Path], protocol: Protocol | None, store: Store, workers: Workers | None
) -> Iterator[HistoryRun]:
    """All runs of some suites, by suite and path, read where the store does not know them as they are now."""
    found = {str(place.log.absolute()): place for suite in suites for place in found_runs(suite)}
    stamps = {log: stamp_of(place.log) for log, place in found.items()}
    known = store.load(stamps)
    wanted = [log for log in found if log not in known]
    if wanted:
        with (workers or Workers()).each(partial(_read, protocol), [found[one] for one in wanted], bytes_of) as read:
            fresh = dict(zip(wanted, read, strict=True))
        store.save(fresh, stamps)
        known |= fresh
    for log, place in found.items():
        # A store has them by absolute paths, and names them as they were called when they were read.
        yield replace(_stored().validate_python(json.loads(known[log])), log=str(place.log))


def _read(protocol: Protocol | None, place: Place) -> str:
    """One run, read and measured; whatever is wrong with it is its reason."""
    plain = HistoryRun(str(place.log), place.case or place.root.resolve().name)
    try:
        plain = replace(plain, sha256=sha256_of(place.log))
        run = run_file(place.log)
        source = run.get("source")
        commit = source.get("commit") if isinstance(source, dict) else None
        plain = replace(plain, began=_text(stated_start(run)), commit=commit if isinstance(commit, str) else None)
        found = run_or_reason(protocol, place)
        told = replace(plain, reason=found) if isinstance(found, Message) else _measured(plain, found, protocol)
    except (TachographError, OSError) as error:
        told = replace(plain, reason=said_of(error))
    return json.dumps(_stored().dump_python(told, exclude_defaults=True))


def _measured(plain: HistoryRun, found: SideRun, stated: Protocol | None) -> HistoryRun:
    """A run with its throughput, as ``compare`` measures a single one; or why there is none."""
    case = found.case or plain.case
    plain = replace(plain, case=case, began=_text(found.began), conditions=dict(conditions_of(found)))
    reading, _ = found.evidence
    if unsound := next((one for one in reading.warnings if isinstance(one, Unsound)), None):
        return replace(plain, reason=unsound)
    try:
        alike = measured_alike([found], stated)
    except NoMeasurement as error:
        return replace(plain, reason=error.message)
    (one,), rule = alike.measured, stated or (alike.protocol or Protocol()).without_window()
    sizes = [f" {name}={found.facts[name].value}" for name in (*JOB_BATCH, *OF_STEP, *BESIDE) if name in found.facts]
    return replace(
        plain,
        throughput=one.value,
        unit=one.unit,
        scope=one.scope,
        formats=", ".join(dict.fromkeys(part.format.name for part in reading.parts if part.format)),
        protocol=rule.words() + ("".join(sizes) if one.unit.startswith("steps") else ""),
        steps=alike.steps,
        lines=one.lines,
    )


def _text(moment: np.datetime64 | None) -> str | None:
    return None if moment is None or np.isnat(moment) else str(moment.astype("M8[us]"))


def case_history(title: str, runs: Sequence[HistoryRun], by: By, gate: float) -> CaseHistory:
    """Find the changes of one case; raises ExtraError where ruptures or SciPy is not installed."""
    key, word = _order([run for run in runs if run.reason is None], by)
    placed = [run for run in runs if key(run) is not None and not _wrong_clock(run)]
    placed.sort(key=lambda run: (key(run), run.began or "", _natural(run.log)))
    gaps = list(_gaps(runs, key, Message(NO_COMMIT if by == "commit" else NO_DATE)))
    refused = {id(run) for run, _ in gaps}
    counted = [run for run in placed if id(run) not in refused]
    alike: dict[tuple[str, ...], list[HistoryRun]] = {}
    for run in counted[::-1]:  # the newest series first
        alike.setdefault(run.meaning, []).append(run)
    series = tuple(_segments(of[::-1], gate) for of in reversed(alike.values()))
    if not series or id(placed[-1]) in refused:
        reason = Message(NEWEST_IS_GAP if series else NO_RUNS)
        return CaseHistory(title, series, tuple(gaps), "unknown", reason, word)
    return CaseHistory(title, series, tuple(gaps), *_state(series[-1], gate), word)


def _gaps(
    runs: Sequence[HistoryRun], key: Callable[[HistoryRun], Any], missing: Message
) -> Iterator[tuple[HistoryRun, Message]]:
    """The runs that give no number, or have no place, with the reason."""
    yield from ((run, run.reason) for run in runs if run.reason is not None)
    first: dict[str, HistoryRun] = {}
    sound = (run for run in runs if run.reason is None)
    for run in sorted(sound, key=lambda one: (one.began or "", _natural(one.log))):
        original = first.setdefault(run.sha256, run)
        if reason := _wrong_clock(run) or (missing if key(run) is None else None):
            yield run, reason
        elif original is not run:
            yield run, Message(COPY, other=original.log)


def _order(runs: Sequence[HistoryRun], by: By) -> tuple[Callable[[HistoryRun], Any], Message | None]:
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


def _places_in_git(runs: Sequence[HistoryRun], commits: set[str]) -> dict[str, int] | None:
    """The places of commits in the history of the checkout here, or that of the logs; None where it lacks one."""
    for folder in (Path.cwd(), Path(runs[0].log).absolute().parent):
        if all(map(str.isalnum, commits)) and (top := top_of(folder)):
            told = git(top, "rev-list", "--topo-order", "--reverse", *sorted(commits), "--")
            if told is not None:
                return {commit: at for at, commit in enumerate(told.split())}
    return None


def _wrong_clock(run: HistoryRun) -> Message | None:
    if run.began is None:
        return None
    if run.began < FIRST_DATE:
        return Message(BEFORE_ALL, began=run.began[:19])
    latest = (datetime.now(UTC) + AHEAD).replace(tzinfo=None).isoformat()
    return Message(IN_FUTURE, began=run.began[:19]) if run.began > latest else None


def _natural(text: str) -> list[tuple[int, str]]:
    """A name in which 10 comes after 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text) if part]


def _segments(runs: Sequence[HistoryRun], gate: float) -> tuple[Segment, ...]:
    logs = _log_times(runs)
    points = change_points(logs, gate)
    ends = pairwise([0, *(point.at for point in points), len(runs)])
    parts = [(tuple(runs[start:stop]), logs[start:stop]) for start, stop in ends]
    plain = [Segment(of, float(np.exp(-part.mean())), _noise(part)) for of, part in parts]
    return (plain[0], *(_step(one, runs, point) for one, point in zip(plain[1:], points, strict=True)))


def _step(plain: Segment, runs: Sequence[HistoryRun], point: ChangePoint) -> Segment:
    before, after = runs[point.at - 1], runs[point.at]
    change = float(np.expm1(point.change))
    kind: State = "slower" if change > 0 else "faster"
    reason = None
    if before.steps and after.steps and not _overlap(before.steps, after.steps):
        told = [Message(TO, first=first, last=last) for first, last in (before.steps, after.steps)]
        kind, reason = "unknown", Message(OTHER_STEPS, before=told[0], after=told[1])
    differs = tuple(differences([before.conditions], [after.conditions]))
    return replace(plain, change=change, kind=kind, p=point.p, differs=differs, reason=reason)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[1] >= other[0] and other[1] >= one[0]


def _state(series: Sequence[Segment], gate: float) -> tuple[State, Message | None]:
    """How the speed of a case is now, by the segments of its newest series, and why that is unknown."""
    newest = series[-1]
    logs = _log_times(newest.runs)
    clipped = winsorised(logs, noise := robust_noise(logs))
    reason = _suspect(logs, clipped, noise, gate)
    if reason is None and newest.kind is None:
        reason = _hidden(newest, logs, clipped, gate, sum(len(one.runs) for one in series))
    return ("unknown", reason) if reason else (newest.kind or "same", newest.reason)


def _suspect(logs: Values, clipped: Values, noise: float, gate: float) -> Message | None:
    """That the newest runs of a segment take longer, but are too few to be one of their own."""
    least = max(FAR * noise, float(np.log1p(gate)) / 2)
    for few in (2, 1):
        middle = float(np.median(clipped[:-few])) if len(logs) - few >= FEWEST else np.inf
        if (logs[-few:] - middle > least).all():
            return Message(SUSPECT, count=few, change=signed(float(np.expm1(np.median(logs[-few:]) - middle))))
    if len(logs) < FEWEST_RUNS:
        return None
    found = effect((np.exp(clipped[:-FEWEST]), np.exp(logs[-FEWEST:])), gate=gate)
    return Message(SUSPECT, count=FEWEST, change=signed(found.change)) if found.verdict == "slower" else None


def _hidden(newest: Segment, logs: Values, clipped: Values, gate: float, count: int) -> Message | None:
    """Why a change of the newest runs would not be seen: too few runs (``count`` in all), or too much noise."""
    if count < FEWEST_RUNS or len(logs) < FEWEST_RUNS:
        return Message(FEW_RUNS, count=count) if count < FEWEST_RUNS else None
    found = effect((np.exp(clipped[:-FEWEST]), np.exp(logs[-FEWEST:])), gate=gate)
    is_hidden = found.interval is None or found.interval[1] >= gate
    return Message(HIDDEN, noise=percent(newest.noise), gate=percent(gate)) if is_hidden else None


def _noise(logs: Values) -> float:
    return float(np.expm1(logs.std(ddof=1))) if len(logs) > 1 else 0.0


def _log_times(runs: Sequence[HistoryRun]) -> Values:
    return -np.log(np.array([run.throughput for run in runs], np.float64))
