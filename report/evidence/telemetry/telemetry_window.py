"""The telemetry of a run: which of the cards that it lists are the run's, and in which window their power counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.runs.facts import is_count
from parsers.runs.reading import Reading
from parsers.runs.runfile import run_file
from parsers.runs.side_files import Telemetry, arrivals, clock, process_telemetry, telemetry

from ...measure.measurement import Measurement
from ...measure.records import Facts
from ..reason import NoEvidenceError
from .plausible_samples import plausible

Window: TypeAlias = "tuple[pd.Timestamp, pd.Timestamp]"

NO_PROCESSES = "{log} does not have a cpu.csv beside it."
PROCESSES_OF_SOME = "cpu.csv of {log} holds the processes on {machines} of the {nodes} machines used by the run."
NO_TELEMETRY = "{log} does not have a gpu.csv beside it."
NO_SAMPLES = "gpu.csv of {log} has no row that can be of the run."
UNKNOWN_CARDS = "gpu.csv of {log} lists {listed} cards; it is unknown which {used} of them the run used."
ALL_CARDS = "The number of cards is unknown; all cards in gpu.csv are included ({listed})."
BUSIEST_CARDS = "gpu.csv lists {listed} cards, but the run used {used} of them; the busiest are included: {cards}."
FEWER_CARDS = "gpu.csv lists only {listed} of the {used} cards used by the run."
SOME_MACHINES = "gpu.csv lists the cards of only {machines} of the {nodes} machines used by the run."


@dataclass(frozen=True)
class RunTelemetry:
    """The telemetry of one run, seen with its log.

    ``log``: how the log is called in sentences. ``cards``: the indices of the run's cards. ``has_all_cards``:
    whether these are all cards of the run. ``window``: from the arrival of the first line that its throughput uses to
    that of the last (UTC); None where no clock tells it, and the whole run counts. ``remarks``: what a reader must know
    of the cards, and of rows that are left out.
    """

    log: str
    telemetry: Telemetry
    cards: tuple[int, ...]
    has_all_cards: bool
    window: Window | None
    remarks: tuple[Message, ...]

    @property
    def samples(self) -> pd.DataFrame:
        """The samples of the run's cards over the whole run."""
        samples = self.telemetry.samples
        return samples[samples["card"].isin(self.cards)]


@dataclass(frozen=True)
class ProcessTelemetry:
    """What the processes of one run took; ``log``, ``window``: as of ``RunTelemetry``; ``remarks``: of its rows."""

    log: str
    telemetry: Telemetry
    window: Window | None
    remarks: tuple[Message, ...] = ()


def processes_of_run(log: str, reading: Reading, measurement: Measurement | None) -> ProcessTelemetry:
    """The cpu.csv of a run, and the window of a measurement.

    Raises NoEvidenceError where there is none, or none of all machines, LogError where a side file is broken.
    """
    found = process_telemetry(reading.path, reading.sha256)
    if found is None:
        raise NoEvidenceError(NO_PROCESSES, log=log)
    machines, nodes = _machines(reading), _count(reading.facts, "nodes") or 1
    if machines < nodes:
        raise NoEvidenceError(PROCESSES_OF_SOME, log=log, machines=machines, nodes=nodes)
    kept, left_out = plausible(found, run_file(reading.path))
    return ProcessTelemetry(log, kept, window_of(reading, measurement), left_out)


def run_telemetry(log: str, reading: Reading, facts: Facts, measurement: Measurement | None) -> RunTelemetry:
    """Find the cards of a run, which ``facts`` counts (``cards`` in all, ``nodes``), and the window of a measurement.

    gpu.csv lists the machines that run.json describes as ``nodes``, one where it does not. All cards of gpu.csv are the
    run's when it lists as many as the run has on these, else the busiest ones by mean utilisation in the window.
    Raises NoEvidenceError where there is no gpu.csv or the cards cannot be told, LogError where a side file is broken.
    """
    whole = telemetry(reading.path, reading.sha256)
    if whole is None:
        raise NoEvidenceError(NO_TELEMETRY, log=log)
    found, left_out = plausible(whole, run_file(reading.path))
    if found.samples.empty:
        raise NoEvidenceError(NO_SAMPLES, log=log)
    window = window_of(reading, measurement)
    nodes, in_all = _count(facts, "nodes") or 1, _count(facts, "cards")
    machines = min(_machines(reading), nodes)
    used = None if in_all is None else max(in_all * machines // nodes, 1)
    cards = _cards(log, found.samples, window, used)
    remarks = tuple(_remarks(cards, found.samples["card"].nunique(), used, (machines, nodes)))
    has_all_cards = machines == nodes and len(cards) >= (used or 0)
    return RunTelemetry(log, found, cards, has_all_cards, window, (*remarks, *left_out))


def in_window(samples: pd.DataFrame, window: Window | None) -> pd.DataFrame:
    """The samples in a window, its ends included; all of them where there is none."""
    return samples if window is None else samples[samples["time"].between(*window)]


def _machines(reading: Reading) -> int:
    """How many machines described themselves for the run, whose cards gpu.csv lists; one where none did."""
    described = run_file(reading.path).get("nodes")
    return len(described) if isinstance(described, list) and described else 1


def window_of(reading: Reading, measurement: Measurement | None) -> Window | None:
    """From the arrival of the first line that a measurement uses to that of the last; None where no clock tells it."""
    found = clock(reading.path, reading.sha256) if measurement else None
    if found is None or measurement is None:
        return None
    first, last = arrivals(found, np.array(measurement.ends))
    return None if np.isnat(first) else (pd.Timestamp(first), pd.Timestamp(last))


def _count(facts: Facts, name: str) -> int | None:
    said = facts[name].value if name in facts else None
    return said if is_count(said) else None


def _cards(log: str, samples: pd.DataFrame, window: Window | None, used: int | None) -> tuple[int, ...]:
    listed = np.unique(samples["card"].to_numpy())
    if used is None or used >= len(listed):
        return tuple(listed.tolist())
    counted = in_window(samples, window)
    busy = (samples if counted.empty else counted).groupby("card")["utilisation"].mean().dropna()
    if len(busy) < used:
        raise NoEvidenceError(UNKNOWN_CARDS, log=log, listed=len(listed), used=used)
    return tuple(sorted(busy.sort_values(ascending=False, kind="stable").index[:used].tolist()))


def _remarks(cards: tuple[int, ...], listed: int, used: int | None, machines: tuple[int, int]) -> list[Message]:
    """What a reader must know of the cards; ``machines``: how many gpu.csv lists, and how many the run used."""
    values = {"listed": listed, "used": used, "cards": ", ".join(map(str, cards))}
    values |= {"machines": machines[0], "nodes": machines[1]}
    differing = (
        ALL_CARDS if used is None else BUSIEST_CARDS if used < listed else FEWER_CARDS if used > listed else None
    )
    return [
        Message(message, **values)
        for message in (differing, SOME_MACHINES if machines[0] < machines[1] else None)
        if message
    ]
