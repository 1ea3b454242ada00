"""Identities: the hosts, people and addresses that a text names."""

import base64
import binascii
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, NamedTuple

from ..grammar.format import ROOM
from ..scanning.detection import formats

RULES = Path(__file__).with_name("identities.toml")
_NAME = r"[a-z0-9][a-z0-9._-]{1,100}+"
# A letter in UTF-8; a byte that is none ends a name.
_BEYOND_ASCII = r"[\xc2-\xf4][\x80-\xbf]{1,3}"
_LIST = r"\[[^\]\r\n]{1,4000}\]|[a-z0-9][a-z0-9._:,@\[\]-]{1,4000}+"
_PARTS = {
    "{host}": f"(?P<host>{_NAME})",
    "{user}": rf"(?P<user>(?:[a-z_]|{_BEYOND_ASCII})(?>(?:[a-z0-9._-]|{_BEYOND_ASCII}){{1,63}}))",
    "{hosts}": f"(?P<hosts>{_LIST})",
    "{peers}": f"(?P<peers>{_LIST})",
    # A colour, which ends with a letter, is laid out as escapes before a rule looks at a line.
    "{is}": r"""["'\\]{0,3}[ \t\x1b]{0,32}[:=][ \t\x1b]{0,32}["'\\]{0,3}""",
    "{settled}": r"""(?:(?<=[0-9])|(?=[ \t\x1b]{0,32}(?:[\r\n"',;)\]}|\\]|:[0-9]|\Z)))""",
}
_SOURCE_FILE = re.compile(rb"\.(?:py|pyx|cc|cpp|cxx|cu|cuh|c|h|hpp|go|rs|sh|java|lua|cpython|so)(?:[.-]\w+)?\Z")
_NUMBERED = re.compile(rb"[-_.]?[0-9]+\Z")
# What counts devices or processes begins with 0 or 1 and has no more digits than it needs.
_OF_A_CLUSTER = re.compile(rb"[-_.]?(?:0[0-9]+|[0-9]{3,})\Z")
_PLACEHOLDER = re.compile(rb"(?:host|user)[0-9]+(?:\.example\.com)?\Z")
_NUMBER = re.compile(rb"[0-9]+\.")
_LETTER = re.compile(rb"[a-z\x80-\xff]")
_PRIVATE = [
    ip_network(net)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10")
]
BEFORE_VERSION = 80  # bytes before a number in which the word stands that makes it a version


@dataclass(frozen=True)
class Rule:
    """One way in which an identity shows: where one of the ``hints`` stands in small letters, ``pattern`` is sought.

    ``line`` is an example of it, ``finds`` what it finds there.
    """

    hints: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    line: bytes
    finds: tuple[bytes, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """What its groups are of; a user stands within the path of a home folder."""
        return tuple(name for name in self.pattern.groupindex if name != "initial")

    def sightings(self, lowered: bytes) -> Iterator[re.Match[bytes]]:
        """All places of a text in small letters where the rule holds."""
        return self.pattern.finditer(lowered) if any(hint in lowered for hint in self.hints) else iter(())


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order of their file."""
    return tuple(
        Rule(
            tuple(hint.encode() for hint in rule["hints"]),
            re.compile(_whole(rule["pattern"]).encode()),
            rule["line"].encode(),
            tuple(found.encode() for found in rule["finds"]),
        )
        for rule in _file()["rule"]
    )


def _whole(pattern: str) -> str:
    for part, meaning in _PARTS.items():
        pattern = pattern.replace(part, meaning)
    return pattern


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


@cache
def _words(kind: str) -> frozenset[bytes]:
    return frozenset(_file()["words"][kind].encode().split())


@lru_cache(maxsize=4096)
def is_name(name: bytes) -> bool:
    """Whether a name, of a host or a user, is that of someone: neither a common word nor a placeholder."""
    lowered = name.lower()
    return not {lowered, _NUMBERED.sub(b"", lowered)} & _words("common") and _may_be_a_name(lowered)


def _may_be_a_name(lowered: bytes) -> bool:
    return len(lowered) > 1 and bool(_LETTER.search(lowered)) and not _PLACEHOLDER.match(lowered)


@lru_cache(maxsize=4096)
def is_host(name: bytes) -> bool:
    """Whether a name is that of a host that is not known to everyone, and not a source file or an address.

    ``gpu0`` is a card on any machine, but ``gpu001`` is the machine of a cluster where only a host may stand.
    """
    lowered = name.lower()
    number = _OF_A_CLUSTER.search(lowered)
    is_machine = number is not None and lowered[: number.start()] in _words("machines") and _may_be_a_name(lowered)
    is_public = any(lowered == known or lowered.endswith(b"." + known) for known in _words("public"))
    is_other = is_public or _NUMBER.match(lowered) or _SOURCE_FILE.search(lowered)
    return (is_name(name) or is_machine) and not is_other


def is_private(address: bytes) -> bool:
    """Whether a text is an address of a private network."""
    try:
        found = ip_address(address.decode())
    except ValueError:
        return False
    return any(found in net for net in _PRIVATE if net.version == found.version)


def is_version(before: bytes) -> bool:
    """Whether what stands before a number makes it a version rather than an address."""
    return bool(re.search(rf"(?:{_file()['words']['versioned']})\Z".encode(), before.lower()))


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


def identities(text: bytes) -> Iterator[Identity]:
    """What whole lines name, rule by rule and in each by its place; the same may come again."""
    text = b"\n" + text
    plain = uncoloured(text)
    lowered = plain.lower()
    for rule in rules():
        seen: set[tuple[str, bytes, bytes]] = set()
        for found in rule.sightings(lowered):
            for group in rule.groups:
                start, end = found.span(group)
                before = plain[max(0, start - BEFORE_VERSION) : start] if group == "address" else b""
                place = group, text[start:end], before
                if end > start and place not in seen:
                    seen.add(place)
                    yield from _address(*place[1:]) if group == "address" else _JUDGES[group](place[1])


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


def _host(text: bytes) -> Iterator[Identity]:
    name = text.rstrip(_ENDS)
    if is_host(name) and not is_word(name):
        yield Identity("host", name)


def _inner(text: bytes) -> Iterator[Identity]:
    """A name with dots is one of the public internet, unless another rule says that it is a host of the job."""
    return iter(()) if b"." in text.rstrip(_ENDS) else _host(text)


def _hosts(text: bytes) -> Iterator[Identity]:
    for found in _LISTED.finditer(text):
        if b"[" in found[1]:
            yield from [Identity("nodes", found[1])] if is_host(_RANGE.sub(rb"\1", found[1])) else []
        else:
            yield from _host(found[1])


def _peers(text: bytes) -> Iterator[Identity]:
    for found in _LISTED.finditer(text):
        if found[2]:
            yield from _host(found[1])


def _keys(text: bytes) -> Iterator[Identity]:
    for found in _KEY.finditer(text):
        yield from _host(found[1])


def _user(text: bytes) -> Iterator[Identity]:
    name = text.rstrip(_ENDS)
    if is_name(name) and not is_word(name):
        yield Identity("user", name)


def _home(text: bytes) -> Iterator[Identity]:
    path = text.rstrip(_ENDS)
    name = re.split(rb"[/\\]", path)[-1]
    if is_name(name) and is_word(name):
        yield Identity("home", path)


def _email(text: bytes) -> Iterator[Identity]:
    name, _, domain = text.partition(b"@")
    if is_host(domain) and not name.endswith(b".git") and domain.lower() != b"example.com":
        yield Identity("email", text)


def _address(text: bytes, before: bytes) -> Iterator[Identity]:
    if is_private(text):
        is_one = text.startswith(b"10.") and is_version(before)
        yield Identity("version", text, before) if is_one else Identity("address", text)


def _encoded(text: bytes) -> Iterator[Identity]:
    """Launchers hand the hosts of a job on as base64 of JSON: a list of cards for each of them."""
    if inner := decoded(text):
        yield from identities(b"world_info " + inner)
        yield Identity("encoded", text)


def _taken(text: bytes) -> Iterator[Identity]:
    yield Identity("taken", text.lower())


_JUDGES: dict[str, Callable[[bytes], Iterator[Identity]]] = {
    "host": _host,
    "inner": _inner,
    "hosts": _hosts,
    "peers": _peers,
    "keys": _keys,
    "user": _user,
    "home": _home,
    "email": _email,
    "encoded": _encoded,
    "taken": _taken,
}
