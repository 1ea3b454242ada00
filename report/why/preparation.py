"""Preparation: what is done to a log before awk counts its lines, and those lines as awk then sees them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from parsers.io.compression import ending
from parsers.io.input_file import opened
from parsers.io.printable import printable, shell_quoted
from parsers.scanning.source import Source, clean

_UNPACK = {"": "", ".gz": "gzip -dc", ".xz": "xz -dc", ".zst": "zstd -dc"}
_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
# A carriage return begins a line on screen, NUL bytes stop some awks, and colours may stand amid a number.
_SCREEN, _NULS, _COLOURS = r"tr '\r' '\n'", r"tr -d '\000'", r'{ gsub(/\033\[[0-9;?]*[A-Za-z]/, "") }'


@dataclass(frozen=True)
class Preparation:
    """Whether NUL bytes and colours are taken out, and whether a carriage return ends a line."""

    screen: bool = False
    nuls: bool = False
    colours: bool = False

    def command(self, log: Path, awk: str) -> str:
        """The pipeline that gives the prepared lines of a log to an awk command."""
        unpack = _unpack(log)
        steps = [step for step, wanted in ((unpack, unpack), (_SCREEN, self.screen), (_NULS, self.nuls)) if wanted]
        # A redirection, because awk takes a name with "=" for an assignment.
        first, *others = [*steps, awk]
        return " | ".join([f"{first} < {shell_quoted(str(log))}", *others])

    @property
    def rule(self) -> str:
        """What awk does with each line first, as a line of its program."""
        return f"{_COLOURS}\n" if self.colours else ""

    def lines(self, raw: bytes) -> list[bytes]:
        """The lines that awk sees of one physical line."""
        if self.nuls:
            raw = raw.replace(b"\0", b"")
        if self.colours:
            raw = _COLOUR.sub(b"", raw)
        return raw.split(b"\r") if self.screen else [raw]


def _unpack(log: Path) -> str:
    with opened(log) as file:
        return _UNPACK[ending(file.read(6))]


def preparations(lines: Mapping[int, bytes]) -> Iterator[Preparation]:
    """Those that are worth a try for some raw lines, the simplest first."""
    returns, nuls, colours = (any(byte in line for line in lines.values()) for byte in (b"\r", b"\0", b"\x1b"))
    # An awk that stops at a NUL byte sees nothing of the rest of a line.
    for screen, colour in product((False, True) if returns else (False,), (False, True) if colours else (False,)):
        yield Preparation(screen, nuls, colour)


@dataclass(frozen=True)
class Numbered:
    """A line as awk sees it: its number there, that of the physical line it is part of, and its text."""

    number: int
    physical: int
    text: bytes


def numbered(log: Path, preparation: Preparation) -> Iterator[Numbered]:
    """All lines of a log; raises LogError."""
    number = 0
    for physical, raw in physical_lines(log):
        for text in preparation.lines(raw):
            number += 1
            yield Numbered(number, physical, text)


def physical_lines(log: Path) -> Iterator[tuple[int, bytes]]:
    """All raw lines of a log, unpacked, with their numbers from 1; raises LogError."""
    number = 0
    for block in Source(log).blocks():
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            yield number, line


LONGEST = 300


def quotes(log: Path, numbers: set[int]) -> dict[int, str]:
    """Return the texts of some lines by their numbers, made printable. Raises LogError."""
    return {number: _shown(line) for number, line in physical_lines(log) if number in numbers}


def _shown(line: bytes) -> str:
    text = clean(line).decode("utf-8", "replace").strip()
    return printable(text) if len(text) <= LONGEST else f"{printable(text[:LONGEST])} …"
