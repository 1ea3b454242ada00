"""Redaction: secrets in what a program prints are replaced before anything of it is kept.

`credentials` says which names hide a secret, `suspects` how secrets show. The value becomes `<redacted>`; its name, its
quotes and all line ends stay. What comes out does not depend on how the stream was cut into chunks.

Nothing is returned before it is known to be harmless. Of a line that has not ended, that is all but the last word, or
the name of a credential with the begin of its value: at most about a kilobyte. A value that is known for a secret is
not waited for: `<redacted>` is returned at once, and the rest is passed over. No line that has ended is kept back.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus

from .credentials import hides, is_secret
from .private_key import KeyBlock
from .sightings import RUN, Pattern, Suspect, end_of, goes_on
from .suspects import HINTS, suspect_at
from .yaml_values import YamlBlock

PLACEHOLDER = b"<redacted>"
SHORTEST = 8  # bytes of a value that is sought literally; a shorter one would be found in numbers and words

_CONTEXT = 128  # bytes that are kept although returned, to tell where a name begins; more than LONGEST_NAME
_LONGEST_WORD = 128
_WITHIN = frozenset({"head", "shape", "ended", "name"})  # kinds of hints that are a part of what is sought
_LONGEST_KNOWN = 1024
_DIGITS = b"0123456789"
_SMALL = bytes(range(256)).lower()
_HINTS = [(kind, gate, hint) for kind, hints in HINTS.items() for gate, hint in hints]
_GATES = [(gate, re.compile(gate).search) for gate in dict.fromkeys(gate for _, gate, _ in _HINTS)]


class Redactor:
    """A stream of output without its secrets.

    `values` are secrets that are known: they are sought literally, line by line, wherever they appear; those under
    SHORTEST bytes are ignored. `count` says how many values have been replaced so far.
    """

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        self.count = 0
        self._known = _Known(values)
        self._key, self._yaml = KeyBlock(), YamlBlock()
        self._rest: Pattern | None = None  # what is still to come of a value that was replaced
        self._kept = b"\n"  # the last bytes; a stream begins like a line
        self._returned = 1  # how many of them have been returned

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes, however many, and return what may be written now."""
        data, floor, begin = self._kept + chunk, 0, self._returned
        if self._rest:
            floor = begin = self._pass_over(data, 0, self._rest)
        return b"" if self._rest else self._redacted(data, floor, begin)

    def finish(self) -> bytes:
        """Return the rest, at the end of the stream."""
        return self.feed(b"\n")[:-1]  # the end of a line leaves nothing undecided

    def _pass_over(self, data: bytes, start: int, rest: Pattern) -> int:
        """Return where the value that is at `start` ends; it may go on after `data`."""
        end = end_of(rest, data, start)
        self._rest = rest if goes_on(data, end) else None
        if self._rest:
            self._kept, self._returned = data[end:], 0
        return end

    def _redacted(self, data: bytes, floor: int, begin: int) -> bytes:
        hints = _hints(data)
        lowered = data.lower() if hints or self._in_block() else b""
        pieces: list[bytes] = []
        end = len(data)
        while suspect := self._suspect(data, lowered, hints, floor, begin):
            if not suspect.rest:
                end = max(begin, suspect.start)
                break
            pieces += self._plain(data[begin : suspect.start]), PLACEHOLDER
            self.count += not suspect.continues
            floor = begin = self._pass_over(data, suspect.start, suspect.rest)
            if self._rest:
                return b"".join(pieces)
        end = self._keep(data, floor, begin, end)
        return b"".join([*pieces, self._plain(data[begin:end])])

    def _suspect(self, data: bytes, lowered: bytes, hints: int, floor: int, begin: int) -> Suspect | None:
        """Find the next secret, or what cannot be judged yet; what lies before `begin` has been returned."""
        position = floor
        while (hints or self._in_block()) and (hint := _finder(hints, self._in_block()).search(lowered, position)):
            position = hint.end()
            suspect = self._judged(data, floor, begin, hint)
            if suspect:
                return suspect
        return None

    def _judged(self, data: bytes, floor: int, begin: int, hint: re.Match[bytes]) -> Suspect | None:
        # Of what follows its hint, the hint may have been returned.
        if (hint.start() if hint.lastgroup in _WITHIN else hint.end()) < begin:
            return None
        if hint.lastgroup == "line":
            blocks = [block for block in (self._key, self._yaml) if block.open]
            return next(filter(None, [block.line_at(data, hint.end()) for block in blocks]), None)
        if hint.lastgroup == "head":
            return self._key.head_at(data, floor, hint.start())
        if hint.lastgroup == "name" and self._yaml.opens_at(data, floor, hint.start()):
            return None
        return suspect_at(data, floor, hint)

    def _in_block(self) -> bool:
        return self._key.open or self._yaml.open

    def _plain(self, text: bytes) -> bytes:
        text, found = self._known.replaced(text)
        self.count += found
        return text

    def _keep(self, data: bytes, floor: int, begin: int, end: int) -> int:
        """Keep what may not be returned yet, of the bytes from `begin` to `end`; return where it begins."""
        if data.endswith((b"\n", b"\r")):
            self._kept, self._returned = data[-1:], 1
            return len(data)
        end = self._known.clear(data, begin, min(end, _last_word(data, begin)))
        low = max(floor, end - _CONTEXT)
        line = max(low, data.rfind(b"\n", low, end), data.rfind(b"\r", low, end))
        self._kept, self._returned = data[line:], end - line
        return end


class _Known:
    """Secrets that are known."""

    def __init__(self, values: Iterable[bytes]) -> None:
        lines = {line for value in values for line in _spellings(value) if len(line) >= SHORTEST}
        self._values = sorted(lines, key=lambda line: (-len(line), line))
        self._pattern = re.compile(b"|".join(map(re.escape, self._values)))

    def replaced(self, text: bytes) -> tuple[bytes, int]:
        """Return `text` without them, and how many there were."""
        return self._pattern.subn(PLACEHOLDER, text) if self._in(text) else (text, 0)

    def clear(self, data: bytes, begin: int, end: int) -> int:
        """Return the last place up to `end` at which `data[begin:]` can be cut without cutting one of them."""
        cut = min([end, *(self._begun(data, begin, value) for value in self._values)])
        if self._in(data):
            for found in self._pattern.finditer(data, begin):
                if found.end() > cut:
                    return min(cut, found.start())
        return cut

    def _in(self, text: bytes) -> bool:
        return any([value in text for value in self._values])  # noqa: C419  # the list is faster

    def _begun(self, data: bytes, begin: int, value: bytes) -> int:
        """Return where `value` begins at the end of `data`, without being complete."""
        at = data.find(value[:1], max(begin, len(data) - len(value) + 1))
        while at >= 0 and not value.startswith(data[at:]):
            at = data.find(value[:1], at + 1)
        return at if at >= 0 else len(data)


def _spellings(value: bytes) -> set[bytes]:
    """The lines of a value as they are, and all of it as Python, JSON and addresses spell it."""
    text = os.fsdecode(value)
    quoted = {repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    encoded = {quote(value), quote(value, safe=""), quote_plus(value)}
    return {*value.splitlines(), *(os.fsencode(spelt) for spelt in quoted | encoded)}


def secret_values(environ: Mapping[str, str]) -> list[bytes]:
    """Return the values in `environ` whose names say that they are secret, for Redactor."""
    pairs = [(os.fsencode(name), os.fsencode(value)) for name, value in environ.items()]
    return [value for name, value in pairs if len(value) >= SHORTEST and is_secret(value, hides(name))]


def redact_text(text: str, values: Iterable[bytes] = ()) -> tuple[str, int]:
    """Return a whole text without its secrets and the known `values`, and how many were replaced."""
    redactor = Redactor(values)
    output = redactor.feed(os.fsencode(text)) + redactor.finish()
    return os.fsdecode(output), redactor.count


def _last_word(data: bytes, begin: int) -> int:
    low = max(begin, len(data) - _LONGEST_WORD)
    return low + len(data[low:].rstrip(RUN))


def _hints(data: bytes) -> int:
    """Return which of _GATES are open, as bits.

    Logs repeat their lines but for the digits, so that what is known of a line without them is kept.
    """
    lines = data.translate(_SMALL, _DIGITS).split(b"\n")
    lines[-1] += b"@%" * bool(lines[-1])  # an address that the chunk cuts may still come to its @
    found = 0
    for line in lines:
        found |= _hints_of(line) if len(line) < _LONGEST_KNOWN else _hints_of.__wrapped__(line)
    return found


@lru_cache(maxsize=4096)
def _hints_of(line: bytes) -> int:
    return sum([1 << bit for bit, (_, opens) in enumerate(_GATES) if opens(line)])


@lru_cache(maxsize=256)
def _finder(hints: int, lines: bool) -> Pattern:
    opened = {gate for bit, (gate, _) in enumerate(_GATES) if hints >> bit & 1}
    kinds: dict[str, list[bytes]] = {"line": [rb"[\r\n](?=[^\r\n])"]} if lines else {}
    for kind, gate, hint in _HINTS:
        if gate in opened:
            kinds.setdefault(kind, []).append(hint)
    return re.compile(rb"|".join(rb"(?P<%s>%s)" % (kind.encode(), rb"|".join(found)) for kind, found in kinds.items()))
