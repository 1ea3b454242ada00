"""Checkouts: which repository and commit the files of a folder come from, and whether they were changed."""

from dataclasses import dataclass
from pathlib import Path

from ..origins.address import repository_of
from ..runs.git_files import blobs_of, commit_of, top_of


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
