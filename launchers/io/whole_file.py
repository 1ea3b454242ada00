"""Whole files: what is written is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from .regular_file import opener


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name, wait until it is on the disk, and give it its name.

    Raises OSError that names the file; what was there before stays then.
    """
    half = path.with_name(f".{path.name[:200]}.{os.getpid()}.half")
    try:
        if path.exists():
            # What cannot be written is not replaced: a folder, a pipe, a file that is read-only.
            open(path, "r+b", opener=opener).close()
        half.unlink(missing_ok=True)
        with half.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
