"""Credentials: which names hide them, and which values are none whatever their name.

What a name hides depends on its words (`apiKey` and `API-KEY` both have the words api and key) and on its case:

| name | what is taken for a secret |
| --- | --- |
| has PASSWORD, PASSWD, PASSPHRASE, SECRET or CREDENTIAL in it, in any case | text; numbers, too, as the last word |
| ends in PASS after a word of access, in any case: DB_PASS, ssh_pass | text and numbers |
| ends in PASS, in capitals: MY_PASS, but not NUM_PASS, FUSE_PASS | text; numbers of ten digits and more |
| `pass`, `pwd`, in any case | text that is not a path; after a colon what is not a word of a sentence |
| any other that ends in `pwd`: MY_PWD, but not OLDPWD; `psw`, `creds` | text that is not a path |
| has WEBHOOK or SAS in it, in capitals | text |
| has SESSION in it, in capitals; `cookie`, `webhook`, `sas`; not XDG_SESSION_ID, cookie_age | text of eight bytes |
| has `session` in it, in small letters | what is dense; twelve letters and digits |
| has AUTH in it; in capitals, as the last of several words: REDISCLI_AUTH | what is dense; text of eight bytes |
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
seven letters and nothing else. Dense is what has ten bytes and more without a blank, a letter right after a digit and
a digit right after a letter, and is not a date: `a1b2c3d4e5`, not `resnet50_v1`.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache


class Hides(IntEnum):
    """What is taken for a secret behind a name, each more than the one before."""

    NOTHING = 0
    DENSE = 1
    RUN = 2
    RANDOM = 3
    MIXED = 4
    PLURAL = 5
    LONG = 6
    EIGHT = 7
    WORD = 8
    NO_PATH = 9
    TEXT = 10
    DIGITS = 11
    ANYTHING = 12


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
    b"access account api app auth aws azure bearer bot client csrf deploy encryption gcp git github gitlab google "
    b"hf hub huggingface jwt kaggle license master neptune npm oauth openai personal private pypi refresh registry "
    b"security sas service session signing slack ssh ssl storage tls user wandb webhook xsrf".split()
)
_STRONG = re.compile(rb"password|passwort|passwd|passphrase|passcode|secret|credential")
_STRONG_LAST = re.compile(rb"(?:password|passwort|passwd|passphrase|passcode|secret|credential)\d*\Z")
_PASS = re.compile(rb"\Apass\d*\Z")
_SESSION_ID = re.compile(rb"\A(?!security)[a-z]*sess(?:ion)?id\Z")  # PHPSESSID, JSESSIONID
_PWD = re.compile(rb"(?:(?<!old)pwd|\Apsw|\Acreds)\d*\Z")
_OF_ACCOUNTS = _ACCESS | frozenset(
    b"admin database db ftp http imap key ldap login mail mysql netrc postgres proxy redis root smtp sql sudo".split()
)
_GLUED_PASS = re.compile(rb"(?<![a-z])(" + b"|".join(sorted(_OF_ACCOUNTS)) + rb")(pass\d*)(?![a-z])")
_OF_COMPILERS = frozenset(
    b"backward by first forward fuse fusion graph high ir last low multi one opt optimization second single test "
    b"two".split()
)
_GRANTS = frozenset(b"auth cookie cookies sas sess sessid session sessionid webhook webhooks".split())
_OF_DESKTOPS = frozenset(b"bus class dbus desktop gdm gnome iterm kde manager seat term tmux type xdg".split())
_OF_COOKIES = frozenset(b"address age config domain enabled host method mode port samesite secure timeout".split())
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
_PLACE = rb"(?:[/~.$`\\]|[A-Z]:[\\/])[^\s'\"]*+"
_PATH = rb"(?:~|\.{1,2})?(?:/[\w.-]{1,24}){2,32}/?"
_END = rb"(?=[\s,;:)\]}|\"'\\]|\Z)"


def _plain(*forms: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?i:" + rb"|".join([_WORD, *forms]) + rb")" + _END)


_MASK = rb"\[[A-Z_]+\]"
_PLAIN = _plain(_MASK, _NUMBER)
_PLAIN_BEHIND = {
    Hides.PLURAL: _plain(_MASK, _NUMBER, _SHORT_WORD, _PATH),
    Hides.LONG: _plain(_MASK, _UP_TO_9_DIGITS, _SHORT_WORD, _PATH),
    Hides.EIGHT: _plain(_MASK, _NUMBER, _PLACE),
    Hides.WORD: _plain(_MASK, _NUMBER, _PLACE, rb"\w*?pass"),
    Hides.NO_PATH: _plain(_MASK, _NUMBER, _PLACE),
    Hides.DIGITS: _plain(_MASK, _UP_TO_9_DIGITS),
    Hides.ANYTHING: _plain(),
}
_MIXED = re.compile(rb"(?=[A-Za-z]{0,7}[0-9])(?=[0-9]{0,7}[A-Za-z])[A-Za-z0-9]{8}")
_DENSE = re.compile(
    rb"(?!\d{2,4}[-/:.]\d)(?=[!-~]{10})(?=[!-~]{0,31}?\d[A-Za-z])(?=[!-~]{0,31}?[A-Za-z]\d)[^/~]|https?://[!-~]{10}"
)
_TWELVE = re.compile(rb"(?=[0-9]{0,11}[A-Za-z])[A-Za-z0-9]{12}")
_EIGHT = 8
_SPOKEN = re.compile(
    rb"(?!\d{2,4}[-/:.]\d)(?=[!-~]{5})(?:(?=[!-.0-~]{0,31}?\d)(?=[!-.0-~]{0,31}?[A-Za-z])|[!-.0-~]{0,31}?[!@#$%^&*~+=])"
)
_LETTERS = re.compile(rb"[a-z]{4,}")
_STATE = re.compile(rb"(?:[eo]d|ing|[ai]ble|ent|ory|less|ful)\Z")
# What follows `the secret is` where the secret itself does not.
_SAID_OF_SECRETS = frozenset(
    b"also always available between both called correct created empty encrypted exactly false good given going hard "
    b"hidden here in incorrect invalid just kept known like lost more most much never none null obsolete okay "
    b"only optional over read right safe same secret set shown simple simply some still strong stale taken that "
    b"their then there they this true under undefined unknown unset valid very weak what when where which with within "
    b"without wrong your".split()
)
_KEY = re.compile(rb"(?=[!-~]{0,40}[0-9])(?=[!-~]{0,40}[A-Za-z])[\w.~+=-]{16}")
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
    return _strong(words) or _pass(words, Hides.NOTHING) or _grant(words, Hides.EIGHT) or _weak(words)


def is_secret(value: bytes, hidden: Hides) -> bool:
    """Say whether `value`, without its quotes, is a secret behind a name that hides so much."""
    if hidden is Hides.DENSE:
        return is_dense(value)
    if hidden is Hides.RUN:
        return is_dense(value) or bool(_TWELVE.match(value))
    if hidden is Hides.EIGHT and len(value) < _EIGHT:
        return False
    if hidden is Hides.RANDOM:
        return bool(_RANDOM.match(value))
    if hidden is Hides.MIXED and not _MIXED.match(value):
        return False
    return bool(hidden and value and not _PLAIN_BEHIND.get(hidden, _PLAIN).match(value))


def is_dense(value: bytes) -> bool:
    """Say whether `value` is made as machines make secrets, or is a URL."""
    return bool(_DENSE.match(value))


def is_spoken(value: bytes) -> bool:
    """Say whether `value` is not a word of a sentence: it mixes letters with digits or signs."""
    return bool(_SPOKEN.match(value)) and not _PLAIN.match(value)


def is_said(value: bytes, is_told: bool) -> bool:
    """Say whether `value`, after `password`, is one: no word of a sentence.

    After `password is`, for which `is_told` stands, it is any word but those that say how a password is.
    """
    word = value.strip(b".,;:!?()").lower()
    is_word = is_told and bool(_LETTERS.fullmatch(word)) and word not in _SAID_OF_SECRETS and not _STATE.search(word)
    return is_word or is_spoken(value)


def is_key(value: bytes) -> bool:
    """Say whether `value` is what a key looks like, wherever it stands: 16 bytes and more, letters and digits mixed."""
    return bool(_KEY.match(value))


def _words(name: bytes) -> list[bytes]:
    apart = _GLUED_PASS.sub(rb"\1_\2", _GLUED.sub(rb"\1_\2", _CAMEL.sub(b"_", name).lower()))
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
        return _pass(words, Hides.DIGITS) or _grant(words, Hides.TEXT)
    if not _PLURAL.isdisjoint(words) and _ACCESS.isdisjoint(words):
        return Hides.PLURAL
    alone = words == [b"key"] or not any(map(_ENDS_IN_WEAK.search, found))
    return Hides.LONG if alone or not _HARMLESS.isdisjoint(words) else Hides.DIGITS


def _pass(words: list[bytes], other: Hides) -> Hides:
    if _PWD.search(words[-1]):
        return Hides.NOTHING if b"old" in words else Hides.WORD if words == [b"pwd"] else Hides.NO_PATH
    if not _PASS.match(words[-1]):
        return Hides.NOTHING
    if words[:-1] and _OF_ACCOUNTS.isdisjoint(words):
        return other if (_HARMLESS | _OF_COMPILERS).isdisjoint(words) else Hides.NOTHING
    return Hides.ANYTHING if words[:-1] else Hides.WORD


def _grant(words: list[bytes], other: Hides) -> Hides:
    if words in ([b"cookie"], [b"set", b"cookie"]):
        return Hides.TEXT
    found = {b"session" if _SESSION_ID.match(word) else word for word in words} & _GRANTS
    if not found or not (_OF_DESKTOPS | _OF_COOKIES).isdisjoint(words):
        return Hides.NOTHING
    if found & {b"sas", b"webhook", b"webhooks"}:
        return other
    if found & {b"cookie", b"cookies"}:
        return Hides.EIGHT
    if found == {b"auth"} and not (other is Hides.TEXT and words[-1] == b"auth" and words[:-1]):
        return Hides.DENSE
    return Hides.EIGHT if other is Hides.TEXT else Hides.RUN


def _weak(words: list[bytes]) -> Hides:
    if words[-1] not in _WEAK or not _HARMLESS.isdisjoint(words):
        return Hides.NOTHING
    if not _ACCESS.isdisjoint(words):
        return Hides.TEXT
    return Hides.MIXED if words[-1] == b"token" else Hides.RANDOM
