"""Sources: the files, folders, archives, checkouts and URLs that a user names, and the candidates in them.

What lies in a folder, here or elsewhere, is listed and fetched through fsspec.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import fsspec
from fsspec import AbstractFileSystem

from ..io.errors import WriteError, install
from ..io.files import write_pieces
from ..io.git import blobs_of, commit_of, public, repository_of, top_of
from ..io.packed import SUFFIXES, Allowance, downloading
from ..runs.run_folder import LOG, RUN_FILE, SIDE_FILES
from ..runs.runfile import CONFIGURATIONS
from ..runs.side_files import LARGEST, are_of
from .archive import ARCHIVE_NAME, IS_HIDDEN, IS_IRREGULAR, IS_LINK, File, LeftOut, is_archive, is_hidden, names, unpack

DEEPEST = 64
OF_A_RUN = (RUN_FILE, *SIDE_FILES)
REDIRECTED = "it redirects to another host, {host}; pass that URL if you trust it"
_OF_EXTRA = ("http", "https", "s3", "s3a")
_CHUNK = 1 << 20
_PATIENCE = 60  # seconds without any byte


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
        return f"{self.origin['archive']}/{self.path}" if "archive" in self.origin else public(self.place)

    @property
    def is_of_a_run(self) -> bool:
        """Whether it lies in a run folder, as the log of that run."""
        return RUN_FILE in self.beside and self.path.rpartition("/")[2] in (LOG, *(LOG + end for end in SUFFIXES))

    @property
    def of_its_run(self) -> Mapping[str, str]:
        """What lies beside it and belongs to its run; of a log that is none of a run its configurations."""
        return {name: at for name, at in self.beside.items() if self.is_of_a_run or name not in OF_A_RUN}


Found = Iterator[Candidate | LeftOut]


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
            write_pieces(place, _allowed(stream, downloading()))


def _allowed(stream: BinaryIO, allowance: Allowance) -> Iterator[bytes]:
    while data := stream.read(_CHUNK):
        allowance.take(len(data))
        yield data


@contextmanager
def _told() -> Iterator[None]:
    """Turn any error of a file system, each of which has its own, into LeftOut; no URL in it holds a secret."""
    try:
        yield
    except (LeftOut, WriteError):
        raise
    except Exception as error:
        cause = error.__cause__ if isinstance(error.__cause__, _RefusedError) else error
        reason = public(str(cause) or type(cause).__name__).rstrip(".").replace("\n", " ")
        raise LeftOut(f"cannot be read: {reason}.", is_unreadable=True) from error


def _filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL and the path in it; raises LeftOut that names the extra which is missing."""
    protocol = url.partition("://")[0].rpartition("::")[2]
    try:
        options = {protocol: _options_of_the_web()} if protocol in ("http", "https") else {}
        fs, path = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        needed = f"run `{install('remote')}`" if protocol in _OF_EXTRA else str(error).rstrip(".")
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


def _walk(fs: AbstractFileSystem, root: str, *, without: Callable[[str], bool]) -> Iterator[list[File | LeftOut]]:
    """The files of each folder below ``root``, by name; places are those of ``fs``.

    Folders for which ``without`` holds are passed over. Hidden files and folders are left out, and links: what they
    point to is found by itself, or is not part of the source. So is a folder that cannot be listed.
    """
    folders = [root.rstrip("/")]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(_listed(fs, folder, root), key=lambda info: str(info["name"]))
        except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
            reason = str(getattr(error, "strerror", None) or error or type(error).__name__).rstrip(".")
            yield [LeftOut(f"cannot be listed: {reason}.", _path(folder, root), is_unreadable=True)]
            continue
        hidden, files, inner = list[File | LeftOut](), list[File | LeftOut](), list[str]()
        for info in entries:
            place = str(info["name"]).rstrip("/")
            is_folder = info["type"] == "directory" and not info.get("islink")
            if is_folder and without(place):
                continue
            if is_hidden(place.rpartition("/")[2]):
                hidden.append(LeftOut(IS_HIDDEN, _path(place, root)))
            elif is_folder:
                inner.append(place)
            else:
                files.append(_entry(info, root))
        yield hidden
        folders += reversed(inner)
        yield files


def _listed(fs: AbstractFileSystem, folder: str, root: str) -> Iterator[dict[str, Any]]:
    """What a folder holds; of a web page no link that leads elsewhere."""
    if _path(folder, root).count("/") >= DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} folders deep")
    is_web = "://" in folder
    for info in fs.ls(f"{folder}/" if is_web else folder, detail=True):
        name = str(info["name"]).rstrip("/")
        inner = name.removeprefix(f"{folder}/")
        leads_elsewhere = is_web and (".." in inner.split("/") or "?" in inner or "#" in inner)
        if inner not in ("", name) and not leads_elsewhere:
            yield info


def _entry(info: Mapping[str, Any], root: str) -> File | LeftOut:
    path = _path(str(info["name"]), root)
    if info.get("islink"):
        return LeftOut(IS_LINK, path)
    if info["type"] != "file":
        return LeftOut(IS_IRREGULAR, path)
    if info["size"] == 0:
        return LeftOut("is empty.", path)
    return File(path, str(info["name"]), int(info["size"] or 0))


def _path(name: str, root: str) -> str:
    return name.removeprefix(root.rstrip("/")).strip("/")


class _LocalFiles:
    """The files below a folder, which may be part of a checkout; git refuses one that belongs to another user."""

    def __init__(self, folder: Path) -> None:
        # A number alone tells no folder from others: it is that of a repeat.
        self._names = folder.parts[-2:] if folder.name.isdigit() else folder.parts[-1:]
        top = top_of(folder)
        commit = commit_of(top, "HEAD") if top else None
        self._top, self._commit, self._blobs = top, commit, dict[str, str]()
        if top and commit:
            self._blobs, self._repository = blobs_of(top, commit), repository_of(top)

    def candidate(self, file: File) -> Candidate:
        """The candidate for a file: one of a commit where git knows it, else of the folder."""
        if self._top and self._commit:
            path = str(Path(file.place).relative_to(self._top))
            if blob := self._blobs.get(path):
                origin = {"repository": self._repository, "commit": self._commit, "path": path}
                name = (self._repository or self._top.name).rpartition("/")[2]
                return Candidate(origin, (name,), file.place, file.size, blob=blob)
        path = "/".join((*(name for name in self._names if name != "/"), file.path))
        return Candidate({"path": path}, (), file.place, file.size)


class Sources:
    """``spool``: a folder for what is unpacked or fetched, made on use. ``without``: one that is part of no source."""

    def __init__(self, spool: Path, without: Path) -> None:
        self._spool, self._without = spool, without.resolve()
        self._numbers = count()

    def candidates(self, source: str) -> Found:
        """The candidates of one source, and what was left out, each as soon as it is found."""
        try:
            local = _local_path(source)
            yield from self._local(local) if local else self._remote(source)
        except LeftOut as error:
            yield error.of(public(source))
        except OSError as error:
            yield LeftOut(f"cannot be read: {error.strerror}.", public(source), is_unreadable=True)

    def _local(self, path: Path) -> Found:
        if not path.exists():
            raise LeftOut("file or folder not found.", is_unreadable=True)
        path = path.resolve()
        if path.is_dir():
            files = _LocalFiles(path)
            for found in _walk(fsspec.filesystem("file"), str(path), without=lambda name: Path(name) == self._without):
                yield from _candidates(found, files.candidate, lambda inner: str(path / inner))
        elif not path.is_file():
            raise LeftOut("is not a regular file.", is_unreadable=True)
        elif is_archive(path):
            yield from self._archive(path, path.name, {})
        else:
            _refuse_broken_archive(path.name)
            yield from _file(path)

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
            for found in _walk(fs, root, without=lambda _: False):
                placed = [replace(f, place=_below(url, f.path)) if isinstance(f, File) else f for f in found]
                yield from _candidates(placed, _of_url, lambda inner: public(_below(url, inner)))
        elif ARCHIVE_NAME.search(name := public(url).rpartition("/")[2]):
            self._spool.mkdir(exist_ok=True)
            place = self._spool / f"{next(self._numbers)}.archive"
            fetch(url, place)
            if not is_archive(place):
                _refuse_broken_archive(name)
            yield from self._archive(place, name, {"url": public(url)})
        else:
            yield replace(_of_url(File("", url, 0)), named=True)


def _below(url: str, path: str) -> str:
    return f"{url.rstrip('/')}/{path}" if path else url


def _of_url(file: File) -> Candidate:
    """A remote file; its path is that in its source, after the name of the folder or host that the source is."""
    url = public(file.place)
    inner = file.path or url.rpartition("/")[2]
    root = url.removesuffix(inner).rstrip("/").rpartition("/")[2]
    return Candidate({"url": url, "path": f"{root}/{inner}".lstrip("/")}, (), file.place, file.size)


def _file(path: Path) -> Found:
    """A file that is named itself, with what lies beside it."""
    beside = [
        near for name in (*OF_A_RUN, *CONFIGURATIONS) if (near := path.with_name(name)).is_file() and near != path
    ]
    yield from (LeftOut(IS_LINK, str(file)) for file in beside if file.is_symlink() and file.name in OF_A_RUN)
    there = {file.name: File(file.name, str(file), file.stat().st_size) for file in beside if not file.is_symlink()}
    folder = [entry.name for entry in path.parent.iterdir()] if there.keys() & set(CONFIGURATIONS) else []
    own = _LocalFiles(path.parent).candidate(File(path.name, str(path), path.stat().st_size))
    yield replace(own, named=True, beside=_beside(path.name, there, folder))


def _beside(log: str, there: Mapping[str, File], folder: Iterable[str]) -> dict[str, str]:
    """The places of what may belong to the run of a log among files that lie ``there``; ``folder``: all names there."""
    own = [name for name in CONFIGURATIONS if name in there and name != log and there[name].size <= LARGEST]
    if own and not are_of(log, folder):
        own = []
    return {name: there[name].place for name in (*OF_A_RUN, *own) if name in there}


def _refuse_broken_archive(name: str) -> None:
    if ARCHIVE_NAME.search(name):
        raise LeftOut("is not a tar or zip archive, despite its name.", is_unreadable=True)


def _candidates(
    found: Iterable[File | LeftOut], candidate: Callable[[File], Candidate], name: Callable[[str], str]
) -> Found:
    """The candidates among files; those that belong to a run come with its log, and are no candidates themselves."""
    folders: dict[str, dict[str, File]] = {}
    files = [file for file in found if isinstance(file, File)]
    for file in files:
        folder, _, last = file.path.rpartition("/")
        folders.setdefault(folder, {})[last] = file
    for file in (file for file in files if file.path.rpartition("/")[2] not in OF_A_RUN):
        folder, _, last = file.path.rpartition("/")
        yield replace(candidate(file), beside=_beside(last, folders[folder], folders[folder]))
    yield from (left.of(name(left.name)) for left in found if isinstance(left, LeftOut))
