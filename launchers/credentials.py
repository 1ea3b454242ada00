"""Credentials: which names hide them, and which values are none whatever their name.

What a name hides depends on its words (`apiKey` and `API-KEY` both have the words api and key) and on its case:

| name | what is taken for a secret |
| --- | --- |
| has PASSWORD, PASSWD, SECRET or CREDENTIAL in it, in any case | text; numbers, too, where it is the last word |
| in capitals, has KEY or TOKEN in it: GITHUB_TOKEN, AWS_ACCESS_KEY_ID | text; numbers of ten digits and more |
| the same, for text or data: CACHE_TOKEN, AZURE_PRIMARY_KEY, KEYRING | the same, without short words and paths |
| the same, for several: MAX_TOKENS, KEYS | text without short words and paths |
| in small letters, ends in key or token after a word of access: api_key, hf_token | text |
| the option `--token`, the header Authorization | text |
| any other that ends in token: `token`, `my_token` | what begins with 8 letters and digits, both kinds |
| any other that ends in key, keys or tokens: `key`, `KEY` | what begins with 16 letters and digits, both kinds |
| of a place or property (…_FILE, …_LENGTH), of a tokenizer | nothing |
| in small letters, of text (eos_token) or data (best_key, cache_key) | nothing |
| in small letters, holds key or token only as a part of a word: monkey | nothing |

Text is all but numbers (with or without a unit), truth values, None, masks (`***`) and `<…>`. A short word has up to
seven letters and nothing else.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache


class Hides(IntEnum):
    """What is taken for a secret behind a name, each more than the one before."""

    NOTHING = 0
    RANDOM = 1
    MIXED = 2
    PLURAL = 3
    LONG = 4
    TEXT = 5
    DIGITS = 6
    ANYTHING = 7


_WEAK = frozenset({b"key", b"keys", b"token", b"tokens"})
_PLURAL = frozenset({b"keys", b"tokens"})
_PROPERTIES = frozenset(
    b"count dir dirs file files format home length name names num path paths policy size type types".split()
)
_HARMLESS = frozenset(
    b"begin best bos cache cls end eod eos foreign image mask max min next num pad partition per prefix primary public "
    b"query sep sort special start stop suffix unk unknown".split()
)
_ACCESS = frozenset(
    b"access account api app auth aws azure bearer bot client deploy encryption gcp git github gitlab google hf hub "
    b"huggingface jwt kaggle license master neptune npm oauth openai personal private pypi refresh registry security "
    b"service session signing slack ssh ssl storage tls user wandb webhook".split()
)
_STRONG = re.compile(rb"password|passwd|secret|credential")
_STRONG_LAST = re.compile(rb"(?:password|passwd|secret|credential)\d*\Z")
_GLUED = re.compile(rb"(?<![a-z])(" + b"|".join(sorted(_ACCESS)) + rb")(keys?|tokens?)(?![a-z])")
_CAMEL = re.compile(rb"(?<=[a-z0-9])(?=[A-Z])")
_COLOUR = re.compile(rb"\A\d+m(?=[A-Za-z_])")
_IN_CAPITALS = re.compile(rb"key|token(?!i[sz])")
_ENDS_IN_WEAK = re.compile(rb"(?:key|token)s?\Z")
_NUMBERED = re.compile(rb"\A(?:\d+|id)\Z")

_WORD = rb"true|false|yes|no|on|off|none|null|nil|nan|\*+|\.{3}|<[^<>\s]{0,40}>"
_UNIT = rb"(?:[kmgtb%x]|[kmg]i?b|[mun]?s|tok(?:en)?s?)?(?:/[a-z]{1,12})?"
_NUMBER = rb"[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?" + _UNIT
_UP_TO_9_DIGITS = rb"[-+]?(?:\d(?:[,_]?\d){0,8}(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?" + _UNIT
_SHORT_WORD = rb"[A-Z]{1,7}"
_PATH = rb"(?:~|\.{1,2})?(?:/[\w.-]{1,24}){2,32}/?"
_END = rb"(?=[\s,;:)\]}|\"'\\]|\Z)"


def _plain(*forms: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?i:" + rb"|".join([_WORD, *forms]) + rb")" + _END)


_MASK = rb"\[[A-Z_]+\]"
_PLAIN = _plain(_MASK, _NUMBER)
_PLAIN_BEHIND = {
    Hides.PLURAL: _plain(_MASK, _NUMBER, _SHORT_WORD, _PATH),
    Hides.LONG: _plain(_MASK, _UP_TO_9_DIGITS, _SHORT_WORD, _PATH),
    Hides.DIGITS: _plain(_MASK, _UP_TO_9_DIGITS),
    Hides.ANYTHING: _plain(),
}
_MIXED = re.compile(rb"(?=[A-Za-z]{0,7}[0-9])(?=[0-9]{0,7}[A-Za-z])[A-Za-z0-9]{8}")
_RANDOM = re.compile(rb"(?=[A-Za-z]{0,15}[0-9])(?=[0-9]{0,15}[A-Za-z])[A-Za-z0-9]{16}")


@lru_cache(maxsize=4096)
def hides(name: bytes) -> Hides:
    """Tell what is taken for a secret behind `name`, which may have an option's dashes or an ANSI colour before it."""
    bare = _COLOUR.sub(b"", name.strip(b"-"))
    words = _words(bare)
    if not words or words[-1] in _PROPERTIES:
        return Hides.NOTHING
    if name.startswith(b"-") and words == [b"token"]:
        return Hides.TEXT
    if bare == bare.upper():
        return _in_capitals(words)
    return _strong(words) or _weak(words)


def is_secret(value: bytes, hidden: Hides) -> bool:
    """Say whether `value`, without its quotes, is a secret behind a name that hides so much."""
    if hidden is Hides.RANDOM:
        return bool(_RANDOM.match(value))
    if hidden is Hides.MIXED and not _MIXED.match(value):
        return False
    return bool(hidden and value and not _PLAIN_BEHIND.get(hidden, _PLAIN).match(value))


def _words(name: bytes) -> list[bytes]:
    apart = _GLUED.sub(rb"\1_\2", _CAMEL.sub(b"_", name).lower())
    words = [word for word in re.split(rb"[_-]+", apart) if word]
    return words[:-1] if len(words) > 1 and _NUMBERED.match(words[-1]) else words


def _strong(words: list[bytes]) -> Hides:
    if _STRONG_LAST.search(words[-1]):
        return Hides.ANYTHING
    strong = any(map(_STRONG.search, words)) or words[-1] == b"authorization"
    return Hides.TEXT if strong else Hides.NOTHING


def _in_capitals(words: list[bytes]) -> Hides:
    strong = _strong(words)
    if strong:
        return max(strong, Hides.DIGITS)
    found = [word for word in words if _IN_CAPITALS.search(word)]
    if not found:
        return Hides.NOTHING
    if not _PLURAL.isdisjoint(words) and _ACCESS.isdisjoint(words):
        return Hides.PLURAL
    alone = words == [b"key"] or not any(map(_ENDS_IN_WEAK.search, found))
    return Hides.LONG if alone or not _HARMLESS.isdisjoint(words) else Hides.DIGITS


def _weak(words: list[bytes]) -> Hides:
    if words[-1] not in _WEAK or not _HARMLESS.isdisjoint(words):
        return Hides.NOTHING
    if not _ACCESS.isdisjoint(words):
        return Hides.TEXT
    return Hides.MIXED if words[-1] == b"token" else Hides.RANDOM
