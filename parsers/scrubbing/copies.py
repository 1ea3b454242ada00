"""Copies of logs that may be published: they name nobody, and still read as the logs do.

Identities are found in all logs, then replaced by placeholders, and each copy is read again before it is kept.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import json
import lzma
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.cache import pd, zstandard
from ..io.errors import CANNOT_BE_READ, LogError, ParserError, WriteError, reason_of, told
from ..io.files import CHUNK, ERRORS, below, ending, leading_out, move, opened, unfinished, unpacked, writing
from ..runs import runfile
from ..runs.facts import FOLDERS, Value, name_facts
from ..runs.reading import survey
from ..runs.run_folder import RUN_FILE, SIDE_FILES
from .identities import Identity, Placeholders, identities

CREDENTIAL = "credential"
_PACKED: Mapping[str, Callable[[BinaryIO], AbstractContextManager[Any]]] = {
    "": nullcontext,
    # What a gzip file says of its time and name is left out.
    ".gz": lambda file: gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 - whoever asks for it closes it
    ".zst": lambda file: zstandard.ZstdCompressor().stream_writer(file, closefd=False),
}
_WIDE = 1 << 12  # bytes that tell whether every other one is NUL

Changed = Callable[[bytes], bytes]
FormatName = str | Path | None


class ScrubError(ParserError):
    """A log cannot be scrubbed so that it still reads as before."""


class Secrets(NamedTuple):
    """How credentials are taken out of what is published."""

    stream: Callable[[], Any]
    """For a log, from its begin: ``feed`` takes the next bytes and gives what may be written now, all of whole lines;
    ``finish`` gives the rest, and ``count`` is how many were replaced."""
    document: Callable[[Any], Any]
    """A document of JSON without its credentials."""


# ---- the text of a log


def text_blocks(path: Path) -> Iterator[bytes]:
    """The text of a log, plain or packed, about a MiB of whole lines each; UTF-16 as UTF-8.

    Raises LogError when it cannot be read.
    """
    begun: list[bytes] = []
    try:
        with opened(path) as file:
            stream = unpacked(file)
            codec = _wide(stream.peek(_WIDE)[:_WIDE])
            decoder = codecs.getincrementaldecoder(codec)("surrogatepass") if codec else None
            while data := stream.read(CHUNK):
                text = decoder.decode(data).encode("utf-8", "surrogatepass") if decoder else data
                head, newline, tail = text.rpartition(b"\n")
                if newline:
                    yield b"".join([*begun, head, newline])
                    begun.clear()
                begun.append(tail)
    except (OSError, *ERRORS) as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    if last := b"".join(begun):
        yield last


def _wide(head: bytes) -> str:
    """The name of UTF-16, if a stream begins so: with its mark, or as ASCII of which every other byte is NUL."""
    low, high = (head[first::2].count(0) * 8 > len(head) * 3 for first in (1, 0))
    if head.startswith(codecs.BOM_UTF16_LE) or (low and not high):
        return "utf-16-le"
    return "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) or (high and not low) else ""


def rewrite(path: Path, copy: Path, changed: Changed) -> None:
    """Write a copy of a log in which ``changed`` was made of every block of whole lines; packed as the log is.

    Raises LogError when the log cannot be read, OSError when the copy cannot be written.
    """
    blocks = text_blocks(path)
    first = next(blocks, b"")
    with opened(path) as file:
        packed = ending(file.peek(16))
    with copy.open("wb") as out, _PACKED[packed](out) as target:
        target.write(changed(first))
        for block in blocks:
            target.write(changed(block))


# ---- what must be the same of a log and its copy


class _Likeness(NamedTuple):
    """How a log reads: what is ``told`` of it, as the subject of a sentence; of each record and event line and hash.

    It is small, so that large logs are in memory one at a time.
    """

    told: Mapping[str, object]
    rows: NDArray[np.uint64]


def _likeness(log: Path, name: Path, changed: Changed, format: FormatName) -> _Likeness:
    """Read a log. The facts of its name are those of ``name``; ``changed`` is applied to the values of facts.

    What an event says is left out, for it may hold a name. Raises LogError, FormatError or GrammarError when it cannot
    be read.
    """
    reading = survey(log, format=format, facts=name_facts(name))
    account = reading.account

    def public(value: Value) -> Value:
        as_bytes = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else None
        return value if as_bytes is None else changed(as_bytes).decode("utf-8", "surrogateescape")

    tables = [*(part.records for part in reading.parts), reading.events.drop(columns="text")]
    told: dict[str, object] = {
        "its format": (reading.format.name if reading.format else None, len(tables)),
        "a column of it": [{name: str(of) for name, of in table.dtypes.items()} for table in tables],
        "its number of lines": (account.total, account.matched, account.ignored),
        "a line of it": account.recognised.tobytes(),
    }
    told |= {f"the fact {fact.name}": (public(fact.value), fact.source) for fact in reading.facts.values()}
    rows = [np.column_stack([table["line"], pd.util.hash_pandas_object(table, index=False)]) for table in tables]
    return _Likeness(told, np.concatenate(rows).astype(np.uint64))


def _difference(log: _Likeness, copy: _Likeness) -> str | None:
    """Where a copy reads otherwise than its log, as the subject of a sentence; None where it reads the same."""
    both = min(len(log.rows), len(copy.rows))
    unlike = np.flatnonzero((log.rows[:both] != copy.rows[:both]).any(axis=1))
    if unlike.size or len(log.rows) != len(copy.rows):
        return f"line {max(log.rows, copy.rows, key=len)[unlike[0] if unlike.size else both][0]}"
    return next((name for name in {**log.told, **copy.told} if log.told.get(name) != copy.told.get(name)), None)


# ---- one log and its run


def named(log: Path, secrets: Secrets) -> dict[Identity, None]:
    """The identities of a log and its run.json, in their order.

    Those of several logs go into one dict. Raises LogError when the log cannot be read.
    """
    found: dict[Identity, None] = {}
    for path in (log, *filter(Path.exists, [log.with_name(RUN_FILE)])):
        stream = secrets.stream()
        for block in text_blocks(path):
            found |= dict.fromkeys(identities(stream.feed(block)))
        found |= dict.fromkeys(identities(stream.finish()))
    return found


def scrubbed(
    log: Path, copy: Path, placeholders: Placeholders, secrets: Secrets, *, format: FormatName = None
) -> Counter[str]:
    """Write a copy of a log with placeholders for all identities and credentials, and count what was replaced by kind.

    What lies beside the log and is of its run (run.json, clock.csv, gpu.csv and the like) is scrubbed and written
    beside the copy, whose folder must be there and be of no other run. run.json describes the copy; the SHA-256 of the
    log it described stands under ``source``. ``format``: as for ``read``. Raises ScrubError when the copy would not
    read as the log does: it is removed then. Raises LogError, FormatError or GrammarError when the log cannot be read.
    """
    replaced, written = Counter[str](), list[Path]()
    before = _likeness(log, log, placeholders.replaced, format)
    try:
        for path in (log, *filter(Path.exists, map(log.with_name, SIDE_FILES))):
            written.append(copy if path == log else copy.with_name(path.name))
            stream = secrets.stream()

            def public(block: bytes, stream: Any = stream) -> bytes:
                text: bytes = stream.feed(placeholders.replaced(block, replaced))
                return text if block.endswith(b"\n") else text + stream.finish()

            rewrite(path, written[-1], public)
            replaced[CREDENTIAL] += stream.count
        if run := _run(log, copy, placeholders, secrets):
            written.append(copy.with_name(RUN_FILE))
            written[-1].write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if unlike := _difference(before, _likeness(copy, log, bytes, format)):
            raise ScrubError(f"{log}: {unlike} would be read differently; keep the name concerned with --keep.")
    except BaseException as error:
        for path in written:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise WriteError(copy, error.strerror or str(error)) from error
        raise
    return replaced


def _run(log: Path, copy: Path, placeholders: Placeholders, secrets: Secrets) -> dict[str, Any]:
    """The run.json for the folder of a copy; empty where the log has none, or where it is of another log there."""
    run = runfile.run_file(log)
    described = runfile.describes(run, log, sha256 := runfile.sha256_of(log)) if run else None
    if not run or (described is None and copy.with_name(RUN_FILE).exists()):
        return {}
    public = dict(secrets.document(json.loads(placeholders.replaced(json.dumps(run, ensure_ascii=False).encode()))))
    if described:
        source = public["source"] if isinstance(public.get("source"), dict) else {}
        public["source"] = {**source, "sha256": source.get("sha256", sha256)}
        public["log"] |= {"sha256": runfile.sha256_of(copy), "bytes": copy.stat().st_size}
    return public


# ---- several logs


@dataclass
class ScrubOutcome:
    """The ``copies`` that were written, how much was ``replaced`` by kind, and a sentence for each log without."""

    copies: list[Path] = field(default_factory=list)
    replaced: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def sources(paths: Iterable[Path]) -> dict[Path, Path]:
    """The logs that are named, each with the path that names it: a folder holds those of the run folders in it.

    Raises ScrubError for a folder without any, LogError for a run.json that is broken.
    """
    found: dict[Path, Path] = {}
    for path in map(_absolute, paths):
        logs = [path]
        if os.path.isdir(path):  # noqa: PTH112 - never raises an error
            logs = [runfile.log_of(at) for at, files in sorted(runfile.folders_below(path)) if files is None]
            if not logs:
                raise ScrubError(f"{path}: does not contain run folders (with a {RUN_FILE}); pass its logs.")
        for log in logs:
            found.setdefault(log, path)
    return found


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, whose names tell facts


def copied(
    logs: Mapping[Path, Path],
    out: Path,
    secrets: Secrets,
    *,
    given: Iterable[Identity] = (),
    keep: Iterable[bytes] = (),
    format: FormatName = None,
) -> ScrubOutcome:
    """Write a copy of each log below the folder ``out``, under its place below the folder that all have in common.

    ``logs``: as ``sources`` gives them. ``given`` are identities that are known, ``keep`` names that are none. A log
    that cannot be read or copied does not keep the others. Raises ScrubError when a copy would take the place of a log,
    WriteError when ``out`` cannot be a folder.
    """
    outcome, readable, found, out = ScrubOutcome(), dict[Path, Path](), dict.fromkeys(given), _absolute(out)
    for log, by in logs.items():
        try:
            # A link would put a file from elsewhere among the copies; whoever names a link means it.
            files = runfile.files_of_run(log)
            if file := leading_out(files[1:], log.parent) if log == by else leading_out(files, by):
                raise ScrubError(f"{file}: is a link that leads out of the folder; scrub its target directly.")
            found |= named(log, secrets)
            # A path may name the owner of a home folder.
            found |= dict.fromkeys(one for one in identities(os.fsencode(log)) if one.kind != "taken")
            readable[log] = by
        except (ParserError, OSError) as error:
            outcome.problems.append(told(error))
    kept = {name.lower() for name in keep}
    placeholders = Placeholders(identity for identity in found if identity.text.lower() not in kept)
    places = _places(readable, out, placeholders)
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    with unfinished(out) as folder:
        for place, log in places.items():
            copy = below(folder, str(place))
            try:
                copy.parent.mkdir(parents=True, exist_ok=True)
                outcome.replaced += scrubbed(log, copy, placeholders, secrets, format=format)
                outcome.copies.append(place)
            except WriteError as error:
                outcome.problems.append(str(error.moved(folder, out)))
            except (ParserError, OSError) as error:
                outcome.problems.append(told(error))
        move((str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()), folder, out)
    return outcome


def _places(logs: Mapping[Path, Path], out: Path, placeholders: Placeholders) -> dict[Path, Path]:
    """The log of each place below the folder of copies; what the name of a log tells must not be lost."""
    if not logs:
        return {}

    def facts(log: Path) -> list[tuple[str, object]]:
        return [(fact.name, fact.value) for fact in name_facts(log)]

    base = Path(os.path.commonpath([by.parent for by in logs.values()]))
    for folder in (base, *list(base.parents)[:FOLDERS]):
        if all(facts(log) == facts(out / log.relative_to(folder)) for log in logs):
            base = folder
            break
    places: dict[Path, Path] = {}
    for log in logs:
        place = Path(os.fsdecode(placeholders.replaced(os.fsencode(log.relative_to(base)))))
        if place in places:
            raise ScrubError(f"{out / place}: would be the copy of several logs; scrub them separately.")
        places[place] = log
    there = [out / place for place in places if (out / place).exists()]
    if taken := next((log for log in logs if log.exists() and any(map(log.samefile, there))), None):
        raise ScrubError(f"{taken}: its copy would overwrite a log; choose another folder with --out.")
    return places
