"""A private key in PEM form or in that of PuTTY, whose secret is on lines of its own."""

from __future__ import annotations

import re

from .sightings import Suspect, end_of, run_start

LONGEST = 256  # lines; a key of 16384 bits has about 200

_LONGEST_LINE = 200
_LONGEST_PREFIX = 48
_HEAD = re.compile(
    rb"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----[ \t]{0,8}|Private-Lines: [0-9]{1,4}(?![0-9])"
)
_HEAD_GOING_ON = re.compile(rb"[A-Za-z0-9 \t:-]{0,90}")
_ON_ONE_LINE = re.compile(rb"(?:[^-'\"\r\n]++|(?=-[^-\r\n])-)*+")
_LINE = re.compile(rb"[^\r\n]*+")
_BODY = re.compile(rb"[A-Za-z0-9+/=]+[ \t]*")
_HEADER = re.compile(rb"(?:Comment|DEK-Info|Proc-Type|Version): ")
_ONE_DIGIT = bytes.maketrans(b"123456789", b"000000000")
_BODY_REST = re.compile(rb"[A-Za-z0-9+/=]*+")


class KeyBlock:
    """The lines after `-----BEGIN … PRIVATE KEY-----`, as long as they may belong to the key.

    A line of nothing but base64 does: any that follows the head or another such line at once, a long one wherever it
    stands, because the lines of other processes may come between. The head stays, each line becomes `<redacted>`, and
    all of them count as one value. The block ends at `-----END`, at the latest after LONGEST lines: a head without an
    end takes no line with a blank in it.
    """

    def __init__(self) -> None:
        self.open = False
        self._begun = False  # a line of the key has been found
        self._left = 0
        self._follows = False  # the last line was the head or a line of the key
        self._prefix = b""

    def head_at(self, data: bytes, floor: int, at: int) -> Suspect | None:
        """Open the block where a head ends its line; where the key goes on in the same line, find it there."""
        head = _HEAD.match(data, at)
        if (head.end() if head else end_of(_HEAD_GOING_ON, data, at)) == len(data):
            return Suspect(run_start(data, floor, at), None)
        if not head or data[head.end()] in b"-'\"":
            return None
        if data[head.end()] not in b"\r\n":
            return Suspect(head.end(), _ON_ONE_LINE)
        self._start(data, floor, at)
        return None

    def line_at(self, data: bytes, at: int) -> Suspect | None:
        """Find the part of the key in the line that begins at `at`, or see that the block has ended."""
        line = data[at : end_of(_LINE, data, at, at + _LONGEST_LINE)]
        if at + len(line) == len(data) and len(line) < _LONGEST_LINE:
            return Suspect(at, None)
        text = self._without_prefix(line)
        self._left -= 1
        self.open = self._left > 0 and not text.startswith(b"-----END ")
        if _HEADER.match(text):
            return None
        self._follows = bool(_BODY.fullmatch(text)) and (self._follows or len(text) >= 40)
        return self._body(at + len(line) - len(text)) if self._follows else None

    def _without_prefix(self, line: bytes) -> bytes:
        """The line without what stood before the head, in which a time has other digits."""
        head = line[: len(self._prefix)]
        return line[len(head) :] if head.translate(_ONE_DIGIT) == self._prefix.translate(_ONE_DIGIT) else line

    def _body(self, start: int) -> Suspect:
        continues, self._begun = self._begun, True
        return Suspect(start, _BODY_REST, continues)

    def _start(self, data: bytes, floor: int, at: int) -> None:
        # What mpirun or a launcher writes before each line stands before the lines of the key, too.
        low = max(floor, at - _LONGEST_PREFIX)
        line = max(data.rfind(b"\n", low, at), data.rfind(b"\r", low, at)) + 1
        self._prefix = data[line:at] if line > low else b""
        self.open, self._begun, self._follows, self._left = True, False, True, LONGEST
