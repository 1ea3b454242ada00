"""Inputs: the files, folders and archives that the bytes of a fuzzer become."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import zstandard

from tests.fuzz.sandbox import HERE

SEPARATOR = b"\x1c"
"""Ends a file: between the log and its side files, and between the members of an archive or of a folder."""
SHA256 = b"@SHA256@"
"""Stands in a file for the SHA-256 of the log beside it."""
LONGEST = 20_000
TAR_KINDS = b"01234560"
PACKERS = (lambda data: gzip.compress(data, 1), bz2.compress, lzma.compress, zstandard.compress)
LINK, PIPE, FOLDER = 4, 5, 6
KINDS = 8


def source(folder: Path, data: bytes) -> Path:
    """A source for ingest, of the kind that the first byte chooses."""
    kind, data = (data[0] if data else 0), data[1:]
    if kind == 1 or (kind >= 5 and kind % 5 == 1):
        return _packed(folder, kind // 5, data)
    return (_plain, _plain, _tar, _zip, _tree)[kind % 5](folder, data)


def _plain(folder: Path, data: bytes) -> Path:
    path = folder / ("train.log", "all.tar", "all.zip", "train.log.gz", "all.tar.xz")[len(data) % 5]
    path.write_bytes(data)
    return path


def _packed(folder: Path, kind: int, data: bytes) -> Path:
    """A packed log, or what a packed file of a thousand times as much becomes."""
    path = folder / "train.log.gz"
    path.write_bytes(PACKERS[kind % len(PACKERS)](data * (1000 if kind >= 2 * len(PACKERS) else 1)))
    return path


def _tar(folder: Path, data: bytes) -> Path:
    path = folder / "all.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name, body in members(data.split(SEPARATOR)):
            info = tarfile.TarInfo(name)
            info.type = TAR_KINDS[kind % KINDS : kind % KINDS + 1]
            info.linkname = os.fsdecode(body[:90])
            info.size = len(body)
            with suppress(ValueError):  # a name that no tar archive can hold
                archive.addfile(info, io.BytesIO(body))
    return path


def _zip(folder: Path, data: bytes) -> Path:
    path = folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for kind, name, body in members(data.split(SEPARATOR)):
            info = zipfile.ZipInfo(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") or "x")
            info.external_attr = kind << 24
            archive.writestr(info, body, zipfile.ZIP_DEFLATED if kind % 2 else zipfile.ZIP_STORED)
    return path


def _tree(folder: Path, data: bytes) -> Path:
    laid(folder, data.split(SEPARATOR))
    return folder


def members(pieces: Iterable[bytes]) -> Iterator[tuple[int, str, bytes]]:
    """Kind, name and bytes of each member: a byte, a line, and what is left of the piece."""
    for piece in filter(None, pieces):
        name, _, body = piece[1:].partition(b"\n")
        yield piece[0], os.fsdecode(name), body


def laid(folder: Path, pieces: list[bytes]) -> None:
    """Put members into a folder: files, links, pipes and folders of whatever names can be."""
    found = list(members(pieces))
    digest = next((sha256(body).hexdigest() for _, name, body in found if name == "train.log"), "").encode()
    for kind, name, body in found:
        path = folder / "/".join(part for part in name.split("/") if part not in ("", ".", ".."))
        with suppress(OSError, ValueError):  # a name that no file can have, or that another file has
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, kind % KINDS, body.replace(SHA256, digest), folder)


def _put(path: Path, kind: int, body: bytes, folder: Path) -> None:
    if os.path.lexists(path):  # to write through a link would be ours, not that of what is tested
        return
    if kind == LINK:
        path.symlink_to(os.fsdecode(body.replace(HERE, bytes(folder.parent))[:200]) or "x")
    elif kind == PIPE:
        os.mkfifo(path)
    elif kind == FOLDER:
        path.mkdir()
    else:
        path.write_bytes(body)
