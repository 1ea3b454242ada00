"""Drafted formats: the text of a drafted grammar as a format, for as long as its process runs."""

import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from multiprocessing.util import Finalize
from pathlib import Path

from ..grammar.format import Format
from ..grammar.loading import compiled
from ..io.atomic_write import whole

NAME = "drafted"


class DraftedFormat(Format):
    """A format whose grammar goes from one process to another, for its file goes with the process that drafted it."""

    __hash__ = Format.__hash__

    def __reduce__(self) -> tuple[Callable[[str], Format], tuple[str]]:  # type: ignore[override]
        return drafted_format, (self.path.read_text(encoding="utf-8"),)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tachograph-"))
    # Unlike atexit, this is done by workers, too, and only by the process that made the folder.
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=1)
    return folder


@cache
def drafted_format(text: str) -> Format:
    """The format of the text of a grammar, one object for each: what shapes are to a format is kept by its lines."""
    folder = _folder() / sha256(text.encode()).hexdigest()  # what is kept of a grammar is kept by its path
    folder.mkdir(exist_ok=True)
    path = folder / f"{NAME}.lark"
    with whole(path) as unfinished:  # other processes may draft the same
        unfinished.write_text(text, encoding="utf-8")
    return DraftedFormat(NAME, path, *compiled(path))
