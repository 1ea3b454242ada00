"""What is published of a run: its facts without secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .redaction import redact_command, redact_document, secret_values


def public(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a run without secrets, those of this environment among them."""
    found = {name: _public(name, value) for name, value in facts.items()}
    if found["native"]:
        found["native"] = command(facts["native"])
    found["variables"] = variables(facts["variables"])
    return found


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Return launcher variables without secrets; EXTRA is a line of shell."""
    return {**redact_document(dict(values), secret_values(os.environ)), "EXTRA": command(values.get("EXTRA", ""))}


def command(line: str) -> str:
    """Return a line of shell without secrets."""
    return redact_command(line, secret_values(os.environ))


def _public(name: str, value: Any) -> Any:
    if name == "packages":  # secretstorage 3.3 is no secret
        return value
    if isinstance(value, dict):
        return {key: _public(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_public(name, inner) for inner in value]
    return redact_document({name: value}, secret_values(os.environ))[name]
