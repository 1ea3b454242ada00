"""Peaks: how many operations a second a card does at most by its vendor's data sheet, as ``peaks.toml`` holds them."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, PositiveFloat

from parsers.io.message import Message, joined
from parsers.runs.facts import Fact, Value

from ..diagnostics import NoMeasurement

UNKNOWN_CARD = "No data sheet of {device} is known; cards with a known peak: {known}."
AMBIGUOUS = "{device} may be one of several cards, whose {precision} peaks differ: {cards}; name one as the device."
OF_CARD = "{name} ({peak} TFLOP/s)"
OTHER_PRECISION = "The data sheet of {card} has no {precision} peak; it has {known}."
FP8_BESIDE = "FP8 is stated as well ({said}); the MFU is that of the {precision} peak, the precision of the run."

# Words of names that say nothing of which card it is.
_VENDORS = frozenset(("nvidia", "tesla", "amd", "instinct", "gpu", "tensor", "core", "accelerator", "graphics"))
# What mixed precision computes in, where a log does not say more.
_MIXED: Mapping[str, Sequence[str]] = {"amp": ("fp16", "bf16")}


class CardPeaks(BaseModel):
    """A card of ``peaks.toml``: what its names are made of, its peaks in TFLOP/s by precision, and who prints them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    family: str
    words: frozenset[str]
    driver: str | None = None
    dense: dict[str, PositiveFloat]
    sparse: dict[str, PositiveFloat]
    source: str
    url: str

    def may_be(self, words: set[str]) -> bool:
        """Whether a name that consists of these words may be its own."""
        return self.family in words and words <= {self.family, *self.words}

    def peak(self, precision: str) -> float | None:
        """The dense peak in a precision; None where its sheet has none, or several that it may be."""
        peaks = {self.dense[one] for one in _MIXED.get(precision, (precision,)) if one in self.dense}
        return peaks.pop() if len(peaks) == 1 else None


@cache
def cards() -> tuple[CardPeaks, ...]:
    """All cards whose peaks are known."""
    stated = tomllib.loads((Path(__file__).parents[2] / "peaks.toml").read_text(encoding="utf-8"))
    return tuple(CardPeaks.model_validate({**card, "words": frozenset(card["words"])}) for card in stated["cards"])


def named(device: str) -> tuple[CardPeaks, ...]:
    """The cards that a name may be of; none where no data sheet of it is known."""
    exact = tuple(card for card in cards() if card.driver == device)
    return exact or tuple(card for card in cards() if card.may_be(_words(device)))


def are_other_cards(one: str, other: str) -> bool:
    """Whether two names are certainly of different cards: each of known ones, but none of both."""
    known, others = named(one), named(other)
    return bool(known and others) and not any(card in others for card in known)


def _words(device: str) -> set[str]:
    spelt = re.sub(r"(?<=\d)\s+(?=gb\b)", "", re.sub(r"\(tm\)|\(r\)|[™®]", " ", device.lower()))
    return {word for word in re.split(r"[\s_,()/-]+", spelt) if word and word not in _VENDORS}


def card_of(devices: Iterable[str], precision: str) -> tuple[CardPeaks, float]:
    """The card that all of these names may be of, and its dense peak in TFLOP/s.

    ``precision``: as facts spell it (bf16, amp). Raises ``NoMeasurement`` for a card that is not known, for several
    whose peaks differ, and where the data sheet has no such peak.
    """
    devices = list(devices)
    found = [card for card in cards() if all(card in named(device) for device in devices)]
    shown = joined("{first} and {second}", map(Message, devices))
    if not found:
        raise NoMeasurement(UNKNOWN_CARD, device=shown, known=", ".join(card.name for card in cards()))
    peaks = [card.peak(precision) for card in found]
    if len(set(peaks)) > 1:
        told = joined("{first}, {second}", (_of_card(card, peak) for card, peak in zip(found, peaks, strict=True)))
        raise NoMeasurement(AMBIGUOUS, device=shown, precision=precision, cards=told)
    if (peak := peaks[0]) is None:
        known = ", ".join(found[0].dense)
        raise NoMeasurement(OTHER_PRECISION, card=found[0].name, precision=precision, known=known)
    return found[0], peak


def _of_card(card: CardPeaks, peak: float | None) -> Message:
    return Message(OF_CARD, name=card.name, peak="-" if peak is None else f"{peak:g}")


def of_fp8_as_well(facts: Mapping[str, Fact], labels: Mapping[str, Value], precision: str) -> Iterator[Message]:
    """That FP8 is stated beside another precision, whose peak was taken; ``labels``: what the page says of the case."""
    recipe = facts["fp8_recipe"].value if "fp8_recipe" in facts else labels.get("fp8_recipe")
    told = [str(one) for one in (labels.get("precision"), recipe and f"fp8 {recipe}") if one is not None]
    said = next((one for one in told if "fp8" in one.lower()), None)
    if said is not None and "fp8" not in precision:
        yield Message(FP8_BESIDE, said=said, precision=precision)
