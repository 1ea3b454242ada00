"""The checkout of a native repository: where it comes from, on which commit it lies, whether it was changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from parsers.io.git import commit_of, git, public_repository

# Submodules are compared by their commits alone: their own configurations are not looked into.
_STATUS = ("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=no")
_DIFF = ("diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index")
_NO_SUBMODULES = "--ignore-submodules=dirty"
Level = Literal["ok", "warning", "bad"]


class Diagnosis(NamedTuple):
    """One thing that was looked at: `said` is what was found, `advice` what to do about it where it is not good."""

    subject: str
    level: Level
    said: str
    advice: str | None = None

    def __str__(self) -> str:
        """One sentence of what was found and of the advice."""
        return f"{self.said.removesuffix('.')}; {self.advice}" if self.advice else self.said


class Checkout:
    """What git says of the folder `repo`: each of three questions is asked once, when its answer is first wanted.

    Nothing is known where `repo` has no `.git` of its own (a repository around it does not count), where git is
    missing, and where git refuses a checkout that belongs to another user. Nothing that the checkout's own
    configuration names is executed.
    """

    def __init__(self, repo: Path, configured: list[tuple[str, str]] | None = None) -> None:
        """`configured`: keys and values of its configuration; none for one of ours, whose remote does not matter."""
        self.repo = repo
        if configured is not None:
            self._configured = configured

    def again(self) -> Checkout:
        """The same, whose files are looked at anew."""
        return Checkout(self.repo, self._configured)

    @cached_property
    def _configured(self) -> list[tuple[str, str]]:
        """Keys and values of the configuration: the addresses of remotes, and filters, which are programs."""
        if not (self.repo / ".git").exists():
            return []
        answer = git(self.repo, "config", "-z", "--get-regexp", r"^(remote\..*\.url|filter\..*\..*)$") or ""
        return [entry.partition("\n")[::2] for entry in answer.split("\0") if entry]

    @property
    def _filters(self) -> list[str]:
        return [key for key, _ in self._configured if key.startswith("filter.")]

    @cached_property
    def _status(self) -> tuple[str | None, bool | None]:
        """The commit, and whether files that git tracks differ from it, staged or not."""
        if not (self.repo / ".git").exists():
            return None, None
        answer = None
        if not any("=" in key for key in self._filters):  # such a filter cannot be switched off
            off = (f"{key}={'false' if key.endswith('.required') else ''}" for key in self._filters)
            answer = git(self.repo, *(word for setting in off for word in ("-c", setting)), *_STATUS, _NO_SUBMODULES)
        if answer is None:
            return commit_of(self.repo, "HEAD"), None
        lines = answer.splitlines()
        commit = next(line.split()[-1] for line in lines if line.startswith("# branch.oid "))
        if commit == "(initial)":
            return None, None
        return commit, any(not line.startswith("# ") for line in lines)

    @property
    def repository(self) -> str | None:
        """The URL of its remote without user, password and query; None for a folder of this machine."""
        urls = [(key, url) for key, url in self._configured if key.startswith("remote.")]
        # Of several URLs of one remote, git fetches from the first.
        chosen = [url for key, url in urls if key == "remote.origin.url"] or [url for _, url in urls]
        return public_repository(chosen[0]) if chosen else None

    @property
    def commit(self) -> str | None:
        """The commit that it is on."""
        return self._status[0]

    @property
    def is_dirty(self) -> bool | None:
        """Whether files that git tracks are changed.

        Native programs write logs and checkpoints into their checkouts, so files that git does not know do not count.
        Files that the checkout filters (Git LFS) count as changed where git has to read them again.
        """
        return self._status[1]

    @cached_property
    def patch(self) -> str:
        """The changes of tracked files since the commit, staged or not; "" of a checkout that filters files."""
        if not self.is_dirty or self._filters:
            return ""
        return git(self.repo, *_DIFF, "--submodule=short", _NO_SUBMODULES) or ""

    def is_of(self, url: str) -> bool:
        """Whether it is one of the repository `url` or a fork of it, by the name of its remote or of its folder."""
        here, there = (Path(urlsplit(one).path) for one in (self.repository or self.repo.resolve().as_uri(), url))
        return here.name.lower() == there.name.lower()

    def remarks(self, recipe: Mapping[str, str]) -> Iterator[Diagnosis]:
        """Say how it differs from what a recipe means, whose facts these are; bad where it is another program."""
        if self.commit is None:
            said = "The commit of the checkout is unknown: it has no .git of its own, or git is missing or refuses it."
            yield Diagnosis("checkout", "warning", said, f"use `git clone {recipe['repository']}`.")
            return
        if self.repository and not self.is_of(recipe["repository"]):
            said = f"The checkout was cloned from {self.repository}, a different repository."
            yield Diagnosis("checkout", "bad", said, f"the recipe is for {recipe['repository']}.")
        if self.commit != recipe["commit"]:
            switch = f"switch to the recipe's commit with `git checkout {recipe['commit']}`."
            yield Diagnosis("checkout", "warning", f"The checkout is at commit {self.commit[:12]}.", switch)
        if self.is_dirty:
            advice = "list them with `git status`, stash them with `git stash`."
            yield Diagnosis("checkout", "warning", "The checkout has local changes.", advice)
