"""The logs of a draft: which ones the user names, and below which folder a page finds them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.io.errors import LogError, ParserError
from parsers.io.message import Message
from parsers.runs.run_folder import RUN_FILE, SIDE_FILES
from parsers.runs.runfile import log_of

MOST_FILES = 10_000
OF_A_RUN = (RUN_FILE, *SIDE_FILES)
LEFT_OUT = "{log}: left out: {reason}"
IS_LINK = "it is a link; name the file that it leads to."
IS_EMPTY = "it is empty."
NO_FILE = "file or folder not found."
NO_LOGS = "holds no files that may be logs."
NOT_BELOW = "is not in the log folder {folder}; --logs names another one."
TOO_MANY = "holds more than {most} files; name the folders of the runs to publish."


@dataclass(frozen=True)
class NamedLogs:
    """Logs by their paths below ``folder``, sorted, each once; and why files beside them are left out."""

    folder: Path
    paths: tuple[str, ...]
    left_out: tuple[Message, ...]


def named_logs(named: Sequence[Path], folder: Path | None, default: Path) -> NamedLogs:
    """The logs that files, run folders and folders of them stand for; hidden files are passed over.

    ``folder``: the one that a page looks for logs in; by default ``default`` where that holds them all, else the one
    that they share. Raises LogError for a path that does not exist, holds nothing, or is not below ``folder``.
    """
    found, left_out = list[Path](), list[Message]()
    for path in named:
        logs = list(_logs(path))
        if not logs:
            raise LogError.at(path, NO_LOGS)
        found += [log for log in logs if isinstance(log, Path)]
        left_out += [log for log in logs if isinstance(log, Message)]
    root = folder or _shared(named, found, default)
    return NamedLogs(root, tuple(sorted({_below(log, root) for log in found})), tuple(dict.fromkeys(left_out)))


def why(log: object, reason: Message) -> Message:
    """That a log is left out, and why."""
    return Message(LEFT_OUT, log=log, reason=reason)


def _logs(path: Path) -> Iterator[Path | Message]:
    if not path.exists():
        raise LogError.at(path, NO_FILE)
    if not path.is_dir():
        yield path
        return
    for count, found in enumerate(_walked(path), 1):
        if count > MOST_FILES:
            raise LogError.at(path, TOO_MANY, most=MOST_FILES)
        yield found


def _walked(top: Path) -> Iterator[Path | Message]:
    """The log of each run folder below a folder, and all files of the others."""
    for where, folders, files in os.walk(top):
        folder = Path(where)
        folders[:] = [] if RUN_FILE in files else sorted(name for name in folders if not name.startswith("."))
        if RUN_FILE in files:
            yield _of_run(folder)
            continue
        for name in sorted(files):
            if not name.startswith(".") and name not in OF_A_RUN:
                yield _of_file(folder / name)


def _of_run(folder: Path) -> Path | Message:
    try:
        return log_of(folder)
    except ParserError as error:
        return why(folder, error.message)


def _of_file(path: Path) -> Path | Message:
    if path.is_symlink():
        return why(path, Message(IS_LINK))
    return path if path.stat().st_size else why(path, Message(IS_EMPTY))


def _shared(named: Sequence[Path], found: Sequence[Path], default: Path) -> Path:
    """The default folder where it holds all logs, else the lowest that does and is no run folder."""
    if all(_is_below(log, default) for log in found):
        return default
    tops = [_top(path) for path in named]
    return Path(os.path.commonpath(list(map(_spelt_out, tops))) if len(tops) > 1 else tops[0])


def _top(path: Path) -> Path:
    """A folder of logs; of a log or a run folder the one that it is in."""
    return path.parent if not path.is_dir() or (path / RUN_FILE).exists() else path


def _is_below(log: Path, folder: Path) -> bool:
    return _spelt_out(log).is_relative_to(_spelt_out(folder))


def _below(log: Path, folder: Path) -> str:
    if not _is_below(log, folder):
        raise LogError.at(log, NOT_BELOW, folder=folder)
    return _spelt_out(log).relative_to(_spelt_out(folder)).as_posix()


def _spelt_out(path: Path) -> Path:
    """The path from the root; links are not followed, as a page does not follow those that lead out of its folder."""
    return Path(os.path.normpath(path.absolute()))
