"""Unit words: numbers of logs in the word that their table has for the unit, where both count the same."""

from collections.abc import Iterable
from dataclasses import replace

from parsers.io.message import Message

from ..measuring.estimate import counting
from .cell import Proof


def in_words_of(unit: str, proofs: Iterable[Proof]) -> tuple[Proof, ...]:
    """Proofs whose throughputs are in ``unit`` where they are in another word for it: images/s for samples/s."""
    return tuple(_in_word_of(unit, proof) for proof in proofs)


def _in_word_of(unit: str, proof: Proof) -> Proof:
    found = proof.measurement
    if found.unit == unit or counting(found.unit) != counting(unit):
        return proof
    measurement = replace(found, unit=unit, warnings=_all_said(found.warnings, found.unit, unit))
    if (figure := proof.figure) is not None:
        remarks = _all_said(figure.remarks, found.unit, unit)
        figure = replace(figure, measured=measurement, remarks=remarks)
    return replace(proof, measurement=measurement, figure=figure)


def _all_said(messages: Iterable[Message], unit: str, instead: str) -> tuple[Message, ...]:
    return tuple(_said(message, unit, instead) for message in messages)


def _said(message: Message, unit: str, instead: str) -> Message:
    """A message with another word for a unit."""
    return Message(message.key, **{name: _word(value, unit, instead) for name, value in message.values.items()})


def _word(value: str | Message, unit: str, instead: str) -> str | Message:
    if isinstance(value, Message):
        return _said(value, unit, instead)
    return instead if value == unit else value
