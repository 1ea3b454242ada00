"""The run.json beside a log: what the launcher knew of the run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from os.path import lexists
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

from ..io import files
from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import text_of
from ..io.message import Message
from .facts import SCALING, Fact, is_count, name_facts
from .provenance import FORMER_NAME, Provenance
from .run_folder import DONE, FAILED, LOG, RUN_FILE, SCHEMA, SIDE_FILES

RunFile = Mapping[str, Any]

FROM_RUN_FILE = Provenance("run_file", (RUN_FILE,))  # where a fact comes from that its case states
# Where programs keep their configuration.
CONFIGURATIONS = (
    *("config.yaml", "config.yml", "config.json", "config.toml"),
    *("ds_config.json", "hparams.yaml", "args.json"),
)
UNPACKED = "unpacked_sha256"  # of the text of a log that was found packed
NOT_DONE = "According to run.json, this run {said}."
ANOTHER_LOG = "The log does not match run.json: the SHA-256 differs."
NO_COUNT = "{name} is {said}; expected a whole number of at least 1."
NO_FILE_BESIDE = "the log of the run is {name}; expected the name of a file beside run.json."
UNKNOWN_SCHEMA = (
    "has schema {schema}, but this version of Tachograph reads schemas 1 to {newest}; upgrade Tachograph to read it."
)
NOT_JSON = "is not valid JSON: {reason}."
NO_CASE = "is not the run.json of a run folder: it needs a 'case' with names and values."


def run_facts(run: RunFile, log: Path) -> Iterator[Fact]:
    """The facts of the case in the run.json beside a log, as ``run_file`` gives it; raises LogError for a mistake."""
    for name, said in run.get("case", {}).items():
        if name in SCALING and not is_count(said):
            raise LogError.at(log.parent / RUN_FILE, NO_COUNT, name=name, said=repr(said))
        if isinstance(said, int | float | str):
            yield Fact(str(name), said, FROM_RUN_FILE)


def run_problems(run: RunFile, log: Path, sha256: str) -> Iterator[Message]:
    """What the run.json beside a log says against it: the run is not done, or the log is not the one it describes.

    ``run``: as ``run_file`` gives it. ``sha256`` is that of the log.
    """
    status = status_of(run)
    if status != DONE:
        ended = Message(FAILED) if status == FAILED else Message("was {status}", status=status)
        if "exit_status" in run:
            ended = Message("{ended} (exit status {exit_status})", ended=ended, exit_status=run["exit_status"])
        yield Message(NOT_DONE, said=ended)
    if describes(run, log, sha256) is False:
        yield Message(ANOTHER_LOG)


def status_of(run: RunFile) -> str:
    """How a run ended by its run.json: done, failed, interrupted; a log without any run.json is that of a done run."""
    return str(run.get("status", DONE))


def describes(run: RunFile, log: Path, sha256: str) -> bool | None:
    """Whether a log is the one that a run.json gives the SHA-256 of; None where it gives none, or of another file."""
    described = run.get("log")
    if not isinstance(described, dict) or described.get("file", log.name) != log.name:
        return None
    said = described.get("sha256")
    return said == sha256 if said else None


def first_run(case: Path) -> Path | None:
    """The first run folder in the folder of a case; None where it holds none."""
    return next((found.parent for found in sorted(case.glob(f"[0-9]*/{RUN_FILE}"))), None)


def log_of(path: Path) -> Path:
    """The log of a run folder, which its run.json names; any other path as it is.

    Raises LogError when the run.json is broken, or names no file as its log.
    """
    if not (path / RUN_FILE).exists():
        return path
    described = run_file(path / LOG).get("log")
    name = described.get("file", LOG) if isinstance(described, dict) else LOG
    if (file := Path(str(name)).name) in ("", "..") or "\0" in file:
        raise LogError.at(path / RUN_FILE, NO_FILE_BESIDE, name=repr(name))
    return path / file


def sha256_of(path: Path) -> str:
    """Hexadecimal digest of a file as it lies on disk; raises LogError when it cannot be read."""
    try:
        return files.sha256_of(path)
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


def run_file(log: Path) -> dict[str, Any]:
    """What the ``run.json`` of a log's folder holds, nothing when there is none.

    Raises LogError when it is broken, or has a schema that this version does not know.
    """
    path = log.parent / RUN_FILE
    if not path.exists():
        return {}
    try:
        run = dict(_parsed(text_of(path)))
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except (ValueError, RecursionError) as error:
        raise LogError.at(path, NOT_JSON, reason=error) from error
    if not isinstance(run.get("case"), dict):
        raise LogError.at(path, NO_CASE)
    if refusal := unknown_schema(run):
        raise LogError.at(path, refusal)
    return run


def unknown_schema(run: RunFile) -> Message | None:
    """Why this version cannot read a run.json, whose keys may mean something else; None where it can.

    One without a schema says what the oldest did.
    """
    schema = run.get("schema", 1)
    if is_count(schema) and schema <= SCHEMA:
        return None
    return Message(UNKNOWN_SCHEMA, schema=shortened(schema), newest=SCHEMA)


@lru_cache(1)
def _parsed(text: str) -> dict[str, Any]:
    """What a run.json says, nothing if it is no object; it is asked for several times while one log is read."""
    run = json.loads(text)
    json.dumps(run, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    return run if isinstance(run, dict) else {}


def files_of_run(log: Path) -> list[Path]:
    """A log, the files of its run that may lie beside it, and the configurations that do."""
    beside = [log.with_name(name) for name in (RUN_FILE, *SIDE_FILES)]
    return [log, *beside, *(log.with_name(name) for name in CONFIGURATIONS if lexists(log.parent / name))]


def told_by_name(run: RunFile, log: Path) -> Iterator[Fact]:
    """The facts that the name of a log states; of an ingested log the name that it had in its source.

    ``run``: the run.json beside it, as ``run_file`` gives it.
    """
    source, described = run.get("source"), run.get("log")
    path = source.get("path") if isinstance(source, dict) else None
    if isinstance(path, str) and isinstance(described, dict) and described.get("file") == log.name:
        yield from (replace(fact, source=FORMER_NAME) for fact in name_facts(Path(path)))
    else:
        yield from name_facts(log)
