"""Git: what a checkout keeps of a commit, and where it is from; nothing of it runs, and no URL tells a secret."""

import hashlib
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from .files import opened

_LONGEST = 60  # seconds
# A checkout's own configuration may name programs that git starts. None of them may run only because we look.
_HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
# What a shell may have told git for another repository is not passed on; what it says of git itself is: in a container
# its configuration may be what says that a checkout of another user is safe.
_OF_GIT_ITSELF = re.compile("(?!GIT_)|GIT_(CONFIG|TEST|SSL|SSH|ASKPASS|HTTP|PROXY|EXEC_PATH)")


def top_of(folder: Path) -> Path | None:
    """The folder of the checkout that a folder belongs to; None where there is none."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def commit_of(top: Path, revision: str) -> str | None:
    """The commit of a revision of a checkout; None where it has none of that name, and where git cannot tell."""
    answer = git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return answer.strip() if answer else None


def blobs_of(top: Path, commit: str) -> dict[str, str]:
    """The objects of the files of a commit, by their paths in the checkout."""
    entries = [entry.partition("\t") for entry in (git(top, "ls-tree", "-rz", "--full-tree", commit) or "").split("\0")]
    return {path: kind.split()[2] for kind, _, path in entries if path and kind.split()[1] == "blob"}


def is_changed(path: Path, blob: str) -> bool:
    """Whether a file is another one than the object that git keeps under its name."""
    digest = hashlib.sha1(usedforsecurity=False) if len(blob) == 40 else hashlib.sha256()
    digest.update(b"blob %d\0" % path.stat().st_size)
    with opened(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest() != blob


def git(repo: Path, *arguments: str) -> str | None:
    """What git prints about a checkout; None where it is missing or fails. No program that it configures is started."""
    command = ["git", "-C", str(repo), *_HARMLESS, *arguments]
    known = {name: value for name, value in os.environ.items() if _OF_GIT_ITSELF.match(name)}
    try:
        done = subprocess.run(  # noqa: S603 - a list, no shell, and what the checkout configures is switched off
            command,
            env={**known, **_QUIET},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_LONGEST,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(done.stdout)


_URL = re.compile(r"([a-z][a-z0-9+.-]*://)(?:[^/\s'\"]*@)?([^?#\s'\"]*)(?:[?#][^\s'\")]*)?", re.IGNORECASE)
_SSH_SHORTHAND = re.compile(r"(?:[^/@]+@)?([^/:@]+):([^:@]+)")  # git@host:owner/name.git
_OF_REPOSITORIES = ("http", "https", "ssh", "git")


def public(text: str) -> str:
    """A text whose URLs are without user, password, query (which may be a signature) and fragment."""
    return _URL.sub(r"\1\2", text)


def public_repository(url: str) -> str | None:
    """The URL of a git remote without its secrets and ``.git``; None for a folder of this machine."""
    if "://" not in url:
        shorthand = _SSH_SHORTHAND.fullmatch(url)
        return public_repository(f"ssh://{shorthand[1]}/{shorthand[2].lstrip('/')}") if shorthand else None
    try:
        parts = urlsplit(public(url))
    except ValueError:
        return None
    # An `@` in the path ends a password that holds a slash.
    if parts.scheme not in _OF_REPOSITORIES or "@" in urlsplit(url).path:
        return None
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('.git')}"


def repository_of(top: Path) -> str | None:
    """The URL of the repository of a checkout without its secrets; None where it names none."""
    # Of several URLs of one remote, git fetches from the first.
    urls = git(top, "config", "-z", "--get-all", "remote.origin.url")
    return public_repository(urls.split("\0")[0]) if urls else None
