"""Text and paths as a shell reads them from a script."""

from __future__ import annotations

import shlex
from pathlib import Path


def here_document(text: str) -> str:
    """Return `text` as a shell reads it from a script, up to a line that `text` does not have."""
    end = "JOB"
    while end in text.splitlines():
        end += "_"
    whole = text if text.endswith("\n") else f"{text}\n"
    return f"<<'{end}'\n{whole}{end}\n"


def quoted(path: Path) -> str:
    """Return a path as one word of a shell."""
    return shlex.quote(str(path))
