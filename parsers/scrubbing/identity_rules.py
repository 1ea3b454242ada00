"""The rules of identities: how names of hosts and people show in a log, as identities.toml has them."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address, ip_network
from pathlib import Path

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
def _file() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads((RULES).read_text(encoding="utf-8"))


@cache
def _words() -> dict[str, str]:
    return dict(tomllib.loads((RULES).read_text(encoding="utf-8"))["words"])


@cache
def _common() -> frozenset[bytes]:
    return frozenset(_words()["common"].encode().split())


@lru_cache(maxsize=4096)
def is_name(name: bytes) -> bool:
    """Whether a name, of a host or a user, is that of someone: neither a common word nor a placeholder."""
    lowered = name.lower()
    common = lowered in _common() or _NUMBERED.sub(b"", lowered) in _common()
    return not common and _may_be_a_name(lowered)


def _may_be_a_name(lowered: bytes) -> bool:
    return len(lowered) > 1 and bool(_LETTER.search(lowered)) and not _PLACEHOLDER.match(lowered)


@lru_cache(maxsize=4096)
def is_host(name: bytes) -> bool:
    """Whether a name is that of a host that is not known to everyone, and not a source file or an address.

    ``gpu0`` is a card on any machine, but ``gpu001`` is the machine of a cluster where only a host may stand.
    """
    lowered = name.lower()
    public = any(lowered == known or lowered.endswith(b"." + known) for known in _words()["public"].encode().split())
    return (is_name(name) or _is_machine(lowered)) and not (
        public or _NUMBER.match(lowered) or _SOURCE_FILE.search(lowered)
    )


def _is_machine(lowered: bytes) -> bool:
    number = _OF_A_CLUSTER.search(lowered)
    is_one = number is not None and lowered[: number.start()] in _words()["machines"].encode().split()
    return is_one and _may_be_a_name(lowered)


def is_private(address: bytes) -> bool:
    """Whether a text is an address of a private network."""
    try:
        found = ip_address(address.decode())
    except ValueError:
        return False
    return any(found in net for net in _PRIVATE if net.version == found.version)


@cache
def _versioned() -> re.Pattern[bytes]:
    return re.compile(rf"(?:{_words()['versioned']})\Z".encode())


def is_version(before: bytes) -> bool:
    """Whether what stands before a number makes it a version rather than an address."""
    return bool(_versioned().search(before.lower()))
