"""A walk: all files below a folder of any file system that fsspec knows, folder by folder."""

from collections.abc import Callable, Iterator
from typing import Any

from fsspec import AbstractFileSystem

from ..origins.found_file import IS_HIDDEN, IS_IRREGULAR, IS_LINK, File, LeftOut, is_hidden

DEEPEST = 64

Info = dict[str, Any]


def walk(fs: AbstractFileSystem, root: str, *, without: Callable[[str], bool]) -> Iterator[list[File | LeftOut]]:
    """The files of each folder below ``root``, by name; places are those of ``fs``.

    Folders for which ``without`` holds are passed over. Hidden files and folders are left out, and links: what they
    point to is found by itself, or is not part of the source. So is a folder that cannot be listed.
    """
    folders = [root.rstrip("/")]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(_below(fs, folder, root), key=lambda info: str(info["name"]))
        except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
            yield [LeftOut(_path(folder, root), f"cannot be listed: {_reason(error)}.", is_unreadable=True)]
            continue
        entries = [info for info in entries if not (_is_folder(info) and without(_name(info)))]
        yield [LeftOut(_path(_name(info), root), IS_HIDDEN) for info in entries if _is_hidden(info)]
        entries = [info for info in entries if not _is_hidden(info)]
        inner = [_name(info) for info in entries if _is_folder(info)]
        folders += reversed(inner)
        yield [_file(info, root) for info in entries if not _is_folder(info)]


def _below(fs: AbstractFileSystem, folder: str, root: str) -> Iterator[Info]:
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


def _name(info: Info) -> str:
    return str(info["name"]).rstrip("/")


def _is_hidden(info: Info) -> bool:
    return is_hidden(_name(info).rpartition("/")[2])


def _is_folder(info: Info) -> bool:
    return info["type"] == "directory" and not info.get("islink")


def _file(info: Info, root: str) -> File | LeftOut:
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


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__).rstrip(".")
