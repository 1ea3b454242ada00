"""Addresses: URLs without what is secret in them."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from ..runs.git_files import git

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
    answer = git(top, "config", "-z", "--get-regexp", r"^remote\..*\.url$") or ""
    pairs = [entry.partition("\n")[::2] for entry in answer.split("\0") if entry]
    # Of several URLs of one remote, git fetches from the first.
    urls = [url for key, url in pairs if key == "remote.origin.url"] or [url for _, url in pairs]
    return public_repository(urls[0]) if urls else None
