"""Rendering the page of an archive from what is in the archive, and from nothing else that the user has."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from parsers.scanning.detection import VARIABLE
from parsers.sharing.workers import ALL_CORES, Workers

from ...evidence.case_evidence import forget
from ...views.publish import PublishedPage, publish
from .archive_layout import LOGS, PAGE
from .archived_files import other_grammars


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in the folder of an unpacked archive, and read logs by its grammars where this version has others.

    Messages and pages then name the same relative paths wherever the folder is. Formats of the user's own do not count.
    """
    with _only_variable(None):
        others = other_grammars(folder)
        with TemporaryDirectory() as overlay, _only_variable(overlay if others else None), chdir(folder):
            for grammar in others:
                shutil.copyfile(folder / grammar, Path(overlay, grammar.name))
            forget()
            try:
                yield
            finally:
                forget()


@contextmanager
def _only_variable(folder: str | None) -> Iterator[None]:
    """The folder of the user's formats, or None for no such folder, while this lasts."""
    before = os.environ.pop(VARIABLE, None)
    try:
        if folder is not None:
            os.environ[VARIABLE] = folder
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def rendered(file: str, languages: Sequence[str], out: Path, workers: Workers = ALL_CORES) -> PublishedPage:
    """Render the page file of this name into a folder; the folder of the archive is the current one.

    Raises what ``publish`` raises.
    """
    (made,) = publish([f"{PAGE}/{file}"], Path(LOGS), languages, out, workers=workers)
    return made
