"""Placeholders: what stands in a scrubbed text for each identity, the same one everywhere."""

import base64
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple

from .identities import Identity, decoded, is_host, is_name, is_version, is_word, uncoloured

_HEAD = 3  # letters by which the places of identities are found
_MOST_NODES = 1 << 13  # of one spelling; no job has more
_RANGES = re.compile(rb"\[([0-9]{1,9}(?:-[0-9]{1,9})?(?:(?=,[0-9]),[0-9]{1,9}(?:-[0-9]{1,9})?)*+)\]")
_NETWORKS = (b"192.0.2", b"198.51.100", b"203.0.113")
_HOSTS = 254  # addresses of one of these networks
_IS_ALNUM = re.compile(rb"[A-Za-z0-9]")
_DOTTED = re.compile(rb"[0-9.]+")
_MORE_DOTS = re.compile(rb"\.[0-9]")


# Takes note of something that was replaced: of its kind, of keys that tell what is the same, and of its place.
Note = Callable[[str, frozenset[bytes], int], None]


class Placeholder(NamedTuple):
    """What stands for an identity: its ``text``, and the ``kind`` and ``keys`` of the names that it stands for."""

    text: bytes
    kind: str
    keys: frozenset[bytes]


class Placeholders:
    """The placeholders of identities that were found, numbered as they come.

    A host is known by the first label of its name: ``c1n01`` and ``c1n01.example.edu`` are one. A placeholder that
    stands in a text already is given to nobody else.
    """

    def __init__(self, found: Iterable[Identity]) -> None:
        found = list(dict.fromkeys(found))
        self._taken = {text for kind, text, _ in found if kind == "taken"}
        self._names: dict[str, dict[bytes, bytes]] = {}
        self._counters: dict[str, Iterator[int]] = {}
        self._table: dict[bytes, Placeholder] = {}
        # Names of hosts tell which e-mail addresses are of one of them.
        for makers in (
            {"host": self._host, "nodes": self._nodes},
            {"user": self._user, "home": self._home},
            {"email": self._email, "address": self._address},
        ):
            for kind, text, _ in found:
                if kind in makers:
                    makers[kind](text)
        self._words = _Words(frozenset(self._table))
        for _, text, _ in [one for one in found if one.kind == "encoded"]:
            self._encoded(text)
        self._words = _Words(frozenset(self._table))
        for _, text, before in [one for one in found if one.kind == "version"]:
            if not is_version(self.replaced(before)):  # what made it one was a name
                self._address(text)
        self._words = _Words(frozenset(self._table))

    def replaced(self, text: bytes, note: Note | None = None) -> bytes:
        """A text with placeholders in place of all identities, as whole words; ``note`` is told of each."""
        pieces: list[bytes] = []
        end = 0
        for start, length in self._words.places(uncoloured(text)):
            put, kind, keys = self._table[text[start : start + length]]
            pieces += text[end:start], put
            end = start + length
            if note is not None:
                note(kind, keys, start)
        return b"".join([*pieces, text[end:]])

    def _named(self, kind: str, key: bytes, make: Callable[[int], bytes]) -> bytes:
        """The placeholder of a key: the next one that ``make`` gives of a number and that nobody has."""
        names = self._names.setdefault(kind, {})
        if key not in names:
            names[key] = next(
                name for name in map(make, self._counters.setdefault(kind, count(1))) if name not in self._taken
            )
        return names[key]

    def _put(self, text: bytes, placeholder: bytes, kind: str, *keys: bytes) -> None:
        self._table.setdefault(text, Placeholder(placeholder, kind, frozenset(keys)))

    def _host(self, text: bytes) -> bytes:
        short, _, domain = text.partition(b".")
        key = short.lower()
        name = self._named("host", key, b"host%d".__mod__)
        for spelt in (text, text.lower(), text.upper()):
            self._put(spelt, name + b".example.com" * bool(domain), "host", key)
        if domain and is_host(short) and not is_word(short):
            self._put(short, name, "host", key)
        return name

    def _nodes(self, text: bytes) -> None:
        names = {self._host(name): name.lower() for name in islice(_expanded(text), _MOST_NODES)}
        numbers = sorted(int(name.removeprefix(b"host")) for name in names)
        self._put(text, b"host[" + _compressed(numbers) + b"]", "host", *names.values())

    def _user(self, text: bytes) -> None:
        self._put(text, self._user_name(text), "user", text.lower())

    def _user_name(self, text: bytes) -> bytes:
        return self._named("user", text.lower(), b"user%d".__mod__)

    def _home(self, path: bytes) -> None:
        at = max(path.rfind(b"/"), path.rfind(b"\\")) + 1
        self._put(path, path[:at] + self._user_name(path[at:]), "user", path[at:].lower())

    def _email(self, text: bytes) -> None:
        name, _, domain = text.partition(b"@")
        if is_name(name) and not is_word(name):
            self._user(name)
        if domain not in self._table:
            self._put(text, self._user_name(name) + b"@example.com", "email", text.lower())

    def _address(self, text: bytes) -> None:
        self._put(text, self._named("address", text, _v6 if b":" in text else _v4), "address", text)

    def _encoded(self, text: bytes) -> None:
        before = decoded(text)
        after = self.replaced(before)
        if after != before:
            encoded = base64.b64encode(after)
            self._put(text, encoded if len(text) % 4 == 0 else encoded.rstrip(b"="), "host")


class _Words:
    """Where any of many words stands in a text; of several at one place the longest."""

    def __init__(self, words: Collection[bytes]) -> None:
        self._words = words
        self._lengths: dict[bytes, list[int]] = {}
        for head, length in sorted({(word[:_HEAD], len(word)) for word in words}, reverse=True):
            self._lengths.setdefault(head, []).append(length)
        self._heads = _any_of(self._lengths) if words else None

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Start and length of each, ascending and apart."""
        if not self._heads:
            return
        found = self._heads.search(text)
        while found:
            length = self._length(text, found.start())
            if length:
                yield found.start(), length
            found = self._heads.search(text, found.start() + (length or 1))

    def _length(self, text: bytes, start: int) -> int:
        """The length of the longest word at a place, 0 where there is none."""
        for size in range(_HEAD, 0, -1):
            for length in self._lengths.get(text[start : start + size], ()):
                if text[start : start + length] in self._words and not _goes_on(text, start, start + length):
                    return length
        return 0


def _any_of(heads: Iterable[bytes]) -> re.Pattern[bytes]:
    """A word that begins with a letter or digit begins where none stands before; a path begins anywhere."""
    within = sorted(re.escape(head) for head in heads if _IS_ALNUM.match(head))
    outer = sorted(re.escape(head) for head in heads if not _IS_ALNUM.match(head))
    starts = [rb"(?<![A-Za-z0-9])(?:" + b"|".join(within) + b")"] if within else []
    return re.compile(b"|".join([*starts, *outer]))


def _goes_on(text: bytes, start: int, end: int) -> bool:
    """Whether what stands at a place is only a part of a longer word, or of a number with more dots."""
    if _IS_ALNUM.match(text, end):
        return True
    dotted = _DOTTED.fullmatch(text, start, end)
    return bool(dotted and (text[max(0, start - 1) : start] == b"." or _MORE_DOTS.match(text, end)))


def _v4(number: int) -> bytes:
    """The addresses of documentation, RFC 5737, and then those of benchmarks, RFC 2544."""
    network, last = divmod(number - 1, _HOSTS)
    if network < len(_NETWORKS):
        return b"%s.%d" % (_NETWORKS[network], last + 1)
    network -= len(_NETWORKS)
    return b"198.%d.%d.%d" % (18 + network // 256 % 2, network % 256, last + 1)


def _v6(number: int) -> bytes:
    """The addresses of documentation, RFC 3849."""
    return b"2001:db8::%x" % number


def _expanded(text: bytes) -> Iterator[bytes]:
    """The names of Slurm's ``c1n[01-03,07]``; none of a spelling that stands for more than any machine has."""
    found = _RANGES.search(text)
    if not found:
        yield text
        return
    for low, high in (part.partition(b"-")[::2] for part in found[1].split(b",")):
        for number in range(int(low), int(high or low) + 1):
            yield from _expanded(text[: found.start()] + b"%0*d" % (len(low), number) + text[found.end() :])


def _compressed(numbers: Sequence[int]) -> bytes:
    """Ascending numbers as Slurm writes them: ``1-3,7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return b",".join(b"-".join(b"%d" % number for number in run) for run in runs)
