"""Found files: the files of a folder or an archive, and those that were left out with the reason."""

from dataclasses import dataclass

IS_LINK = "is a symbolic link."
IS_HARD_LINK = "is a hard link."
IS_IRREGULAR = "is not a regular file."
IS_HIDDEN = "is hidden: its name or its folder's name begins with a dot."


@dataclass(frozen=True)
class File:
    """A file of a source: its ``path`` in the source, the ``place`` where its bytes are, its ``size`` if known."""

    path: str
    place: str
    size: int


@dataclass(frozen=True)
class LeftOut:
    """A file, folder or source that is not taken: its ``name`` and, to go on with, the ``reason``: "is empty".

    ``is_unreadable``: whether a log may have been lost; otherwise the file is not a log. ``is_common``: whether the
    reason applies to so many files that they are listed only on request.
    """

    name: str
    reason: str
    is_unreadable: bool = False
    is_common: bool = False


def names(path: str) -> list[str]:
    """The names of a path, without those that only lead somewhere else: ``..``, ``.`` and the root."""
    return [name for name in path.split("/") if name not in ("", ".", "..")]


def is_hidden(path: str) -> bool:
    """Whether a name of a path begins with a dot."""
    return any(name.startswith(".") for name in names(path))
