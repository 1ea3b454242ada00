"""Checksums: the SHA-256 of every file of an archive but this list, as ``sha256sum --check`` reads them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from parsers.io.input_file import data_of
from parsers.runs.runfile import sha256_of

from .archive_layout import CHECKSUMS, ArchiveError

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
NO_CHECKSUM = "line {line} of {file} is not a SHA-256 and a file name."
LISTED_TWICE = "line {line} of {file} lists {name} again."


def checksums_of(folder: Path, names: list[str]) -> dict[str, str]:
    """The SHA-256 of some files below a folder, by their names, but for that of the list itself."""
    return {name: sha256_of(folder / name) for name in names if name != CHECKSUMS}


def text(checksums: Mapping[str, str]) -> str:
    """The list as its file is to hold it."""
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(checksums.items()))


def listed(folder: Path, archive: Path) -> dict[str, str]:
    """What the list of an unpacked archive says; raises ArchiveError where it is not such a list."""
    found: dict[str, str] = {}
    for number, name, sha256 in _lines(data_of(folder / CHECKSUMS).decode("utf-8", "replace"), archive):
        if name in found:
            raise ArchiveError.at(archive, LISTED_TWICE, line=number, file=CHECKSUMS, name=name)
        found[name] = sha256
    return found


def _lines(said: str, archive: Path) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(said.removesuffix("\n").split("\n"), 1):
        if (found := _LINE.fullmatch(line)) is None:
            raise ArchiveError.at(archive, NO_CHECKSUM, line=number, file=CHECKSUMS)
        yield number, found[2], found[1]
