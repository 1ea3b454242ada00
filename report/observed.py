"""What telemetry gives of one run, as facts to show beside its log."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from parsers.reading import Reading
from parsers.telemetry import NAME

from .measurement import Measurement
from .number import printed
from .protocol import Protocol
from .quantity import Quantity, Shown
from .reason import NoEvidenceError
from .telemetry import Observation, observe, peak_memory
from .watch import Watch, watch

OF_A_THROUGHPUT: tuple[Quantity, ...] = ("power", "samples_per_joule")


@dataclass(frozen=True)
class Observed:
    """The quantities that telemetry gives of a run, each with its unit and digits; ``warnings``: a sentence each."""

    quantities: tuple[tuple[Observation, Shown], ...] = ()
    warnings: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Name, value with its unit, and witness of each, as text."""
        for found, shown in self.quantities:
            number = printed(found.value, shown.printing(Protocol()))
            yield found.quantity, f"{number} {shown.unit}", NAME

    def facts(self) -> dict[str, dict[str, Any]]:
        """The same for JSON: by name the ``value``, its ``unit`` and its ``witness``."""
        return {
            found.quantity: {"value": found.value, "unit": shown.unit, "witness": NAME}
            for found, shown in self.quantities
        }


def observed(reading: Reading, measurement: Measurement | None) -> Observed:
    """What the gpu.csv beside a log gives: peak memory, and where the throughput is known power and samples per joule.

    Nothing where there is no such file. Raises LogError when a side file of the run is broken.
    """
    if not reading.path.with_name(NAME).exists():
        return Observed()
    try:
        watched = watch(reading.path.name, reading, reading.facts, measurement)
    except NoEvidenceError as error:
        return Observed(warnings=(str(error),))
    found, reasons = _tried(watched, measurement)
    rate = measurement.unit if measurement else ""
    remarks = (str(remark) for observation in found for remark in observation.remarks)
    warnings = tuple(dict.fromkeys((*remarks, *reasons)))
    return Observed(tuple((observation, Shown(observation.quantity, rate)) for observation in found), warnings)


def _tried(watched: Watch, measurement: Measurement | None) -> tuple[list[Observation], list[str]]:
    """What each quantity gives, and why others give nothing."""
    quantities: tuple[Quantity, ...] = ("peak_memory", *(OF_A_THROUGHPUT if measurement else ()))
    found, reasons = [], []
    for quantity in quantities:
        try:
            found.append(peak_memory(watched) if measurement is None else observe(quantity, watched, measurement))
        except NoEvidenceError as error:
            reasons.append(str(error))
    return found, reasons
