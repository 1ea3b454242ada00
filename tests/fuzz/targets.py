"""Targets: what is done with the bytes of a fuzzer or of a seed; errors that no docstring names come out."""

import gzip
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from parsers.detect import formats
from parsers.errors import ParserError
from parsers.facts import Fact
from parsers.ingesting.ingest import ingest
from parsers.ingesting.workers import Here
from parsers.reading import survey
from parsers.scrubbing.copies import copied, sources
from report import show, terminal
from report.protocol import Protocol
from tests.parsers.scrubbing import Secrets

SEPARATOR = b"\x1c"
"""Ends a file: between the log and its side files, and between the members of an archive."""
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder with a name of its own is made in it
SIDE_FILES = ("run.json", "clock.csv", "gpu.csv")
PROTOCOLS = (None, "tipc", "tipc-plain", "fleetx", "dlperf", "summary", "mlperf", "summary,records=epoch")
TAR_KINDS = b"0123456"


def read(data: bytes) -> None:
    """Read a log, as the format whose number the first byte is; as that which is found for 0."""
    with _folder() as folder:
        log = _run(folder, data[1:])
        names = [None, *(fmt.name for fmt in formats())]
        with suppress(ParserError):
            account = survey(log, format=names[data[0] % len(names)] if data else None).account
            assert account.total == account.matched + account.ignored + account.unrecognised


def measure(data: bytes) -> None:
    """Show a log with the protocol, and with the facts, that the first byte chooses."""
    choice = data[0] if data else 0
    name = PROTOCOLS[choice % len(PROTOCOLS)]
    given = (Fact("batch_size", 32, "fuzz"), Fact("nodes", 1, "fuzz"), Fact("cards", 8, "fuzz"))
    with _folder() as folder, suppress(ParserError):
        summary = show.summarise(_run(folder, data[1:]), _protocol(name), given if choice & 8 else ())
        show.as_json(summary)
        terminal.shown(summary, colour=bool(choice & 16))


def scrub(data: bytes) -> None:
    """Make a copy of a log that may be published, which has as many lines and the same numbers as the log."""
    with _folder() as folder:
        log, out = _run(folder, data), folder / "public"
        with suppress(ParserError):
            for copy in copied(sources([log]), out, Secrets()).copies:
                _reads_alike(log, out / copy)


def ingested(data: bytes) -> None:
    """Ingest a file of these bytes, or an archive or folder that is made of them: twice, for that changes nothing."""
    with _folder() as folder:
        (folder / "from").mkdir()
        source = _source(folder / "from", data)
        with suppress(ParserError):
            list(ingest([str(source)], folder / "into", Here()))
            before = _all(folder)
            list(ingest([str(source)], folder / "into", Here()))
            assert _all(folder) == before
            assert {path.relative_to(folder).parts[0] for path in before} <= {"from", "into"}


TARGETS: dict[str, Callable[[bytes], None]] = {"read": read, "measure": measure, "scrub": scrub, "ingest": ingested}


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tachograph-fuzz-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        yield Path(name)


def _run(folder: Path, data: bytes) -> Path:
    """A log in a folder of its own, with the side files that follow in the data."""
    run = folder / "ResNet50_bs32_fp32_N1C8" / "1"
    run.mkdir(parents=True)
    log, *beside = data.split(SEPARATOR)
    (run / "train.log").write_bytes(log)
    for name, text in zip(SIDE_FILES, beside, strict=False):
        if text:
            (run / name).write_bytes(text)
    return run / "train.log"


def _protocol(name: str | None) -> Protocol | None:
    return Protocol.parse(name) if name else None


def _reads_alike(log: Path, copy: Path) -> None:
    one, other = survey(log), survey(copy)
    assert one.account.total == other.account.total
    assert one.format == other.format
    assert list(one.records) == list(other.records)
    for name in one.records.select_dtypes("number"):
        np.testing.assert_array_equal(one.records[name].to_numpy(), other.records[name].to_numpy())


def _source(folder: Path, data: bytes) -> Path:
    """A source of the kind that the first byte chooses."""
    kind, data = (data[0] if data else 0), data[1:]
    makers = (_plain, _packed, _tar, _zip, _tree)
    return makers[kind % len(makers)](folder, data)


def _plain(folder: Path, data: bytes) -> Path:
    path = folder / ("train.log", "all.tar", "all.zip", "train.log.gz", "all.tar.xz")[len(data) % 5]
    path.write_bytes(data)
    return path


def _packed(folder: Path, data: bytes) -> Path:
    path = folder / "train.log.gz"
    path.write_bytes(gzip.compress(data, 1))
    return path


def _tar(folder: Path, data: bytes) -> Path:
    path = folder / "all.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name, body in _members(data):
            info = tarfile.TarInfo(name)
            info.type = TAR_KINDS[kind % 7 : kind % 7 + 1]
            info.linkname = os.fsdecode(body[:90])
            info.size = len(body)
            with suppress(ValueError):  # a name that no tar archive can hold
                archive.addfile(info, io.BytesIO(body))
    return path


def _zip(folder: Path, data: bytes) -> Path:
    path = folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for kind, name, body in _members(data):
            info = zipfile.ZipInfo(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") or "x")
            info.external_attr = kind << 24
            archive.writestr(info, body, zipfile.ZIP_DEFLATED if kind % 2 else zipfile.ZIP_STORED)
    return path


def _tree(folder: Path, data: bytes) -> Path:
    for _, name, body in _members(data):
        path = folder / "/".join(part for part in name.split("/") if part not in ("", ".."))
        with suppress(OSError, ValueError):  # a name that no file can have
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
    return folder


def _members(data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Kind, name and bytes of each member: a byte, a line, and what is left up to the separator."""
    for piece in filter(None, data.split(SEPARATOR)):
        name, _, body = piece[1:].partition(b"\n")
        yield piece[0], os.fsdecode(name), body


def _all(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}
