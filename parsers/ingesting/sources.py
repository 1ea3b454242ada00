"""Sources: the files, folders, archives, checkouts and URLs that a user names, and the candidates in them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import fsspec

from ..io.packed import SUFFIXES
from ..origins.address import public, repository_of
from ..origins.archive import ARCHIVE_NAME, is_archive, unpack
from ..origins.found_file import IS_LINK, File, LeftOut, names
from ..runs.git_files import blobs_of, commit_of, top_of
from ..runs.run_folder import LOG, RUN_FILE, SIDE_FILES
from ..runs.runfile import CONFIGURATIONS
from ..runs.sidefile import LARGEST, are_of, configurations
from .file_systems import NotTakenError, fetch, filesystem, is_url, is_web, told, walk


@dataclass(frozen=True)
class Checkout:
    """A git checkout: its folder, the URL of its repository (None where it names none), the commit of HEAD.

    ``blobs``: the objects of the files of that commit, by their paths in the checkout.
    """

    top: Path
    repository: str | None
    commit: str
    blobs: dict[str, str]

    @property
    def name(self) -> str:
        """The name of the repository; that of the folder where it has no URL."""
        return (self.repository or self.top.name).rpartition("/")[2]


def checkout(path: Path) -> Checkout | None:
    """The checkout that a folder belongs to.

    None where there is none, where git is missing, and where git refuses it because it belongs to another user.
    """
    top = top_of(path)
    commit = commit_of(top, "HEAD") if top else None
    if top is None or not commit:
        return None
    return Checkout(top, repository_of(top), commit, blobs_of(top, commit))


Origin = Mapping[str, str | bool | None]
OF_A_RUN = (RUN_FILE, *SIDE_FILES)


@dataclass(frozen=True)
class Candidate:
    """A file that may be a log.

    ``origin``: where it was found, as run.json is to say it; its ``path`` is the name of the file in its source.
    ``prefix``: names that tell the source from others. ``place``: a local path, or a URL. ``size``: bytes, where known.
    ``named``: whether the user named this very file. ``beside``: place of the run file and the side files of its
    folder, by name. ``configurations``: the same of its program's configurations there. ``blob``: the object that git
    keeps under this name.
    """

    origin: Origin
    prefix: tuple[str, ...]
    place: str
    size: int = 0
    named: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)
    blob: str | None = None
    configurations: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its path in its source."""
        return str(self.origin["path"])

    @property
    def name(self) -> str:
        """Where it is, to speak of it; no URL in it holds a secret."""
        return f"{self.origin['archive']}/{self.path}" if "archive" in self.origin else public(self.place)

    @property
    def beside_log(self) -> Mapping[str, str]:
        """What belongs to its run; nothing where it is not the log of a run."""
        return self.beside if self.is_of_a_run else {}

    @property
    def is_of_a_run(self) -> bool:
        """Whether it lies in a run folder, as the log of that run."""
        return RUN_FILE in self.beside and self.path.rpartition("/")[2] in (LOG, *(LOG + end for end in SUFFIXES))


Found = Iterator[Candidate | LeftOut]


def missing(sources: Iterable[str]) -> list[str]:
    """The sources on this machine that are not there."""
    return [source for source in sources if (path := _local_path(source)) and not path.exists()]


def _local_path(source: str) -> Path | None:
    """Where a source lies on this machine; None for one that lies elsewhere."""
    is_local = not is_url(source) or source.startswith("file://")
    return Path(source.removeprefix("file://")) if is_local else None


class LocalFiles:
    """The files below a folder."""

    def __init__(self, folder: Path) -> None:
        # A number alone tells no folder from others: it is that of a repeat.
        self._names = folder.parts[-2:] if folder.name.isdigit() else folder.parts[-1:]
        self._checkout = checkout(folder)

    def candidate(self, file: File) -> Candidate:
        """The candidate for a file: one of a commit where git knows it, else of the folder."""
        if self._checkout is not None:
            path = str(Path(file.place).relative_to(self._checkout.top))
            if blob := self._checkout.blobs.get(path):
                origin: Origin = {
                    "repository": self._checkout.repository,
                    "commit": self._checkout.commit,
                    "path": path,
                }
                return Candidate(origin, (self._checkout.name,), file.place, file.size, blob=blob)
        path = "/".join((*(name for name in self._names if name != "/"), file.path))
        return Candidate({"path": path}, (), file.place, file.size)


class Sources:
    """``spool``: a folder for what is unpacked or fetched. ``without``: a folder that is no part of any source."""

    def __init__(self, spool: Path, without: Path) -> None:
        self._spool, self._without = spool, without.resolve()
        self._numbers = count()

    def candidates(self, source: str) -> Found:
        """The candidates of one source, and what was left out, each as soon as it is found."""
        try:
            local = _local_path(source)
            yield from self._local(local) if local else self._remote(source)
        except NotTakenError as error:
            yield error.of(public(source))
        except OSError as error:
            yield LeftOut(public(source), f"cannot be read: {error.strerror}.", is_unreadable=True)

    def _local(self, path: Path) -> Found:
        if not path.exists():
            raise NotTakenError("file or folder not found.", is_unreadable=True)
        path = path.resolve()
        if path.is_dir():
            yield from self._folder(path)
        elif not path.is_file():
            raise NotTakenError("is not a regular file.", is_unreadable=True)
        elif is_archive(path):
            yield from self._archive(path, path.name, {})
        else:
            _refuse_broken_archive(path.name)
            yield from _file(path)

    def _folder(self, path: Path) -> Found:
        files = LocalFiles(path)
        for found in walk(fsspec.filesystem("file"), str(path), without=lambda name: Path(name) == self._without):
            yield from _candidates(found, files.candidate, lambda inner: str(path / inner))

    def _archive(self, path: Path, name: str, origin: Origin) -> Found:
        def candidate(file: File) -> Candidate:
            said = {**origin, "archive": name, "path": "/".join(names(file.path))}
            return Candidate(said, (ARCHIVE_NAME.sub("", name),), file.place, file.size)

        folder = self._spool / str(next(self._numbers))
        folder.mkdir()
        found = list(unpack(path, folder))
        # A name that comes twice in an archive is that of the later file, as for whoever unpacks it.
        files = {file.path: file for file in found if isinstance(file, File)}
        left_out = [file for file in found if isinstance(file, LeftOut)]
        yield from _candidates([*files.values(), *left_out], candidate, lambda inner: f"{name}/{inner}".rstrip("/"))

    def _remote(self, url: str) -> Found:
        with told():
            fs, root = filesystem(url)
            is_folder = url.endswith("/") if is_web(url) else fs.isdir(root)
        if is_folder:
            for found in walk(fs, root, without=lambda _: False):
                placed = [replace(f, place=_below(url, f.path)) if isinstance(f, File) else f for f in found]
                yield from _candidates(placed, _of_url, lambda inner: public(_below(url, inner)))
        elif ARCHIVE_NAME.search(_name(url)):
            yield from self._remote_archive(url)
        else:
            yield replace(_of_url(File("", url, 0)), named=True)

    def _remote_archive(self, url: str) -> Found:
        place = self._spool / f"{next(self._numbers)}.archive"
        fetch(url, place)
        if not is_archive(place):
            _refuse_broken_archive(_name(url))
        yield from self._archive(place, _name(url), {"url": public(url)})


def _name(url: str) -> str:
    return public(url).rpartition("/")[2]


def _below(url: str, path: str) -> str:
    return f"{url.rstrip('/')}/{path}" if path else url


def _of_url(file: File) -> Candidate:
    """A remote file; its path is that in its source, after the name of the folder or host that the source is."""
    url = public(file.place)
    inner = file.path or _name(url)
    root = url.removesuffix(inner).rstrip("/").rpartition("/")[2]
    return Candidate({"url": url, "path": f"{root}/{inner}".lstrip("/")}, (), file.place, file.size)


def _file(path: Path) -> Found:
    files = [path.with_name(name) for name in OF_A_RUN if path.with_name(name).is_file()]
    yield from (LeftOut(str(file), IS_LINK) for file in files if file.is_symlink())
    beside = {file.name: str(file) for file in files if not file.is_symlink()}
    own = {file.name: str(file) for file in configurations(path) if not file.is_symlink()}
    candidate = LocalFiles(path.parent).candidate(File(path.name, str(path), path.stat().st_size))
    yield replace(candidate, named=True, beside=beside, configurations=own)


def _configurations(log: str, there: Mapping[str, File]) -> dict[str, str]:
    """The places of the configurations that are those of a log, by name; ``there``: the files of its folder."""
    present = [there[name] for name in CONFIGURATIONS if name in there and name != log]
    if not present or not are_of(log, there):
        return {}
    return {file.path.rpartition("/")[2]: file.place for file in present if file.size <= LARGEST}


def _refuse_broken_archive(name: str) -> None:
    if ARCHIVE_NAME.search(name):
        raise NotTakenError("is not a tar or zip archive, despite its name.", is_unreadable=True)


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
        there = folders[folder]
        beside = {name: there[name].place for name in OF_A_RUN if name in there}
        yield replace(candidate(file), beside=beside, configurations=_configurations(last, there))
    for left in (left for left in found if isinstance(left, LeftOut)):
        yield replace(left, name=name(left.name))
