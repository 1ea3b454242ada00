"""Identities: the hosts, people and addresses that a text names."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from ..grammar.format import ROOM
from ..scanning.detection import formats
from .identity_rules import BEFORE_VERSION, is_host, is_name, is_private, is_version, rules

# A colour ends with a letter, which would be taken for the begin of the word behind it.
_COLOUR = re.compile(rb"\x1b\[[0-?]{0,32}[ -/]{0,8}[@-~]")
_LISTED = re.compile(
    rb"(?i)(?<![\w.-])([a-z0-9][a-z0-9._-]*+(?>(?:\[[0-9]{1,9}(?:-[0-9]{1,9})?(?:(?=,[0-9]),[0-9]{1,9}(?:-[0-9]{1,9})?)*+\][a-z0-9._-]*+){0,4}))(:[0-9]+)?"
)
_RANGE = re.compile(rb"\[([0-9]+)[0-9,-]*\]")
_KEY = re.compile(rb"(?i)['\"]([a-z0-9][a-z0-9._-]+)['\"]: ?\[")
_WORD = re.compile(r"[A-Za-z0-9_]{2,}")
_ENDS = b".-_"


class Identity(NamedTuple):
    """What a text names, and of what ``kind`` it is.

    host, user, email, address; ``nodes`` is Slurm's spelling of several hosts; ``home`` the path of a home folder whose
    user has so common a name that it is sought nowhere else; ``encoded`` is base64 that may hold others; ``taken`` a
    placeholder that stands there already. ``version`` is what reads as the version of what stands ``before`` it, and is
    an address where that is a name.
    """

    kind: str
    text: bytes
    before: bytes = b""


class _Mention(NamedTuple):
    """A part of a text, and what stands before it."""

    text: bytes
    before: bytes = b""


def identities(text: bytes) -> Iterator[Identity]:
    """What whole lines name, rule by rule and in each by its place; the same may come again."""
    text = b"\n" + text
    plain = uncoloured(text)
    lowered = plain.lower()
    for rule in rules():
        seen: set[tuple[str, _Mention]] = set()
        for found in rule.sightings(lowered):
            for group in rule.groups:
                start, end = found.span(group)
                place = _Mention(
                    text[start:end], plain[max(0, start - BEFORE_VERSION) : start] if group == "address" else b""
                )
                if place.text and (group, place) not in seen:
                    seen.add((group, place))
                    yield from _JUDGES[group](place)


def uncoloured(text: bytes) -> bytes:
    """A text of the same length in which no letter belongs to a colour."""
    return _COLOUR.sub(lambda colour: b"\x1b" * len(colour[0]), text) if b"\x1b" in text else text


def decoded(text: bytes) -> bytes:
    """What base64 stands for; nothing where it is none."""
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def is_word(name: bytes) -> bool:
    """Whether a name is also a word that known formats print or that facts are told with: it is no name everywhere."""
    return name.lower() in _printed()


@cache
def _printed() -> frozenset[bytes]:
    literals = [literal for fmt in formats() for variant in fmt.variants for literal in variant.literals]
    spelt = (ROOM / "spellings.toml").read_text(encoding="utf-8")
    return frozenset(word.lower().encode() for word in _WORD.findall(" ".join([*literals, spelt])))


def _host(place: _Mention) -> Iterator[Identity]:
    name = place.text.rstrip(_ENDS)
    if is_host(name) and not is_word(name):
        yield Identity("host", name)


def _inner(place: _Mention) -> Iterator[Identity]:
    """A name with dots is one of the public internet, unless another rule says that it is a host of the job."""
    return iter(()) if b"." in place.text.rstrip(_ENDS) else _host(place)


def _hosts(place: _Mention) -> Iterator[Identity]:
    for found in _LISTED.finditer(place.text):
        if b"[" in found[1]:
            yield from [Identity("nodes", found[1])] if is_host(_RANGE.sub(rb"\1", found[1])) else []
        else:
            yield from _host(place._replace(text=found[1]))


def _peers(place: _Mention) -> Iterator[Identity]:
    for found in _LISTED.finditer(place.text):
        if found[2]:
            yield from _host(place._replace(text=found[1]))


def _keys(place: _Mention) -> Iterator[Identity]:
    for found in _KEY.finditer(place.text):
        yield from _host(place._replace(text=found[1]))


def _user(place: _Mention) -> Iterator[Identity]:
    name = place.text.rstrip(_ENDS)
    if is_name(name) and not is_word(name):
        yield Identity("user", name)


def _home(place: _Mention) -> Iterator[Identity]:
    path = place.text.rstrip(_ENDS)
    name = re.split(rb"[/\\]", path)[-1]
    if is_name(name) and is_word(name):
        yield Identity("home", path)


def _email(place: _Mention) -> Iterator[Identity]:
    name, _, domain = place.text.partition(b"@")
    if is_host(domain) and not name.endswith(b".git") and domain.lower() != b"example.com":
        yield Identity("email", place.text)


def _address(place: _Mention) -> Iterator[Identity]:
    if is_private(place.text):
        is_one = place.text.startswith(b"10.") and is_version(place.before)
        yield Identity("version", place.text, place.before) if is_one else Identity("address", place.text)


def _encoded(place: _Mention) -> Iterator[Identity]:
    """Launchers hand the hosts of a job on as base64 of JSON: a list of cards for each of them."""
    if text := decoded(place.text):
        yield from identities(b"world_info " + text)
        yield Identity("encoded", place.text)


def _taken(place: _Mention) -> Iterator[Identity]:
    yield Identity("taken", place.text.lower())


_JUDGES: dict[str, Callable[[_Mention], Iterator[Identity]]] = {
    "host": _host,
    "inner": _inner,
    "hosts": _hosts,
    "peers": _peers,
    "keys": _keys,
    "user": _user,
    "home": _home,
    "email": _email,
    "address": _address,
    "encoded": _encoded,
    "taken": _taken,
}
