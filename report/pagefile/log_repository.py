"""Log repositories: the logs that others published, brought by git into a cache, and of these only what pages name."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from parsers.io.cache import caches
from parsers.io.errors import ParserError
from parsers.io.git import bring
from parsers.io.printable import printable

from .page import Page

_ADDRESS = re.compile(r"(https?|file)://[^\s\x00-\x1f]+")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class FetchError(ParserError):
    """Logs that cannot be fetched."""


def fetched(pages: Mapping[str, Page]) -> Path:
    """The folder of the logs of pages, by their names, as their repository has them at the commit that they name.

    What was fetched before is taken from the cache. Raises FetchError.
    """
    sources = {name: page.source for name, page in pages.items() if page.source}
    if not sources:
        raise FetchError(f"No page names a repository of its logs ([source]); pages: {', '.join(pages)}.")
    (name, source), *others = sources.items()
    for other, its in others:
        if (its.repository, its.commit) != (source.repository, source.commit):
            both = f"{name} and {other} have logs in different repositories or commits"
            raise FetchError(f"{both}; render them separately.")
    if not _ADDRESS.fullmatch(source.repository):
        said = f"{name}: source.repository is {source.repository!r}"
        raise FetchError(f"{said}; only https://, http:// and file:// can be fetched.")
    if not _COMMIT.fullmatch(source.commit):
        said = f"{name}: source.commit is {source.commit!r}"
        raise FetchError(f"{said}; the whole commit, 40 or 64 hexadecimal digits, can be fetched.")
    columns = (column for name in sources for column in pages[name].columns.values())
    folders = (re.split(r"[{*?\[]", run.logs[0], maxsplit=1)[0].rpartition("/")[0] for c in columns for run in c.runs)
    return _brought(source.repository, source.commit, sorted({f"/{one}/" if one else "/*" for one in folders}))


def _brought(repository: str, commit: str, patterns: Sequence[str]) -> Path:
    """The folder in the cache that holds files of a commit, of which patterns of git say which.

    What is fetched takes its place there when it is whole.
    """
    key = hashlib.sha256("\0".join([repository, commit, *patterns]).encode()).hexdigest()
    place = caches() / "tachograph-logs" / key
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fetching-") as unfinished:
        made = Path(unfinished, "logs")
        made.mkdir()
        try:
            bring(made, repository, commit, patterns)
        except OSError as error:
            raise FetchError(f"git cannot be started: {error.strerror or error}") from error
        except subprocess.CalledProcessError as error:
            said = printable(error.stderr.decode("utf-8", "replace").strip().replace("\n", "; "))
            raise FetchError(f"git could not fetch {repository} at {commit}: {said}") from error
        shutil.rmtree(made / ".git")
        try:
            made.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster, with the same files
                raise
    return place
