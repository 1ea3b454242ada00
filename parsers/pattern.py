"""Patterns: regular expressions of terminals, plain or tried in one way only."""

import re


def plain(pattern: str) -> str:
    """The text that a pattern without any sign of a regular expression spells out."""
    return re.sub(r"\\(.)", r"\1", pattern)


def is_plain(pattern: str) -> bool:
    """Whether a regular expression matches one text only, which it spells out."""
    return re.escape(plain(pattern)) == pattern


def atomic(pattern: str) -> str:
    """A pattern that is tried in one way only; plain text has no other."""
    return pattern if is_plain(pattern) else f"(?>{pattern})"
