"""Suspects: places in the output of a program where a secret begins, or may begin once more of it has come.

| what | how it shows |
| --- | --- |
| value of a name (`named_values`, `credentials`) | `NAME=value`, `name: value`, `--name value` and their like |
| value before its name (`value_first`) | `"value": "X", "name": "DB_PASSWORD"` |
| token (`token_shapes`) | by how it begins: `ghp_`, `AKIA`, `xoxb-` |
| argument of a command, webhook, signature (`phrases`) | by what stands before it: `docker login -p`, `&sig=` |
| URL | user and password of `://user:password@`; `://user@` with a user of 16 letters and digits or more, both kinds |
| the same, encoded | user and password of `%3A%2F%2Fuser%3Apassword%40` |
| key in PEM form (`keyblock`) | what follows `-----BEGIN … PRIVATE KEY-----` |
| value on lines of its own (`yamlblock`) | what follows `password: |` further in, or `- name: DB_PASSWORD`: |

What proves a secret is of bounded length, and is looked for around *hints* only: few bytes, in or before each secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from . import token_shapes
from .named_values import value_at
from .phrases import PHRASES, Phrase
from .sightings import DECIDED, LINE_REST, Suspect, end_of, goes_on, line_before, run_start
from .value_first import value_before

# Names of credentials, by what has to be there in small letters.
_NAMES = (
    rb"key",
    rb"token",
    rb"secret",
    rb"credential",
    rb"pass",
    rb"pwd",
    rb"psw(?![a-z])",
    rb"creds(?![a-z])",
    rb"cookie",
    rb"webhook",
    rb"sess(?=ion|id)",
    rb"auth(?:orization)?(?![a-z])",
    rb"sas(?<![a-z]sas)(?![a-z])",
)
# By kind, each with a pattern for a line in small letters without its digits, without which it is not sought at all.
_BY_HINT = {phrase.hint: [other for other in PHRASES if other.hint == phrase.hint] for phrase in PHRASES}
_PHRASES = {f"phrase{number}": phrases for number, phrases in enumerate(_BY_HINT.values())}
HINTS: dict[str, tuple[tuple[bytes, bytes], ...]] = {
    "head": tuple((head, head) for head in (rb"-----begin ", rb"private-lines:")),
    "user": ((rb"://.*@", rb"://"), (rb"%a%f%f.*%", rb"%3a%2f%2f")),
    "shape": token_shapes.HINTS,
    "ended": token_shapes.ENDED_HINTS,
    **{kind: ((phrases[0].gate, phrases[0].hint),) for kind, phrases in _PHRASES.items()},
    "name": tuple((name, name) for name in _NAMES),
    "value": ((rb"value", rb"value"),),
}
_USER = re.compile(rb"[^\s/?#'\"<>\\]{0,512}")
_LONE_USER = re.compile(rb"(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z])[\w-]{16,512}")
_LONG_USER = 16
_OF_TOKENS = re.compile(rb"(?:[\w-]+\.)*(?:github|gitlab|gitee|bitbucket|huggingface|hf|modelscope)\.")
_ODD = rb"[^\s:/?#'\"<>\\\[@]{1,64}:(?!\d{1,5}[/?#])"
_ODD_GOING_ON = re.compile(
    rb"[^\s:/?#'\"<>\\\[@]{1,64}(?::(?:\d{0,5}\Z|(?!\d{1,5}[/?#])[^\s'\"<>\\@]{0,400}(?:@\Z)?))?"
)
_ODD_REST = re.compile(_ODD + rb"[^\s'\"<>\\@]{1,400}(?=@[\w.-])")
_USER_REST = re.compile(rb"[^\s/?#'\"<>\\]{0,511}(?=@)")
_ENCODED = rb"(?:[\w.~-]|%(?!2f|3a|3f|40)[0-9a-f]{2})"
_ENCODED_USER = re.compile(rb"(?i:(?:" + _ENCODED + rb"|%3a){0,512})")
_ENCODED_USER_REST = re.compile(rb"(?i:" + _ENCODED + rb"{0,256}%3a" + _ENCODED + rb"{1,256}(?=%40))")


def suspect_at(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    """Find what `hint`, a match of HINTS in lower-cased `data` in a group of its kind, stands for; None if harmless.

    Bytes before `floor` are not looked at.
    """
    kind = str(hint.lastgroup)
    if kind in _PHRASES:
        return next(filter(None, (_phrase(data, floor, hint, phrase) for phrase in _PHRASES[kind])), None)
    return _JUDGES[kind](data, floor, hint)


def _user(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    start = hint.end()
    if hint[0] != b"://":
        return _encoded_user(data, start)
    end = end_of(_USER, data, start)
    if end == len(data) and end - start < 512:
        return Suspect(start, None)
    named, _, host = data[start:end].rpartition(b"@")
    user, _, password = named.partition(b":")
    if password or _LONE_USER.fullmatch(user) or (len(user) >= _LONG_USER and _OF_TOKENS.match(host)):
        return Suspect(start, _USER_REST)
    return _odd_password(data, start)


def _odd_password(data: bytes, start: int) -> Suspect | None:
    """`://user:pass/word@host`, where what follows the colon is not a port"""
    end = end_of(_ODD_GOING_ON, data, start)
    if end == len(data) and end - start < 512:
        return Suspect(start, None)
    return Suspect(start, _ODD_REST) if _ODD_REST.match(data, start) else None


def _encoded_user(data: bytes, start: int) -> Suspect | None:
    end = end_of(_ENCODED_USER, data, start)
    if len(data) - end < 3 and end - start < 512:
        return Suspect(start - 2, None)  # the word that ends with the last %2F may be a name
    return Suspect(start, _ENCODED_USER_REST) if _ENCODED_USER_REST.match(data, start) else None


def _shape(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    low = max(floor, hint.end() - token_shapes.LONGEST_BEGIN)
    base = max(floor, low - token_shapes.LONGEST_BEGIN)  # what was replaced is not looked at
    window = data[base : hint.end() + token_shapes.LONGEST]
    for start in range(low, hint.end()):
        found = (start == floor or not data[start - 1 : start].isalnum()) and token_shapes.SHAPE.match(
            window, start - base
        )
        if found and hint.end() - base <= found.end() < len(window):
            return Suspect(start, token_shapes.WIDE_REST if found["wide"] else token_shapes.REST)
    unclear = end_of(token_shapes.GOING_ON, data, hint.start()) == len(data)
    return Suspect(max(low, run_start(data, floor, hint.start())), None) if unclear else None


def _ended(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    start = run_start(data, floor, hint.start())
    found = token_shapes.ENDED.match(data, start)
    if found and found.end() < len(data):
        return Suspect(start, token_shapes.WIDE_REST)
    unclear = end_of(token_shapes.GOING_ON, data, hint.start()) == len(data)
    return Suspect(start, None) if unclear else None


def _phrase(data: bytes, floor: int, hint: re.Match[bytes], phrase: Phrase) -> Suspect | None:
    if not phrase.behind.search(line_before(data, floor, hint.start())):
        return None
    opened = phrase.opening.match(data, hint.start())
    start = opened.end() if opened else hint.end()
    end = end_of(LINE_REST, data, start, start + DECIDED)
    if goes_on(data, end):
        return Suspect(run_start(data, floor, hint.end()), None)  # the hint may be a part of a name
    return Suspect(start, phrase.rest) if opened and phrase.value.match(data, start) else None


_JUDGES: dict[str, Callable[[bytes, int, re.Match[bytes]], Suspect | None]] = {
    "user": _user,
    "shape": _shape,
    "ended": _ended,
    "name": value_at,
    "value": value_before,
}
