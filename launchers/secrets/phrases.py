"""Phrases: secrets that only what stands before them gives away.

| what | how it shows |
| --- | --- |
| command lines | `mysql -pX`, `docker login -p X`, `sshpass -p X`, `curl -u user:X`, `redis-cli -a X` |
| Weights & Biases | `wandb login` before 32 hexadecimal digits or more |
| webhooks | what follows `hooks.slack.com/`, `/webhooks/`, `/webhookb2/` |
| signatures of a URL | `&sig=X`, `X-Amz-Signature=X`, `, Signature=X` |
| headers | `Bearer X` where X is dense (`credentials`) |
"""

from __future__ import annotations

import re
from typing import NamedTuple

Pattern = re.Pattern[bytes]


class Phrase(NamedTuple):
    """After `hint`, in small letters, comes `opening`, and then a secret if `value` matches it; `rest` is all of it.

    `gate` is a pattern for a line in small letters without its digits; `behind` must match what stands before.
    """

    gate: bytes
    hint: bytes
    behind: Pattern
    opening: Pattern
    value: Pattern
    rest: Pattern


_AN_OPTION = rb"-(?<![a-z_-]-)(?:[aup]|-(?:creds|proxy-user|user)(?![a-z_-]))"
_QUOTE = rb"['\"]?"
_ARGUMENT = re.compile(rb"[^\s'\"\\]*+")
_ADDRESS = re.compile(rb"[^\s'\"<>\\]*+")
_LONG = re.compile(rb"[^\s'\"<>\\]{16}")
_SIGNATURE = re.compile(rb"[\w%+/=-]*+")
_ANY = re.compile(rb"(?!<redacted>)[^\s'\"$<]")
_DENSE = re.compile(rb"(?=[!-~]{0,40}[0-9])(?=[!-~]{0,40}[A-Za-z])[\w.~+/=-]{16}")


def _phrase(gate: bytes, hint: bytes, behind: bytes, opening: bytes, value: Pattern, rest: Pattern) -> Phrase:
    return Phrase(gate, hint, re.compile(behind), re.compile(opening), value, rest)


def _option(option: bytes, command: bytes, opening: bytes) -> Phrase:
    """After an option of a command that stands before it on the line."""
    behind = rb"(?:\A|[^\w.-])(?:" + command + rb")(?:[ \t'\",]+[^|;&]*)?[\s'\",]\Z"
    hint = option + rb"(?<![\w-]" + option + rb")"
    return _phrase(
        rb"-(?<![a-z_-]-)(?:[aup]|-(?:creds|proxy-user|user)(?![a-z_-]))",
        hint,
        behind,
        option + opening,
        _ANY,
        _ARGUMENT,
    )


_LONG_OPTION = (
    rb"(?:a(?:rams|th)|ort|re(?:cision|fix|trained)|rint|ro(?:file|tocol))(?![\w-])"  # -pretrained, with one dash
)
_APART = rb"(?:['\"],)?[ \t=]{1,4}" + _QUOTE
_USER = rb"(?:(?:['\"],)?[ \t=]{1,4})?" + _QUOTE + rb"[^\s:'\"/$]{1,64}:"

PHRASES: tuple[Phrase, ...] = (
    _option(b"-p", rb"(?:mysql|mariadb)[\w-]*", rb"(?!" + _LONG_OPTION + rb")" + _QUOTE),
    _option(b"-p", rb"sshpass|mongo\w*|login", rb"(?:" + _APART + rb")?"),
    _option(b"-u", rb"curl|https?|xh|lftp", _USER),
    _option(b"--user", rb"curl|https?|xh|lftp", _USER),
    _option(b"--proxy-user", rb"curl", _USER),
    _option(b"-a", rb"redis-cli", _APART),
    _option(b"--creds", rb"skopeo|podman|buildah|oras", _USER),
    _phrase(rb"login", rb"login", rb"", rb"login[ \t]{1,4}", re.compile(rb"[0-9a-f]{32}"), _ARGUMENT),
    _phrase(rb"hooks\.slack\.", rb"hooks\.slack\.", rb"", rb"(?i:hooks\.slack\.)[a-z]{2,10}/", _ANY, _ADDRESS),
    _phrase(rb"webhooks?b?/", rb"webhook(?:s|b2)/", rb"", rb"webhook(?:s|b2)/", _LONG, _ADDRESS),
    _phrase(
        rb"sig(?:nature)?=",
        rb"sig(?:nature)?=",
        rb"(?i:[?&;]|%26|u0026|[ ,]|\A|x-[a-z]{2,5}-)\Z",
        rb"(?i:sig(?:nature)?)=",
        re.compile(rb"(?=[\w%+/=-]{0,63}?[0-9])[\w%+/=-]{16}"),
        _SIGNATURE,
    ),
    _phrase(rb"bearer", rb"bearer", rb"(?:\A|[^\w])\Z", rb"(?i:bearer)[ \t]{1,4}", _DENSE, _ADDRESS),
)
