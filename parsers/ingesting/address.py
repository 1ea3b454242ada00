"""Addresses: URLs without what is secret in them."""

import re
from urllib.parse import urlsplit

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
