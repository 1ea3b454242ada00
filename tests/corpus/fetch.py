"""Fetching the public logs: by git, at pinned commits, each held against its SHA-256.

`python -m tests.corpus.fetch FOLDER`, or `make corpus-fetch`. What is there already is not fetched again. Only the
files that are wanted are sent, by servers that can send a part of a repository.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from parsers.io.printable import say

SOURCES = Path(__file__).with_name("sources.csv")
HOST = "https://github.com/"


class FetchError(Exception):
    """A repository does not give a log, or gives another one."""


@dataclass(frozen=True)
class Source:
    """One public log: where it is, and the SHA-256 that it has there."""

    repository: str
    commit: str
    path: str
    sha256: str
    family: str
    published: str

    @property
    def log(self) -> str:
        """Its path below the folder of the corpus."""
        return f"{self.repository.replace('/', '-')}/{self.path}"

    def is_in(self, folder: Path) -> bool:
        """Whether the very file is there."""
        path = folder / self.log
        return path.is_file() and sha256(path.read_bytes()).hexdigest() == self.sha256


def sources(table: Path) -> list[Source]:
    """The rows of a table of sources."""
    with table.open(encoding="utf-8", newline="") as file:
        return [Source(**row) for row in csv.DictReader(file)]


def fetch(wanted: Sequence[Source], folder: Path, host: str = HOST) -> Iterator[str]:
    """Put the logs that ``folder`` lacks there, with an index of all; yields a sentence a commit.

    Raises FetchError for a repository or a log that is not to be had, or has changed.
    """
    lacking = [source for source in wanted if not source.is_in(folder)]
    for (repository, commit), logs in groupby(sorted(lacking, key=_commit), key=_commit):
        found = list(logs)
        _fetch(host + repository, commit, found, folder)
        yield f"{repository}@{commit[:7]}: {len(found)} logs."
    _write_index(wanted, folder)
    yield f"{folder}: {len(wanted)} logs, {len(lacking)} of them fetched."


def _commit(source: Source) -> tuple[str, str]:
    return source.repository, source.commit


def _fetch(url: str, commit: str, logs: Sequence[Source], folder: Path) -> None:
    with TemporaryDirectory() as checkout:
        _git(checkout, "init", "--quiet")
        _git(checkout, "fetch", "--quiet", "--depth=1", "--filter=blob:none", url, commit)
        _git(checkout, "config", "remote.origin.url", url)
        _git(checkout, "config", "remote.origin.promisor", "true")
        # Byte for byte: git would else change the ends of lines where its user says so.
        _git(checkout, "-c", "core.autocrlf=false", "checkout", "--quiet", commit, "--", *(log.path for log in logs))
        for log in logs:
            _take(Path(checkout, log.path), log, folder)


def _take(path: Path, log: Source, folder: Path) -> None:
    if path.is_symlink() or sha256(path.read_bytes()).hexdigest() != log.sha256:
        raise FetchError(f"{log.repository}: {log.path} is not the log that {SOURCES.name} names.")
    (folder / log.log).parent.mkdir(parents=True, exist_ok=True)
    copyfile(path, folder / log.log)


def _git(checkout: str, *arguments: str) -> None:
    done = subprocess.run(["git", "-C", checkout, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"git {arguments[0]}: {done.stderr.strip()}")


def _write_index(wanted: Sequence[Source], folder: Path) -> None:
    """The index that the tests of the corpus read; one that is there stays."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "INDEX.csv").exists():
        return
    with (folder / "INDEX.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "family", "published"))
        writer.writerows((source.log, source.family, source.published) for source in wanted)


if __name__ == "__main__":
    try:
        for sentence in fetch(sources(SOURCES), Path(sys.argv[1])):
            say(sentence)
    except FetchError as error:
        sys.exit(str(error))
