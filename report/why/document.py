"""An explanation as one JSON object."""

from typing import Any

from .derivation import Derivation
from .explanation import Explanation


def as_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation with all lines and values; a number is in ``unit``, a percentage by how much another differs."""
    number = explanation.number
    return {
        "title": explanation.title,
        "printed": explanation.printed,
        "number": number,
        "unit": explanation.unit,
        "protocol": explanation.words,
        "logs": [_log(derivation) for derivation in explanation.derivations],
        "sensitivity": [
            {
                "rule": variation.name,
                "number": variation.value,
                "percent": variation.percent(number),
                "records": variation.records,
                "as_good": variation.is_as_good,
            }
            for variation in explanation.variations
        ],
        "warnings": list(explanation.warnings),
        "awk": explanation.command.text,
        "awk_note": explanation.command.note or None,
    }


def _log(derivation: Derivation) -> dict[str, Any]:
    reading, measured = derivation.reading, derivation.measurement
    return {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "format": derivation.part.format.name if derivation.part.format else None,
        "steps": [{"step": stage.words, "records": stage.left} for stage in derivation.stages],
        "used": list(measured.lines),
        "quotes": {str(line): text for line, text in derivation.quotes.items()},
        "left_out": {reason: list(lines) for reason, lines in measured.left_out.items()},
        **_values(derivation),
        "factors": [{"name": f.name, "value": f.value, "witness": f.witness} for f in derivation.factors],
        "number": measured.value,
        "unit": measured.unit,
        "scope": measured.scope,
        "checks": [
            {"number": c.measurement.value, "ratio": c.ratio, "protocol": c.measurement.protocol.words()}
            for c in derivation.checks
        ],
    }


def _values(derivation: Derivation) -> dict[str, Any]:
    timed = derivation.sample.timed
    if timed is not None:
        return {timed.counted: timed.amount, "seconds": timed.seconds}
    return {"values": derivation.sample.values.tolist()}
