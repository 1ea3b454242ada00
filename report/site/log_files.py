"""The files that a site has of a log: a copy to download, and pieces of its lines that panels show."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from .excerpt import write_excerpts


@dataclass(frozen=True)
class LogFiles:
    """What a site has of the log ``log``: its ``copy``, and the ``pieces`` of its lines as FOLDER/NAME.0.js …"""

    log: Path
    copy: Path
    folder: Path
    name: str
    pieces: frozenset[int]

    def write(self) -> None:
        """Write all of them; raises LogError and OSError."""
        self.copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.log, self.copy)
        if self.pieces:
            write_excerpts(self.log, self.folder, self.name, self.pieces)
