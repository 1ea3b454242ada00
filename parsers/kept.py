"""What takes long to make and never changes, kept in the user's folder of caches from one call to the next."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path


def place_of(*made_of: bytes) -> Path:
    """Where something is kept; its name is the hash of all that it is made of."""
    made = hashlib.sha256()
    for part in made_of:
        made.update(hashlib.sha256(part).digest())
    home = Path(os.environ.get("HOME", "/nonexistent"))
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tachograph" / made.hexdigest()


def found(place: Path) -> bytes:
    """What is kept at a place; raises OSError where nothing is, or what another user could have put there."""
    with place.open("rb") as file:
        if os.fstat(file.fileno()).st_uid != os.getuid():
            raise PermissionError(f"{place} is of another user")
        return file.read()


def keep(data: bytes, place: Path) -> None:
    """Keep something, whole or not at all; where nothing can be written nothing is kept."""
    unfinished = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.write_bytes(data)
        unfinished.replace(place)
