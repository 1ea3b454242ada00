"""Telemetry of a run: what its cards and processes did, in the window of a measurement.

Samples that cannot be of their run are left out, and it is said how many they are and where: a row may be of another
time where a file is put together by hand, and a driver may tell a negative or a huge number while a card fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parsers.io.cache import pd
from parsers.io.message import Message, joined
from parsers.runs.facts import is_count
from parsers.runs.reading import Reading
from parsers.runs.run_folder import PROCESSES, TELEMETRY
from parsers.runs.runfile import RunFile
from parsers.runs.side_files import (
    COUNTED_COLUMNS,
    MEMORY_COLUMNS,
    Telemetry,
    arrivals,
    clock,
    process_telemetry,
    telemetry,
    telemetry_file,
)

from ..measure.measurement import Measurement
from ..measure.number import printed, without_noise
from ..measure.protocol import Protocol
from ..measure.quantity import (
    CPU_LOAD,
    PEAK_MEMORY,
    POWER,
    PROCESS_MEMORY,
    SAMPLES_PER_JOULE,
    Quantity,
    Shown,
)
from ..measure.ranks import RankSpread
from ..measure.records import Facts
from .remarks import NoEvidenceError

# ---- samples that can be of a run

# A run.json says whole seconds, and the clocks of the machines of a run may differ.
MARGIN = np.timedelta64(60, "s")
ROUNDED = 1  # MiB
MOST_RANGES = 4

NEGATIVE = "Rows of {file} with negative numbers, left out: {count} (lines {lines})."
TOO_MUCH = "Rows of {file} with more memory than the {most} MiB of a card, left out: {count} (lines {lines})."
OF_OTHER_TIME = "Rows of {file} from outside the time of the run, left out: {count} (lines {lines})."


def plausible(found: Telemetry, run: RunFile) -> tuple[Telemetry, tuple[Message, ...]]:
    """Telemetry without the rows that cannot be of its run, and a sentence for each kind of them.

    ``run``: the run.json of the run, empty where there is none. It says from when to when the run lasted and how much
    memory its cards have; what it does not say is not checked.
    """
    wrong = np.zeros(len(found.samples), bool)
    said = []
    for key, told, rows in _checks(found.samples, run):
        new = rows & ~wrong
        if new.any():
            lines = found.samples["line"].to_numpy()[new].tolist()
            said.append(Message(key, **told, file=found.path.name, count=len(lines), lines=_ranges(lines)))
        wrong |= rows
    return (replace(found, samples=found.samples[~wrong]) if said else found), tuple(said)


def _checks(samples: pd.DataFrame, run: RunFile) -> Iterator[tuple[str, dict[str, str], NDArray[np.bool_]]]:
    """What may be wrong with rows, with what its sentence says beside their lines, and with which rows it is."""
    first, last = (_time(run, key) for key in ("start", "end"))
    times = samples["time"].to_numpy("datetime64[us]")
    before = times < first - MARGIN if first is not None else np.zeros(len(samples), bool)
    yield OF_OTHER_TIME, {}, before | (times > last + MARGIN) if last is not None else before
    counted = samples[[name for name in COUNTED_COLUMNS if name in samples]]
    yield NEGATIVE, {}, (counted < 0).any(axis=1).to_numpy()
    if "card" in samples and (most := _memory_of_a_card(run)):
        held = samples[[name for name in MEMORY_COLUMNS if name in samples]]
        yield TOO_MUCH, {"most": f"{most:g}"}, (held > most + ROUNDED).any(axis=1).to_numpy()


def _time(run: RunFile, key: str) -> np.datetime64 | None:
    """A time of a run.json in UTC; None where it says none, or not in which time zone."""
    try:
        said = datetime.fromisoformat(str(run.get(key)))
    except ValueError:
        return None
    return None if said.tzinfo is None else np.datetime64(int(said.timestamp() * 1e6), "us")


def _memory_of_a_card(run: RunFile) -> float | None:
    """The memory (MiB) of the largest card of all machines; None where a run.json does not say it of any."""
    nodes = run.get("nodes")
    machines = nodes if isinstance(nodes, list) and nodes else [run.get("environment")]
    sizes = [size for machine in machines if isinstance(machine, dict) for size in _sizes(machine)]
    return max(sizes, default=None)


def _sizes(machine: dict[str, object]) -> list[float]:
    told = machine.get("gpu_memory_mib")
    return [size for size in told if isinstance(size, int | float) and size > 0] if isinstance(told, list) else []


def _ranges(lines: Sequence[int]) -> str:
    """Ascending numbers as ranges, at most some of them: ``2–5, 9``."""
    starts = [at for at in range(len(lines)) if at == 0 or lines[at] > lines[at - 1] + 1]
    ends = [*(at - 1 for at in starts[1:]), len(lines) - 1]
    each = [(lines[start], lines[end]) for start, end in zip(starts, ends, strict=True)]
    told = [f"{first}" if first == last else f"{first}–{last}" for first, last in each[:MOST_RANGES]]
    return ", ".join([*told, "…"] if len(each) > MOST_RANGES else told)


# ---- the cards, the processes and the window of a run

Window: TypeAlias = "tuple[pd.Timestamp, pd.Timestamp]"

NO_FILE = "{log} does not have a {file} beside it."
NO_SAMPLES = "gpu.csv of {log} has no row that can be of the run."
UNKNOWN_CARDS = "gpu.csv of {log} lists {listed} cards; it is unknown which {used} of them the run used."
ALL_CARDS = "The number of cards is unknown; all cards in gpu.csv are included ({listed})."
BUSIEST_CARDS = "gpu.csv lists {listed} cards, but the run used {used} of them; the busiest are included: {cards}."
FEWER_CARDS = "gpu.csv lists only {listed} of the {used} cards used by the run."
SOME_MACHINES = "{file} is of only {machines} of the {nodes} machines used by the run."


@dataclass(frozen=True)
class RunTelemetry:
    """The gpu.csv or the cpu.csv of one run, seen with its log.

    ``log``: how the log is called in sentences. ``window``: from the arrival of the first line that its throughput uses
    to that of the last (UTC); None where no clock tells it, and the whole run counts. ``remarks``: what a reader must
    know of the cards, and of rows that are left out. ``cards``: the indices of the run's cards. ``has_all_cards``:
    whether these are all cards of the run.
    """

    log: str
    telemetry: Telemetry
    window: Window | None
    remarks: tuple[Message, ...]
    cards: tuple[int, ...] = ()
    has_all_cards: bool = True

    @property
    def samples(self) -> pd.DataFrame:
        """The samples of the run's cards over the whole run."""
        samples = self.telemetry.samples
        return samples[samples["card"].isin(self.cards)]


def processes_of_run(log: str, reading: Reading, measurement: Measurement | None) -> RunTelemetry:
    """The cpu.csv of a run, and the window of a measurement.

    Raises NoEvidenceError where there is none, or none of all machines, LogError where a side file is broken.
    """
    found = process_telemetry(reading.path, reading.sha256)
    if found is None:
        raise NoEvidenceError(NO_FILE, log=log, file=PROCESSES)
    machines, nodes = _machines(reading), _count(reading.facts, "nodes") or 1
    if machines < nodes:
        raise NoEvidenceError(SOME_MACHINES, file=PROCESSES, machines=machines, nodes=nodes)
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
        raise NoEvidenceError(NO_FILE, log=log, file=TELEMETRY)
    found, left_out = plausible(whole, reading.run_file)
    if found.samples.empty:
        raise NoEvidenceError(NO_SAMPLES, log=log)
    window = window_of(reading, measurement)
    nodes, in_all = _count(facts, "nodes") or 1, _count(facts, "cards")
    machines = min(_machines(reading), nodes)
    used = None if in_all is None else max(in_all * machines // nodes, 1)
    cards = _cards(log, found.samples, window, used)
    remarks = tuple(_remarks(cards, found.samples["card"].nunique(), used, (machines, nodes)))
    has_all_cards = machines == nodes and len(cards) >= (used or 0)
    return RunTelemetry(log, found, window, (*remarks, *left_out), cards, has_all_cards)


def in_window(samples: pd.DataFrame, window: Window | None) -> pd.DataFrame:
    """The samples in a window, its ends included; all of them where there is none."""
    return samples if window is None else samples[samples["time"].between(*window)]


def _machines(reading: Reading) -> int:
    """How many machines described themselves for the run, whose cards gpu.csv lists; one where none did."""
    described = reading.run_file.get("nodes")
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
    differing = (
        ALL_CARDS if used is None else BUSIEST_CARDS if used < listed else FEWER_CARDS if used > listed else None
    )
    told = [Message(differing, **values)] if differing else []
    if machines[0] < machines[1]:
        told.append(Message(SOME_MACHINES, file=TELEMETRY, machines=machines[0], nodes=machines[1]))
    return told


# ---- what they give

# Telemetry comes once a second; of what is missing for more seconds than this the longest is told.
LONGEST_GAP = 5

NO_MEMORY = "gpu.csv of {log} does not contain memory use for the cards of the run."
NOT_ALL_CARDS = "gpu.csv of {log} does not list all cards of the run, so the total power is unknown."
NO_EFFICIENCY = "Energy efficiency needs the throughput of the whole job and a power above zero."
MEAN_OF_ALL = "There is no clock.csv with the arrival times of lines, so the mean is that of the whole run."
TOO_FEW = "{file} of {log} has fewer than two samples of it between the first and the last line used."
GAP = "gpu.csv has no power samples of card {card} for {seconds} s of the window; values are interpolated linearly."
LOWERED = "Heat or power supply lowered clocks in {share}% of the samples of gpu.csv (card numbers: {cards})."
UNCORRECTED = "Memory errors that cannot be corrected arose during the run, says gpu.csv (card numbers: {cards})."
# Of NVML's nvmlClocksEventReasons: hardware slowdown, heat by software and by hardware, power brake. A limit of power
# that the software keeps (4) is how most cards run.
_LOWERING = 0x8 | 0x20 | 0x40 | 0x80
_PERCENT = 100


@dataclass(frozen=True)
class Observation:
    """One quantity of one run: its value in its unit, and the lines of gpu.csv or cpu.csv that prove it."""

    quantity: Quantity
    value: float
    telemetry: Telemetry
    lines: tuple[int, ...]
    remarks: tuple[Message, ...]


def observe(quantity: Quantity, run: RunTelemetry, measurement: Measurement | None) -> Observation:
    """One quantity of telemetry of a run; ``measurement``: its throughput, where that is known.

    Raises NoEvidenceError, which carries the reason, where telemetry does not give it.
    """
    if quantity in (PEAK_MEMORY, POWER):
        return peak_memory(run) if quantity is PEAK_MEMORY else power(run)
    return samples_per_joule(run, measurement) if quantity is SAMPLES_PER_JOULE else _of_processes(quantity, run)


def _of_processes(quantity: Quantity, run: RunTelemetry) -> Observation:
    """One quantity of the processes of a run: the greatest over the whole run, or the mean over its window.

    Raises NoEvidenceError where there are too few samples.
    """
    told = run.telemetry.samples.dropna(subset=quantity.column)
    if quantity.is_peak and not told.empty:
        return _greatest(quantity, run, told, quantity.column)
    used = in_window(told, run.window).sort_values("time", kind="stable")
    if (mean := _mean(used, quantity.column)) is None:
        raise NoEvidenceError(TOO_FEW, file=PROCESSES, log=run.log)
    remarks = (*run.remarks, *(() if run.window else (Message(MEAN_OF_ALL),)))
    return Observation(quantity, without_noise(mean), run.telemetry, tuple(sorted(used["line"].tolist())), remarks)


def _greatest(quantity: Quantity, run: RunTelemetry, samples: pd.DataFrame, column: str) -> Observation:
    """The greatest number of a column, and the first line that tells so much."""
    first = int(np.argmax(samples[column].to_numpy()))
    line, value = int(samples["line"].iloc[first]), float(samples[column].iloc[first])
    return Observation(quantity, value, run.telemetry, (line,), run.remarks)


def _mean(samples: pd.DataFrame, column: str) -> float | None:
    """The mean over time of samples that straight lines join (trapezoidal rule); None of fewer than two moments."""
    seconds = _seconds(samples["time"])
    if len(seconds) < 2 or seconds[-1] == seconds[0]:
        return None
    return float(np.trapezoid(samples[column].to_numpy(), seconds) / (seconds[-1] - seconds[0]))


def peak_memory(run: RunTelemetry) -> Observation:
    """The most memory (MiB) that was in use on any of the run's cards at any time of the whole run.

    Raises NoEvidenceError where no card tells its memory.
    """
    memory = run.samples.dropna(subset="memory")
    if memory.empty:
        raise NoEvidenceError(NO_MEMORY, log=run.log)
    return _greatest(PEAK_MEMORY, run, memory, "memory")


def power(run: RunTelemetry) -> Observation:
    """The power (W) of all cards of the run together, its mean over the window of the run.

    Each card's samples are joined by straight lines (trapezoidal rule), so that a gap counts as long as it lasted; the
    means of the cards are added. Raises NoEvidenceError where a card of the run is not listed or has too few samples.
    """
    if not run.has_all_cards:
        raise NoEvidenceError(NOT_ALL_CARDS, log=run.log)
    used = in_window(run.samples, run.window).dropna(subset="power").sort_values("time", kind="stable")
    by_card = {card: used[used["card"] == card] for card in run.cards}
    mean = sum(_power_of(run, samples) for samples in by_card.values())
    ends = pd.Series(run.window or (), dtype="datetime64[us]")
    gaps = {
        card: float(np.diff(np.sort(_seconds(pd.concat([samples["time"], ends])))).max())
        for card, samples in by_card.items()
    }
    remarks = [*run.remarks, *([] if run.window else [Message(MEAN_OF_ALL)])]
    if gaps[card := max(gaps, key=gaps.__getitem__)] > LONGEST_GAP:
        remarks.append(Message(GAP, card=card, seconds=f"{gaps[card]:.0f}"))
    lines = tuple(sorted(used["line"].tolist()))
    return Observation(POWER, without_noise(mean), run.telemetry, lines, tuple(remarks))


def _power_of(run: RunTelemetry, samples: pd.DataFrame) -> float:
    if (mean := _mean(samples, "power")) is None:
        raise NoEvidenceError(TOO_FEW, file=TELEMETRY, log=run.log)
    return mean


def samples_per_joule(run: RunTelemetry, measurement: Measurement | None) -> Observation:
    """The throughput of the whole job (samples/s) over its mean power (W); raises NoEvidenceError as ``power`` does."""
    if measurement is None or measurement.scope != "job":
        raise NoEvidenceError(NO_EFFICIENCY)
    drawn = power(run)
    if not drawn.value > 0:
        raise NoEvidenceError(NO_EFFICIENCY)
    value = without_noise(measurement.value / drawn.value)
    return Observation(SAMPLES_PER_JOULE, value, run.telemetry, drawn.lines, drawn.remarks)


def _seconds(times: pd.Series[pd.Timestamp]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return times.to_numpy("datetime64[us]").astype(np.int64) / 1e6


_OF_CARDS, _OF_PROCESSES = (PEAK_MEMORY, POWER, SAMPLES_PER_JOULE), (PROCESS_MEMORY, CPU_LOAD)


@dataclass(frozen=True)
class Observed:
    """The quantities that telemetry gives of a run, each with its unit and digits; ``warnings``: a sentence each."""

    quantities: tuple[tuple[Observation, Shown], ...] = ()
    warnings: tuple[Message, ...] = ()

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Name, value with its unit, and source of each, as text."""
        for found, shown in self.quantities:
            number = printed(found.value, shown.printing(Protocol()))
            yield found.quantity.name, f"{number} {shown.unit}", found.telemetry.path.name

    def facts(self) -> dict[str, dict[str, Any]]:
        """The same for JSON: by name the ``value``, its ``unit`` and its ``source``."""
        return {
            found.quantity.name: {"value": found.value, "unit": shown.unit, "source": found.telemetry.path.name}
            for found, shown in self.quantities
        }


def observed(reading: Reading, measurement: Measurement | None) -> Observed:
    """What the gpu.csv and the cpu.csv beside a log give; means where the throughput, and so their window, is known.

    Nothing where there is no such file. Raises LogError when a side file of the run is broken.
    """
    log, warnings = reading.path, list[Message]()
    found: list[Observation] = []
    if log.with_name(TELEMETRY).exists():
        try:
            run = run_telemetry(log.name, reading, reading.facts, measurement)
        except NoEvidenceError as error:
            warnings.append(error.message)
        else:
            found, reasons = _tried(_OF_CARDS, run, measurement)
            warnings += [*(remark for one in found for remark in one.remarks), *reasons, *_faults(run)]
    if log.with_name(PROCESSES).exists():
        with suppress(NoEvidenceError):
            processes, _ = _tried(_OF_PROCESSES, processes_of_run(log.name, reading, measurement), measurement)
            warnings += [remark for one in processes for remark in one.remarks]
            found += processes
    rate = measurement.unit if measurement else ""
    return Observed(tuple((one, Shown(one.quantity, rate)) for one in found), tuple(dict.fromkeys(warnings)))


def _tried(
    quantities: Iterable[Quantity], run: RunTelemetry, measurement: Measurement | None
) -> tuple[list[Observation], list[Message]]:
    """What each quantity gives, and why others give nothing; means only where the throughput is known."""
    found, reasons = [], []
    for quantity in (one for one in quantities if measurement or one.is_peak):
        try:
            found.append(observe(quantity, run, measurement))
        except NoEvidenceError as error:
            reasons.append(error.message)
    return found, reasons


def _faults(run: RunTelemetry) -> Iterator[Message]:
    """A sentence for each fault; none where the cards do not tell."""
    told = in_window(run.samples, run.window).dropna(subset=["throttle"])
    lowered = (told["throttle"].astype("int64") & _LOWERING) != 0
    if lowered.any():
        share = f"{_PERCENT * lowered.mean():.1f}"
        yield Message(LOWERED, share=share, cards=_numbers(told["card"][lowered]))
    errors = run.samples.groupby("card")["ecc_uncorrected"]
    risen = errors.max() > errors.min()
    if risen.any():
        yield Message(UNCORRECTED, cards=_numbers(risen.index[risen].to_series()))


def _numbers(cards: pd.Series[int]) -> str:
    return ", ".join(map(str, sorted(set(cards))))


# ---- the card of the slowest rank

QUANTITIES = {"sm_clock": "MHz", "power": "W", "temperature": "°C", "utilisation": "%"}
# A card whose median clock is this far below that of the others does not run as they do.
LOWER = 0.01

CARD = "card {card} of {file} (slowest rank): {said}"
CARD_BELOW = "card {card} of {file} (slowest rank): {said}; its clock is {percent}% below that of the others"
OF_BOTH = "{name} {own} {unit} (others {others})"
NAMES = {"sm_clock": "SM clock", "power": "power draw", "temperature": "temperature", "utilisation": "utilisation"}


@dataclass(frozen=True)
class CardsOfRanks:
    """The card of the slowest rank: medians of what it did, and of those of the other cards, by the name of a quantity.

    ``card``: its number in ``file``. ``is_whole``: whether they are of the whole file, for no clock tells the window.
    ``warnings``: of rows of a file without a run.json that are left out; those of a run are told with its telemetry.
    """

    rank: int
    card: int
    file: Telemetry
    own: dict[str, float]
    others: dict[str, float]
    is_whole: bool
    warnings: tuple[Message, ...] = ()

    @property
    def below(self) -> float:
        """By what share the clock of the card is below that of the others."""
        if not {"sm_clock"} <= self.own.keys() & self.others.keys() or not self.others["sm_clock"]:
            return 0.0
        return 1 - self.own["sm_clock"] / self.others["sm_clock"]

    @property
    def quantities(self) -> list[Message]:
        """What both did, a quantity each."""
        known = [name for name in QUANTITIES if name in self.own and name in self.others]
        numbers = ((name, f"{self.own[name]:.4g}", f"{self.others[name]:.4g}") for name in known)
        return [
            Message(OF_BOTH, name=Message(NAMES[name]), own=own, unit=QUANTITIES[name], others=others)
            for name, own, others in numbers
        ]

    @property
    def summary(self) -> Message:
        """What the card did beside the others, and whether its clock is lower."""
        told = {"card": self.card, "file": self.file.path.name, "said": joined("{first}, {second}", self.quantities)}
        if self.below > LOWER:
            return Message(CARD_BELOW, **told, percent=f"{100 * self.below:.3g}")
        return Message(CARD, **told)

    def as_json(self) -> dict[str, Any]:
        """The same for JSON."""
        told = {"rank": self.rank, "card": self.card, "file": str(self.file.path), "sha256": self.file.sha256}
        return {**told, "whole_file": self.is_whole, "own": self.own, "others": self.others}


def of_cards(reading: Reading, measurement: Measurement | None, ranks: RankSpread) -> CardsOfRanks | None:
    """What gpu.csv says of the card of the slowest rank, and of the others; None where nothing says which it is.

    Rank N uses card N where the file lists as many cards as there are ranks: cards are counted on from node to node.
    Raises LogError where the file is broken.
    """
    found, warnings = _telemetry(reading)
    if found is None or min(ranks.values) == max(ranks.values):
        return None
    listed = sorted(found.samples["card"].unique().tolist())
    if listed != list(range(len(ranks.numbers))) or listed != sorted(ranks.numbers):
        return None
    window = window_of(reading, measurement)
    samples = in_window(found.samples, window)
    card = ranks.numbers[ranks.slowest]
    own, others = (_medians(samples[samples["card"] == card]), _medians(samples[samples["card"] != card]))
    return CardsOfRanks(card, card, found, own, others, window is None, warnings)


def _telemetry(reading: Reading) -> tuple[Telemetry | None, tuple[Message, ...]]:
    """The gpu.csv of a run; beside logs that are those of its ranks alone it needs no run.json that says so."""
    if found := telemetry(reading.path, reading.sha256):
        return plausible(found, reading.run_file)[0], ()
    beside = reading.folder / TELEMETRY if reading.folder else None
    return plausible(telemetry_file(beside), {}) if beside and beside.is_file() else (None, ())


def _medians(samples: pd.DataFrame) -> dict[str, float]:
    return {str(name): float(value) for name, value in samples[list(QUANTITIES)].median().dropna().items()}
