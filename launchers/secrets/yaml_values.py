"""Values of YAML and JSON that stand on lines of their own, below a name that says that they are secret."""

from __future__ import annotations

import re

from .credentials import Hides, hides, is_secret
from .sightings import Suspect, end_of, run_start

LONGEST = 256  # lines

_DECIDED = 200
_SCALAR = re.compile(
    rb"[\w-]{0,100}['\"]?:[ \t]{1,8}(?:[!&][\w!/-]{0,32}[ \t]{1,8}){0,2}[|>][-+0-9]{0,2}[ \t]{0,8}(?=[\r\n])"
)
_NAME = re.compile(rb"[\w-]{0,100}")
_ENTRY = re.compile(rb"(?:- |\{)?[ \t]*['\"]?name['\"]?:[ \t]{1,8}['\"]?\Z")
_ENTRY_END = re.compile(rb"[\w-]{0,100}['\"]?,?[ \t]{0,8}(?=[\r\n])")
_LINE = re.compile(rb"[^\r\n]*+")
_VALUE = re.compile(rb"[ \t]*['\"]?value['\"]?:[ \t]{1,8}['\"]?")
_VALUE_REST = re.compile(rb"[^'\"\r\n]*+")
_PASSWORD = re.compile(rb"(?i:password|passwd|passphrase)s?\Z")
_OPENS = re.compile(rb"(?:- )?[ \t]*['\"]?\Z")
_NEXT = re.compile(rb"[\w-]{0,100}['\"]?:[ \t]{0,8}(?=[\r\n])")
_BARE = re.compile(rb"[ \t]{0,64}(- )?['\"]?(?=[^\s:={}\[\]'\",#]{1,120}['\"]?,?[ \t]{0,8}[\r\n])")
_BARE_REST = re.compile(rb"[^\s'\",]*+")
_BLANKS = re.compile(rb"[ \t]*+")


class YamlBlock:
    """The lines after `password: |`, as long as they are further in; the line `value: X` after `name: DB_PASSWORD`;
    the line after `passwords:` or `"password":` that has nothing but a value, and all such lines of a list.

    All lines of one value count as one.
    """

    def __init__(self) -> None:
        self.open = False
        self._hidden = Hides.NOTHING
        self._indent = -1  # of the name; -1 where the line of a value is to come
        self._begun = False
        self._is_bare = False  # the next line has nothing but a value
        self._left = 0

    def opens_at(self, data: bytes, floor: int, at: int) -> bool:
        """Open the block where the line that has a name of a credential at `at` leaves its value to the next ones."""
        start = run_start(data, floor, at)
        low = max(floor, start - 100)
        line = max(low, data.rfind(b"\n", low, start) + 1, data.rfind(b"\r", low, start) + 1)
        before = data[line:start].rstrip(b"'\"")
        hidden = hides(data[start : end_of(_NAME, data, at)])
        if not hidden or (line == low and line > floor and data[line - 1] not in b"\r\n"):
            return False
        if _SCALAR.match(data, at) and not before.replace(b"- ", b"").strip(b" \t"):
            self._start(hidden, len(before))
        elif _NEXT.match(data, at) and _PASSWORD.search(data[start : end_of(_NAME, data, at)]) and _OPENS.match(before):
            self._start(hidden, len(before) - 1)
            self._is_bare = True
        elif _ENTRY_END.match(data, at) and _ENTRY.match(data[line:start].lstrip(b" \t")):
            self._start(hidden, -1)
        else:
            return False
        return True

    def line_at(self, data: bytes, at: int) -> Suspect | None:
        """Find the part of the value in the line that begins at `at`, or see that the block has ended."""
        end = end_of(_LINE, data, at, at + _DECIDED)
        if end == len(data) and end - at < _DECIDED:
            return Suspect(at, None)
        if self._is_bare:
            return self._bare_at(data, at)
        start = end_of(_VALUE, data, at) if self._indent < 0 else end_of(_BLANKS, data, at)
        self._left -= 1
        self.open = self._left > 0 and start - at > self._indent >= 0
        if start - at <= max(self._indent, 0) or start == end or not is_secret(data[start:end], self._hidden):
            return None
        continues, self._begun = self._begun, True
        return Suspect(start, _VALUE_REST if self._indent < 0 else _LINE, continues)

    def _bare_at(self, data: bytes, at: int) -> Suspect | None:
        """A value by itself on the line after its name; of a list, one on each of its lines."""
        found = _BARE.match(data, at)
        is_item = bool(found and found[1])
        is_further_in = bool(found and (is_item or found.end() - at > self._indent + 1))
        self.open = is_item and self._left > 1
        self._left -= 1
        if not found or not is_further_in or not is_secret(data[found.end() : end_of(_LINE, data, at)], self._hidden):
            return None
        continues, self._begun = self._begun, True
        return Suspect(found.end(), _BARE_REST, continues)

    def _start(self, hidden: Hides, indent: int) -> None:
        self.open, self._hidden, self._indent, self._begun, self._left = True, hidden, indent, False, LONGEST
        self._is_bare = False
