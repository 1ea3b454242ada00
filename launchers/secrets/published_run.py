"""What is published of a run: its facts and commands without secrets."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from parsers.runs.run_folder import RunJson

from .credentials import hides, is_secret
from .redaction import PLACEHOLDER, redact_text, secret_values

_SHELL_WORD = re.compile(r"""(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+""", re.DOTALL)
_ASSIGNED = re.compile(r"([\w-]+)=")
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
    """Return a line of shell without secrets."""
    return redact_command(line, secret_values(os.environ))


def redact_command(line: str, values: Iterable[bytes] = ()) -> str:
    """Return a line of shell without its secrets and the known `values`.

    Words are judged as the shell would read them, a value with its option. Only a word that holds a secret is quoted
    anew; all others, and what the shell is to expand in them, stay as they are.
    """
    known = list(values)
    spans = list(_SHELL_WORD.finditer(line))
    if _SHELL_WORD.sub("", line).strip():  # an open quote
        return redact_text(line, known)[0]
    words = [_as_read(span[0]) for span in spans]
    for span, word, public in reversed(list(zip(spans, words, _public_words(words, known), strict=True))):
        if public != word:
            line = line[: span.start()] + shlex.quote(public) + line[span.end() :]
    return redact_text(line, known)[0]


def redact_document(value: Any, values: Iterable[bytes] = ()) -> Any:
    """Return a document of dict, list, str, numbers, truth values and None without its secrets and the known `values`.

    A string is judged by itself, by its name in a dict, and in a list by the option before it. The versions of packages
    stay: secretstorage 3.3 is not a secret.
    """
    known = list(values)
    if isinstance(value, str):
        return redact_text(value, known)[0]
    if isinstance(value, dict):
        public = {name: item if name == "packages" else _redacted(name, item, known) for name, item in value.items()}
        return {redact_text(name, known)[0]: item for name, item in public.items()}
    if isinstance(value, list):
        before = [None, *value]
        return [_hidden_by_option(*pair) or redact_document(pair[1], known) for pair in pairwise(before)]
    return value


def _redacted(name: str, value: Any, known: list[bytes]) -> Any:
    return _hidden(name, value) or redact_document(value, known)


def _public_words(words: list[str], known: list[bytes]) -> list[str]:
    pairs = pairwise(["", *words])
    return [_hidden_by_option(*pair) or _assigned(pair[1]) or redact_text(pair[1], known)[0] for pair in pairs]


def _assigned(word: str) -> str:
    """Redact all of a value that is assigned in a word of shell, `NAME=value` or `--name=value`, blanks included."""
    for name in _ASSIGNED.finditer(word[: len(word) - len(word.partition(" ")[2])]):
        if _hidden(name[1], word[name.end() :]):
            return word[: name.end()] + _hidden(name[1], word[name.end() :])
    return ""


def _hidden_by_option(before: Any, value: Any) -> str:
    is_option = isinstance(before, str) and _OPTION.fullmatch(before)
    return _hidden(before, value) if is_option and not str(value).startswith("-") else ""


def _hidden(name: str, value: Any) -> str:
    """Return what stands for the value of a name that hides it; nothing where it hides nothing."""
    secret = isinstance(value, str) and is_secret(os.fsencode(value), hides(os.fsencode(name)))
    return os.fsdecode(PLACEHOLDER) if secret else ""


def _as_read(word: str) -> str:
    """Return a word of shell without its quotes, including those that bash writes around line ends."""
    try:
        if word.startswith("$'"):
            return os.fsdecode(os.fsencode(word[2:-1]).decode("unicode_escape").encode("latin-1"))
        return shlex.split(word)[0]
    except ValueError:  # an escape that neither knows
        return word
