"""Verification: the log of a run is held against what was asked before the run is called done.

Only what cannot be otherwise is a fault: a log that is silent, coarse or of no known format passes.

Two logs are *copies* of each other (``_are_copies``) when nine in ten records that the shorter one holds stand in the
other as well, equal in every printed number and stamp, and chance does not explain it. The chance that one record
agrees is the step of the last printed digit over how far two clocks differ that measure the same: 0.1 ms between two
ranks that leave the same collective (divided by the steps of a mean), and between two runs also 0.05 % of the step, the
25th percentile of the spread of 1,761 sets of repeats. A value that a log prints over and over agrees by chance at
least as often as two records of that log do. All agree by chance with the product over the records; below 1e-9 they
are copies. Between ranks only what a process measures of itself counts, since the time of a step and a loss may be
reduced over all ranks and printed by each; and coarse lines, whose chance is 1, never prove anything.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import IN_SECONDS, TIMES
from parsers.io.cache import pd
from parsers.io.errors import ParserError
from parsers.io.files import opened
from parsers.runs.format_records import OWN_LINE, RUN, FormatRecords
from parsers.runs.reading import Reading, survey
from parsers.runs.run_folder import LOG
from parsers.scanning.prefix import after_prefix
from parsers.scanning.record_table import RecordTable

SENTENCES = {
    "too_many_records": "The log holds {found} records of steps{of_rank}, but {asked} steps were asked for.",
    "ended_early": "The last record is of step {found}, line {line}, but {asked} steps were asked for.",
    "went_on": "The last record is of step {found}, line {line}, but only {asked} steps were asked for.",
    "other_fact": "{fact} is {found} according to line {line}, but {asked} was asked for.",
    "other_batch": "{count} of {records} records, first at line {line}, are of {found} samples a step, not of {asked}.",
    "stamp_outside": (
        "{count} of {records} records are stamped outside the run, which lasted from {start} to {end}; the first is "
        "line {line}, {found}."
    ),
    "two_processes": "Records of {whose} come in turns from the processes {found} and {other}, first at line {line}.",
    "copy_of_rank": "{count} of {records} records of rank {rank} are those of rank {other}, first at line {line}.",
    "copy_of_run": "{count} of {records} records are those of run {other}, first at line {line}.",
}

SKEW = 3.0  # seconds: stamps of whole seconds, and clocks of two machines that are kept by NTP
QUARTER = np.timedelta64(15, "m")  # zones differ by so much
ZONES = range(-56, 57)  # quarters of an hour: -14 to +14 hours
DATED = TIMES - {"YEARLESS_STAMP", "TIME_OF_DAY"}

CLOCKS_APART = 1e-4  # seconds between the clocks of two processes that measure the same
RUNS_APART = 5e-4  # of the time of a step, between two runs
SHARE = 0.9
CHANCE = 1e-9
# What a process measures of itself alone; a throughput is, where its format says that it is that of one card.
OWN_TIMES = ("reader_time", "work_time", "forward_time", "backward_time")
THROUGHPUTS = ("throughput", "source_throughput")
STEP_TIMES = ("step_time", *OWN_TIMES)

PROCESS = re.compile(rb"\bpid[=: ]{1,2}(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Fault:
    """What proves that a log is not that of the run that was asked for: a code, and what its sentence needs."""

    code: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return SENTENCES[self.code].format(**self.values)


def faults(log: Path, asked: Mapping[str, Any], siblings: Sequence[Path] = ()) -> list[Fault]:
    """What in a log cannot be of the run that was asked for; nothing where all may be.

    ``log``: the log of a run that has ended and has no run.json yet. ``asked``: what its run.json will say: `case`,
    `variables`, `start` and `end`, each of which may be missing. ``siblings``: the folders of other finished runs of
    the case. A log that cannot be read proves nothing.
    """
    try:
        reading = survey(log)
    except ParserError:
        return []
    part = reading.parts[0]
    steps = part.table.rows(part.table.are("step"))
    found = list(_of_facts(reading, asked))
    if len(steps):
        found += [*_of_steps(part, steps, asked, reading), *_of_batches(part, steps, asked)]
        found += [*_of_stamps(part, steps, asked), *_of_ranks(part, steps)]
        found += _of_runs(part, steps, siblings)
    return [*found, *_of_processes(log, steps, asked)]


def _count(asked: Mapping[str, Any], variable: str, name: str | None = None) -> int | None:
    """A count that was asked for, by its variable, or else by its name in the case."""
    said = (asked.get("variables") or {}).get(variable) or asked.get("case", {}).get(name)
    return int(said) if str(said).isdecimal() and int(said) else None


def _share(steps: RecordTable, which: NDArray[np.bool_]) -> dict[str, int]:
    """How many of the records some are, and the line of the first of these."""
    return {"count": int(which.sum()), "records": len(steps), "line": int(steps["line"][which.argmax()])}


# ---- steps


def _of_steps(part: FormatRecords, steps: RecordTable, asked: Mapping[str, Any], reading: Reading) -> Iterator[Fault]:
    """More records than steps, or a last record more than one interval before the last step."""
    wanted, epochs = _count(asked, "STEPS"), _count(asked, "EPOCHS") or 1
    if wanted is None or ("step", "step") not in part.fields:
        return
    steps = steps.rows(np.isfinite(steps["step"]))
    if not len(steps):
        return
    per_epoch = math.ceil(wanted / epochs)
    wanted = epochs * per_epoch
    # Options that were passed through may have told the program otherwise; then it says so itself.
    own = ((asked.get("variables") or {}).get("EXTRA") and _own_total(steps)) or wanted
    # Lines may count passes, of which a step has several; and some programs train one step more than they are told.
    most = max(wanted, own) * (_count(asked, "ACCUMULATION") or 1) + epochs
    ranks = _by_rank(steps)
    printers = (_count(asked, "CARDS", "cards") or 1) // len(ranks)
    if not any(event.event == "restart" for event in reading.happened):
        for rank, rows in ranks:
            if len(rows) > most and not _prints_each(steps.rows(rows), printers):
                of_rank = f" of rank {rank}" if rank is not None else ""
                yield Fault("too_many_records", {"found": len(rows), "asked": wanted, "of_rank": of_rank})
    done = _done(part, steps.rows(ranks[0][1]), per_epoch)
    about = {"found": done, "asked": wanted, "line": int(steps["line"][-1])}
    if done is not None and done > most:
        yield Fault("went_on", about)
    if done is not None and min(wanted, own) - done > _interval(steps):
        yield Fault("ended_early", about)


def _own_total(steps: RecordTable) -> int | None:
    """How many steps the lines say there are, where they all say the same."""
    for names in (("steps",), ("steps_per_epoch", "epochs")):
        said = [np.unique(steps[name]) for name in names if name in steps]
        if len(said) == len(names) and all(len(values) == 1 and values[0] > 0 for values in said):
            return int(math.prod(float(values[0]) for values in said))
    return None


def _prints_each(rows: RecordTable, printers: int) -> bool:
    """Whether no step has more records than there are processes, and nearly all have as many."""
    keys = np.stack([rows["step"], rows["epoch"] if "epoch" in rows else np.zeros(len(rows))])
    counts = np.unique(keys, axis=1, return_counts=True)[1]
    return bool(counts.max() <= printers and (counts == np.bincount(counts).argmax()).mean() >= SHARE)


def _done(part: FormatRecords, rows: RecordTable, per_epoch: int) -> int | None:
    """How many steps are done at the furthest record of a rank; None where steps begin anew and lines tell no epoch."""
    counted = rows["step"] + (1 if part.fields["step", "step"].first == 0 else 0)
    if (np.diff(counted) < 0).any() and np.nanmax(counted) <= per_epoch:
        if (epoch := part.fields.get(("step", "epoch"))) is None:
            return None
        counted = counted + per_epoch * (rows["epoch"] - (epoch.first or 0))
    return int(np.nanmax(counted))


def _interval(steps: RecordTable) -> float:
    """The most steps between two records, twice that where they are not even; endless where lines count one step."""
    ahead = np.diff(np.unique(steps["step"][np.isfinite(steps["step"])])) if "step" in steps else np.zeros(0)
    return float(ahead.max() if (ahead == ahead[0]).all() else 2 * ahead.max()) if len(ahead) else math.inf


def _by_rank(steps: RecordTable) -> list[tuple[int | None, NDArray[np.intp]]]:
    """The rows of each rank; all of them where lines name no rank."""
    ranks = steps["rank"].astype(np.float64) if "rank" in steps else np.full(len(steps), np.nan)
    found = [(int(rank), np.flatnonzero(ranks == rank)) for rank in np.unique(ranks[~np.isnan(ranks)])]
    return [*found] or [(None, np.arange(len(steps)))]


# ---- batch size and cards


def _of_facts(reading: Reading, asked: Mapping[str, Any]) -> Iterator[Fault]:
    """A count that the log states, otherwise than it was asked for in each of its lines."""
    pairs = [*reading.facts.contradictions, *reading.facts.disputes]
    said = [*reading.facts.values(), *(fact for pair in pairs for fact in pair)]
    # Programs whose cards share a model may call the number of its replicas their world.
    shared = any(name in reading.facts for name in ("tensor_parallel", "pipeline_parallel", "context_parallel"))
    for name in ("batch_size", "nodes") if shared else ("batch_size", "cards", "nodes"):
        wanted = _count(asked, name.upper(), name)
        of_lines = [fact for fact in said if fact.name == name and fact.source.kind == "line"]
        values = {fact.value: fact.source.values[0] for fact in of_lines if isinstance(fact.value, int)}
        is_guess = name in (asked.get("case_from") or {})  # what a command seems to say gives way to the log
        if wanted and values and wanted not in values and not is_guess:
            found, at = next(iter(values.items()))
            about = {"fact": name.replace("_", " ").capitalize(), "found": found, "line": at}
            yield Fault("other_fact", {**about, "asked": wanted})


def _of_batches(part: FormatRecords, steps: RecordTable, asked: Mapping[str, Any]) -> Iterator[Fault]:
    """Records whose throughput times their time is another whole number of samples than a batch."""
    batch = _count(asked, "BATCH_SIZE", "batch_size")
    speed, time = (part.fields.get(("step", name)) for name in ("throughput", "step_time"))
    if not (batch and speed and time) or (_count(asked, "ACCUMULATION") or 1) > 1:
        return
    if speed.unit not in ("images", "samples") or speed.scope != "card" or speed.kind != time.kind:
        return
    samples = steps["throughput"] * steps["step_time"] * IN_SECONDS[time.unit or "seconds"]
    whole = np.round(samples)
    is_other = (np.abs(samples - whole) < 0.01 * whole) & (whole > 0) & (np.abs(whole - batch) > 0.1 * batch)
    if is_other.sum() >= max(3, len(steps) // 4):  # the last batch of an epoch may be smaller
        found = Counter(whole[is_other].tolist()).most_common(1)[0][0]
        yield Fault("other_batch", {**_share(steps, is_other), "found": int(found), "asked": batch})


# ---- stamps


def _of_stamps(part: FormatRecords, steps: RecordTable, asked: Mapping[str, Any]) -> Iterator[Fault]:
    """Stamps outside the run, in whatever time zone all of them are."""
    stamp = part.fields.get(("step", "time"))
    if stamp is None or stamp.type not in DATED or not {"start", "end"} <= asked.keys():
        return
    moments = (datetime.fromisoformat(asked[name]).astimezone(UTC) for name in ("start", "end"))
    start, end = (np.datetime64(moment.replace(tzinfo=None), "us") for moment in moments)
    skew = np.timedelta64(round(SKEW * 1e6), "us")
    stamps = steps["time"]
    inside = [(stamps >= start - skew - zone * QUARTER) & (stamps <= end + skew - zone * QUARTER) for zone in ZONES]
    best = max(inside, key=np.count_nonzero)
    is_outside = ~best & ~np.isnat(stamps)
    if is_outside.any():
        first = str(stamps[is_outside.argmax()].astype("datetime64[s]"))
        limits = {"start": asked["start"], "end": asked["end"]}
        yield Fault("stamp_outside", {**_share(steps, is_outside), **limits, "found": first})


# ---- processes


def _of_processes(log: Path, steps: RecordTable, asked: Mapping[str, Any]) -> Iterator[Fault]:
    """Records of one rank from two processes in turns; a process that takes over is a restart."""
    records = set(steps["line"].tolist()) if len(steps) else set()
    turns: dict[int | None, list[tuple[int, bytes]]] = {}
    with opened(log) as file:
        for number, text in enumerate(file, 1):
            if number in records and (process := PROCESS.search(text)):
                _, (begin, end) = after_prefix(text, 0, len(text))
                rank = int(text[begin:end]) if end > begin else None
                if rank is not None or _count(asked, "CARDS", "cards") == 1:
                    turns.setdefault(rank, []).append((number, process[1]))
    for rank, seen in turns.items():
        changes = [seen[0], *(two for one, two in pairwise(seen) if one[1] != two[1])]
        if len(changes) > len({process for _, process in changes}):  # one comes back
            whose = "the run" if rank is None else f"rank {rank}"
            pair = {"found": changes[0][1].decode(), "other": changes[1][1].decode()}
            yield Fault("two_processes", {"whose": whose, **pair, "line": changes[1][0]})


# ---- copies


def _of_ranks(part: FormatRecords, steps: RecordTable) -> Iterator[Fault]:
    """Ranks whose records are those of a lower one."""
    groups = [(rank, rows) for rank, rows in _by_rank(steps) if rank is not None]
    columns = {name: part.fields.get(("step", name)) for name in (*THROUGHPUTS, *OWN_TIMES)}
    own = [name for name, column in columns.items() if column and (name in OWN_TIMES or column.scope == "card")]
    if len(groups) < 2 or not own:
        return
    hashes, known = _hashes(part, steps), dict[int, int]()
    for rank, rows in groups:
        of_rank = steps.rows(rows)
        holders = np.array([known.setdefault(one, rank) for one in hashes[rows].tolist()])
        is_shared = holders != rank
        if _are_copies(is_shared, len(rows), _chance(part, of_rank, own, between_runs=False)):
            other = int(holders[is_shared.argmax()])
            yield Fault("copy_of_rank", {**_share(of_rank, is_shared), "rank": rank, "other": other})


def _of_runs(part: FormatRecords, steps: RecordTable, siblings: Sequence[Path]) -> Iterator[Fault]:
    """Another run whose records are those of this one."""
    measured = [name for name in (*THROUGHPUTS, *STEP_TIMES) if ("step", name) in part.fields]
    hashes = _hashes(part, steps)
    for sibling in siblings if measured else ():
        try:
            other = survey(sibling / LOG, format=part.format).parts[0]
        except ParserError:  # one that cannot be read proves nothing
            continue
        if other.fields.keys() != part.fields.keys():
            continue
        theirs = _hashes(other, other.table.rows(other.table.are("step")))
        is_shared, most = np.isin(hashes, theirs), min(len(hashes), len(theirs))
        if _are_copies(is_shared, most, _chance(part, steps, measured, between_runs=True)):
            yield Fault("copy_of_run", {**_share(steps, is_shared), "other": sibling.name})


def _are_copies(is_shared: NDArray[np.bool_], records: int, chance: float) -> bool:
    count = int(is_shared.sum())
    return count >= SHARE * records and count * math.log10(chance) < math.log10(CHANCE)


def _hashes(part: FormatRecords, steps: RecordTable) -> NDArray[np.uint64]:
    """Of each record a number that equal ones have in common; where and under which rank it stands does not count."""
    leave = {"line", "record", "rank", RUN, OWN_LINE}
    stamp = part.fields.get(("step", "time"))
    leave |= {"time"} if stamp is None or stamp.type not in TIMES else set()
    frame = steps.frame[sorted(set(steps) - leave)]
    frame = frame.astype({name: np.float64 for name in frame if frame[name].dtype.kind in "iu"})
    return np.asarray(pd.util.hash_pandas_object(frame, index=False), np.uint64)


def _chance(part: FormatRecords, steps: RecordTable, names: Sequence[str], *, between_runs: bool) -> float:
    """The chance that a record of another rank or run agrees by itself: that of the column that tells most."""
    seconds, interval = _seconds(part, steps), _interval(steps)
    if seconds is None or interval == math.inf:
        return 1.0
    apart = max(CLOCKS_APART / interval, RUNS_APART * seconds if between_runs else 0.0)
    least = 1.0
    for name in names:
        meaning, values = part.fields["step", name], steps[name].astype(np.float64)
        values = values[np.isfinite(values)]
        if len(values) < 2 or meaning.kind in ("running_mean", "total") or meaning.is_expected:
            continue
        digit = steps.digits["step", name]
        typical = max(float(np.median(values)), 1e-12)
        of_unit = seconds / typical if name in THROUGHPUTS else IN_SECONDS[meaning.unit or "seconds"]
        counts = np.unique(values, return_counts=True)[1]
        equal = (1 + (counts * (counts - 1)).sum()) / (1 + len(values) * (len(values) - 1))
        least = min(least, max(digit * of_unit / apart, equal))
    return float(least)


def _seconds(part: FormatRecords, steps: RecordTable) -> float | None:
    """About how long a step takes, by its own time or by the stamps of the records."""
    if (time := part.fields.get(("step", "step_time"))) is not None:
        return float(np.nanmedian(steps["step_time"])) * IN_SECONDS[time.unit or "seconds"]
    if "time" not in steps or "step" not in steps or len(steps) < 2:
        return None
    lasted = (np.nanmax(steps["time"]) - np.nanmin(steps["time"])) / np.timedelta64(1, "us") / 1e6
    return float(lasted / max(1.0, float(np.nanmax(steps["step"]) - np.nanmin(steps["step"])))) or None
