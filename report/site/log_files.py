"""The files that a site has of a log: a copy to download, and pieces of its lines that panels show."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from parsers import whole

from .excerpt import write_excerpts


@dataclass(frozen=True)
class LogFiles:
    """What a site in ``folder`` has of the log ``log``: its ``copy``, and the ``pieces`` of its lines as NAME.0.js …

    ``copy`` is a path below the folder, ``evidence`` that of the folder of pieces.
    """

    log: Path
    folder: Path
    copy: str
    evidence: str
    name: str
    pieces: frozenset[int]

    def write(self) -> None:
        """Write all of them; raises LogError, OSError for a log that cannot be read, and WriteError."""
        with self.log.open("rb") as log:
            copy = whole.write(self.folder, self.copy, b"")
            with whole.writing(copy), copy.open("wb") as file:
                shutil.copyfileobj(log, file, 1 << 20)
        if self.pieces:
            write_excerpts(self.log, self.folder / self.evidence, self.name, self.pieces)
