"""The golden page in an archive, and archives in which something was changed."""

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from report.audit.archiving.archive_layout import CHECKSUMS
from report.audit.archiving.archived_page import archive
from tests.commandline import PROJECT

GOLDEN = PROJECT / "tests/report/golden"
Files = dict[str, bytes]


def make(folder: Path, name: str = "toy") -> Path:
    """Archive a golden page from a copy of it and of its logs."""
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    shutil.copy(GOLDEN / f"{name}.toml", folder)
    out = folder / f"{name}.tach.zip"
    archive(str(folder / f"{name}.toml"), folder / "logs", (), out)
    return out


def files_of(path: Path) -> Files:
    """What the files of an archive hold, by their names."""
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def write(files: Mapping[str, bytes], path: Path) -> Path:
    """Write an archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return path


def changed(files: Files, name: str, change: Callable[[bytes], bytes]) -> Files:
    """The same files with one of them changed, though not in the list of checksums."""
    return {**files, name: change(files[name])}


def sealed(files: Files) -> Files:
    """The same files with the checksums that they have."""
    sums = (
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()) if name != CHECKSUMS
    )
    return {**files, CHECKSUMS: "".join(sums).encode()}


def with_byte(position: int, byte: int) -> Callable[[bytes], bytes]:
    """What puts another byte in a place of a file: ``byte`` of the 255 that do not stand there."""
    return lambda data: data[:position] + bytes([(data[position] + 1 + byte % 255) % 256]) + data[position + 1 :]
