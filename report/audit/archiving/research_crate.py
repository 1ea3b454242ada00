"""The description of an archive as a research object: RO-Crate 1.1 (https://w3id.org/ro/crate/1.1), in JSON-LD.

Every file is listed with its size, its type and its SHA-256; an action says which program rendered the pages from what.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from .archive_layout import CRATE, PAGES

CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
CONFORMS_TO = "https://w3id.org/ro/crate/1.1"
_PROGRAM, _RENDERING = "#tachograph", "#rendering"
_TYPES = {
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".json": "application/json",
    ".lark": "text/plain",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zst": "application/zstd",
}

Entity = dict[str, Any]


@dataclass(frozen=True)
class Described:
    """What an archive is called, and the day (YYYY-MM-DD) that it is of."""

    title: str
    about: str
    day: str


def crate(described: Described, folder: Path, checksums: Mapping[str, str]) -> str:
    """The description of the files below a folder as its own file is to hold it; the same files give the same text.

    ``checksums``: the SHA-256 of each file that is described, by its name.
    """
    files = [_file(name, folder, sha256) for name, sha256 in sorted(checksums.items())]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": described.title,
        "description": described.about,
        "datePublished": described.day,
        "hasPart": _ids(files),
        "mentions": {"@id": _RENDERING},
    }
    about = {"@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": {"@id": CONFORMS_TO}}
    graph = [about, root, *files, _rendering(files), _program()]
    return json.dumps({"@context": CONTEXT, "@graph": graph}, ensure_ascii=False, indent=1) + "\n"


def _file(name: str, folder: Path, sha256: str) -> Entity:
    size = str((folder / name).stat().st_size)
    entity = {"@id": _address(name), "@type": "File", "name": name, "contentSize": size, "sha256": sha256}
    known = _TYPES.get(PurePosixPath(name).suffix)
    return {**entity, "encodingFormat": known} if known else entity


def _address(name: str) -> str:
    """The name of a file as a relative address."""
    return quote(name)


def _rendering(files: Sequence[Entity]) -> Entity:
    """Which files the pages were rendered from, and by what."""
    made = [file for file in files if file["name"].startswith(f"{PAGES}/")]
    read = [file for file in files if file not in made]
    parts = {"object": _ids(read), "result": _ids(made), "instrument": {"@id": _PROGRAM}}
    return {"@id": _RENDERING, "@type": "CreateAction", "name": "Rendering the pages from the logs", **parts}


def _program() -> Entity:
    return {
        "@id": _PROGRAM,
        "@type": "SoftwareApplication",
        "name": "Tachograph",
        "softwareVersion": version("tachograph"),
    }


def _ids(entities: Sequence[Entity]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]
