"""Telemetry of a run: what its cards and processes did, in the window of a measurement.

Samples that cannot be of their run are left out, and it is said how many they are and where: a row may be of another
time where a file is put together by hand, and a driver may tell a negative or a huge number while a card fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from parsers.io.cache import pd
from parsers.io.message import Message, joined
from parsers.runs.facts import is_count
from parsers.runs.reading import Reading
from parsers.runs.run_folder import PROCESSES, TELEMETRY
from parsers.runs.runfile import (
    COUNTED_COLUMNS,
    MEMORY_COLUMNS,
    RunFile,
    Telemetry,
    arrivals,
    clock,
    telemetry,
    telemetry_file,
)
from parsers.series import Floats, Lines, Mask

from ..measure.diagnostics import Diagnostic, NoEvidenceError, Parameter, say
from ..measure.measurement import Measurement
from ..measure.number import printed, without_noise
from ..measure.protocol import Protocol
from ..measure.quantity import CPU_LOAD, PEAK_MEMORY, POWER, PROCESS_MEMORY, SAMPLES_PER_JOULE, Quantity, Shown
from ..measure.ranks import RankSpread
from ..measure.records import Facts

Window: TypeAlias = "tuple[pd.Timestamp, pd.Timestamp]"

OF_CARDS, OF_PROCESSES = (PEAK_MEMORY, POWER, SAMPLES_PER_JOULE), (PROCESS_MEMORY, CPU_LOAD)
COLUMNS = {PEAK_MEMORY.name: "memory", POWER.name: "power", SAMPLES_PER_JOULE.name: "power"}  # of gpu.csv

LONGEST_GAP = 5  # s: telemetry comes once a second; of a longer silence the longest is told


@dataclass(frozen=True)
class RunTelemetry:
    """The gpu.csv or the cpu.csv of one run, seen with its log.

    ``log``: how the log is called in sentences. ``window``: from the arrival of the first line that its throughput uses
    to that of the last (UTC); None where no clock tells it, and the whole run counts. ``remarks``: what a reader must
    know of the cards, and of rows that are left out. ``cards``: the indices of the run's cards, none of processes.
    ``has_all_cards``: whether these are all cards of the run.
    """

    log: str
    telemetry: Telemetry
    window: Window | None
    remarks: tuple[Diagnostic, ...]
    cards: tuple[int, ...] = ()
    has_all_cards: bool = True

    @property
    def samples(self) -> pd.DataFrame:
        """The samples of the run's cards, or of its processes, over the whole run."""
        samples = self.telemetry.samples
        return samples[samples["card"].isin(self.cards)] if self.cards else samples


def processes_of_run(log: str, reading: Reading, measurement: Measurement | None) -> RunTelemetry:
    """The cpu.csv of a run, and the window of a measurement.

    Raises NoEvidenceError where there is none, or none of all machines, LogError where a side file is broken.
    """
    found = telemetry(reading.path, reading.sha256, PROCESSES)
    if found is None:
        raise NoEvidenceError("no_side_file", log=log, file=PROCESSES)
    machines, nodes = len(described(reading.run_file)), _count(reading.facts, "nodes") or 1
    if machines < nodes:
        raise NoEvidenceError("some_machines", file=PROCESSES, machines=machines, nodes=nodes)
    kept, left_out = plausible(found, reading.run_file)
    return RunTelemetry(log, kept, window_of(reading, measurement), left_out)


def run_telemetry(log: str, reading: Reading, facts: Facts, measurement: Measurement | None) -> RunTelemetry:
    """Find the cards of a run, which ``facts`` counts (``cards`` in all, ``nodes``), and the window of a measurement.

    gpu.csv lists the machines that run.json describes as ``nodes``, one where it does not. All cards of gpu.csv are the
    run's when it lists as many as the run has on these, else the busiest ones by mean utilisation in the window.
    Raises NoEvidenceError where there is no gpu.csv or the cards cannot be told, LogError where a side file is broken.
    """
    whole = telemetry(reading.path, reading.sha256)
    if whole is None:
        raise NoEvidenceError("no_side_file", log=log, file=TELEMETRY)
    found, left_out = plausible(whole, reading.run_file)
    if found.samples.empty:
        raise NoEvidenceError("no_samples_of_run", log=log)
    window = window_of(reading, measurement)
    nodes, in_all = _count(facts, "nodes") or 1, _count(facts, "cards")
    machines = min(len(described(reading.run_file)), nodes)
    used = None if in_all is None else max(in_all * machines // nodes, 1)
    listed = np.unique(found.samples["card"].to_numpy())
    cards, differing = tuple(listed.tolist()), ""
    if used is None:
        differing = "all_cards"
    elif used > len(listed):
        differing = "fewer_cards"
    elif used < len(listed):
        differing = "busiest_cards"
        counted = in_window(found.samples, window)
        busy = (found.samples if counted.empty else counted).groupby("card")["utilisation"].mean().dropna()
        if len(busy) < used:
            raise NoEvidenceError("cards_unknown", log=log, listed=len(listed), used=used)
        cards = tuple(sorted(busy.sort_values(ascending=False, kind="stable").index[:used].tolist()))
    told: dict[str, Parameter] = {"listed": len(listed), "used": used or 0, "cards": ", ".join(map(str, cards))}
    remarks = [Diagnostic(differing, told)] if differing else []
    if machines < nodes:
        remarks.append(say("some_machines", file=TELEMETRY, machines=machines, nodes=nodes))
    has_all_cards = machines == nodes and len(cards) >= (used or 0)
    return RunTelemetry(log, found, window, (*remarks, *left_out), cards, has_all_cards)


def in_window(samples: pd.DataFrame, window: Window | None) -> pd.DataFrame:
    """The samples in a window, its ends included; all of them where there is none."""
    return samples if window is None else samples[samples["time"].between(*window)]


def window_of(reading: Reading, measurement: Measurement | None) -> Window | None:
    """From the arrival of the first line that a measurement uses to that of the last; None where no clock tells it."""
    found = clock(reading.path, reading.sha256) if measurement else None
    if found is None or measurement is None:
        return None
    first, last = arrivals(found, np.array(measurement.ends))
    return None if np.isnat(first) else (pd.Timestamp(first), pd.Timestamp(last))


def described(run: RunFile) -> list[dict[str, Any]]:
    """What each machine says of itself in a run.json, whose cards gpu.csv lists; one where it lists none."""
    nodes = run.get("nodes")
    machines = nodes if isinstance(nodes, list) and nodes else [run.get("environment")]
    return [one if isinstance(one, dict) else {} for one in machines]


def _count(facts: Facts, name: str) -> int | None:
    said = facts[name].value if name in facts else None
    return said if is_count(said) else None


# ---- samples that can be of a run

# A run.json says whole seconds, and the clocks of the machines of a run may differ.
MARGIN = np.timedelta64(60, "s")
ROUNDED = 1  # MiB
MOST_RANGES = 4


def plausible(found: Telemetry, run: RunFile) -> tuple[Telemetry, tuple[Diagnostic, ...]]:
    """Telemetry without the rows that cannot be of its run, and a remark on each kind of them.

    ``run``: the run.json of the run, empty where there is none. It says from when to when the run lasted and how much
    memory its cards have; what it does not say is not checked.
    """
    samples, said = found.samples, list[Diagnostic]()
    wrong = np.zeros(len(samples), bool)
    for code, told, rows in _checks(samples, run):
        if (new := rows & ~wrong).any():
            lines = samples["line"].to_numpy()[new]
            said.append(say(code, **told, file=found.path.name, count=len(lines), lines=_ranges(lines)))
        wrong |= rows
    return (replace(found, samples=samples[~wrong]) if said else found), tuple(said)


def _checks(samples: pd.DataFrame, run: RunFile) -> Iterator[tuple[str, dict[str, str], Mask]]:
    """What may be wrong with rows, with what is said of it beside their lines, and with which rows it is."""
    times, is_outside = samples["time"].to_numpy("datetime64[us]"), np.zeros(len(samples), bool)
    first, last = said_time(run, "start"), said_time(run, "end")
    if first and first[1]:
        is_outside |= times < first[0] - MARGIN
    if last and last[1]:
        is_outside |= times > last[0] + MARGIN
    yield "rows_of_other_time", {}, is_outside
    yield "negative_rows", {}, (samples[samples.columns.intersection([*COUNTED_COLUMNS])] < 0).any(axis=1).to_numpy()
    told = [machine.get("gpu_memory_mib") for machine in described(run)]
    sizes = [size for of in told if isinstance(of, list) for size in of if isinstance(size, int | float) and size > 0]
    if "card" in samples and sizes:
        held = samples[samples.columns.intersection([*MEMORY_COLUMNS])]
        yield "rows_of_too_much", {"most": f"{max(sizes):g}"}, (held > max(sizes) + ROUNDED).any(axis=1).to_numpy()


def said_time(run: RunFile, key: str) -> tuple[np.datetime64, bool] | None:
    """A time of a run.json, in UTC where it says its time zone, and whether it does; None where it tells none."""
    try:
        said = datetime.fromisoformat(str(run.get(key)))
        told = said.astimezone(UTC).replace(tzinfo=None) if said.tzinfo else said
        return np.datetime64(told, "us"), said.tzinfo is not None
    except (ValueError, OverflowError):
        return None


def _ranges(lines: Lines) -> str:
    """Ascending numbers as ranges, at most some of them: ``2–5, 9``."""
    each = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1)
    told = [f"{own[0]}" if len(own) == 1 else f"{own[0]}–{own[-1]}" for own in each[:MOST_RANGES]]
    return ", ".join([*told, "…"] if len(each) > MOST_RANGES else told)


# ---- what they give


@dataclass(frozen=True)
class Observation:
    """One quantity of one run: its value in ``unit``, and the lines of gpu.csv or cpu.csv that prove it."""

    quantity: Quantity
    value: float
    telemetry: Telemetry
    lines: tuple[int, ...]
    remarks: tuple[Diagnostic, ...]
    rate: str = ""

    @property
    def unit(self) -> str:
        """Its unit; that of an efficiency is of the ``rate`` of its throughput."""
        return self.quantity.unit(self.rate)

    def __str__(self) -> str:
        """The value as it is printed, with its unit."""
        return f"{printed(self.value, Shown(self.quantity, self.rate).printing(Protocol()))} {self.unit}"


def observe(quantity: Quantity, run: RunTelemetry, measurement: Measurement | None) -> Observation:
    """One quantity of telemetry of a run; ``measurement``: its throughput, where that is known.

    A peak is the greatest sample of the whole run; energy efficiency is the throughput of the whole job over its mean
    power. All else is a mean over the window, that of each card added: samples are joined by straight lines
    (trapezoidal rule), so that a gap counts as long as it lasted. Raises NoEvidenceError, which carries the reason,
    where telemetry does not give it.
    """
    column = quantity.column or COLUMNS[quantity.name]
    known = run.samples.dropna(subset=column)
    if quantity.is_peak and not known.empty:
        first = int(np.argmax(known[column].to_numpy()))
        line, value = int(known["line"].iloc[first]), float(known[column].iloc[first])
        return Observation(quantity, value, run.telemetry, (line,), run.remarks)
    if quantity.is_peak and run.cards:
        raise NoEvidenceError("no_memory", log=run.log)
    if quantity is SAMPLES_PER_JOULE and (measurement is None or measurement.scope != "job"):
        raise NoEvidenceError("no_efficiency")
    if not run.has_all_cards:
        raise NoEvidenceError("not_all_cards", log=run.log)
    used = in_window(known, run.window).sort_values("time", kind="stable")
    each = {card: used[used["card"] == card] for card in run.cards} or {0: used}
    value = without_noise(sum(_mean(run, samples, column) for samples in each.values()))
    remarks = [*run.remarks, *([] if run.window else [say("mean_of_whole_run")])]
    gaps = {card: _longest_gap(samples, run.window) for card, samples in each.items()}
    card, gap = max(gaps.items(), key=lambda one: one[1])
    if gap > LONGEST_GAP and run.cards:
        remarks.append(say("gap_of_samples", card=card, seconds=f"{gap:.0f}"))
    if quantity is SAMPLES_PER_JOULE and measurement:
        if not value > 0:
            raise NoEvidenceError("no_efficiency")
        value = without_noise(measurement.value / value)
    lines, rate = tuple(sorted(used["line"].tolist())), measurement.unit if measurement else ""
    return Observation(quantity, value, run.telemetry, lines, tuple(remarks), rate)


def _mean(run: RunTelemetry, samples: pd.DataFrame, column: str) -> float:
    seconds = _seconds(samples["time"])
    if len(seconds) < 2 or seconds[-1] == seconds[0]:
        raise NoEvidenceError("few_samples", file=run.telemetry.path.name, log=run.log)
    return float(np.trapezoid(samples[column].to_numpy(), seconds) / (seconds[-1] - seconds[0]))


def _longest_gap(samples: pd.DataFrame, window: Window | None) -> float:
    """The longest time (s) without a sample, from the begin of the window to its end."""
    ends = pd.Series(window or (), dtype="datetime64[us]")
    return float(np.diff(np.sort(_seconds(pd.concat([samples["time"], ends])))).max())


def _seconds(times: pd.Series[pd.Timestamp]) -> Floats:
    return times.to_numpy("datetime64[us]").astype(np.int64) / 1e6


# ---- beside a log

# Of NVML's nvmlClocksEventReasons: hardware slowdown, heat by software and by hardware, power brake. A limit of power
# that the software keeps (4) is how most cards run.
LOWERING = 0x8 | 0x20 | 0x40 | 0x80


class Observed(NamedTuple):
    """The quantities that telemetry gives of a run, and what is said of it."""

    quantities: tuple[Observation, ...]
    warnings: tuple[Diagnostic, ...]


def observed(reading: Reading, measurement: Measurement | None) -> Observed:
    """What the gpu.csv and the cpu.csv beside a log give; means where the throughput, and so their window, is known.

    Nothing where there is no such file. Raises LogError when a side file of the run is broken.
    """
    log, found, warnings = reading.path, list[Observation](), list[Diagnostic]()
    of_cards = partial(run_telemetry, facts=reading.facts)
    for name, quantities, watched in ((TELEMETRY, OF_CARDS, of_cards), (PROCESSES, OF_PROCESSES, processes_of_run)):
        if not log.with_name(name).exists():
            continue
        reasons = list[Diagnostic]()
        try:
            run = watched(log.name, reading, measurement=measurement)
            warnings += _faults(run) if run.cards else ()
            for quantity in (one for one in quantities if measurement or one.is_peak):
                try:
                    found.append(observe(quantity, run, measurement))
                except NoEvidenceError as error:
                    reasons.append(error.diagnostic)
        except NoEvidenceError as error:
            reasons.append(error.diagnostic)
        warnings += reasons if name == TELEMETRY else ()  # of processes a number is there, or is not missed
    remarks = (remark for one in found for remark in one.remarks)
    return Observed(tuple(found), tuple(dict.fromkeys([*remarks, *warnings])))


def _faults(run: RunTelemetry) -> Iterator[Diagnostic]:
    """That heat or power supply lowered clocks; nothing where the cards do not tell."""
    told = in_window(run.samples, run.window).dropna(subset=["throttle"])
    lowered = (told["throttle"].astype("int64") & LOWERING) != 0
    if lowered.any():
        cards = ", ".join(map(str, sorted(set(told["card"][lowered]))))
        yield say("lowered_clocks", share=f"{100 * lowered.mean():.1f}", cards=cards)


# ---- the card of the slowest rank

QUANTITIES = {  # name and unit of each
    "sm_clock": ("SM clock", "MHz"),
    "power": ("power draw", "W"),
    "temperature": ("temperature", "°C"),
    "utilisation": ("utilisation", "%"),
}


@dataclass(frozen=True)
class CardsOfRanks:
    """The card of the slowest rank: medians of what it did, and of those of the other cards, by the name of a quantity.

    ``card``: its number in ``file``, and that of the rank. ``is_whole``: whether they are of the whole file, for no
    clock tells the window. ``warnings``: of rows that are left out.
    """

    card: int
    file: Telemetry
    own: Mapping[str, float]
    others: Mapping[str, float]
    is_whole: bool
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def summary(self) -> Message:
        """What the card did beside the others."""
        each = [
            say("beside_others", name=Message(called), own=f"{own:.4g}", unit=unit, others=f"{others:.4g}").message
            for name, (called, unit) in QUANTITIES.items()
            if (own := self.own.get(name)) is not None and (others := self.others.get(name)) is not None
        ]
        said = joined("{first}, {second}", each)
        return say("slowest_card", card=self.card, file=self.file.path.name, said=said).message

    def as_json(self) -> dict[str, Any]:
        """The same for JSON."""
        told = {"rank": self.card, "card": self.card, "file": str(self.file.path), "sha256": self.file.sha256}
        return {**told, "whole_file": self.is_whole, "own": self.own, "others": self.others}


def of_cards(reading: Reading, measurement: Measurement | None, ranks: RankSpread) -> CardsOfRanks | None:
    """What gpu.csv says of the card of the slowest rank, and of the others; None where nothing says which it is.

    Rank N uses card N where the file lists as many cards as there are ranks: cards are counted on from node to node.
    Beside logs that are those of its ranks alone it needs no run.json that says so. Raises LogError where the file is
    broken.
    """
    found, beside = telemetry(reading.path, reading.sha256), (reading.folder or reading.path) / TELEMETRY
    found = found or (telemetry_file(beside) if beside.is_file() else None)
    if found is None or min(ranks.values) == max(ranks.values):
        return None
    found, warnings = plausible(found, reading.run_file)
    listed = sorted(found.samples["card"].unique().tolist())
    if listed != list(range(len(ranks.numbers))) or listed != sorted(ranks.numbers):
        return None
    window = window_of(reading, measurement)
    samples, card = in_window(found.samples, window), ranks.numbers[ranks.slowest]
    is_own = samples["card"] == card
    each = (samples.loc[mask, list(QUANTITIES)].median().dropna() for mask in (is_own, ~is_own))
    own, others = ({str(name): float(value) for name, value in medians.items()} for medians in each)
    return CardsOfRanks(card, found, own, others, window is None, warnings)
