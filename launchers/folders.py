"""Run folders: every file name of a run is spelt here, and nowhere else."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

LOG = "train.log"
FACTS = "run.json"


@dataclass(frozen=True)
class RunFolder:
    """The folder logs/<suite>/<case>/<repeat>.

    It is filled under another name and renamed, so a reader never sees half a run.
    """

    path: Path

    @property
    def log(self) -> Path:
        """Where the log lies once the run has ended."""
        return self.path / LOG

    @property
    def unfinished(self) -> Path:
        """The name of the folder as long as the run is going on."""
        return self.path.with_name(f".{self.path.name}.unfinished")

    def status(self) -> str | None:
        """`done`, `failed` or `interrupted`; None where there is no such run.

        Raises click.ClickException for a folder whose facts cannot be read.
        """
        if not self.path.exists():
            return None
        try:
            return str(json.loads((self.path / FACTS).read_bytes())["status"])
        except (OSError, ValueError, KeyError, TypeError):
            message = f"{self.path} holds no {FACTS} with a status; move the folder away to run it again."
            raise click.ClickException(message) from None

    def start(self) -> Path:
        """Make an empty unfinished folder, in place of one that a killed run left, and return where its log goes."""
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self.unfinished.mkdir(parents=True)
        return self.unfinished / LOG

    def publish(self, facts: Mapping[str, Any]) -> None:
        """Write `facts` and those of the log, and give the folder its name, in place of a run that was not done."""
        document = {**facts, "log": describe(self.unfinished / LOG)}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        (self.unfinished / FACTS).write_text(text, encoding="utf-8")
        if self.path.exists():
            shutil.rmtree(self.path)
        self.unfinished.rename(self.path)


def describe(log: Path) -> dict[str, str | int]:
    """Name, sha256, size and number of lines of a log; a last line without newline counts."""
    content = log.read_bytes()
    return {
        "file": log.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "lines": len(content.removesuffix(b"\n").split(b"\n")) if content else 0,
    }
