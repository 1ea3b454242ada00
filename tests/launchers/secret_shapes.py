"""Made-up secrets, and lines that hold them, as secret_shapes.toml lists them."""

from __future__ import annotations

import re
import tomllib
from itertools import cycle, islice
from pathlib import Path

R = "<redacted>"
_DIGITS = {
    "mixed": "aB3dE5gH1jK7mN9pQ2rS4tU6vW8xY0zA",
    "small": "ab3de5gh1jk7mn9pq2rs4tu6vw8xy0za",
    "capitals": "AB3DE5GH1JK7MN9PQ2RS4TU6VW8XY0ZA",
    "hex": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
}


def _filled(text: str) -> str:
    made = re.sub(r"\{(\w+):(\d+)\}", lambda of: "".join(islice(cycle(_DIGITS[of[1]]), int(of[2]))), text)
    return re.sub(r"\{([A-Zm.]{1,3})\}", r"\1", made)


def text_of(marked: str) -> str:
    """A line without the marks of its secrets."""
    return re.sub("[«»]", "", marked)


def public(marked: str) -> str:
    """What is to be left of a line."""
    return re.sub("«[^»]*»", R, marked)


def secrets_of(marked: str) -> list[str]:
    """The secrets of a line."""
    return re.findall("«([^»]*)»", marked)


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TOKENS, LINES, HARMLESS = (list(map(_filled, _TABLE[name])) for name in ("tokens", "lines", "harmless"))
