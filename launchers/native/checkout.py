"""The checkout of a native repository: where it comes from, on which commit it lies, whether it was changed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

_SCHEMES = {"http", "https", "ssh", "git"}
_SSH_SHORTHAND = re.compile(r"(?:[^/@]+@)?([^/:@]+):([^:@]+)")  # git@github.com:owner/name.git
_LONGEST = 60  # seconds
# A checkout's own configuration may name programs that git starts. None of them may run only because we look.
_HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
# What a shell may have told git for another repository, as `git rev-parse --local-env-vars` lists it. Its configuration
# stays: in a container it may be what says that a checkout of another user is safe.
_MISLEADING = {
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_INTERNAL_SUPER_PREFIX"),
    *("GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS"),
}


def describe(repo: Path) -> dict[str, Any]:
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
    commit = _git(repo, "rev-parse", "--verify", "--quiet", "HEAD")
    return {
        "repository": origin(repo),
        "commit": commit and commit.strip(),
        "dirty": _dirty(repo) if commit else None,
    }


def around(folder: Path) -> Path:
    """Return the checkout that a folder is in, or the folder itself where it is in none."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)


def commit_of(repo: Path, revision: str) -> str | None:
    """Return the commit of a revision of a checkout; None where it has none of that name, or git cannot tell."""
    answer = (repo / ".git").exists() and _git(
        repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    return answer.strip() if answer else None


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
    command = ["git", "-C", str(repo), *_HARMLESS, *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    answer = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if answer.returncode:
        said = os.fsdecode(answer.stderr).strip().splitlines() or [f"exit status {answer.returncode}"]
        raise click.ClickException(f"git {' '.join(arguments[:2])} failed: {said[-1]}.")


def origin(repo: Path) -> str | None:
    """Return the URL of the remote `origin`, or of the first one where none is called so."""
    answer = (repo / ".git").exists() and _git(repo, "config", "-z", "--get-regexp", r"^remote\..*\.url$")
    pairs = [entry.partition("\n")[::2] for entry in (answer or "").split("\0") if entry]
    urls = [url for key, url in pairs if key == "remote.origin.url"] or [url for _, url in pairs]
    return _public(urls[0]) if urls else None


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


def _public(url: str) -> str | None:
    """Return `url` without user, password, query and `.git`; None for a folder of this machine."""
    if "://" not in url:
        shorthand = _SSH_SHORTHAND.fullmatch(url)
        return _public(f"ssh://{shorthand[1]}/{shorthand[2].lstrip('/')}") if shorthand else None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in _SCHEMES or "@" in parts.path:  # an `@` there ends a password that holds a slash
        return None
    path = parts.path.rstrip("/").removesuffix(".git")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"


def _dirty(repo: Path) -> bool | None:
    keys = _filter_keys(repo)
    if any("=" in key for key in keys):  # such a filter cannot be switched off, so git is not asked
        return None
    filters_off = (word for key in keys for word in ("-c", f"{key}={'false' if key.endswith('.required') else ''}"))
    # Submodules are compared by their commits alone: their own configurations are not looked into.
    answer = _git(repo, *filters_off, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    return None if answer is None else bool(answer)


def changes(repo: Path) -> str:
    """Return the changes of tracked files since the commit, staged or not, as a patch; "" where none can be told.

    Nothing that the checkout's own configuration names is executed; a checkout that filters files has no patch.
    """
    if not (repo / ".git").exists() or _filter_keys(repo):
        return ""
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index", "--submodule=short")
    return _git(repo, "diff", "HEAD", *plain, "--ignore-submodules=dirty") or ""


def _filter_keys(repo: Path) -> list[str]:
    keys = _git(repo, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.") or ""
    return keys.split("\0")[:-1]


def _git(repo: Path, *arguments: str) -> str | None:
    """Return what git prints about `repo`; None where it is missing or fails."""
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    command = ["git", "-C", str(repo), *_HARMLESS, *arguments]
    try:
        answer = subprocess.run(
            command,
            env=environment | _QUIET,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_LONGEST,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(answer.stdout)
