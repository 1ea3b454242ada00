"""Values that stand before the name that says they are secret: `"value": "X", "name": "DB_PASSWORD"`.

They stand on one line, in quotes; a tag has them as well: `<add value="X" key="Password" />`.
"""

from __future__ import annotations

import re

from .credentials import hides, is_secret
from .sightings import LONGEST_NAME, Suspect, end_of

LONGEST_VALUE = 1024  # bytes of a value that may have its name behind it

_QUOTE = rb"\\{0,3}['\"]"
_OPENING = re.compile(rb"(?i:value)(?:" + _QUOTE + rb")?[ \t]{0,8}[:=][ \t]{0,8}(?P<quote>" + _QUOTE + rb")")
_OPENING_GOING_ON = re.compile(rb"(?i:value)[\\'\"]{0,4}[ \t]{0,8}(?:[:=][ \t]{0,8}[\\]{0,3})?")
_VALUES = {
    b'"': re.compile(rb'(?:[^"\\\r\n]|(?=\\[^\r\n])\\[^\r\n]){0,%d}+' % LONGEST_VALUE),
    b"'": re.compile(rb"(?:[^'\\\r\n]|(?=\\[^\r\n])\\[^\r\n]){0,%d}+" % LONGEST_VALUE),
}
_ESCAPED = re.compile(rb"[^'\"\\\r\n]{0,%d}+" % LONGEST_VALUE)
_NAMED = re.compile(
    rb"(?P<quote>" + _QUOTE + rb")[ \t]{0,8},?[ \t]{0,8}(?:" + _QUOTE + rb")?(?i:name|key)(?:" + _QUOTE + rb")?"
    rb"[ \t]{0,8}[:=][ \t]{0,8}" + _QUOTE + rb"(?P<name>[\w-]{1,%d})(?=['\"\\])" % LONGEST_NAME
)
_NAMED_GOING_ON = re.compile(
    rb"[ \t\\'\",]{0,32}(?i:n(?:a(?:me?)?)?|k(?:ey?)?)?[ \t\\'\":=]{0,32}[\w-]{0,%d}" % LONGEST_NAME
)


def value_before(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    """Find the value that `hint` says comes, where a name behind it says that it is secret; None where none does."""
    undecided = Suspect(hint.start(), None)
    opened = _OPENING.match(data, hint.start())
    if not opened:
        return undecided if end_of(_OPENING_GOING_ON, data, hint.start()) == len(data) else None
    rest = _VALUES.get(opened["quote"], _ESCAPED)
    end = end_of(rest, data, opened.end())
    if named := _NAMED.match(data, end):
        is_hidden = named["quote"] == opened["quote"] and is_secret(data[opened.end() : end], hides(named["name"]))
        return Suspect(opened.end(), rest) if is_hidden else None
    return undecided if end_of(_NAMED_GOING_ON, data, end) == len(data) and end - opened.end() < LONGEST_VALUE else None
