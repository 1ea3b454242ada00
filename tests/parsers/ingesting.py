"""Ingesting for tests: in this process, with what became of each file."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsers.ingesting.ingest import Event, Ingested, ingest
from parsers.ingesting.sources import LeftOut
from parsers.sharing.workers import ALONE


def events(into: Path, *sources: Path | str) -> list[Event]:
    """What became of all files of some sources."""
    return list(ingest([str(source) for source in sources], into, ALONE))


def logs(into: Path, *sources: Path | str) -> list[Ingested]:
    """The logs among them."""
    return [event for event in events(into, *sources) if isinstance(event, Ingested)]


def left_out(into: Path, *sources: Path | str) -> dict[str, str]:
    """The reasons of what was left out, by the last part of the name."""
    return {e.name.rpartition("/")[2]: e.reason for e in events(into, *sources) if isinstance(e, LeftOut)}


def unreadable(into: Path, *sources: Path | str) -> list[str]:
    """The reasons of what was unreadable."""
    return [e.reason for e in events(into, *sources) if isinstance(e, LeftOut) and e.is_unreadable]


def runs(into: Path) -> list[str]:
    """The paths of all kept logs below a suite, hidden ones too."""
    return sorted(path.relative_to(into).as_posix() for path in into.rglob("train.log*"))


def run_file(into: Path) -> Any:
    """The run.json of the only run of a suite."""
    (path,) = into.glob("*/*/run.json")
    return json.loads(path.read_text(encoding="utf-8"))


def everything(folder: Path) -> Iterator[tuple[str, int, bytes]]:
    """Name, time of change and bytes of all that is in a folder."""
    for path in sorted(folder.rglob("*")):
        yield str(path), path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b""


def member(name: str, data: bytes = b"", **said: object) -> tuple[tarfile.TarInfo, io.BytesIO]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in said.items():
        setattr(info, key, value)
    return info, io.BytesIO(data)


def tar(*members: tuple[tarfile.TarInfo, io.BytesIO]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for info, data in members:
            archive.addfile(info, data)
    return file.getvalue()
