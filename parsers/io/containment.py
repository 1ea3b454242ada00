"""Path containment: whether what a page, an archive or a checkout names lies below the folder where it belongs."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePath


def is_spelt_inside(path: str) -> bool:
    """Whether a path is spelt as one below a folder: with no root, no ``..`` and no NUL; links are not looked at."""
    spelt = PurePath(path)
    return not (spelt.anchor or ".." in spelt.parts or "\0" in path)


def leading_out(files: Iterable[Path], folder: Path) -> Path | None:
    """The first of some files that does not lie below a folder when all links are followed; None where all do."""
    # Path.resolve() raises where links go round in a circle.
    root = os.path.realpath(folder)
    return next((file for file in files if not Path(os.path.realpath(file)).is_relative_to(root)), None)
