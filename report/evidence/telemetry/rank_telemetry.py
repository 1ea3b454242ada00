"""Telemetry of ranks: what the card of the slowest rank did while the others waited for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parsers.io.lazy import pd
from parsers.io.message import Message, joined
from parsers.runs.reading import Reading
from parsers.runs.run_folder import TELEMETRY
from parsers.runs.runfile import run_file
from parsers.runs.side_files import Telemetry, telemetry, telemetry_file

from ...measure.measurement import Measurement
from ...measure.ranks import RankSpread
from .plausible_samples import plausible
from .telemetry_window import in_window, window_of

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
        return plausible(found, run_file(reading.path))[0], ()
    beside = reading.folder / TELEMETRY if reading.folder else None
    return plausible(telemetry_file(beside), {}) if beside and beside.is_file() else (None, ())


def _medians(samples: pd.DataFrame) -> dict[str, float]:
    return {str(name): float(value) for name, value in samples[list(QUANTITIES)].median().dropna().items()}
