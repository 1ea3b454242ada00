"""What words and units say of a number: its quantity, and whether it is a measurement at all.

``quantities.toml`` lists units and words by quantity; the first entry that matches decides.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

_SAID = tomllib.loads(Path(__file__).with_name("quantities.toml").read_text(encoding="utf-8"))
# Quantities that are measured, and why a number is no measurement; the data file says which is which.
RATE, TIME, LOSS, BPB, SCORE, BYTES = "rate", "time", "loss", "bpb", "score", "bytes"
PERCENT, RATIO, P_VALUE, SPREAD, POWER, FLOPS = "percent", "ratio", "p_value", "spread", "power", "flops"
SHARES = (PERCENT, SCORE)  # which a log may print as fractions
AMOUNT = "amount"  # what was counted: parameters, steps that were done
SETTING, OPTION, COUNT, IDENTIFIER, DATE, BARE = "setting", "option", "count", "identifier", "date", "bare"
SPECIFICATION, PRICE, GOAL, REMARK, VALUE, CODE = "specification", "price", "goal", "remark", "value", "code"
MEASURED: frozenset[str] = frozenset(_SAID["measured"])

# What people call a score may be a loss elsewhere, and a percentage a score.
_ALIKE = {SCORE: (SCORE, LOSS, BPB), PERCENT: (PERCENT, SCORE)}

_Patterns = Sequence[tuple[re.Pattern[str], str]]
_APART = r"(?<![a-z])(?:{})(?![a-z])"
_KNOWN = 1 << 14  # texts whose quantity is remembered: labels of a checkout repeat


def _expression(entry: Mapping[str, list[str]], apart: str = _APART) -> str:
    """One expression of an entry; ``apart``: how words stand apart from letters."""
    words, parts, exact = ("|".join(entry.get(kind, ())) for kind in ("words", "parts", "exact"))
    kinds = (words and apart.format(words), parts, exact and f"(?-i:{exact})")
    return "|".join(f"(?:{kind})" for kind in kinds if kind)


def _patterns(kind: str, form: str, apart: str = _APART) -> _Patterns:
    entries = _SAID[kind]
    return [(re.compile(form.format(_expression(one, apart)), re.IGNORECASE), one["quantity"]) for one in entries]


_LABELS = _patterns("labels", "{}")
_BEHIND = _patterns("units", r"\s?({})", r"(?:{})(?![a-z])")
_WITHIN = _patterns("units", r"(?<![\w$])({})(?!\w)")
_SECONDS = {word: float(value) for value, words in _SAID["seconds"].items() for word in words}
_SECONDS_WORD = re.compile(_APART.format("|".join(sorted(_SECONDS, key=len, reverse=True))), re.IGNORECASE)


@lru_cache(maxsize=_KNOWN)
def unit_behind(text: str) -> tuple[str, str] | None:
    """The quantity and the unit that the text behind a number states: " tok / s" is a rate in "tok/s"."""
    return next(((quantity, _plain(one[1])) for pattern, quantity in _BEHIND if (one := pattern.match(text))), None)


@lru_cache(maxsize=_KNOWN)
def unit_within(label: str, quantity: str) -> str:
    """The unit of a quantity that a label names, such as "ms" of "Latency (ms)"; empty where it names none."""
    found = (pattern.search(label) for pattern, kind in _WITHIN if kind == quantity)
    return next((_plain(one[1]) for one in found if one), "")


def _plain(unit: str) -> str:
    return re.sub(r"\s*/\s*", "/", re.sub(r"\s+", " ", unit.strip())).replace("μ", "µ")


def of_unit(behind: str) -> str | None:
    """The quantity that the text behind a number states."""
    said = unit_behind(behind)
    return said and said[0]


def alike(quantity: str) -> Sequence[str]:
    """What a quantity may be called elsewhere."""
    return _ALIKE.get(quantity, (quantity,))


@lru_cache(maxsize=_KNOWN)
def of_label(label: str) -> str | None:
    """The quantity that a label states: a header, a key, a name of a list."""
    label = label.replace("_", " ") + " " + label if "_" in label else label
    return next((quantity for pattern, quantity in _LABELS if pattern.search(label)), None)


@lru_cache(maxsize=_KNOWN)
def seconds_of(*texts: str) -> float | None:
    """What the unit of a time is in seconds, by the first text that names one; "min" beside another is a minimum."""
    for text in texts:
        units = [one[0].lower() for one in _SECONDS_WORD.finditer(text.replace("_", " "))]
        if found := [one for one in units if one != "min"] or units:
            return _SECONDS[found[0]]
    return None
