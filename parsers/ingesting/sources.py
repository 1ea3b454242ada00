"""Sources: the files, folders, archives, checkouts and URLs that a user names, and the candidates in them.

What lies in a folder, here or elsewhere, is listed and fetched through fsspec. Tar and zip archives are unpacked into a
folder of ours; none can write elsewhere or fill the disk. What is left out of any of them is told alike.
"""

import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from tarfile import EOFHeaderError, HeaderError, ReadError  # type: ignore[attr-defined]
from typing import IO, Any, BinaryIO, Self

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
    below,
    check_members,
    opened,
    pieces_of,
    unpacked,
    unpacking,
    write_pieces,
)
from ..io.message import Message
from ..runs.run_folder import LOG, RUN_FILE, SIDE_FILES
from ..runs.runfile import DEEPEST

IS_LINK = "is a symbolic link."
IS_IRREGULAR = "is not a regular file."
IS_HIDDEN = "is hidden: its name or its folder's name begins with a dot."
OTHER_METHOD = "uses an unsupported compression method; supported: deflate and none."
NO_ARCHIVE = "is not a tar or zip archive, despite its name."
REDIRECTED = "it redirects to another host, {host}; pass that URL if you trust it"
ARCHIVE_NAME = re.compile(r"\.(zip|tar|tar\.\w+|tgz|tbz2?|txz|tzst)$", re.IGNORECASE)
OF_A_RUN = (RUN_FILE, *SIDE_FILES)
LARGEST_DOWNLOAD = 1 << 36
LARGER_DOWNLOAD = "it is larger than 64 GiB; download it, then pass the file"
_PATIENCE = 60  # seconds without any byte
_LONGEST_HEADER = 1 << 20
_ZIP = (b"PK\3\4", b"PK\5\6")
BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, struct.error, OSError, ValueError, LookupError),
    RuntimeError,  # encrypted, a method of packing that is not known, or headers without end
    *ERRORS,
)


class LeftOut(Exception):  # noqa: N818 - what is left out is told; it stops nothing
    """A file, folder or source that is not taken: the ``reason``, to go on with its ``name``: "is empty".

    ``is_unreadable``: whether a log may have been lost; otherwise the file is not a log. ``read``: the option of
    ``--read`` that takes the log of an unknown program all the same.
    """

    def __init__(self, reason: str, name: str = "", *, is_unreadable: bool = False, read: str = "") -> None:
        super().__init__(reason, name)
        self.reason, self.name, self.is_unreadable, self.read = reason, name, is_unreadable, read

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
    folder, by name. ``blob``: the object that git keeps under this name.
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
        """What lies beside it and belongs to its run; nothing of a log that is none of a run."""
        return self.beside if self.is_of_a_run else {}


Found = Iterator[Candidate | LeftOut]
# What makes a candidate of a file of a source, of its path there, its place and its size.
Maker = Callable[[str, str, int], Candidate]


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


def _unpack(archive: Path, into: Path) -> Iterator[LeftOut]:
    """Unpack an archive into a folder that is there; yields what is left out of it.

    Links and devices are left out. Where the archive is broken, or unpacks to more than it may, what comes before is
    taken and the rest is left out. The ``name`` of what is left out is its path in the archive, empty for the archive
    as a whole.
    """
    try:
        with opened(archive) as file:
            entries = of_zip if file.peek(4).startswith(_ZIP) else _of_tar
        for entry in entries(archive, unpacking(archive.stat().st_size)):
            if isinstance(entry, LeftOut):
                yield entry
                continue
            path, pieces = entry
            if len(names(path)) > DEEPEST:
                yield LeftOut(f"is nested more than {DEEPEST} folders deep.", path, is_unreadable=True)
                continue
            place = below(into, "/".join(names(path)).replace("\0", ""))
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.open("wb").close()  # what its name keeps from being written is its own fault, a full disk is not
                write_pieces(place, pieces)
            except BROKEN as error:
                with suppress(OSError, ValueError):
                    place.unlink()
                if isinstance(error, TooLargeError):
                    raise
                yield LeftOut(f"cannot be read: {broken_because(error)}.", path, is_unreadable=True)
    except BROKEN as error:
        yield LeftOut(f"cannot be read completely: {broken_because(error)}.", is_unreadable=True)


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
                yield LeftOut("is encrypted.", entry.filename, is_unreadable=True)
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
                    yield LeftOut(IS_LINK if member.issym() else "is a hard link.", member.name)
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
            write_pieces(place, Allowance(LARGEST_DOWNLOAD, Message(LARGER_DOWNLOAD)).of(pieces_of(stream, CHUNK)))


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
        needed = f"{str(error).rstrip('.')}; run `{install('remote')}` for http://, https:// and s3://"
        raise LeftOut(f"requires packages that are not installed: {needed}.", is_unreadable=True) from error
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


def _walk(fs: AbstractFileSystem, root: str, without: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each folder below ``root``, as its path there, and what lies in it but folders, by name as fsspec describes it.

    The folder ``without`` is left out, and what is hidden is not gone into. Of a folder that cannot be listed the only
    name is empty, and stands for the reason.
    """
    root = root.rstrip("/")
    folders = [root]
    while folders:
        folder = folders.pop()
        path = folder.removeprefix(root).strip("/")
        is_web = "://" in folder
        inside, inner = dict[str, Any](), list[str]()
        try:
            if path.count("/") >= DEEPEST:
                raise ValueError(f"it is nested more than {DEEPEST} folders deep")
            entries = sorted(fs.ls(f"{folder}/" if is_web else folder, detail=True), key=lambda of: str(of["name"]))
        except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
            yield path, {"": f"cannot be listed: {broken_because(error) or type(error).__name__}."}
            continue
        for info in entries:
            place = str(info["name"]).rstrip("/")
            name = place.removeprefix(f"{folder}/")
            # A page of the web links to what lies elsewhere, too.
            leads_elsewhere = is_web and (".." in name.split("/") or "?" in name or "#" in name)
            if name in ("", place) or leads_elsewhere or place == without:
                continue
            if info["type"] == "directory" and not info.get("islink") and not name.startswith("."):
                inner.append(place)
            else:
                inside[name] = info
        folders += reversed(inner)
        yield path, inside


def _candidates(
    fs: AbstractFileSystem, root: str, make: Maker, name: Callable[[str], str], *, without: str = "", only: str = ""
) -> Found:
    """The candidates in a folder and below, by name, each with what lies beside it and belongs to its run.

    Hidden files and folders are left out, and links: what they point to is found by itself, or is not part of the
    source. ``make``: of the path of a file in the source, its place in ``fs`` and its size. ``name``: how a path is
    told. ``without``: a folder that is no part of the source. ``only``: the place of the one file that is meant.
    """
    for path, inside in _walk(fs, root, without):
        files = dict[str, Candidate]()
        for last, info in inside.items():
            inner = f"{path}/{last}".strip("/")
            if reason := info if isinstance(info, str) else only != info["name"] and _reason(last, info):
                if not only or last in OF_A_RUN:
                    yield LeftOut(reason, name(inner), is_unreadable=not last)
            else:
                files[last] = make(inner, str(info["name"]), int(info["size"] or 0))
        beside = {of: files[of].place for of in OF_A_RUN if of in files}
        for last, file in files.items():
            if last not in OF_A_RUN and only in ("", file.place):
                yield replace(file, beside=beside, named=bool(only))
        if only:
            return


def _reason(name: str, info: Mapping[str, Any]) -> str:
    """Why a file is no candidate; empty where it may be one."""
    if name.startswith("."):
        return IS_HIDDEN
    if info.get("islink"):
        return IS_LINK
    if info["type"] != "file":
        return IS_IRREGULAR
    return "is empty." if info["size"] == 0 else ""


def _of_folder(folder: Path) -> Maker:
    """What makes candidates of the files below a folder: of a commit where git knows them, else of the folder.

    It may be part of a checkout; git refuses one that belongs to another user.
    """
    # A number alone tells no folder from others: it is that of a repeat.
    outer = [name for name in (folder.parts[-2:] if folder.name.isdigit() else folder.parts[-1:]) if name != "/"]
    top = git.top_of(folder)
    commit = git.commit_of(top, "HEAD") if top else None
    blobs = git.blobs_of(top, commit) if top and commit else {}
    repository = git.repository_of(top) if top and commit else None

    def candidate(path: str, place: str, size: int) -> Candidate:
        own = str(Path(place).relative_to(top)) if top and commit else ""
        if top and (blob := blobs.get(own)):
            origin = {"repository": repository, "commit": commit, "path": own}
            return Candidate(origin, ((repository or top.name).rpartition("/")[2],), place, size, blob=blob)
        return Candidate({"path": "/".join((*outer, path))}, (), place, size)

    return candidate


class Sources:
    """``spool``: a folder for what is unpacked or fetched, made on use. ``without``: one that is part of no source."""

    def __init__(self, spool: Path, without: Path) -> None:
        self._spool, self._without = spool.resolve(), str(without.resolve())
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
        is_folder = path.is_dir()
        if not is_folder and not path.is_file():
            raise LeftOut(IS_IRREGULAR, is_unreadable=True)
        if not is_folder and is_archive(path):
            yield from self._archive(path, path.name, {})
            return
        if not is_folder and ARCHIVE_NAME.search(path.name):
            raise LeftOut(NO_ARCHIVE, is_unreadable=True)
        folder, only = (path, "") if is_folder else (path.parent, str(path))
        make = _of_folder(folder)
        yield from _candidates(_HERE, str(folder), make, lambda at: str(folder / at), without=self._without, only=only)

    def _archive(self, path: Path, name: str, origin: Mapping[str, str]) -> Found:
        def candidate(inner: str, place: str, size: int) -> Candidate:
            return Candidate({**origin, "archive": name, "path": inner}, (ARCHIVE_NAME.sub("", name),), place, size)

        folder = self._spool / str(next(self._numbers))
        folder.mkdir(parents=True)
        left = list(_unpack(path, folder))
        yield from _candidates(_HERE, str(folder), candidate, lambda inner: f"{name}/{inner}")
        yield from (one.of(f"{name}/{one.name}".rstrip("/")) for one in left)

    def _remote(self, url: str) -> Found:
        with _told():
            fs, root = _filesystem(url)
            is_folder = url.endswith("/") if _is_web(url) else fs.isdir(root)
            if _is_web(url) and not is_folder:
                url = str(fs.info(root).get("url", url))  # where its host says that it lies by now
        base = url.rstrip("/")
        if is_folder:
            # A place of the file system is that of a URL.
            def make(inner: str, _: str, size: int) -> Candidate:
                return _of_url(f"{base}/{inner}", inner, size)

            yield from _candidates(fs, root, make, lambda inner: git.public(f"{base}/{inner}"))
        elif ARCHIVE_NAME.search(name := git.public(url).rpartition("/")[2]):
            self._spool.mkdir(exist_ok=True)
            place = self._spool / f"{next(self._numbers)}.archive"
            fetch(url, place)
            if not is_archive(place):
                raise LeftOut(NO_ARCHIVE, is_unreadable=True)
            yield from self._archive(place, name, {"url": git.public(url)})
        else:
            yield replace(_of_url(url, "", 0), named=True)


_HERE = fsspec.filesystem("file")


def _of_url(place: str, inner: str, size: int) -> Candidate:
    """A remote file; its path is that in its source, after the name of the folder or host that the source is."""
    url = git.public(place)
    inner = inner or url.rpartition("/")[2]
    root = url.removesuffix(inner).rstrip("/").rpartition("/")[2]
    return Candidate({"url": url, "path": f"{root}/{inner}".lstrip("/")}, (), place, size)
