"""Rules: where the secrets of one line are, by the shapes, names and separators of shapes.toml."""

from __future__ import annotations

import re
import tomllib
from enum import IntEnum
from functools import lru_cache
from importlib.resources import files
from typing import Any

Span = tuple[int, int]
Pattern = re.Pattern[bytes]
Hints = tuple[list[Pattern], Pattern | None]  # shapes, and what names have in them in small letters
Level = IntEnum("Level", "NONE LONG RANDOM LABEL TEXT ANY", start=0)  # how much is a secret behind a name

# A line is looked at in small letters and without its digits, because in a log most lines differ in nothing else.
MASK, DIGITS = bytes(range(256)).lower(), b"0123456789"
_LONGEST_NAME = 100
_JUDGED = 256  # bytes of a value that are looked at
_CHANGES = 0.3  # of each byte: of random letters and digits 0.6, of random hexadecimal digits 0.5, of `resnet50_v1` 0.2

_DATA: dict[str, Any] = tomllib.loads((files(__package__) / "shapes.toml").read_text(encoding="utf-8"))


def _token(entry: dict[str, Any]) -> Pattern:
    alphabet = _DATA["alphabets"].get(entry.get("alphabet"), "")
    body = entry.get("pattern") or f"{alphabet}{{{entry['least']},}}"
    digit = rf"(?={alphabet}{{0,80}}?[0-9])" if entry.get("digit") else ""
    begins = [re.escape(begin) for begin in entry["begins"]]
    not_within = "".join(f"(?<![A-Za-z0-9]{begin})" for begin in begins)
    rest = r"[\w.~+/=-]*" if "\\." in body or "/" in body else r"[\w-]*"
    return re.compile(f"(?:{'|'.join(begins)}){not_within}{digit}{body}{rest}".encode())


def _of_words(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"<(\w+)>", lambda of: f"(?:{'|'.join(_DATA['words'][of[1]].split())})", pattern))


def _near(entries: list[dict[str, Any]]) -> Pattern:
    """Return what a masked line has that may have one of these tokens, which do not begin within a word."""
    given = (begin.encode() for entry in entries for begin in entry["begins"] if "near" not in entry)
    begins = sorted({begin.translate(MASK, DIGITS) for begin in given})
    firsts = {begin[:1]: [re.escape(other[1:]) for other in begins if other[:1] == begin[:1]] for begin in begins}
    found = [re.escape(first) + b"(?:%s)" % b"|".join(rests) for first, rests in firsts.items()]
    return re.compile(b"(?<![a-z])(?:%s)" % b"|".join([*found, *(e["near"].encode() for e in entries if "near" in e)]))


_TOKENS = [(_near([entry]), _token(entry)) for entry in _DATA["token"]]
_NEAR_TOKENS = _near(_DATA["token"])
_PHRASES = [(near.encode(), re.compile(e["pattern"].encode())) for e in _DATA["phrase"] for near in e["near"]]
_PARTS = [part.encode() for part in _DATA["parts"]["names"]]
_GLUED = _of_words(_DATA["parts"]["glued"])
_LEVELS = [(Level[e["level"].upper()], e.get("capitals"), _of_words(e["pattern"])) for e in _DATA["name"]]
_IS, _EXTENTS, BELOW = (
    {name: re.compile(pattern.encode(), re.VERBOSE) for name, pattern in _DATA[section].items()}
    for section in ("values", "extents", "below")
)
_SEPARATOR = re.compile("".join(_DATA["separator"].values()).encode(), re.VERBOSE)


@lru_cache(maxsize=4096)
def hints(masked: bytes) -> Hints | None:
    """Tell what a line may hold by its letters, which `masked` has in small and without digits; None for nothing."""
    shapes = [pattern for near, pattern in _PHRASES if near in masked]
    if _NEAR_TOKENS.search(masked):
        shapes += [pattern for near, pattern in _TOKENS if near.search(masked)]
    parts = [part for part in _PARTS if part in masked]
    return (shapes, re.compile(b"|".join(parts)) if parts else None) if shapes or parts else None


def spans(line: bytes, hinted: Hints) -> list[Span]:
    """Return where the secrets of a line are, which has no line end; they may overlap."""
    shapes, names = hinted
    found = [match.span(match.lastindex or 0) for pattern in shapes for match in pattern.finditer(line)]
    return [*found, *_named(line, names)] if names else found


@lru_cache(maxsize=4096)
def level(name: bytes) -> Level:
    """Tell what is a secret behind a name, which may have the dashes of an option before it."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", name.decode(errors="replace")).lower()
    text = re.sub(r"(?:_(?:\d+|id))+\Z", "", _GLUED.sub(r"\1_\2", text))
    in_capitals = _in_capitals(name)
    found = (of for of, capitals, pattern in _LEVELS if (in_capitals or not capitals) and pattern.search(text))
    return next(found, Level.NONE)


def is_secret(value: bytes, of: Level, *, labelled: bool = False) -> bool:
    """Say whether a value, without its quotes, is a secret behind a name of a level; `labelled`: it may be a word."""
    if of is Level.NONE or _IS["placeholder"].fullmatch(value):
        return False
    if of in (Level.ANY, Level.RANDOM, Level.LONG):
        return of is Level.ANY or _is_random(value, 16 if of is Level.LONG else 12)
    if _IS["number"].match(value) or (_IS["path"].match(value) and not any(map(_is_random, value.split(b"/")))):
        return False
    may_be_word = labelled and (_IS["word"].match(value) or b"://" in value)
    return of is Level.TEXT or not (may_be_word or value.endswith(b"_pass"))


def _is_random(value: bytes, least: int = 12) -> bool:
    """Say whether a value looks made by a machine."""
    value = value[:64].rstrip(b".,;:)")
    if len(value) < least or _IS["not_random"].match(value):
        return False
    return bool(_IS["random"].match(value)) or len(_IS["change"].findall(value)) >= _CHANGES * len(value)


def _in_capitals(name: bytes) -> bool:
    return name == name.upper() and name.isascii()


_RUN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_ESCAPE = re.compile(rb"\\[nrt]|%[0-9A-Fa-f]{2}|\[\d+m(?=[A-Za-z_])")  # `\nKEY`, `%26key`, a colour
_WORD_BEFORE = re.compile(rb"(?<![\w-])([A-Za-z]{2,20})[ \t]\Z")


def _named(line: bytes, parts: Pattern) -> list[Span]:
    """Return where the values of the names of credentials in a line are, whose `parts` are in it in small letters."""
    found: list[Span] = []
    done = 0
    for part in parts.finditer(line.lower()):
        if part.start() >= done:
            low = max(done, part.start() - _LONGEST_NAME)
            start = low + len(line[low : part.start()].rstrip(_RUN))
            escape = _ESCAPE.match(line, start - 1) if start else None
            start = min(escape.end(), part.start()) if escape else start
            rest = line[part.end() : part.start() + _LONGEST_NAME]
            done = part.end() + len(rest) - len(rest.lstrip(_RUN))
            if secret := _behind(line, start, done):
                found.append(secret)
                done = secret[1]
    return found


def _behind(line: bytes, start: int, end: int) -> Span | None:
    """Return where the secret behind the name in `line[start:end]` is."""
    name = line[start:end]
    of = level(name)
    if Level.NONE < of <= Level.RANDOM and (before := _WORD_BEFORE.search(line[max(0, start - 24) : start])):
        of = min(level(before[1] + b"_" + name), Level.LABEL)  # `API key`
    separator = _SEPARATOR.match(line, end) if of else None
    if not separator:
        return None
    extent = _extent(line, start, separator, of)
    begin = separator.end() + (extent == "list")
    value = line[begin : _ends(extent, line, begin, begin + _JUDGED)]
    value = value.strip(b"[]{}() \t\"'") if extent in ("line", "list") else value
    return (begin, _ends(extent, line, begin, len(line))) if _holds(name, separator, value, of) else None


def _ends(extent: str, line: bytes, begin: int, longest: int) -> int:
    found = _EXTENTS[extent].match(line, begin, longest)
    return found.end() if found else begin


def _extent(line: bytes, start: int, separator: re.Match[bytes], of: Level) -> str:
    """Return up to what a value goes, by the name that begins at `start` and what stands between."""
    if quote := separator["quote"]:
        return quote.decode() if len(quote) == 1 else "escaped"
    at, before = separator.end(), line[start - 1 : start] if start else b""
    is_line = of is Level.ANY and ((separator[0] == b"=" and not start) or line[at : at + 1] in (b"&", b"!"))
    is_bracket = of >= Level.TEXT and line[at : at + 1] in (b"[", b"{", b"(") and _in_capitals(line[start:at])
    if is_line or is_bracket:  # `PASSWORD=open sesame`, `CREDENTIALS={...}`
        return "line"
    if of >= Level.TEXT and _EXTENTS["list"].match(line, at + 1):
        return "list"
    return "&" if before in (b"?", b"&") else ";" if before == b";" or of is Level.LABEL else "unquoted"


def _holds(name: bytes, separator: re.Match[bytes], value: bytes, of: Level) -> bool:
    """Say whether `value` is a secret behind a name, by what stands between."""
    kind, quote = next(kind for kind, text in separator.groupdict().items() if text is not None), separator["quote"]
    if kind == "assign" or (kind == "verb" and quote) or (kind != "verb" and name.startswith(b"-")):
        return is_secret(value, of, labelled=not quote and separator[0].rstrip().endswith((b":", "：".encode())))
    if (kind == "verb" or (kind in ("list", "column") and _in_capitals(name))) and of is not Level.ANY:
        return is_secret(value, min(of, Level.LABEL), labelled=True)
    if kind == "list":
        return False
    # Only blanks stand before it, or `is`, as in a sentence.
    if of is not Level.ANY or _IS["placeholder"].fullmatch(value) or _IS["number"].match(value):
        return of is not Level.ANY and _is_random(value, 16)
    is_word = (kind == "verb" or _in_capitals(name)) and _IS["said"].match(value.lower())
    return bool(is_word or _IS["mixed"].match(value)) or _is_random(value)
