"""Values of names that say that they are secret.

`NAME=value`, `name: value`, `'name': "value"`, `name .... value`; `--name value`, `'--name', 'value'`;
`NAME_IN_CAPITALS  value`; after `PASSWORD=` at the begin of a line all of the line; after `NAME_IN_CAPITALS={` or `[`
all of the line, too; `<name>value</name>`; `"name": "NAME", "value": "value"`; `name%3Dvalue`; after `Cookie:` all of
the line; `login user password value`; `secret is value` unless the value says how the secret is; `api key value` where
the value is not a word of a sentence. In an address and between semicolons a value goes up to the next one. In tables
with bars `| name | value |`, and lists `"passwords": ["value", "value"]`; alone on its line `ENV DB_PASSWORD value`.
"""

from __future__ import annotations

import re

from .credentials import Hides, hides, is_key, is_said, is_secret
from .sightings import (
    DECIDED,
    LINE_REST,
    LONGEST_NAME,
    LOOK_BACK,
    Pattern,
    Suspect,
    end_of,
    goes_on,
    line_before,
    run_start,
)

_COLOUR = rb"\x1b\[[0-9;]{0,12}m"
_BLANK = rb"(?:[ \t]|" + _COLOUR + rb")"
_QUOTE = rb"b?(?:\"\"(?=\")|''(?='))?(?P<quote>\\{0,3}['\"])"
_ENCODED = rb"%3[AaDd](?:%20|%22|\+){0,2}"
_ASSIGN = (
    rb"(?:\\{0,3}['\"]|%22)?"
    + _BLANK
    + rb"{0,100}(?:=>|-{1,2}>|:=|=(?!=)|==(?![=\d])(?![ \t]{0,4}\d)|:(?!:)|\xef\xbc\x9a|"
    + _ENCODED
    + rb")"
    + _BLANK
    + rb"{0,100}"
)
_PAIR = rb"\\{0,3}['\"],?[ \t]{1,8}(?:\\{0,3}['\"])?[Vv]alue(?:\\{0,3}['\"])?[ \t]{0,8}[:=][ \t]{0,8}"
_BARS = rb"\||\xe2\x94[\x82\x83]|\xe2\x95\x91"
_CELL = rb"[ \t]{0,100}(?:" + _BARS + rb")[ \t]{0,100}"
_IN_TABLE = re.compile(rb"(?:" + _BARS + rb")(?:[ \t'\"]|\x1b\[[0-9;]{0,12}m)*\Z")
_DOTS = rb"[ \t]{1,32}\.{2,80}[ \t]{1,32}"
_LIST = rb"['\"],[ \t]{0,8}(?=['\"])"
_SCHEME = rb"(?i:(?:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256)[ \t]{1,8})?"


def _separator(*forms: bytes) -> Pattern:
    return re.compile(rb"(?:" + rb"|".join(forms) + rb")(?:" + _QUOTE + rb")?" + _SCHEME)


_SEPARATOR = _separator(_ASSIGN, _DOTS, _PAIR)
_OPTION_SEPARATOR = _separator(_ASSIGN, _DOTS, _LIST, rb"[ \t]{1,32}(?!-)")
_COLUMN_SEPARATOR = _separator(
    _ASSIGN, _DOTS, _PAIR, _LIST, rb",(?![A-Z_]{1,100}(?![a-z0-9]))(?=[^\s,])", rb"(?:[ \t]{2,100}|\t)(?![|=:\xe2-])"
)
_CELL_SEPARATOR = re.compile(rb"['\"]?" + _CELL + rb"['\"]?")
_COLUMNS = frozenset(
    b"access comment created default description email environment example help host login meaning name note notes "
    b"option password port required role secret source status token type user username value version".split()
)
_CELL_REST = re.compile(rb"[^\s|'\"\x1b\xe2]*+")
_HEADINGS = frozenset({b"KEY", b"KEYS", b"TOKEN", b"TOKENS"})  # of a table's columns
_AFTER_NAME = b" \t=:'\"\\\x1b%>|,\xe2\xef"
_SEPARATOR_GOING_ON = re.compile(
    rb"(?:[ \t.,=:>|'\"\\+\xe2\xef\x94\x95\x82\x83\x91\xbc\x9a-]"
    rb"|%[0-9A-Fa-f]{0,2}|[Vv](?:a(?:l(?:ue?)?)?)?|\x1b(?:\[[0-9;]{0,12}m?)?){0,320}"
)
_SPOKEN = re.compile(rb"[ \t]{1,8}(?P<is>(?:is|was)(?::?[ \t]{1,4}|[ \t]?=[ \t]?))?(?P<quote>\\{0,3}['\"])?")
_SPOKEN_GOING_ON = re.compile(rb"[ \t]{1,8}(?:(?:i|wa)(?:s[ \t:=]{0,6})?)?[\\'\"]{0,4}")
_LOGIN = re.compile(rb"login[ \t]{1,8}[^\s]{1,64}[ \t]{1,8}(?:account[ \t]{1,8}[^\s]{1,64}[ \t]{1,8})?\Z")
_ALONE = re.compile(rb"[ \t]*(?:(?:ENV|ARG|set|export)[ \t]{1,8})?\Z")
_LINE_END = re.compile(rb"[ \t]{0,8}[\r\n]")
_LONG_NAME = re.compile(rb"[_-](?:password|passwd|passphrase|secret|api_?key|token)\Z", re.IGNORECASE)
_ACCESS_TO = re.compile(rb"(?i:access|account|api|auth|license|private|secret|wandb)[ _-]\Z")
_COOKIE = re.compile(rb"(?i:set-)?(?i:cookie):")
_ELEMENT = re.compile(rb">[ \t]{0,8}")
_ELEMENT_REST = re.compile(rb"[^<\r\n]*+")
_HEADER_REST = re.compile(rb"[^'\"\r\n]*+")
_NAME_END = re.compile(rb"[\w-]{0,100}+")

# A value ends at its quote, or at a blank; a quote that something other than the end of a word follows is a part of it.
_UNQUOTED = re.compile(rb"(?:[^\s'\"\x1b]++|(?=['\"][^\s,;:)\]}\x1b])['\"])*+")
_QUOTED = {
    b"'": re.compile(rb"(?:[^'\\\r\n]++|(?=\\[^\r\n])\\.|(?=\\[\r\n])\\)*+"),
    b'"': re.compile(rb'(?:[^"\\\r\n]++|(?=\\[^\r\n])\\.|(?=\\[\r\n])\\)*+'),
}
# In an address, and between semicolons, other values follow.
_UP_TO = {
    b"?": re.compile(rb"(?:[^\s'\"\x1b&]++|(?=['\"][^\s,;:)\]}\x1b&])['\"])*+"),
    b"&": re.compile(rb"(?:[^\s'\"\x1b&]++|(?=['\"][^\s,;:)\]}\x1b&])['\"])*+"),
    b";": re.compile(rb"(?:[^\s'\"\x1b;]++|(?=['\"][^\s,;:)\]}\x1b])['\"])*+"),
}
_ESCAPED = re.compile(rb"[^'\"\\\r\n]*+")
_LISTED = re.compile(rb"\[[ \t]{0,8}(\\{0,3}['\"])")
_LIST_REST = re.compile(rb"[^\]\r\n]*+")
_LINE_ENDS = frozenset({b"\r", b"\n"})


def value_at(data: bytes, floor: int, hint: re.Match[bytes]) -> Suspect | None:
    """Find the value of the name that `hint` is a part of; None where it is harmless, or no name of a credential."""
    at = hint.start()
    start, end = run_start(data, floor, at), end_of(_NAME_END, data, at)
    is_long = at - start == LONGEST_NAME and not _LONG_NAME.search(data, start, end)
    if is_long or end - at == LONGEST_NAME:
        return None
    if end == len(data):
        return Suspect(start, None)
    hidden = data[end] in _AFTER_NAME and _hides(data, floor, start, end)
    if not hidden:
        return None
    if end_of(_SEPARATOR_GOING_ON, data, end) == len(data):
        return Suspect(start, None)
    return _behind(data, floor, start, end, hidden)


def _behind(data: bytes, floor: int, start: int, end: int, hidden: Hides) -> Suspect | None:
    if data[end : end + 1] == b">":
        return _element(data, floor, start, end, hidden)
    if cell := _CELL_SEPARATOR.match(data, end):
        return _in_cell(data, floor, start, cell, hidden)
    separator = _separators(data[start:end]).match(data, end)
    if not separator:
        return _spoken(data, floor, start, end, hidden)
    is_pem = data.startswith(b"-----BEGIN ", separator.end())
    return None if is_pem else _judged(data, start, separator, hidden)


def _hides(data: bytes, floor: int, start: int, end: int) -> Hides:
    """Tell what a name hides, before which an escape may stand: `\\nAPI_KEY=`, `%26api_key%3D`."""
    hidden = hides(data[start:end])
    before = data[max(floor, start - 1) : start]
    if before == b"\\" and data[start] in b"nrt":
        return max(hidden, hides(data[start + 1 : end]))
    return max(hidden, hides(data[start + 2 : end])) if before == b"%" else hidden


def _element(data: bytes, floor: int, start: int, end: int, hidden: Hides) -> Suspect | None:
    """`<password>X</password>`"""
    if data[max(floor, start - 1) : start] != b"<":
        return None
    begin = end_of(_ELEMENT, data, end)
    stop = end_of(_ELEMENT_REST, data, begin, begin + DECIDED)
    if goes_on(data, stop):
        return Suspect(start, None)
    return Suspect(begin, _ELEMENT_REST) if is_secret(data[begin:stop], hidden) else None


def _in_cell(data: bytes, floor: int, start: int, cell: re.Match[bytes], hidden: Hides) -> Suspect | None:
    """`| DB_PASSWORD | X |`, `DB_PASSWORD|X`; a bar between blanks may also be one of a shell"""
    is_close = cell[0] == b"|"
    if not (is_close or b"\xe2" in cell[0] or _IN_TABLE.search(line_before(data, floor, start))):
        return None
    end = end_of(_CELL_REST, data, cell.end(), cell.end() + DECIDED)
    if goes_on(data, end):
        return Suspect(start, None)
    value = data[cell.end() : end]
    is_told = value.lower() not in _COLUMNS
    found = is_said(value, is_told) if hidden is Hides.ANYTHING else is_key(value)
    return Suspect(cell.end(), _CELL_REST) if found and is_secret(value, hidden) else None


def _spoken(data: bytes, floor: int, start: int, end: int, hidden: Hides) -> Suspect | None:
    """`login u password X`, `secret is X`, `api key X`, `DB_PASSWORD X`"""
    line = line_before(data, floor, start)
    login = data[start:end] == b"password" and _LOGIN.search(line)
    strong = hidden >= Hides.TEXT
    if not (login or strong or _ACCESS_TO.search(line)):
        return None
    if end_of(_SPOKEN_GOING_ON, data, end) == len(data):
        return Suspect(start, None)
    opened = _SPOKEN.match(data, end)
    return _told(data, start, opened, hidden, bool(login)) if opened else None


def _told(data: bytes, name: int, opened: re.Match[bytes], hidden: Hides, login: bool) -> Suspect | None:
    rest = _rest(opened["quote"])
    stop = end_of(rest, data, opened.end(), opened.end() + DECIDED)
    if goes_on(data, stop):
        return Suspect(name, None)
    value = data[opened.end() : stop]
    if login or (opened["quote"] and opened["is"]):
        found = is_secret(value, hidden)
    else:
        is_told = bool(opened["is"]) or _is_alone(data, name, stop)
        found = is_said(value, is_told) if hidden is Hides.ANYTHING else is_key(value)
    return Suspect(opened.end(), rest) if found else None


def _is_alone(data: bytes, name: int, end: int) -> bool:
    """Say whether a line has nothing but a name and a value: `ENV DB_PASSWORD X`, `  password X` of a .netrc."""
    line = line_before(data, max(0, name - LOOK_BACK), name)
    return bool(_ALONE.match(line) and _LINE_END.match(data, end))


def _rest(quote: bytes | None) -> Pattern:
    return _QUOTED.get(quote, _ESCAPED) if quote else _UNQUOTED


def _judged(data: bytes, name: int, separator: re.Match[bytes], hidden: Hides) -> Suspect | None:
    begin, quote = separator.end(), separator["quote"]
    if not quote and hidden >= Hides.TEXT and (listed := _LISTED.match(data, begin)):
        return _list(data, name, listed, hidden)
    if not quote and data[begin : begin + 1] in (b"[", b"{", b"(") and _in_capitals(data[name : separator.start()]):
        return _bracketed(data, name, begin, hidden)
    # A tag or an anchor of YAML stands before the value.
    is_tagged = not quote and b":" in separator[0] and data[begin : begin + 1] in (b"&", b"!")
    value = LINE_REST if is_tagged else _value(data, name, quote, hidden)
    end = end_of(value, data, begin, begin + DECIDED)
    if goes_on(data, end):
        return Suspect(name, None)
    found = is_secret(data[begin:end], hidden) and (quote or _stands_bare(data, name, begin, end, separator[0], hidden))
    return Suspect(begin, LINE_REST if is_tagged else _extent(data, name, separator, hidden)) if found else None


def _stands_bare(data: bytes, name: int, begin: int, end: int, separator: bytes, hidden: Hides) -> bool:
    """Say whether a value from `begin` to `end` may be a secret without quotes."""
    value = data[begin:end]
    if hidden is Hides.TEXT:
        return value[:1] not in b"[{("
    if hidden is not Hides.WORD or b":" not in separator:
        return True
    return is_said(value, _is_alone(data, name, end))


def _extent(data: bytes, name: int, separator: re.Match[bytes], hidden: Hides) -> Pattern:
    """Return what matches all of a value, which may hold blanks in a header and after `PASSWORD=` on its own line."""
    if hidden is Hides.TEXT and not separator["quote"] and _COOKIE.match(data, name, separator.end()):
        return _HEADER_REST
    alone = hidden is Hides.ANYTHING and separator[0] == b"=" and data[name - 1 : name] in _LINE_ENDS
    return LINE_REST if alone else _value(data, name, separator["quote"], hidden)


def _value(data: bytes, name: int, quote: bytes | None, hidden: Hides) -> Pattern:
    """Return what matches a value by what stands before its name: `?password=X&lr=1`, `Uid=a;Pwd=X;Database=b`."""
    if quote:
        return _rest(quote)
    return _UP_TO.get(b";" if hidden is Hides.WORD else data[name - 1 : name], _UNQUOTED)


def _list(data: bytes, name: int, listed: re.Match[bytes], hidden: Hides) -> Suspect | None:
    """`"passwords": ["X", "Y"]`"""
    rest = _rest(listed[1])
    end = end_of(rest, data, listed.end(), listed.end() + DECIDED)
    if goes_on(data, end):
        return Suspect(name, None)
    return Suspect(listed.start(1), _LIST_REST) if is_secret(data[listed.end() : end], hidden) else None


def _bracketed(data: bytes, name: int, begin: int, hidden: Hides) -> Suspect | None:
    end = end_of(LINE_REST, data, begin, begin + DECIDED)
    if goes_on(data, end):
        return Suspect(name, None)
    # The bracket may hold names and secrets in any order, so that its first word stands for all.
    first = data[begin:end].strip(b"[]{}() \t\"'")
    return Suspect(begin, LINE_REST) if is_secret(first, hidden) else None


def _separators(name: bytes) -> Pattern:
    if name.startswith(b"-"):
        return _OPTION_SEPARATOR
    return _COLUMN_SEPARATOR if _in_capitals(name) and name not in _HEADINGS else _SEPARATOR


def _in_capitals(name: bytes) -> bool:
    return name == name.upper()
