"""Sources: the files, folders, archives, checkouts and URLs that a user names, and the candidates in them.

What lies in a folder, here or elsewhere, is listed and fetched through fsspec. Tar and zip archives are unpacked under
names of our own, and none can write elsewhere or fill the disk. What is left out of any of them is told alike.
"""

import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, count
from pathlib import Path
from tarfile import EOFHeaderError, HeaderError, ReadError  # type: ignore[attr-defined]
from typing import IO, Any, BinaryIO, NamedTuple, Self

import fsspec
from fsspec import AbstractFileSystem

from ..io import git
from ..io.errors import WriteError, install
from ..io.files import (
    CHUNK,
    ERRORS,
    SUFFIXES,
    Allowance,
    TooLargeError,
    check_members,
    downloading,
    ending,
    opened,
    pieces_of,
    unpacked,
    unpacking,
    write_pieces,
)
from ..runs.run_folder import LOG, RUN_FILE, SIDE_FILES
from ..runs.runfile import CONFIGURATIONS, LARGEST, are_of
from ..scanning.source import is_text

IS_LINK = "is a symbolic link."
IS_HARD_LINK = "is a hard link."
IS_IRREGULAR = "is not a regular file."
IS_HIDDEN = "is hidden: its name or its folder's name begins with a dot."
IS_ENCRYPTED = "is encrypted."
OTHER_METHOD = "uses an unsupported compression method; supported: deflate and none."
NO_ARCHIVE = "is not a tar or zip archive, despite its name."
REDIRECTED = "it redirects to another host, {host}; pass that URL if you trust it"
ARCHIVE_NAME = re.compile(r"\.(zip|tar|tar\.\w+|tgz|tbz2?|txz|tzst)$", re.IGNORECASE)
OF_A_RUN = (RUN_FILE, *SIDE_FILES)
DEEPEST = 64
_PATIENCE = 60  # seconds without any byte
_LONGEST_HEADER = 1 << 20
_ZIP = (b"PK\3\4", b"PK\5\6")
BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, struct.error, OSError, ValueError, LookupError),
    RuntimeError,  # encrypted, a method of packing that is not known, or headers without end
    *ERRORS,
)


class File(NamedTuple):
    """A file of a source: its ``path`` in the source, the ``place`` where its bytes are, its ``size`` if known."""

    path: str
    place: str
    size: int


class LeftOut(Exception):  # noqa: N818 - what is left out is told; it stops nothing
    """A file, folder or source that is not taken: the ``reason``, to go on with its ``name``: "is empty".

    ``is_unreadable``: whether a log may have been lost; otherwise the file is not a log.
    """

    def __init__(self, reason: str, name: str = "", *, is_unreadable: bool = False) -> None:
        super().__init__(reason, name)
        self.reason, self.name, self.is_unreadable = reason, name, is_unreadable

    def of(self, name: str) -> Self:
        """The same of the file of this name."""
        self.name = name
        return self


@dataclass(frozen=True)
class Candidate:
    """A file that may be a log.

    ``origin``: where it was found, as run.json is to say it; its ``path`` is the name of the file in its source.
    ``prefix``: names that tell the source from others. ``place``: a local path, or a URL. ``size``: bytes, where known.
    ``named``: whether the user named this very file. ``beside``: the places of the run file and the side files of its
    folder, and of its program's configurations there, by name. ``blob``: the object that git keeps under this name.
    """

    origin: Mapping[str, str | bool | None]
    prefix: tuple[str, ...]
    place: str
    size: int = 0
    named: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)
    blob: str | None = None

    @property
    def path(self) -> str:
        """Its path in its source."""
        return str(self.origin["path"])

    @property
    def name(self) -> str:
        """Where it is, to speak of it; no URL in it holds a secret."""
        return f"{self.origin['archive']}/{self.path}" if "archive" in self.origin else git.public(self.place)

    @property
    def is_of_a_run(self) -> bool:
        """Whether it lies in a run folder, as the log of that run."""
        return RUN_FILE in self.beside and self.path.rpartition("/")[2] in (LOG, *(LOG + end for end in SUFFIXES))

    @property
    def of_its_run(self) -> Mapping[str, str]:
        """What lies beside it and belongs to its run; of a log that is none of a run its configurations."""
        return {name: at for name, at in self.beside.items() if self.is_of_a_run or name not in OF_A_RUN}


Found = Iterator[Candidate | LeftOut]


def names(path: str) -> list[str]:
    """The names of a path, without those that only lead somewhere else: ``..``, ``.`` and the root."""
    return [name for name in path.split("/") if name not in ("", ".", "..")]


# ---- archives


def is_archive(path: Path) -> bool:
    """Whether a file is a tar archive, packed or not, or a zip archive; its bytes say so, not its name."""
    with opened(path) as file:
        if file.peek(4).startswith(_ZIP):
            return True
        try:
            tarfile.TarInfo.frombuf(unpacked(file).read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
        except (tarfile.TarError, OSError, *ERRORS):
            return False
    return True


def unpack(archive: Path, into: Path) -> Iterator[File | LeftOut]:
    """The files of an archive that may be logs, each in a numbered file of the folder ``into``.

    Hidden files, links, devices and binary files are left out. Where the archive is broken, or unpacks to more than it
    may, what comes before is taken and the rest is left out. The ``name`` of what is left out is its path in the
    archive, empty for the archive as a whole.
    """
    try:
        with opened(archive) as file:
            entries = of_zip if file.peek(4).startswith(_ZIP) else _of_tar
        for number, entry in enumerate(entries(archive, unpacking(archive.stat().st_size))):
            path = entry.name if isinstance(entry, LeftOut) else entry[0]
            if any(name.startswith(".") for name in names(path)):
                yield LeftOut(IS_HIDDEN, path)
            else:
                yield entry if isinstance(entry, LeftOut) else _spooled(*entry, into / str(number))
    except BROKEN as error:
        yield LeftOut(f"cannot be read completely: {broken_because(error)}.", is_unreadable=True)


def _spooled(path: str, pieces: Iterator[bytes], place: Path) -> File | LeftOut:
    """Keep what is text, or a packed file that may hold one."""
    try:
        if not (head := next(pieces, b"")):
            return LeftOut("is empty.", path)
        if not (ending(head) or is_text(head)):
            return LeftOut("is a binary file.", path)
        return File(path, str(place), write_pieces(place, chain([head], pieces)))
    except TooLargeError:
        raise
    except BROKEN as error:
        return LeftOut(f"cannot be read: {broken_because(error)}.", path, is_unreadable=True)


def broken_because(error: Exception) -> str:
    """Why one of ``BROKEN`` was raised, without a full stop."""
    return str(getattr(error, "strerror", None) or error).rstrip(".")


def _pieces(open_: Callable[[], IO[bytes]], allowance: Allowance) -> Iterator[bytes]:
    """The data of an entry, as far as the archive is allowed to unpack; it is opened when it is read."""
    with open_() as stream:
        yield from allowance.of(pieces_of(stream))


def of_zip(archive: Path, allowance: Allowance) -> Iterator[tuple[str, Iterator[bytes]] | LeftOut]:
    """The files of a zip archive with their data, piece by piece, which is read before the next one is asked for.

    Links, devices and what cannot be unpacked are left out. Raises TooLargeError, or another of ``BROKEN``.
    """
    with zipfile.ZipFile(archive) as packed:
        check_members(len(packed.infolist()))
        for entry in (entry for entry in packed.infolist() if not entry.is_dir()):
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield LeftOut(IS_LINK if stat.S_ISLNK(kind) else IS_IRREGULAR, entry.filename)
            elif entry.flag_bits & 1:
                yield LeftOut(IS_ENCRYPTED, entry.filename, is_unreadable=True)
            # The module unpacks all it has read of other methods at once: a few KiB of bzip2 become as many GiB.
            elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield LeftOut(OTHER_METHOD, entry.filename, is_unreadable=True)
            else:
                yield entry.filename, _pieces(lambda own=entry: packed.open(own), allowance)  # type: ignore[misc]


def _of_tar(archive: Path, allowance: Allowance) -> Iterator[tuple[str, Iterator[bytes]] | LeftOut]:
    with opened(archive) as file:
        headers = _Headers(unpacked(file))
        with tarfile.open(fileobj=headers, mode="r|", tarinfo=_Member) as tar:
            for number in count(1):
                headers.left = _LONGEST_HEADER
                if (member := tar.next()) is None:
                    return
                tar.members = []  # type: ignore[attr-defined]  # it would remember all of them
                headers.left = None
                check_members(number)
                if member.issym() or member.islnk():
                    yield LeftOut(IS_LINK if member.issym() else IS_HARD_LINK, member.name)
                    continue
                stream = tar.extractfile(member)
                data = iter(()) if stream is None else _pieces(lambda own=stream: own, allowance)  # type: ignore[misc]
                if member.isreg() and stream is not None:
                    yield member.name, data
                elif not member.isdir():
                    yield LeftOut(IS_IRREGULAR, member.name)
                for _ in data:  # what is left of it is no header
                    pass


class _Headers(io.RawIOBase):
    """A tar archive as a stream in which no header may be longer than a MiB: all of it would be in memory.

    ``left``: so many bytes the header may still have that is read now; None while data is read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.left: int | None = _LONGEST_HEADER

    def read(self, size: int = -1, /) -> bytes:
        """As many bytes as there are, up to ``size``."""
        data = self._stream.read(size)
        if self.left is not None:
            self.left -= len(data)
            if self.left < 0:
                raise tarfile.ReadError("a header is longer than 1 MiB")
        return data


class _Member(tarfile.TarInfo):
    """A member of a tar archive; the module takes a broken header for the end of the archive, this one does not."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        """The next member; raises EOFHeaderError at the end of the archive, ReadError for what is no header."""
        try:
            member = super().fromtarfile(tarfile)
        except EOFHeaderError:
            raise
        except HeaderError as error:
            raise ReadError("a header is truncated or corrupt") from error
        if member.size < 0:
            raise ReadError("a header states a negative size")
        return member


# ---- what lies elsewhere


def is_url(source: str) -> bool:
    """Whether a source is spelt as a URL."""
    return "://" in source


def _is_web(url: str) -> bool:
    """Whether a URL is one of the web, where nothing but a slash at its end tells a folder from a file."""
    return url.startswith(("http://", "https://"))


def missing(sources: Iterable[str]) -> list[str]:
    """The sources on this machine that are not there."""
    return [source for source in sources if (path := _local_path(source)) and not path.exists()]


def _local_path(source: str) -> Path | None:
    """Where a source lies on this machine; None for one that lies elsewhere."""
    is_local = not is_url(source) or source.startswith("file://")
    return Path(source.removeprefix("file://")) if is_local else None


def fetch(url: str, place: Path) -> None:
    """Copy a remote file to a local one; raises LeftOut where it cannot be read, or is larger than 64 GiB."""
    with _told():
        fs, path = _filesystem(url)
        with fs.open(path, "rb", **({"block_size": 0} if _is_web(url) else {})) as stream:
            write_pieces(place, downloading().of(pieces_of(stream, CHUNK)))


@contextmanager
def _told() -> Iterator[None]:
    """Turn any error of a file system, each of which has its own, into LeftOut; no URL in it holds a secret."""
    try:
        yield
    except (LeftOut, WriteError):
        raise
    except Exception as error:
        cause = error.__cause__ if isinstance(error.__cause__, _RefusedError) else error
        reason = git.public(str(cause) or type(cause).__name__).rstrip(".").replace("\n", " ")
        raise LeftOut(f"cannot be read: {reason}.", is_unreadable=True) from error


def _filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL and the path in it; raises LeftOut that names the extra which is missing."""
    protocol = url.partition("://")[0].rpartition("::")[2]
    try:
        options = {protocol: _options_of_the_web()} if protocol in ("http", "https") else {}
        fs, path = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        is_extra = protocol in ("http", "https", "s3", "s3a")
        needed = f"run `{install('remote')}`" if is_extra else str(error).rstrip(".")
        raise LeftOut(f"requires packages that are not installed; {needed}.", is_unreadable=True) from error
    except ValueError as error:
        raise LeftOut(
            f"unknown protocol {protocol}://; use http://, https://, s3:// or another one supported by fsspec.",
            is_unreadable=True,
        ) from error
    return fs, str(path)


class _RefusedError(Exception):
    """A URL leads to a server that the user did not name."""


@cache
def _options_of_the_web() -> dict[str, Any]:
    """How the web is read: a download may take hours, but not be silent for long, and comes from the host it names.

    That host may be one of this network, for the user named it; but it sends no request on to machines that only this
    one reaches.
    """
    import aiohttp  # noqa: PLC0415 - it comes with the extra
    from yarl import URL  # noqa: PLC0415

    async def refuse(_: object, __: object, redirected: aiohttp.TraceRequestRedirectParams) -> None:
        to = redirected.url.join(URL(redirected.response.headers.get("Location", "")))
        if (to.scheme in ("http", "https"), to.host) != (True, redirected.url.host):
            raise _RefusedError(REDIRECTED.format(host=to.host))

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(refuse)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)
    return {"client_kwargs": {"timeout": timeout, "trace_configs": [trace]}}


# ---- folders


def _walk(fs: AbstractFileSystem, root: str, without: str = "") -> Iterator[list[File | LeftOut]]:
    """The files of each folder below ``root``, by name, but for those of the folder ``without``; places are of ``fs``.

    Hidden files and folders are left out, and links: what they point to is found by itself, or is not part of the
    source; so is what a page of the web links elsewhere. So is a folder that cannot be listed.
    """
    root = root.rstrip("/")
    folders = [root]
    while folders:
        folder = folders.pop()
        path = folder.removeprefix(root).strip("/")
        is_web = "://" in folder
        found, inner = list[File | LeftOut](), list[str]()
        try:
            if path.count("/") >= DEEPEST:
                raise ValueError(f"it is nested more than {DEEPEST} folders deep")
            entries = sorted(fs.ls(f"{folder}/" if is_web else folder, detail=True), key=lambda of: str(of["name"]))
        except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
            reason = broken_because(error) or type(error).__name__
            yield [LeftOut(f"cannot be listed: {reason}.", path, is_unreadable=True)]
            continue
        for info in entries:
            place = str(info["name"]).rstrip("/")
            name = place.removeprefix(f"{folder}/")
            leads_elsewhere = is_web and (".." in name.split("/") or "?" in name or "#" in name)
            if name in ("", place) or leads_elsewhere or place == without:
                continue
            file = File(f"{path}/{name}".lstrip("/"), place, int(info["size"] or 0))
            if name.startswith("."):
                found.append(LeftOut(IS_HIDDEN, file.path))
            elif info.get("islink"):
                found.append(LeftOut(IS_LINK, file.path))
            elif info["type"] == "directory":
                inner.append(place)
            elif info["type"] != "file":
                found.append(LeftOut(IS_IRREGULAR, file.path))
            else:
                found.append(LeftOut("is empty.", file.path) if info["size"] == 0 else file)
        folders += reversed(inner)
        yield found


def _of_folder(folder: Path) -> Callable[[File], Candidate]:
    """What makes candidates of the files below a folder: of a commit where git knows them, else of the folder.

    It may be part of a checkout; git refuses one that belongs to another user.
    """
    # A number alone tells no folder from others: it is that of a repeat.
    outer = [name for name in (folder.parts[-2:] if folder.name.isdigit() else folder.parts[-1:]) if name != "/"]
    top = git.top_of(folder)
    commit = git.commit_of(top, "HEAD") if top else None
    blobs = git.blobs_of(top, commit) if top and commit else {}
    repository = git.repository_of(top) if top and commit else None

    def candidate(file: File) -> Candidate:
        path = str(Path(file.place).relative_to(top)) if top and commit else ""
        if top and (blob := blobs.get(path)):
            origin = {"repository": repository, "commit": commit, "path": path}
            return Candidate(origin, ((repository or top.name).rpartition("/")[2],), file.place, file.size, blob=blob)
        return Candidate({"path": "/".join((*outer, file.path))}, (), file.place, file.size)

    return candidate


class Sources:
    """``spool``: a folder for what is unpacked or fetched, made on use. ``without``: one that is part of no source."""

    def __init__(self, spool: Path, without: Path) -> None:
        self._spool, self._without = spool, str(without.resolve())
        self._numbers = count()

    def candidates(self, source: str) -> Found:
        """The candidates of one source, and what was left out, each as soon as it is found."""
        try:
            local = _local_path(source)
            yield from self._local(local) if local else self._remote(source)
        except LeftOut as error:
            yield error.of(git.public(source))
        except OSError as error:
            yield LeftOut(f"cannot be read: {error.strerror}.", git.public(source), is_unreadable=True)

    def _local(self, path: Path) -> Found:
        if not path.exists():
            raise LeftOut("file or folder not found.", is_unreadable=True)
        path = path.resolve()
        if path.is_dir():
            candidate = _of_folder(path)
            for found in _walk(fsspec.filesystem("file"), str(path), self._without):
                yield from _candidates(found, candidate, lambda inner: str(path / inner))
        elif not path.is_file():
            raise LeftOut("is not a regular file.", is_unreadable=True)
        elif is_archive(path):
            yield from self._archive(path, path.name, {})
        elif ARCHIVE_NAME.search(path.name):
            raise LeftOut(NO_ARCHIVE, is_unreadable=True)
        else:
            own = File(path.name, str(path), path.stat().st_size)
            beside = [
                one
                for one in next(_walk(fsspec.filesystem("file"), str(path.parent)))
                if (one.path != own.path if isinstance(one, File) else one.name in OF_A_RUN)
            ]
            for one in _candidates([own, *beside], _of_folder(path.parent), lambda inner: str(path.with_name(inner))):
                if isinstance(one, LeftOut):
                    yield one
                elif one.place == own.place:
                    yield replace(one, named=True)

    def _archive(self, path: Path, name: str, origin: Mapping[str, str]) -> Found:
        def candidate(file: File) -> Candidate:
            said = {**origin, "archive": name, "path": "/".join(names(file.path))}
            return Candidate(said, (ARCHIVE_NAME.sub("", name),), file.place, file.size)

        folder = self._spool / str(next(self._numbers))
        folder.mkdir(parents=True)
        found = list(unpack(path, folder))
        # A name that comes twice in an archive is that of the later file, as for whoever unpacks it.
        files = {file.path: file for file in found if isinstance(file, File)}
        left_out = [file for file in found if isinstance(file, LeftOut)]
        yield from _candidates([*files.values(), *left_out], candidate, lambda inner: f"{name}/{inner}".rstrip("/"))

    def _remote(self, url: str) -> Found:
        with _told():
            fs, root = _filesystem(url)
            is_folder = url.endswith("/") if _is_web(url) else fs.isdir(root)
            if _is_web(url) and not is_folder:
                url = str(fs.info(root).get("url", url))  # where its host says that it lies by now
        if is_folder:
            for found in _walk(fs, root):
                placed = [f._replace(place=_below(url, f.path)) if isinstance(f, File) else f for f in found]
                yield from _candidates(placed, _of_url, lambda inner: git.public(_below(url, inner)))
        elif ARCHIVE_NAME.search(name := git.public(url).rpartition("/")[2]):
            self._spool.mkdir(exist_ok=True)
            place = self._spool / f"{next(self._numbers)}.archive"
            fetch(url, place)
            if not is_archive(place):
                raise LeftOut(NO_ARCHIVE, is_unreadable=True)
            yield from self._archive(place, name, {"url": git.public(url)})
        else:
            yield replace(_of_url(File("", url, 0)), named=True)


def _below(url: str, path: str) -> str:
    return f"{url.rstrip('/')}/{path}" if path else url


def _of_url(file: File) -> Candidate:
    """A remote file; its path is that in its source, after the name of the folder or host that the source is."""
    url = git.public(file.place)
    inner = file.path or url.rpartition("/")[2]
    root = url.removesuffix(inner).rstrip("/").rpartition("/")[2]
    return Candidate({"url": url, "path": f"{root}/{inner}".lstrip("/")}, (), file.place, file.size)


def _candidates(
    found: Iterable[File | LeftOut], candidate: Callable[[File], Candidate], name: Callable[[str], str]
) -> Found:
    """The candidates among files; those that belong to a run come with its log, and are no candidates themselves."""
    folders: dict[str, dict[str, File]] = {}
    files = [(file, *file.path.rpartition("/")[::2]) for file in found if isinstance(file, File)]
    for file, folder, last in files:
        folders.setdefault(folder, {})[last] = file
    for file, folder, last in files:
        there = folders[folder]
        own = [name for name in CONFIGURATIONS if name in there and name != last and there[name].size <= LARGEST]
        own = own if own and are_of(last, there) else []
        if last not in OF_A_RUN:
            beside = {name: there[name].place for name in (*OF_A_RUN, *own) if name in there}
            yield replace(candidate(file), beside=beside)
    yield from (left.of(name(left.name)) for left in found if isinstance(left, LeftOut))
