"""Credentials: which names hide them, and which values are none whatever their name.

What a name hides depends on its words (`apiKey` and `API-KEY` both have the words api and key) and on its case:

| name | what is taken for a secret |
| --- | --- |
| has PASSWORD, PASSWD, SECRET or CREDENTIAL in it, in any case | text; numbers, too, where it is the last word |
| in capitals with the word KEY or TOKEN: GITHUB_TOKEN, AWS_ACCESS_KEY_ID | text |
| in small letters, ends in key or token after a word of access: api_key, hf_token | text |
| the option `--token`, the header Authorization | text |
| any other that ends in token: `token`, `my_token` | what begins with 8 letters and digits, both kinds |
| any other that ends in key, keys or tokens: `key`, `KEY` | what begins with 16 letters and digits, both kinds |
| of a place or property (…_FILE, …_LENGTH), of text (eos_token), of data (best_key, cache_key) | nothing |
| holds key or token only as a part of a word: monkey, tokenizer | nothing |

Text is all but numbers (with or without a unit), truth values, None, masks (`***`) and `<…>`.
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
    TEXT = 3
    ANYTHING = 4


_WEAK = frozenset({b"key", b"keys", b"token", b"tokens"})
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
_NUMBERED = re.compile(rb"\A(?:\d+|id)\Z")

_WORD = rb"true|false|yes|no|on|off|none|null|nil|nan|\*+|\.{3}|<[^<>\s]{0,40}>"
_UNIT = rb"(?:[kmgtb%x]|[kmg]i?b|[mun]?s|tok(?:en)?s?)?(?:/[a-z]{1,12})?"
_NUMBER = rb"[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?" + _UNIT
_END = rb"(?=[\s,;:)\]}|\"'\\]|\Z)"
_PLAIN_WORD = re.compile(rb"(?i:" + _WORD + rb")" + _END)
_PLAIN = re.compile(rb"(?i:" + _WORD + rb"|\[[A-Z_]+\]|" + _NUMBER + rb")" + _END)
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
    return _strong(words) or _weak(words, capitals=bare == bare.upper())


def is_secret(value: bytes, hidden: Hides) -> bool:
    """Say whether `value`, without its quotes, is a secret behind a name that hides so much."""
    if hidden is Hides.RANDOM:
        return bool(_RANDOM.match(value))
    if hidden is Hides.MIXED and not _MIXED.match(value):
        return False
    plain = _PLAIN_WORD if hidden is Hides.ANYTHING else _PLAIN
    return bool(hidden and value and not plain.match(value))


def _words(name: bytes) -> list[bytes]:
    apart = _GLUED.sub(rb"\1_\2", _CAMEL.sub(b"_", name).lower())
    words = [word for word in re.split(rb"[_-]+", apart) if word]
    return words[:-1] if len(words) > 1 and _NUMBERED.match(words[-1]) else words


def _strong(words: list[bytes]) -> Hides:
    if _STRONG_LAST.search(words[-1]):
        return Hides.ANYTHING
    strong = any(map(_STRONG.search, words)) or words[-1] == b"authorization"
    return Hides.TEXT if strong else Hides.NOTHING


def _weak(words: list[bytes], *, capitals: bool) -> Hides:
    if _WEAK.isdisjoint(words) or not _HARMLESS.isdisjoint(words):
        return Hides.NOTHING
    if capitals and words not in ([b"key"], [b"keys"], [b"tokens"]):
        return Hides.TEXT
    if words[-1] not in _WEAK:
        return Hides.NOTHING
    if not _ACCESS.isdisjoint(words):
        return Hides.TEXT
    return Hides.MIXED if words[-1] == b"token" else Hides.RANDOM
