"""The checkout of a native repository: where it comes from, on which commit it lies, whether it was changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from parsers.origins.address import repository_of
from parsers.runs.git_files import command, commit_of, environment, git
from parsers.runs.run_folder import Source


def describe(repo: Path) -> Source:
    """Say the `repository` (a URL), the `commit` and whether files are changed (`dirty`) of the checkout `repo`.

    What cannot be told is None: all three where `repo` has no `.git` of its own (a repository around it does not
    count), where git is missing, and where git refuses a checkout that belongs to another user. A remote that is a
    folder of this machine is no URL, and a URL is told without user, password and query.

    Only files that git tracks make a checkout dirty, staged or not: native programs write logs and checkpoints into
    their checkouts, so files that git does not know are the rule there. Nothing that the checkout's own configuration
    names is executed. So files that it filters (Git LFS) count as changed where git has to read them again.
    """
    if not (repo / ".git").exists():
        return {"repository": None, "commit": None, "dirty": None}
    commit = commit_of(repo, "HEAD")
    return {
        "repository": origin(repo),
        "commit": commit,
        "dirty": _dirty(repo) if commit else None,
    }


@contextmanager
def worktree(repo: Path, commit: str, folder: Path) -> Iterator[None]:
    """Check a commit out into a folder that is not there yet, and take it away again at the end.

    Filters that the checkout or the user configures apply, for its code is to run; hooks do not. Raises
    click.ClickException where git refuses.
    """
    _changed(repo, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    try:
        yield
    finally:
        with suppress(click.ClickException):  # git forgets by itself what is no longer there
            _changed(repo, "worktree", "remove", "--force", str(folder))


def _changed(repo: Path, *arguments: str) -> None:
    """Let git change a checkout; raises click.ClickException with what git says where it fails."""
    answer = subprocess.run(
        command(repo, *arguments), env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if answer.returncode:
        said = os.fsdecode(answer.stderr).strip().splitlines() or [f"exit status {answer.returncode}"]
        raise click.ClickException(f"git {' '.join(arguments[:2])} failed: {said[-1]}.")


def origin(repo: Path) -> str | None:
    """Return the URL of the repository of the checkout `repo` without its secrets; None where it names none."""
    return repository_of(repo) if (repo / ".git").exists() else None


def is_of(repo: Path, url: str) -> bool:
    """Whether `repo` is a checkout of the repository `url` or a fork of it, by the name of its remote or its own."""
    return _owner_and_name(origin(repo) or repo.resolve().as_uri())[1].lower() == _owner_and_name(url)[1].lower()


class CheckoutRemark(NamedTuple):
    """How a checkout differs from what a recipe means, and what to do about it; ``str`` makes one sentence of both.

    ``is_wrong``: it is one of another program.
    """

    said: str
    advice: str
    is_wrong: bool = False

    def __str__(self) -> str:
        return f"{self.said}; {self.advice}"


def remarks(found: Mapping[str, Any], facts: Mapping[str, str]) -> Iterator[CheckoutRemark]:
    """Say in a sentence each how `found`, an answer of `describe`, differs from what a recipe means.

    `facts` are the recipe's head lines, of which `repository` and `commit` count.
    """
    if found["commit"] is None:
        said = "The commit of the checkout is unknown: it does not have its own .git, or git is missing or refuses it"
        yield CheckoutRemark(said, f"use `git clone {facts['repository']}`.")
        return
    pinned = found["commit"] == facts["commit"]
    yield from _remarks_on_origin(found["repository"], facts["repository"], pinned)
    if not pinned:
        here, meant = found["commit"][:12], facts["commit"]
        advice = f"switch to the recipe's commit with `git checkout {meant}`."
        yield CheckoutRemark(f"The checkout is at commit {here}", advice)
    if found["dirty"]:
        advice = "list them with `git status`, stash them with `git stash`."
        yield CheckoutRemark("The checkout has local changes", advice)


def _remarks_on_origin(url: str | None, meant: str, pinned: bool) -> Iterator[CheckoutRemark]:
    advice = f"the recipe is for {meant}."
    if url is None:
        if not pinned:
            yield CheckoutRemark("The origin of the checkout is unknown", advice)
        return
    (owner, name), (meant_owner, meant_name) = _owner_and_name(url), _owner_and_name(meant)
    if name.lower() != meant_name.lower():
        yield CheckoutRemark(f"The checkout was cloned from {url}, a different repository", advice, is_wrong=True)
    elif owner.lower() != meant_owner.lower():
        yield CheckoutRemark(f"The checkout was cloned from {url}, which looks like a fork", advice)


def _owner_and_name(url: str) -> tuple[str, str]:
    owner, _, name = urlsplit(url).path.strip("/").rpartition("/")
    return owner.rpartition("/")[2], name


def _dirty(repo: Path) -> bool | None:
    keys = _filter_keys(repo)
    if any("=" in key for key in keys):  # such a filter cannot be switched off, so git is not asked
        return None
    filters_off = (word for key in keys for word in ("-c", f"{key}={'false' if key.endswith('.required') else ''}"))
    # Submodules are compared by their commits alone: their own configurations are not looked into.
    answer = git(repo, *filters_off, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    return None if answer is None else bool(answer)


def changes(repo: Path) -> str:
    """Return the changes of tracked files since the commit, staged or not, as a patch; "" where none can be told.

    Nothing that the checkout's own configuration names is executed; a checkout that filters files has no patch.
    """
    if not (repo / ".git").exists() or _filter_keys(repo):
        return ""
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index", "--submodule=short")
    return git(repo, "diff", "HEAD", *plain, "--ignore-submodules=dirty") or ""


def _filter_keys(repo: Path) -> list[str]:
    keys = git(repo, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.") or ""
    return keys.split("\0")[:-1]
