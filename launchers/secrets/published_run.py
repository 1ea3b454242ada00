"""What is published of a run: its facts and commands without secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from parsers.runs.run_folder import RunJson

from .redaction import PLACEHOLDER, redact_text, secret_values
from .rules import is_secret, level

_PLACEHOLDER = os.fsdecode(PLACEHOLDER)
_BARE = re.compile(rf"(?<![\w'\"]){_PLACEHOLDER}(?=\s|\Z)")
_OPTION = re.compile(r"--?[\w-]+")


def public(facts: RunJson) -> RunJson:
    """Return the facts of a run without secrets, those of this environment among them."""
    found: RunJson = redact_document(dict(facts), secret_values(os.environ))
    found["native"] = facts["native"] and command(facts["native"])
    if "variables" in facts:
        found["variables"] = variables(facts["variables"])
    return found


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Return launcher variables without secrets; EXTRA is a line of shell."""
    return {**redact_document(dict(values), secret_values(os.environ)), "EXTRA": command(values.get("EXTRA", ""))}


def command(line: str) -> str:
    """Return a line of shell without secrets, those of this environment among them."""
    # What stands bare for a secret would be a redirection.
    return _BARE.sub(f"'{_PLACEHOLDER}'", redact_text(line, secret_values(os.environ))[0])


def redact_document(value: Any, values: Iterable[bytes] = ()) -> Any:
    """Return a document of dict, list, str, numbers, truth values and None without its secrets and the known `values`.

    A string is judged by itself, by its name in a dict, and in a list by the option before it. The versions of packages
    stay: secretstorage 3.3 is not a secret.
    """
    known = list(values)
    if isinstance(value, str):
        return redact_text(value, known)[0]
    if isinstance(value, dict):
        found = {name: item if name == "packages" else _named(name, item, known) for name, item in value.items()}
        return {redact_text(name, known)[0]: item for name, item in found.items()}
    if isinstance(value, list):
        names = ["", *(item if isinstance(item, str) and _OPTION.fullmatch(item) else "" for item in value)]
        pairs = zip(names, value, strict=False)
        return [_named("" if str(item).startswith("-") else name, item, known) for name, item in pairs]
    return value


def _named(name: str, value: Any, known: list[bytes]) -> Any:
    """Return a value without its secrets; all of it is one where its name says so."""
    is_hidden = isinstance(value, str) and is_secret(os.fsencode(value), level(os.fsencode(name)))
    return _PLACEHOLDER if is_hidden else redact_document(value, known)
