"""What telemetry gives of a run: of its cards memory, power and energy efficiency, of its processes memory and load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.runs.reading import Reading
from parsers.runs.run_folder import PROCESSES, TELEMETRY
from parsers.runs.side_files import Telemetry

from ...measure.measurement import Measurement
from ...measure.number import printed, without_noise
from ...measure.protocol import Protocol
from ...measure.quantity import (
    CPU_LOAD,
    PEAK_MEMORY,
    POWER,
    PROCESS_MEMORY,
    SAMPLES_PER_JOULE,
    Quantity,
    Shown,
)
from ..reason import NoEvidenceError
from .telemetry_window import ProcessTelemetry, RunTelemetry, in_window, processes_of_run, run_telemetry

# Telemetry comes once a second; of what is missing for more seconds than this the longest is told.
LONGEST_GAP = 5

NO_MEMORY = "gpu.csv of {log} does not contain memory use for the cards of the run."
NOT_ALL_CARDS = "gpu.csv of {log} does not list all cards of the run, so the total power is unknown."
FEW_SAMPLES = (
    "gpu.csv of {log} has {count} power samples of card {card} between the first and the last line used; at least two"
    " are needed."
)
ONE_SAMPLE = (
    "gpu.csv of {log} has {count} power sample of card {card} between the first and the last line used; at least two"
    " are needed."
)
NO_POWER = "gpu.csv of {log} reports zero power for all cards of the run, so energy efficiency cannot be computed."
NOT_OF_THE_JOB = "The throughput of the whole job is unknown, so energy efficiency cannot be computed."
WHOLE_RUN = "There is no clock.csv with the arrival times of lines, so power is averaged over the whole run."
MEAN_OF_ALL = "There is no clock.csv with the arrival times of lines, so the mean is that of the whole run."
NOTHING_OF_IT = "cpu.csv of {log} has fewer than two samples of it between the first and the last line used."
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
    return _OBSERVED[quantity](run, measurement)


def observe_processes(quantity: Quantity, run: ProcessTelemetry) -> Observation:
    """One quantity of the processes of a run: the greatest over the whole run, or the mean over its window.

    Samples are joined by straight lines (trapezoidal rule). Raises NoEvidenceError where there are too few.
    """
    told = run.telemetry.samples.dropna(subset=quantity.column)
    if quantity.is_peak and not told.empty:
        first = int(np.argmax(told[quantity.column].to_numpy()))
        line, value = int(told["line"].iloc[first]), float(told[quantity.column].iloc[first])
        return Observation(quantity, value, run.telemetry, (line,), run.remarks)
    used = in_window(told, run.window).sort_values("time", kind="stable")
    seconds = _seconds(used["time"])
    if len(seconds) < 2 or seconds[-1] == seconds[0]:
        raise NoEvidenceError(NOTHING_OF_IT, log=run.log)
    mean = float(np.trapezoid(used[quantity.column].to_numpy(), seconds) / (seconds[-1] - seconds[0]))
    remarks = (*run.remarks, *(() if run.window else (Message(MEAN_OF_ALL),)))
    return Observation(quantity, without_noise(mean), run.telemetry, tuple(sorted(used["line"].tolist())), remarks)


def peak_memory(run: RunTelemetry) -> Observation:
    """The most memory (MiB) that was in use on any of the run's cards at any time of the whole run.

    Its line is the first one that tells so much. Raises NoEvidenceError where no card tells its memory.
    """
    memory = run.samples.dropna(subset="memory")
    if memory.empty:
        raise NoEvidenceError(NO_MEMORY, log=run.log)
    first = int(np.argmax(memory["memory"].to_numpy()))
    value, line = float(memory["memory"].iloc[first]), int(memory["line"].iloc[first])
    return Observation(PEAK_MEMORY, value, run.telemetry, (line,), run.remarks)


def power(run: RunTelemetry) -> Observation:
    """The power (W) of all cards of the run together, its mean over the window of the run.

    Each card's samples are joined by straight lines (trapezoidal rule), so that a gap counts as long as it lasted; the
    means of the cards are added. Raises NoEvidenceError where a card of the run is not listed or has too few samples.
    """
    if not run.has_all_cards:
        raise NoEvidenceError(NOT_ALL_CARDS, log=run.log)
    used = in_window(run.samples, run.window).dropna(subset="power").sort_values("time", kind="stable")
    by_card = {card: used[used["card"] == card] for card in run.cards}
    mean = sum(_mean(run, card, samples) for card, samples in by_card.items())
    gaps = {card: _gap(run, samples) for card, samples in by_card.items()}
    remarks = (*run.remarks, *_of_window(run), *_of_gaps(gaps))
    lines = tuple(sorted(used["line"].tolist()))
    return Observation(POWER, without_noise(mean), run.telemetry, lines, remarks)


def samples_per_joule(run: RunTelemetry, measurement: Measurement | None) -> Observation:
    """The throughput of the whole job (samples/s) over its mean power (W); raises NoEvidenceError as ``power`` does."""
    if measurement is None or measurement.scope != "job":
        raise NoEvidenceError(NOT_OF_THE_JOB)
    drawn = power(run)
    if not drawn.value > 0:
        raise NoEvidenceError(NO_POWER, log=run.log)
    value = without_noise(measurement.value / drawn.value)
    return Observation(SAMPLES_PER_JOULE, value, run.telemetry, drawn.lines, drawn.remarks)


def _mean(run: RunTelemetry, card: int, samples: pd.DataFrame) -> float:
    seconds = _seconds(samples["time"])
    if len(seconds) < 2 or seconds[-1] == seconds[0]:
        key = ONE_SAMPLE if len(seconds) == 1 else FEW_SAMPLES
        raise NoEvidenceError(key, log=run.log, count=len(seconds), card=card)
    return float(np.trapezoid(samples["power"].to_numpy(), seconds) / (seconds[-1] - seconds[0]))


def _gap(run: RunTelemetry, samples: pd.DataFrame) -> float:
    """The longest time (s) in the window without a sample."""
    ends = pd.Series(run.window or (), dtype="datetime64[us]")
    return float(np.diff(np.sort(_seconds(pd.concat([samples["time"], ends])))).max())


def _of_window(run: RunTelemetry) -> Iterator[Message]:
    if run.window is None:
        yield Message(WHOLE_RUN)


def _of_gaps(gaps: Mapping[int, float]) -> Iterator[Message]:
    card = max(gaps, key=gaps.__getitem__)
    if gaps[card] > LONGEST_GAP:
        yield Message(GAP, card=card, seconds=f"{gaps[card]:.0f}")


def _seconds(times: pd.Series[pd.Timestamp]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return times.to_numpy("datetime64[us]").astype(np.int64) / 1e6


_OBSERVED: Mapping[Quantity, Callable[[RunTelemetry, Measurement | None], Observation]] = {
    PEAK_MEMORY: lambda run, _: peak_memory(run),
    POWER: lambda run, _: power(run),
    SAMPLES_PER_JOULE: samples_per_joule,
}
_OF_PROCESSES = (PROCESS_MEMORY, CPU_LOAD)


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
        """The same for JSON: by name the ``value``, its ``unit`` and its ``witness``."""
        return {
            found.quantity.name: {"value": found.value, "unit": shown.unit, "witness": found.telemetry.path.name}
            for found, shown in self.quantities
        }


def observed(reading: Reading, measurement: Measurement | None) -> Observed:
    """What the gpu.csv and the cpu.csv beside a log give; means where the throughput, and so their window, is known.

    Nothing where there is no such file. Raises LogError when a side file of the run is broken.
    """
    cards, processes = _of_cards(reading, measurement), tuple(_of_processes(reading, measurement))
    said = (remark for observation, _ in processes for remark in observation.remarks)
    warnings = tuple(dict.fromkeys((*cards.warnings, *said)))
    return replace(cards, quantities=(*cards.quantities, *processes), warnings=warnings)


def _of_processes(reading: Reading, measurement: Measurement | None) -> Iterator[tuple[Observation, Shown]]:
    """What each quantity of the processes gives."""
    if not reading.path.with_name(PROCESSES).exists():
        return
    with suppress(NoEvidenceError):
        run = processes_of_run(reading.path.name, reading, measurement)
        for quantity in (one for one in _OF_PROCESSES if measurement or one.is_peak):
            with suppress(NoEvidenceError):
                yield observe_processes(quantity, run), Shown(quantity, measurement.unit if measurement else "")


def _of_cards(reading: Reading, measurement: Measurement | None) -> Observed:
    if not reading.path.with_name(TELEMETRY).exists():
        return Observed()
    try:
        run = run_telemetry(reading.path.name, reading, reading.facts, measurement)
    except NoEvidenceError as error:
        return Observed(warnings=(error.message,))
    found, reasons = _tried(run, measurement)
    rate = measurement.unit if measurement else ""
    remarks = (remark for observation in found for remark in observation.remarks)
    warnings = tuple(dict.fromkeys((*remarks, *reasons, *_faults(run))))
    quantities = tuple((observation, Shown(observation.quantity, rate)) for observation in found)
    return Observed(quantities, warnings)


def _tried(run: RunTelemetry, measurement: Measurement | None) -> tuple[list[Observation], list[Message]]:
    """What each quantity gives, and why others give nothing."""
    quantities = [quantity for quantity in _OBSERVED if measurement or quantity.is_peak]
    found, reasons = [], []
    for quantity in quantities:
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
