"""Suspects: places in the output of a program where a secret begins, or may begin once more of it has come.

| what | how it shows |
| --- | --- |
| value of a name (`credentials`) | `NAME=value`, `name: value`, `'name': "value"`, `name .... value`; `--name value`, |
| | `'--name', 'value'`; `NAME_IN_CAPITALS  value`; after `PASSWORD=` at the begin of a line all of the line; |
| | after `NAME_IN_CAPITALS={` or `[` all of the line, too |
| GitHub, GitLab | ghp_ gho_ ghu_ ghs_ ghr_ github_pat_, glpat- |
| AWS access key id, Google | AKIA ASIA, AIza |
| Slack, Hugging Face, npm | xox?-, hf_, npm_ |
| OpenAI and its like, PyPI | sk- and pypi- with a digit and a capital: not `sk-learn` |
| JSON web token | eyJ….… |
| URL | user and password of `://user:password@`; `://user@` with a user of 16 letters and digits or more, both kinds |
| key in PEM form (`keyblock`) | what follows `-----BEGIN … PRIVATE KEY-----` |

What proves a secret is of bounded length, and is looked for around *hints* only: few bytes, in or before each secret.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from .credentials import Hides, hides, is_secret

Pattern = re.Pattern[bytes]


class Suspect(NamedTuple):
    """A secret begins at `start`, and `rest` matches all of it; without `rest`, more has to be seen from `start` on."""

    start: int
    rest: Pattern | None
    continues: bool = False  # the secret before, on another line


# What must be there for a pattern to match, as rare as can be, so that a log without it costs one search for few bytes.
HINTS: tuple[tuple[bytes, Pattern], ...] = tuple(
    (rare, re.compile(pattern))
    for rare, pattern in (
        (b"k", rb"k(?:ey|(?<=tok)en|(?<=ak)ia)"),
        (b"cre", rb"c(?:(?<=sec)ret|redential)"),
        (b"w", rb"w(?<=passw)"),
        (b"z", rb"z(?:(?<=authoriz)ation|(?<=aiz)a)"),
        (b"_", rb"_(?=[a-z0-9_]{20})(?:(?<=gh[oprsu]_)|(?<=hf_)|(?<=npm_)|(?<=github_pat_))"),
        (b"-", rb"-(?:(?<=sk-)|(?<=glpat-)|(?<=pypi-)|----begin )"),
        (b"j", rb"j(?<=eyj)"),
        (b"x", rb"xox"),
        (b"asia", rb"asia"),
        (b"@", rb"://"),
    )
)
RUN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
LONGEST_NAME = 100

_SHAPE = re.compile(
    rb"gh[oprsu]_[A-Za-z0-9]{20}|github_pat_\w{20}|glpat-[\w-]{16}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30}"
    rb"|xox[a-z]-[A-Za-z0-9-]{10}|hf_[A-Za-z0-9]{30}|npm_[A-Za-z0-9]{30}"
    rb"|(?:sk|pypi)-(?=[\w-]{0,30}[0-9])(?=[\w-]{0,30}[A-Z])[\w-]{20}"
    rb"|eyJ[\w-]{8,1024}+\.[\w-]{8}"
)
_SHAPE_HINTS = frozenset({b"_", b"-", b"j", b"kia", b"za", b"asia", b"xox"})
_SHAPE_BEGUN = re.compile(rb"(?:gh[oprsu]_|github_pat_|glpat-|A[KS]IA|AIza|xox|hf_|npm_|sk-|pypi-|eyJ)\Z")
_SHAPE_GOING_ON = re.compile(rb"eyJ[\w-]{0,1024}(?:\.[\w-]{0,8})?|[\w-]{0,64}")
_SHAPE_REST = re.compile(rb"[\w-]*+")
_WEB_TOKEN_REST = re.compile(rb"[\w.-]*+")
_USER = re.compile(rb"[^\s/?#'\"<>\\]{0,512}")
_LONE_USER = re.compile(rb"(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z])[\w-]{16,512}")
_USER_REST = re.compile(rb"[^\s/?#'\"<>\\]{0,511}(?=@)")

_COLOUR = rb"\x1b\[[0-9;]{0,12}m"
_BLANK = rb"(?:[ \t]|" + _COLOUR + rb")"
_QUOTE = rb"b?(?P<quote>\\{0,3}['\"])"
_ASSIGN = rb"(?:\\{0,3}['\"])?" + _BLANK + rb"{0,32}(?:=>|:=|=(?!=)|:(?!:))" + _BLANK + rb"{0,32}"
_DOTS = rb"[ \t]{1,32}\.{2,80}[ \t]{1,32}"
_LIST = rb"['\"],[ \t]{0,8}(?=['\"])"
_SCHEME = rb"(?i:(?:bearer|basic|digest|token)[ \t]{1,8})?"


def _separator(*forms: bytes) -> Pattern:
    return re.compile(rb"(?:" + rb"|".join(forms) + rb")(?:" + _QUOTE + rb")?" + _SCHEME)


_SEPARATOR = _separator(_ASSIGN, _DOTS)
_OPTION_SEPARATOR = _separator(_ASSIGN, _DOTS, _LIST, rb"[ \t]{1,32}(?!-)")
_COLUMN_SEPARATOR = _separator(_ASSIGN, _DOTS, _LIST, rb"[ \t]{2,64}|\t")
_HEADINGS = frozenset({b"KEY", b"KEYS", b"TOKEN", b"TOKENS"})  # of a table's columns
_AFTER_NAME = b" \t=:'\"\\\x1b"
_SEPARATOR_GOING_ON = re.compile(rb"(?:[ \t.,=:>'\"\\]|\x1b(?:\[[0-9;]{0,12}m?)?){0,200}")
_NAME_END = re.compile(rb"[\w-]{0,100}+")

# A value ends at its quote, or at a blank; a quote that something other than the end of a word follows is a part of it.
_UNQUOTED = re.compile(rb"(?:[^\s'\"\x1b]++|['\"](?=[^\s,;:)\]}\x1b]))*+")
_QUOTED = {
    b"'": re.compile(rb"(?:[^'\\\r\n]++|\\[^\r\n]|\\(?=[\r\n]))*+"),
    b'"': re.compile(rb'(?:[^"\\\r\n]++|\\[^\r\n]|\\(?=[\r\n]))*+'),
}
_ESCAPED = re.compile(rb"[^'\"\\\r\n]*+")
_LINE_ENDS = frozenset({b"\r", b"\n"})
_LINE_REST = re.compile(rb"[^\r\n]*+")
_DECIDED = 64  # bytes of a value after which it cannot be a plain one any more


def goes_on(data: bytes, end: int) -> bool:
    """Say whether a value that was matched up to `end` may go on in what follows `data`.

    What a backslash, a quote or a dash at the very end means is known only with the byte after it.
    """
    return end == len(data) or (end == len(data) - 1 and data[end] in b"\\'\"-")


def suspect_at(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    """Find what `hint`, a match of HINTS in lower-cased `data`, stands for; None where it is harmless.

    Bytes before `floor` are not looked at.
    """
    if hint[0] == b"://":
        return _user(data, hint.end())
    if hint[0] in _SHAPE_HINTS:
        return _shape(data, floor, hint.end())
    return _value(data, floor, hint.start())


def run_start(data: bytes, floor: int, at: int) -> int:
    """Find where the word that goes on at `at` begins, at most LONGEST_NAME bytes back."""
    low = max(floor, at - LONGEST_NAME)
    return low + len(data[low:at].rstrip(RUN))


def _user(data: bytes, start: int) -> Suspect | None:
    end = end_of(_USER, data, start)
    if end == len(data) and end - start < 512:
        return Suspect(start, None)
    user, _, password = data[start:end].rpartition(b"@")[0].partition(b":")
    return Suspect(start, _USER_REST) if password or _LONE_USER.fullmatch(user) else None


def _shape(data: bytes, floor: int, hint_end: int) -> Suspect | None:
    begun = _SHAPE_BEGUN.search(data, max(floor, hint_end - 11), hint_end)
    if not begun or (begun.start() > floor and data[begun.start() - 1 : begun.start()].isalnum()):
        return None
    if _SHAPE.match(data, begun.start()):
        return Suspect(begun.start(), _WEB_TOKEN_REST if begun[0] == b"eyJ" else _SHAPE_REST)
    unclear = end_of(_SHAPE_GOING_ON, data, begun.start()) == len(data)
    return Suspect(run_start(data, floor, begun.start()), None) if unclear else None


def _value(data: bytes, floor: int, at: int) -> Suspect | None:
    start, end = run_start(data, floor, at), end_of(_NAME_END, data, at)
    if at - start == LONGEST_NAME or end - at == LONGEST_NAME:
        return None
    if end == len(data):
        return Suspect(start, None)
    hidden = data[end] in _AFTER_NAME and hides(data[start:end])
    if not hidden:
        return None
    if end_of(_SEPARATOR_GOING_ON, data, end) == len(data):
        return Suspect(start, None)
    separator = _separators(data[start:end]).match(data, end)
    if not separator or data.startswith(b"-----BEGIN ", separator.end()):
        return None
    return _judged(data, start, separator, hidden)


def _judged(data: bytes, name: int, separator: re.Match[bytes], hidden: Hides) -> Suspect | None:
    begin, quote = separator.end(), separator["quote"]
    if not quote and data[begin : begin + 1] in (b"[", b"{", b"(") and _in_capitals(data[name : separator.start()]):
        return _bracketed(data, name, begin, hidden)
    rest = _QUOTED.get(quote, _ESCAPED) if quote else _UNQUOTED
    end = end_of(rest, data, begin, begin + _DECIDED)
    if goes_on(data, end):
        return Suspect(name, None)
    value = data[begin:end]
    if not is_secret(value, hidden) or (hidden is Hides.TEXT and not quote and value[:1] in b"[{("):
        return None
    if hidden is Hides.ANYTHING and separator[0] == b"=" and data[name - 1 : name] in _LINE_ENDS:
        return Suspect(begin, _LINE_REST)
    return Suspect(begin, rest)


def _bracketed(data: bytes, name: int, begin: int, hidden: Hides) -> Suspect | None:
    end = end_of(_LINE_REST, data, begin, begin + _DECIDED)
    if goes_on(data, end):
        return Suspect(name, None)
    # The bracket may hold names and secrets in any order, so that its first word stands for all.
    first = data[begin:end].strip(b"[]{}() \t\"'")
    return Suspect(begin, _LINE_REST) if is_secret(first, hidden) else None


def _separators(name: bytes) -> Pattern:
    if name.startswith(b"-"):
        return _OPTION_SEPARATOR
    return _COLUMN_SEPARATOR if _in_capitals(name) and name not in _HEADINGS else _SEPARATOR


def _in_capitals(name: bytes) -> bool:
    return name == name.upper()


def end_of(pattern: Pattern, data: bytes, start: int, stop: int = sys.maxsize) -> int:
    """Return where a match of `pattern` from `start` to `stop` at most ends; `start` where there is none."""
    found = pattern.match(data, start, stop)
    return found.end() if found else start
