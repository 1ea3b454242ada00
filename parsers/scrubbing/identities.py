"""Identities: the hosts, people and addresses that a text names, and the placeholder that stands for each."""

import base64
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from ipaddress import ip_address, ip_network
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ..grammar.format import ROOM
from ..scanning.detection import formats

RULES = Path(__file__).with_name("identities.toml")
BEFORE_VERSION = 80  # bytes before a number in which the word stands that makes it a version
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
# A colour ends with a letter, which would be taken for the begin of the word behind it.
_COLOUR = re.compile(rb"\x1b\[[0-?]{0,32}[ -/]{0,8}[@-~]")
_NUMBERS = rb"\[([0-9]{1,9}(?:-[0-9]{1,9})?(?:(?=,[0-9]),[0-9]{1,9}(?:-[0-9]{1,9})?)*+)\]"  # of Slurm: [01-03,07]
_RANGES = re.compile(_NUMBERS)
_LISTED = re.compile(
    rb"(?i)(?<![\w.-])([a-z0-9][a-z0-9._-]*+(?>(?:%b[a-z0-9._-]*+){0,4}))(:[0-9]+)?" % _NUMBERS.replace(b"([", b"(?:[")
)
_RANGE = re.compile(rb"\[([0-9]+)[0-9,-]*\]")
_KEY = re.compile(rb"(?i)['\"]([a-z0-9][a-z0-9._-]+)['\"]: ?\[")
_WORD = re.compile(r"[A-Za-z0-9_]{2,}")


class Rule(NamedTuple):
    """One way in which an identity shows: where one of the ``hints`` stands in small letters, ``pattern`` is sought."""

    hints: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order of their file."""
    found = []
    for rule in _file()["rule"]:
        pattern = rule["pattern"]
        for part, meaning in _PARTS.items():
            pattern = pattern.replace(part, meaning)
        found.append(Rule(tuple(hint.encode() for hint in rule["hints"]), re.compile(pattern.encode())))
    return tuple(found)


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


def is_word(name: bytes) -> bool:
    """Whether a name is also a word that known formats print or that facts are told with: it is no name everywhere."""
    return name.lower() in _printed()


@cache
def _printed() -> frozenset[bytes]:
    literals = [literal for fmt in formats() for variant in fmt.variants for literal in variant.literals]
    spelt = (ROOM / "spellings.toml").read_text(encoding="utf-8")
    return frozenset(word.lower().encode() for word in _WORD.findall(" ".join([*literals, spelt])))


@cache
def _versioned() -> re.Pattern[bytes]:
    """What stands before a number that is a version rather than an address."""
    return re.compile(rf"(?i)(?:{_file()['words']['versioned']})\Z".encode())


def _uncoloured(text: bytes) -> bytes:
    """A text of the same length in which no letter belongs to a colour."""
    return _COLOUR.sub(lambda colour: b"\x1b" * len(colour[0]), text) if b"\x1b" in text else text


class Identity(NamedTuple):
    """What a text names, and of what ``kind`` it is.

    host, user, email, address; ``nodes`` is Slurm's spelling of several hosts; ``home`` the path of a home folder whose
    user has so common a name that it is sought nowhere else; ``encoded`` is base64 that holds others; ``taken`` a
    placeholder that stands there already.
    """

    kind: str
    text: bytes


def identities(text: bytes) -> Iterator[Identity]:
    """What whole lines name, rule by rule and in each by its place; the same may come again."""
    text = b"\n" + text
    plain = _uncoloured(text)
    lowered = plain.lower()
    for rule in rules():
        seen: set[tuple[str, bytes]] = set()
        for found in rule.pattern.finditer(lowered) if any(hint in lowered for hint in rule.hints) else ():
            # The groups say what they are of; a user stands within the path of a home folder, an initial in it, too.
            for group in rule.pattern.groupindex:
                start, end = found.span(group)
                place = group, text[start:end]
                if end > start and group in _OF_GROUP and place not in seen:
                    seen.add(place)
                    yield from _OF_GROUP[group](text[start:end])


def _host(text: bytes) -> Iterator[Identity]:
    name = text.rstrip(b".-_")
    if is_host(name) and not is_word(name):
        yield Identity("host", name)


def _inner(text: bytes) -> Iterator[Identity]:
    """A name with dots is one of the public internet, unless another rule says that it is a host of the job."""
    return iter(()) if b"." in text.rstrip(b".-_") else _host(text)


def _hosts(text: bytes) -> Iterator[Identity]:
    for found in _LISTED.finditer(text):
        if b"[" not in found[1]:
            yield from _host(found[1])
        elif is_host(_RANGE.sub(rb"\1", found[1])):
            yield Identity("nodes", found[1])


def _user(text: bytes) -> Iterator[Identity]:
    name = text.rstrip(b".-_")
    if is_name(name) and not is_word(name):
        yield Identity("user", name)


def _home(text: bytes) -> Iterator[Identity]:
    path = text.rstrip(b".-_")
    name = re.split(rb"[/\\]", path)[-1]
    if is_name(name) and is_word(name):
        yield Identity("home", path)


def _email(text: bytes) -> Iterator[Identity]:
    name, _, domain = text.partition(b"@")
    if is_host(domain) and not name.endswith(b".git") and domain.lower() != b"example.com":
        yield Identity("email", text)


def _address(text: bytes) -> Iterator[Identity]:
    with suppress(ValueError):
        address = ip_address(text.decode())
        if any(address in net for net in _PRIVATE if net.version == address.version):
            yield Identity("address", text)


def _encoded(text: bytes) -> Iterator[Identity]:
    """Launchers hand the hosts of a job on as base64 of JSON: a list of cards for each of them."""
    found = list[Identity]()
    with suppress(ValueError):  # it is none
        found += identities(b"world_info " + base64.b64decode(text + b"=" * (-len(text) % 4), validate=True))
    yield from found
    if any(identity.kind != "taken" for identity in found):
        yield Identity("encoded", text)


_OF_GROUP: dict[str, Callable[[bytes], Iterable[Identity]]] = {
    "host": _host,
    "inner": _inner,
    "hosts": _hosts,
    "peers": lambda text: (one for found in _LISTED.finditer(text) if found[2] for one in _host(found[1])),
    "keys": lambda text: (one for found in _KEY.finditer(text) for one in _host(found[1])),
    "user": _user,
    "home": _home,
    "email": _email,
    "address": _address,
    "encoded": _encoded,
    "taken": lambda text: [Identity("taken", text.lower())],
}


# ---- placeholders

_HEAD = 3  # letters by which the places of identities are found
_MOST_NODES = 1 << 13  # of one spelling; no job has more
_NO_HOSTS = base64.b64encode(b"{}")
# The addresses of benchmarks, RFC 2544, and of documentation, RFC 3849.
_NETWORKS = {False: ip_address("198.18.0.0"), True: ip_address("2001:db8::")}
_IS_ALNUM = re.compile(rb"[A-Za-z0-9]")
_DOTTED = re.compile(rb"[0-9.]+")
_MORE_DOTS = re.compile(rb"\.[0-9]")


class Placeholders:
    """The placeholders of identities that were found, numbered as they come.

    A host is known by the first label of its name: ``c1n01`` and ``c1n01.example.edu`` are one. A placeholder that
    stands in a text already is given to nobody else.
    """

    def __init__(self, found: Iterable[Identity]) -> None:
        found = list(dict.fromkeys(found))
        self._taken = {text for kind, text in found if kind == "taken"}
        self._names: dict[str, dict[bytes, bytes]] = {}
        # What stands for a text, and of which kind that is.
        self._table: dict[bytes, tuple[bytes, str]] = {}
        # Names of hosts tell which e-mail addresses are of one of them.
        first: dict[str, Callable[[bytes], object]] = {"host": self._host, "nodes": self._nodes}
        first["encoded"] = lambda text: self._put(text, _NO_HOSTS, "host")
        for handlers in (
            first,
            {"user": self._user, "home": self._home},
            {"email": self._email, "address": self._address},
        ):
            for kind, text in found:
                if kind in handlers:
                    handlers[kind](text)
        self._words = _Words(self._table)

    def replaced(self, text: bytes, counts: Counter[str] | None = None) -> bytes:
        """A text with placeholders in place of all identities, as whole words; ``counts`` counts them by kind."""
        made, end = bytearray(), 0
        for start, length in self._words.places(_uncoloured(text)):
            word = text[start : start + length]
            put, kind = self._table[word]
            made += text[end:start]
            end = start + length
            # So it is a version of what stands before it, if that is still there.
            if kind == "address" and word.startswith(b"10.") and _versioned().search(made[-BEFORE_VERSION:]):
                made += word
                continue
            made += put
            if counts is not None:
                counts[kind] += 1
        return bytes(made + text[end:])

    def _named(self, kind: str, key: bytes) -> bytes:
        """The placeholder of a key, a name in small letters or an address: the next one that nobody has."""
        names = self._names.setdefault(kind, {})
        while key not in names:
            number = len(names) + 1
            made = str(_NETWORKS[b":" in key] + number) if kind == "address" else f"{kind}{number}"
            names[b"\0" + made.encode() if made.encode() in self._taken else key] = made.encode()
        return names[key]

    def _put(self, text: bytes, placeholder: bytes, kind: str) -> None:
        self._table.setdefault(text, (placeholder, kind))

    def _host(self, text: bytes) -> bytes:
        short, _, domain = text.partition(b".")
        name = self._named("host", short.lower())
        for spelt in (text, text.lower(), text.upper()):
            self._put(spelt, name + b".example.com" * bool(domain), "host")
        if domain and is_host(short) and not is_word(short):
            self._put(short, name, "host")
        return name

    def _nodes(self, text: bytes) -> None:
        names = {self._host(name) for name in islice(_expanded(text), _MOST_NODES)}
        numbers = sorted(int(name.removeprefix(b"host")) for name in names)
        self._put(text, b"host[" + b",".join(b"%d" % number for number in numbers) + b"]", "host")

    def _user(self, text: bytes) -> None:
        self._put(text, self._named("user", text.lower()), "user")

    def _home(self, path: bytes) -> None:
        at = max(path.rfind(b"/"), path.rfind(b"\\")) + 1
        self._put(path, path[:at] + self._named("user", path[at:].lower()), "user")

    def _email(self, text: bytes) -> None:
        name, _, domain = text.partition(b"@")
        if is_name(name) and not is_word(name):
            self._user(name)
        if domain not in self._table:
            self._put(text, self._named("user", name.lower()) + b"@example.com", "email")

    def _address(self, text: bytes) -> None:
        self._put(text, self._named("address", text), "address")


class _Words:
    """Where any of many words stands in a text; of several at one place the longest."""

    def __init__(self, words: Collection[bytes]) -> None:
        self._words = frozenset(words)
        self._lengths: dict[bytes, list[int]] = {}
        for head, length in sorted({(word[:_HEAD], len(word)) for word in words}, reverse=True):
            self._lengths.setdefault(head, []).append(length)
        # A word that begins with a letter or digit begins where none stands before; a path begins anywhere.
        within = sorted(re.escape(head) for head in self._lengths if _IS_ALNUM.match(head))
        outer = sorted(re.escape(head) for head in self._lengths if not _IS_ALNUM.match(head))
        starts = [rb"(?<![A-Za-z0-9])(?:" + b"|".join(within) + b")"] if within else []
        self._heads = re.compile(b"|".join([*starts, *outer])) if words else None

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Start and length of each, ascending and apart."""
        found = self._heads.search(text) if self._heads else None
        while found and self._heads:
            start = found.start()
            lengths = (n for size in range(_HEAD, 0, -1) for n in self._lengths.get(text[start : start + size], ()))
            is_word = (n for n in lengths if text[start : start + n] in self._words and not _goes_on(text, start, n))
            length = next(is_word, 0)
            if length:
                yield start, length
            found = self._heads.search(text, start + (length or 1))


def _goes_on(text: bytes, start: int, length: int) -> bool:
    """Whether what stands at a place is only a part of a longer word, or of a number with more dots."""
    end = start + length
    if _IS_ALNUM.match(text, end):
        return True
    dotted = _DOTTED.fullmatch(text, start, end)
    return bool(dotted and (text[max(0, start - 1) : start] == b"." or _MORE_DOTS.match(text, end)))


def _expanded(text: bytes) -> Iterator[bytes]:
    """The names of Slurm's ``c1n[01-03,07]``."""
    found = _RANGES.search(text)
    if not found:
        yield text
        return
    for low, high in (part.partition(b"-")[::2] for part in found[1].split(b",")):
        for number in range(int(low), int(high or low) + 1):
            yield from _expanded(text[: found.start()] + b"%0*d" % (len(low), number) + text[found.end() :])
