"""Asking: which requests a served site answers, so that no website reads what a browser on this machine can."""

from email.message import Message
from ipaddress import ip_address
from urllib.parse import urlsplit

NOT_THIS_MACHINE = "The site is served to this machine only: ask for 127.0.0.1 or localhost."
FOREIGN = "Another site asks for this, and may only link to it."


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refusal(headers: Message, *, is_local: bool) -> str:
    """Why a request with these headers is not answered, in a sentence; empty where it is.

    ``is_local``: whether only this machine reaches the server. What names no site is no page of one: a program on this
    machine, or an address that somebody typed.
    """
    # A page from elsewhere may have a name that leads to this machine.
    if is_local and not is_loopback(_name(_said(headers, "Host"))):
        return NOT_THIS_MACHINE
    return FOREIGN if _is_foreign(headers) else ""


def _is_foreign(headers: Message) -> bool:
    origin, host = _said(headers, "Origin"), _said(headers, "Host")
    if origin and origin not in (f"http://{host}", f"https://{host}"):
        return True
    return _said(headers, "Sec-Fetch-Site") not in ("", "none", "same-origin") and not _is_followed_link(headers)


def _is_followed_link(headers: Message) -> bool:
    """Whether a window of its own opens: the site that links to it sees nothing of what it shows."""
    return (_said(headers, "Sec-Fetch-Mode"), _said(headers, "Sec-Fetch-Dest")) == ("navigate", "document")


def _said(headers: Message, name: str) -> str:
    """What a header says, in small letters; one that stands there twice says nothing that is known."""
    return ", ".join(headers.get_all(name, [])).lower()


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
