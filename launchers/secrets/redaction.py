"""Redaction: secrets in what a program prints are replaced before anything of it is kept.

Whole lines are redacted. A line is held until it ends, until 8 KiB of it are held, or until half a second has passed,
as the capture sees to. What hides: tokens of the shapes of shapes.toml; values of names that say `secret`; user and
password of a URL; the lines of a private key, and of a value that YAML has below its name; and values that are known
from the environment, also in base64 and hexadecimal, as JSON, Python and addresses spell them, and split over lines:
a line that ends like the begin of one is held until the next comes. A secret becomes `<redacted>`; its name, its quotes
and all line ends stay. What comes out does not depend on how the stream was cut into chunks.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import accumulate
from typing import Any
from urllib.parse import quote, quote_plus

from parsers.runs.run_folder import RunJson

from .rules import BELOW, DIGITS, MASK, Level, Span, hints, is_secret, level, spans

PLACEHOLDER = b"<redacted>"
SHORTEST = 8  # bytes of a value that is sought literally; a shorter one would be found in numbers and words

_CHUNK = 1 << 16
_LONGEST = 8192  # bytes of a line that are held
_CONTEXT = 512  # bytes of a line that are kept although returned, to tell what its rest means
_LONGEST_BEGIN = 128  # bytes of a known value that lines end with, to be held for the rest of it
_END = re.compile(rb"[\r\n]")
_OVERLONG = re.compile(rb"(?<=[\r\n])[^\r\n]{%d}" % (_LONGEST + 1))
_BASE64 = re.compile(rb"[\w+/=-]*")
_FOLDERS = {"PWD", "OLDPWD"}  # of this process, not passwords
_LAST_WORD = re.compile(rb"(?<=\s)\S{0,512}\Z|\Z")

_SHOWN = os.fsdecode(PLACEHOLDER)
_BARE = re.compile(rf"(?<![\w'\"]){_SHOWN}(?=\s|\Z)")
_LINES_OF_SHELL = {"native", "EXTRA"}  # in a run.json
_OPTION = re.compile(r"--?[\w-]+")


class Redactor:
    """A stream of output without its secrets.

    `values` are secrets that are known, sought wherever they appear; those under SHORTEST bytes are ignored. `count` is
    how often something was replaced.
    """

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        self.count = 0
        self._known = _Known(values)
        self._below = _Below()
        self._held = b""  # from the begin of a line, or from the context of a long one
        self._returned = 0  # how many bytes of it were returned already
        self._is_within = False  # what was returned ends within a secret

    @property
    def holds(self) -> bool:
        """Whether anything is held."""
        return len(self._held) > self._returned

    def feed(self, chunk: bytes, *, pauses: bool = False) -> bytes:
        """Take the next bytes, however many, and return what may be written now; all, where the stream `pauses`."""
        output: list[bytes] = []
        for at in range(0, len(chunk) or 1, _CHUNK):
            self._held += chunk[at : at + _CHUNK]
            while size := self._size(pauses=pauses):
                output.append(self._take(size, pauses=pauses))
        return b"".join(output)

    def finish(self) -> bytes:
        """Return what is held, at the end of the stream or where it pauses; its line may go on."""
        return self.feed(b"", pauses=True)

    def _size(self, *, pauses: bool) -> int:
        """Return how many of the bytes that are held can be judged now: whole lines, or a piece of a long one."""
        held, longest = self._held, self._returned + _LONGEST
        if pauses:
            return len(held) if self.holds else 0
        first = _END.search(held, 0, longest + 1)
        if not first:
            return longest if len(held) > longest else 0
        end = _last_end(held)
        if overlong := _OVERLONG.search(held, first.end(), end):
            return overlong.start()
        cut = end
        while 0 < cut > end - _LONGEST and self._known.may_go_on(held[max(0, cut - 2 * _LONGEST_BEGIN) : cut]):
            cut = _last_end(held[: cut - 1])
        return cut if cut > end - _LONGEST else end

    def _take(self, size: int, *, pauses: bool) -> bytes:
        """Judge so many of the bytes that are held, and return what may be written of them."""
        text = self._held[:size]
        is_whole = text.endswith((b"\n", b"\r"))
        found = _merged([*_spans(text, self._below if is_whole else copy(self._below)), *self._known.spans(text)])
        word = None if is_whole or pauses else _LAST_WORD.search(text)
        end = word.start() if word else size
        output = self._replaced(text, found, end)
        cut = next((start for start, stop in found if start < end <= stop), end)
        self._is_within = cut < end and not is_whole
        # The begin of a secret tells what its rest means.
        context = b"" if is_whole else text[max(_last_end(text), cut - _CONTEXT) : min(cut + _CONTEXT, end)]
        self._held, self._returned = context + self._held[end:], len(context)
        return output

    def _replaced(self, text: bytes, found: list[Span], end: int) -> bytes:
        """Return what was not yet returned of `text[:end]`, with a placeholder for each of the spans `found`."""
        pieces: list[bytes] = []
        at = self._returned
        for start, stop in ((start, min(stop, end)) for start, stop in found):
            if stop > max(start, at) and text[start:stop] != PLACEHOLDER:
                if start >= at or not self._is_within:
                    pieces += text[at : max(start, at)], PLACEHOLDER
                    self.count += 1
                pieces += re.findall(rb"[\r\n]", text[max(start, at) : stop])
                at = stop
        return b"".join([*pieces, text[at:end]])


def _last_end(text: bytes) -> int:
    return max(text.rfind(b"\n"), text.rfind(b"\r")) + 1


def _merged(found: list[Span]) -> list[Span]:
    """Return spans in their order, one for those that overlap."""
    merged: list[Span] = []
    for start, stop in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def _spans(text: bytes, below: _Below) -> list[Span]:
    """Return where the secrets of lines are; `below`: what the lines before them leave open."""
    text = text.replace(b"\r", b"\n")
    hinted = [hints(masked) for masked in text.translate(MASK, DIGITS).split(b"\n")]
    found: list[Span] = []
    if below.kind or any(hinted):
        at = 0
        for line, hint in zip(text.split(b"\n"), hinted, strict=True):
            within = [*below.spans(line), *(spans(line, hint) if hint and not below.begins(line) else [])]
            found += [(at + start, at + stop) for start, stop in within]
            at += len(line) + 1
    return found


class _Below:
    """The lines below a head that belong to one secret.

    `key`: of a private key, if they are base64; a short one only behind another, since other lines may come between.
    `text`: below `password: |`, as long as they are further in. `value`: `value: X` below `- name: DB_PASSWORD`.
    """

    def __init__(self) -> None:
        self.kind = ""
        self._level = Level.NONE
        self._indent = self._left = 0
        self._follows = False  # the last line was the head or a line of a key

    def begins(self, line: bytes) -> bool:
        """Say whether `line` is a head, and expect what belongs to it."""
        head = BELOW["key_head"].match(line) or BELOW["head"].match(line)
        if not head or (head.re is BELOW["head"] and level(head[2] or head[3]) < Level.TEXT):
            return False
        self._indent = len(head[1])
        if head.re is BELOW["key_head"]:
            self.kind, self._follows, self._left = "key", True, 256  # lines; a key of 16384 bits has about 200
        else:
            self.kind, self._level = "value" if head[2] else "text", level(head[2] or head[3])
        return True

    def spans(self, line: bytes) -> list[Span]:
        """Return where the secret is in the next line, or see that nothing more belongs to it."""
        if not self.kind or not line:
            return []
        if self.kind == "key":
            found = BELOW["key_line"].match(line)
            is_alike = found is not None and len(found[1] or b"") in (0, self._indent)
            self._follows = found is not None and (len(found[2]) >= 40 or (self._follows and is_alike))
            self._left -= 1
            self.kind = "" if not self._left or b"-----END " in line else "key"
            return [found.span(2)] if found and self._follows else []
        if self.kind == "value":
            self.kind, found = "", BELOW["value"].match(line)
            return [found.span(1)] if found and is_secret(found[1], self._level) else []
        indent = len(line) - len(line.lstrip(b" \t+-"))
        self.kind = "text" if indent > self._indent else ""
        return [(indent, len(line))] if self.kind and indent < len(line) else []


class _Known:
    def __init__(self, values: Iterable[bytes]) -> None:
        given = {value for value in values if len(value) >= SHORTEST}
        literal = {spelt: False for value in given for spelt in _spellings(value) if len(spelt) >= SHORTEST}
        # Whether what is encoded may go on, as far as the line does.
        self._values = {**{spelt: True for value in given for spelt in _in_base64(value)}, **literal}
        self._begins = {value[:size] for value in self._values for size in range(1, min(len(value), _LONGEST_BEGIN))}
        self._ends = {begin[-2:] for begin in self._begins}

    def spans(self, text: bytes) -> list[Span]:
        """Return where they are in lines, those that are split over lines among them."""
        flat = text.translate(None, b"\r\n")
        patterns = [(re.escape(value), goes_on) for value, goes_on in self._values.items() if value in flat]
        if not patterns:
            return []
        # The number of line ends before a byte of `flat`.
        begins = list(accumulate(map(len, re.split(rb"[\r\n]", text))))
        found = []
        for pattern, goes_on in patterns:
            for match in re.finditer(pattern, flat):
                start, stop = match.start() + bisect_right(begins, match.start()), match.end()
                stop += bisect_right(begins, stop - 1)
                found.append((start, _BASE64.match(text, stop).end() if goes_on else stop))  # type: ignore[union-attr]
        return found

    def may_go_on(self, lines: bytes) -> bool:
        """Say whether lines end like the begin of one, which may go on in the next."""
        end = lines.translate(None, b"\r\n")
        is_likely = end[-1:] in self._ends or end[-2:] in self._ends
        return is_likely and any(end[-size:] in self._begins for size in range(1, _LONGEST_BEGIN))


def _spellings(value: bytes) -> set[bytes]:
    """The lines of a value, and all of it as Python, JSON, shells, addresses and hexadecimal digits spell it."""
    text = os.fsdecode(value)
    quoted = {repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    encoded = {quote(value), quote(value, safe=""), quote_plus(value), value.hex(), value.hex().upper()}
    return {*value.splitlines(), value.replace(b" ", b"\\ "), *(os.fsencode(spelt) for spelt in quoted | encoded)}


def _in_base64(value: bytes) -> Iterator[bytes]:
    """What of base64 only the value determines, wherever in the encoded text it begins."""
    for encode in (b64encode, urlsafe_b64encode):
        for before, unclear in ((0, 0), (1, 2), (2, 3)):
            yield encode(bytes(before) + value)[unclear : (before + len(value)) // 3 * 4]


def secret_values(environ: Mapping[str, str]) -> list[bytes]:
    """Return the values in `environ` whose names say that they are secret, for Redactor."""
    pairs = [(os.fsencode(name), os.fsencode(value)) for name, value in environ.items() if name not in _FOLDERS]
    return [value for name, value in pairs if len(value) >= SHORTEST and is_secret(value, level(name))]


def redact_text(text: str, values: Iterable[bytes] = ()) -> tuple[str, int]:
    """Return a whole text without its secrets and the known `values`, and how many were replaced."""
    redactor = Redactor(values)
    output = redactor.feed(os.fsencode(text)) + redactor.finish()
    return os.fsdecode(output), redactor.count


def public(facts: RunJson) -> RunJson:
    """Return the facts of a run without secrets, those of this environment among them."""
    found: RunJson = redact_document(dict(facts), secret_values(os.environ))
    return found


def public_command(line: str, values: Iterable[bytes] = ()) -> str:
    """Return a line of shell without secrets and the known `values`."""
    # What stands bare for a secret would be a redirection.
    return _BARE.sub(f"'{_SHOWN}'", redact_text(line, values)[0])


def redact_document(value: Any, values: Iterable[bytes] = (), name: str = "") -> Any:
    """Return a document of dict, list, str, numbers, truth values and None without its secrets and the known `values`.

    A string is judged by itself, by its `name` in a dict, and in a list by the option before it; some names are those
    of lines of shell. The versions of packages stay: secretstorage 3.3 is not a secret.
    """
    known = list(values)
    if isinstance(value, dict):
        found = {key: item if key == "packages" else redact_document(item, known, key) for key, item in value.items()}
        return {redact_text(key, known)[0]: item for key, item in found.items()}
    if isinstance(value, list):
        before = ["", *(item if isinstance(item, str) and _OPTION.fullmatch(item) else "" for item in value)]
        names = ("" if str(item).startswith("-") else option for option, item in zip(before, value, strict=False))
        return [redact_document(item, known, option) for option, item in zip(names, value, strict=True)]
    if not isinstance(value, str):
        return value
    if name in _LINES_OF_SHELL:
        return public_command(value, known)
    return _SHOWN if is_secret(os.fsencode(value), level(os.fsencode(name))) else redact_text(value, known)[0]
