"""Pieces: data that a page loads on demand, as scripts because a browser fetches no other file from ``file://``."""

import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io import atomic_write
from parsers.io.input_file import opened
from parsers.scanning.source import Source, clean


def script_json(data: Any) -> str:
    """JSON that can stand in a script or in the script element of a page: nothing in it ends that element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Names that are no UTF-8 have halves of characters, which no file can hold but JSON can spell.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write(folder: Path, name: str, data: Any) -> None:
    """Write a piece as NAME.js below a folder; the script hands it over under that name. Raises WriteError."""
    atomic_write.write(folder, f"{name}.js", f"tachograph.receive({script_json(name)},{script_json(data)});\n".encode())


# Physical lines in a piece, and how many lines around one that was used are shown with it.
LINES = 500
AROUND = 2
# A browser draws longer lines slowly; the raw log has them whole.
LONGEST = 20_000
# Of ASCII; bytes are looked at many times faster than characters.
_SEEN = bytes(range(ord(" "), ord("~") + 1)) + b"\t\n"


@cache
def _unseen() -> re.Pattern[str]:
    """Characters that show as nothing or turn text around: controls, formatting, halves of characters."""
    codes = (chr(code) for code in range(sys.maxunicode + 1) if chr(code) != "\t")
    return re.compile(f"[{''.join(map(re.escape, filter(_is_unseen, codes)))}]")


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def shown(line: bytes) -> str:
    """A line as text of which every character is seen; of one that is too long the begin and how much is missing."""
    text = line.rstrip(b"\r").decode("utf-8", "replace")
    # What Python calls printable is seen; the pattern, which takes much longer, is for the few other lines.
    if not text.replace("\t", "").isprintable():
        text = _unseen().sub("\ufffd", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … (+{len(text) - LONGEST})"


def all_shown(lines: Sequence[bytes]) -> list[str]:
    """As ``shown``, each line; where all their characters are seen, as in most logs, they are looked at as one."""
    joined = b"\n".join(lines)
    texts = joined.decode("utf-8", "replace").split("\n")
    are_seen = not joined.translate(None, _SEEN) or "".join(texts).replace("\t", "").isprintable()
    if are_seen and max(map(len, texts)) <= LONGEST:
        return texts
    return [shown(line) for line in lines]


def pieces_of(used: Iterable[int]) -> set[int]:
    """The pieces, from 0, that hold the lines used, from 1, and the lines around them."""
    places = np.fromiter(used, np.int64) - 1
    return set((np.maximum(np.concatenate([places - AROUND, places + AROUND]), 0) // LINES).tolist())


def write_excerpts(log: Path, folder: Path, name: str, wanted: Set[int]) -> None:
    """Write pieces of a log as NAME.0.js … below a folder; raises LogError and WriteError."""
    for number, lines in _pieces(log, max(wanted, default=-1)):
        if number in wanted:
            write(folder, f"{name}.{number}", all_shown(lines))


def _pieces(log: Path, last: int) -> Iterator[tuple[int, list[bytes]]]:
    held: list[bytes] = []
    number = 0
    for block in Source(log).blocks():
        held += clean(block).removesuffix(b"\n").split(b"\n")
        while len(held) >= LINES:
            yield number, held[:LINES]
            held, number = held[LINES:], number + 1
        if number > last:
            return
    if held:
        yield number, held


@dataclass(frozen=True)
class LogFiles:
    """What a site in ``folder`` has of the log ``log``: its ``copy``, and the ``pieces`` of its lines as NAME.0.js …

    ``copy`` is a path below the folder, ``evidence`` that of the folder of pieces.
    """

    log: Path
    folder: Path
    copy: str
    evidence: str
    name: str
    pieces: frozenset[int]

    def write(self) -> None:
        """Write all of them; raises LogError, OSError for a log that cannot be read, and WriteError."""
        with opened(self.log) as log:
            copy = atomic_write.write(self.folder, self.copy, b"")
            with atomic_write.writing(copy), copy.open("wb") as file:
                shutil.copyfileobj(log, file, 1 << 20)
        if self.pieces:
            write_excerpts(self.log, self.folder / self.evidence, self.name, self.pieces)
