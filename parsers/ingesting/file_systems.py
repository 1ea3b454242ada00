"""File systems: what lies in a folder, here or elsewhere, is listed and fetched through fsspec."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import fsspec
from fsspec import AbstractFileSystem

from ..io.errors import WriteError, install
from ..io.files import write_pieces
from ..io.packed import Allowance, downloading
from ..origins.address import public
from ..origins.found_file import IS_HIDDEN, IS_IRREGULAR, IS_LINK, File, LeftOut, is_hidden

DEEPEST = 64
Info = dict[str, Any]
_OF_EXTRA = ("http", "https", "s3", "s3a")
_CHUNK = 1 << 20
_PATIENCE = 60  # seconds without any byte


class NotTakenError(Exception):
    """A file is not taken; raised with the reason and what ``LeftOut`` says of it."""

    def __init__(self, reason: str, *, is_unreadable: bool = False, is_common: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_unreadable, self.is_common = reason, is_unreadable, is_common

    def of(self, name: str) -> LeftOut:
        """The same of the file of this name."""
        return LeftOut(name, self.reason, self.is_unreadable, self.is_common)


def walk(fs: AbstractFileSystem, root: str, *, without: Callable[[str], bool]) -> Iterator[list[File | LeftOut]]:
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
            yield [LeftOut(_path(folder, root), f"cannot be listed: {reason}.", is_unreadable=True)]
            continue
        hidden, files, inner = list[File | LeftOut](), list[File | LeftOut](), list[str]()
        for info in entries:
            place = str(info["name"]).rstrip("/")
            is_folder = info["type"] == "directory" and not info.get("islink")
            if is_folder and without(place):
                continue
            if is_hidden(place.rpartition("/")[2]):
                hidden.append(LeftOut(_path(place, root), IS_HIDDEN))
            elif is_folder:
                inner.append(place)
            else:
                files.append(_entry(info, root))
        yield hidden
        folders += reversed(inner)
        yield files


def _listed(fs: AbstractFileSystem, folder: str, root: str) -> Iterator[Info]:
    """What a folder holds; of a web page the links that lead elsewhere, too."""
    if _path(folder, root).count("/") >= DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} folders deep")
    is_web = "://" in folder
    for info in fs.ls(f"{folder}/" if is_web else folder, detail=True):
        name = str(info["name"]).rstrip("/")
        inner = name.removeprefix(f"{folder}/")
        leads_elsewhere = is_web and (".." in inner.split("/") or "?" in inner or "#" in inner)
        if inner not in ("", name) and not leads_elsewhere:
            yield info


def _entry(info: Info, root: str) -> File | LeftOut:
    path = _path(str(info["name"]), root)
    if info.get("islink"):
        return LeftOut(path, IS_LINK)
    if info["type"] != "file":
        return LeftOut(path, IS_IRREGULAR)
    if info["size"] == 0:
        return LeftOut(path, "is empty.")
    return File(path, str(info["name"]), int(info["size"] or 0))


def _path(name: str, root: str) -> str:
    return name.removeprefix(root.rstrip("/")).strip("/")


def is_url(source: str) -> bool:
    """Whether a source is spelt as a URL."""
    return "://" in source


def is_web(url: str) -> bool:
    """Whether a URL is one of the web, where nothing but a slash at its end tells a folder from a file."""
    return url.startswith(("http://", "https://"))


@contextmanager
def told() -> Iterator[None]:
    """Turn any error of a file system, each of which has its own, into NotTakenError; no URL in it holds a secret."""
    try:
        yield
    except (NotTakenError, WriteError):
        raise
    except Exception as error:
        reason = public(str(error) or type(error).__name__).rstrip(".").replace("\n", " ")
        raise NotTakenError(f"cannot be read: {reason}.", is_unreadable=True) from error


def filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL and the path in it; raises NotTakenError that names the extra which is missing."""
    protocol = url.partition("://")[0].rpartition("::")[2]
    try:
        fs, path = fsspec.core.url_to_fs(url, **_options(url))
    except ImportError as error:
        needed = f"run `{install('remote')}`" if protocol in _OF_EXTRA else str(error).rstrip(".")
        raise NotTakenError(f"requires packages that are not installed; {needed}.", is_unreadable=True) from error
    except ValueError as error:
        raise NotTakenError(
            f"unknown protocol {protocol}://; use http://, https://, s3:// or another one supported by fsspec.",
            is_unreadable=True,
        ) from error
    return fs, str(path)


def fetch(url: str, place: Path) -> None:
    """Copy a remote file to a local one; raises NotTakenError where it cannot be read, or is larger than 64 GiB."""
    allowance = downloading()
    with told():
        fs, path = filesystem(url)
        with fs.open(path, "rb", **({"block_size": 0} if is_web(url) else {})) as stream:
            write_pieces(place, _allowed(stream, allowance))


def _allowed(stream: BinaryIO, allowance: Allowance) -> Iterator[bytes]:
    while data := stream.read(_CHUNK):
        allowance.take(len(data))
        yield data


def _options(url: str) -> dict[str, Any]:
    """A download may take hours, but not be silent for long; aiohttp would end it after five minutes."""
    if not is_web(url):
        return {}
    import aiohttp  # noqa: PLC0415 - it comes with the extra

    return {
        "client_kwargs": {"timeout": aiohttp.ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)}
    }
