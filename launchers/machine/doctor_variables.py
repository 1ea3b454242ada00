"""What the doctor finds among environment variables: those that slow training down and are left over easily."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from .findings import Diagnosis

_KNOWN = Path(__file__).resolve().parents[1] / "slowing_variables.toml"


def variables_findings(environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Name the variables of `environ` that slow training down with the values that they have."""
    known = tomllib.loads(_KNOWN.read_text(encoding="utf-8"))
    found = [name for name, entry in known.items() if re.fullmatch(entry["values"], environ.get(name, ""))]
    for name in found:
        said = f"{name}={environ[name]} {known[name]['does']}."
        yield Diagnosis("variables", "warning", said, f"Unset it with `unset {name}`, unless it is what you measure.")
    if not found:
        yield Diagnosis("variables", "ok", "No environment variable that is known to slow training down is set.")
