"""Checkouts: which repository and commit the files of a folder come from, and whether they were changed."""

from dataclasses import dataclass
from pathlib import Path

from ..runs.git_files import blobs_of, commit_of, git, top_of
from .address import public_repository


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


def repository_of(top: Path) -> str | None:
    """The URL of the repository of a checkout without its secrets; None where it names none."""
    answer = git(top, "config", "-z", "--get-regexp", r"^remote\..*\.url$") or ""
    pairs = [entry.partition("\n")[::2] for entry in answer.split("\0") if entry]
    # Of several URLs of one remote, git fetches from the first.
    urls = [url for key, url in pairs if key == "remote.origin.url"] or [url for _, url in pairs]
    return public_repository(urls[0]) if urls else None
