"""Unit words: numbers of logs in the word that their table has for the unit, where both count the same."""

from collections.abc import Iterable
from dataclasses import replace

from ..measure.diagnostics import Diagnostic
from ..measure.work import thing
from .cell import Proof


def in_words_of(unit: str, proofs: Iterable[Proof]) -> tuple[Proof, ...]:
    """Proofs whose throughputs are in ``unit`` where they are in another word for it: images/s for samples/s."""
    return tuple(_in_word_of(unit, proof) for proof in proofs)


def _in_word_of(unit: str, proof: Proof) -> Proof:
    found = proof.measurement
    if found.unit == unit or thing(found.unit) != thing(unit) or not found.estimate.counted:
        return proof
    said = tuple(_said(one, found.unit, unit) for one in found.diagnostics)
    measurement = replace(found, estimate=replace(found.estimate, unit=unit.removesuffix("/s")), diagnostics=said)
    if proof.figure is None:
        return replace(proof, measurement=measurement)
    return replace(proof, measurement=measurement, figure=replace(proof.figure, measured=measurement))


def _said(one: Diagnostic, unit: str, instead: str) -> Diagnostic:
    """A diagnostic with another word for a unit."""
    return replace(one, values={name: instead if value == unit else value for name, value in one.values.items()})
