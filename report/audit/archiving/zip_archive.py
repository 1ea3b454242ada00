"""Zip archives that are the same whenever and wherever they are written, and that are unpacked within bounds.

Names are sorted; times, modes and the way of packing are fixed. A zip file cannot state a time before 1980.
"""

import shutil
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from parsers.io.atomic_write import whole
from parsers.io.errors import CANNOT_BE_READ, MessageError
from parsers.io.input_file import opened
from parsers.io.limits import check_members, unpacking
from parsers.io.message import Message
from parsers.origins.archive import BROKEN, broken_because, of_zip, written
from parsers.origins.found_file import LeftOut

from .archive_layout import ArchiveError, is_of_archive, is_plain

EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
_UNIX = 3
_PIECE = 1 << 20
MEMBER = "its file {name} {reason}"
NOT_PLAIN = "has a name that leads out of the archive or is spelt in an unusual way."
IS_TWICE = "is there twice."
IS_FOLDER_TOO = "is a folder, too."
NOT_OF_ARCHIVE = "is not a file of an archive."
NOT_ZIP = "is not a zip archive, or is incomplete."


def check_names(names: Iterable[str], archive: Path) -> None:
    """Raise ArchiveError for a name that cannot stand in an archive."""
    for name in names:
        if not is_plain(name):
            raise _refused(archive, name, NOT_PLAIN)


def pack(folder: Path, names: Iterable[str], archive: Path) -> None:
    """Write files below a folder into an archive, which is there whole or not at all.

    Raises WriteError.
    """
    names = sorted(names)
    check_members(len(names))
    with whole(archive) as made, zipfile.ZipFile(made, "w") as packed:
        for name in names:
            with opened(folder / name) as source, packed.open(_entry(name, folder), "w") as target:
                shutil.copyfileobj(source, target, _PIECE)


def _entry(name: str, folder: Path) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, _UNIX, _MODE
    entry.file_size = (folder / name).stat().st_size  # large ones need other headers
    return entry


def unpack(archive: Path, folder: Path) -> dict[str, Message]:
    """Unpack an archive into an empty folder; returns why files of it cannot be read, by their names.

    Raises ArchiveError for what is not a zip file, and for one that is made to do harm: that has links, names which
    lead out or are there twice, or that unpacks to more than it may.
    """
    try:
        _check_names(archive)
        return dict(_unpacked(archive, folder))
    except ArchiveError:
        raise
    except MessageError as error:
        raise ArchiveError.at(archive, CANNOT_BE_READ, reason=error.message) from error
    except BROKEN as error:
        raise ArchiveError.at(archive, NOT_ZIP) from error


def _unpacked(archive: Path, folder: Path) -> Iterator[tuple[str, Message]]:
    """Unpack all files, and give those that are broken with the reason."""
    for entry in of_zip(archive, unpacking(archive.stat().st_size)):
        if isinstance(entry, LeftOut):
            raise _refused(archive, entry.name, entry.reason)
        name, stream = entry
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            written(stream.read(_PIECE), stream, place)
        except MessageError:
            raise
        except BROKEN as error:
            yield name, Message(CANNOT_BE_READ, reason=Message(broken_because(error)))


def _check_names(archive: Path) -> None:
    """Raise ArchiveError for names that no archive of ours has."""
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
    check_members(len(names))
    folders = {parent for name in names for parent in _parents(name)}
    seen: set[str] = set()
    for name in names:
        for reason, is_so in (
            (NOT_PLAIN, not is_plain(name)),
            (IS_TWICE, name in seen),
            (IS_FOLDER_TOO, name in folders),
            (NOT_OF_ARCHIVE, not is_of_archive(name)),
        ):
            if is_so:
                raise _refused(archive, name, reason)
        seen.add(name)


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _refused(archive: Path, name: str, reason: str) -> ArchiveError:
    return ArchiveError.at(archive, MEMBER, name=repr(name), reason=Message(reason))
