"""The names and addresses under which a browser finds this machine."""

import socket
from ipaddress import ip_address

import psutil

_ANY = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - browsers do not ask for these


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def own_names(host: str) -> frozenset[str]:
    """What a request may call a server that listens on an address: that, and what else this machine is called.

    In small letters, addresses as Python writes them. One that only this machine reaches has the names of the loopback
    alone, which ``is_own`` knows.
    """
    if is_loopback(host):
        return frozenset()
    name = socket.gethostname()
    names = (host, name, name.partition(".")[0], f"{name.partition('.')[0]}.local", socket.getfqdn())
    addresses = (found.address.partition("%")[0] for card in psutil.net_if_addrs().values() for found in card)
    return frozenset(_spelt(name) for name in (*names, *addresses)) - _ANY


def is_own(name: str, own: frozenset[str]) -> bool:
    """Whether a name is one of the loopback, or of ``own``, which are names as ``own_names`` gives them."""
    return is_loopback(name) or _spelt(name) in own


def _spelt(name: str) -> str:
    try:
        return str(ip_address(name))
    except ValueError:
        return name.lower()
