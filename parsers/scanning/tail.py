"""The end of a log that is still written: what has come since the last look, in blocks of whole lines."""

import io
import os
import stat
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Self

from ..io.compression import ending
from ..io.errors import CANNOT_BE_READ, LogError
from ..io.input_file import opener
from .source import BINARY, BLOCK, LONGEST_LINE, TOO_LONG_A_LINE, is_text

# Fewer bytes than these may look binary by chance.
TELLING = 4096


class Change(Enum):
    """What happened to a log beside growing; all that is read after it is of the file that begins there.

    ``FOUND``: there is one now. ``TRUNCATED``: it shrank, and is read from its start. ``ROTATED``: it was renamed, and
    another one has its name. ``REPLACED``: it was deleted, and another one has its name.
    """

    FOUND = auto()
    TRUNCATED = auto()
    ROTATED = auto()
    REPLACED = auto()


class Tail:
    """A plain text log that others write to, rename, cut or begin anew, as ``tail -F`` reads it.

    A line is read when it is whole. The rest of a file that lost its name is read before the one that has it now,
    which counts once something stands in it. A log that was cut and grew beyond its old size between two looks cannot
    be told from one that only grew, and a file that had the name only between two looks is not seen.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: io.FileIO | None = None
        self._half = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    @property
    def written(self) -> float | None:
        """When something was written last, in seconds since the epoch; None where there is no log yet."""
        return os.fstat(self._file.fileno()).st_mtime if self._file else None

    def rewind(self) -> None:
        """Read the file that is open now from its start once more."""
        if self._file:
            self._file.seek(0)
        self._half = b""

    def pieces(self) -> Iterator[Change | bytes]:
        """Changes and blocks of whole lines since the last call, each block about a MiB.

        A block that ends without newline is the last of its file. Raises LogError for what is no file, cannot be read,
        is compressed or binary, or has a line of more than 64 MiB.
        """
        try:
            while (place := self._place()) is not None:
                if self._file is None:
                    yield from self._go_on(Change.FOUND)
                    continue
                yield from self._blocks(self._file)
                if not self._is_another(self._file, place):
                    return
                yield from self._leave(self._file)
            if self._file is not None:
                yield from self._blocks(self._file)
        except OSError as error:
            raise LogError.at(self.path, CANNOT_BE_READ, reason=error.strerror) from error

    def _place(self) -> os.stat_result | None:
        """What has the name of the log, if anything."""
        try:
            place = self.path.stat()
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(place.st_mode):
            raise LogError.at(self.path, "is not a regular file; only regular files can be followed.")
        return place

    @staticmethod
    def _is_another(file: io.FileIO, place: os.stat_result) -> bool:
        return bool(place.st_size) and not os.path.samestat(os.fstat(file.fileno()), place)

    def _leave(self, file: io.FileIO) -> Iterator[Change | bytes]:
        """Hand out the half line at the end of a file, which nobody completes any more, and open the next one."""
        if self._half:
            yield self._half
        yield from self._go_on(Change.ROTATED if os.fstat(file.fileno()).st_nlink else Change.REPLACED)

    def _go_on(self, change: Change) -> Iterator[Change]:
        """Open what has the name of the log now; where it has just gone there is nothing to tell."""
        try:
            following = io.FileIO(self.path, opener=opener)
        except FileNotFoundError:
            return
        if self._file:
            self._file.close()
        self._file, self._half = following, b""
        yield change

    def _blocks(self, file: io.FileIO) -> Iterator[Change | bytes]:
        """What can be read now up to the last newline; what follows it waits."""
        if os.fstat(file.fileno()).st_size < file.tell():
            self.rewind()
            yield Change.TRUNCATED
        while data := self._read(file):
            whole, newline, rest = data.rpartition(b"\n")
            block = self._half + whole + newline if newline else b""
            # Where a writer goes on at its old place after the log was cut, NUL bytes fill the gap.
            self._half = (rest if newline else self._half + rest).lstrip(b"\0")
            if len(self._half) > LONGEST_LINE:
                raise LogError.at(self.path, TOO_LONG_A_LINE, size=LONGEST_LINE >> 20)
            if block:
                yield block

    def _read(self, file: io.FileIO) -> bytes:
        at_start = file.tell() == 0
        data = file.read(BLOCK) or b""
        if at_start and ending(data):
            raise LogError.at(self.path, "is compressed; only plain text logs can be followed.")
        if at_start and len(data) >= TELLING and not is_text(data[:65536]):
            raise LogError.at(self.path, BINARY)
        return data
