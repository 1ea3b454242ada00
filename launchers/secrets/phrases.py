"""Phrases: secrets that only what stands before them gives away.

| what | how it shows |
| --- | --- |
| command lines | `mysql -pX`, `docker login -p X`, `curl -u user:X`, `redis-cli -a X`, `swanlab login -k X` |
| Weights & Biases | `wandb login`, `API key …: ` before 32 hexadecimal digits or more |
| Docker, Baidu | `"auth": "BASE64"`; `ak=X`, `sk: X` where X is dense |
| webhooks | what follows `hooks.slack.com/`, `/webhooks/`, `/webhookb2/`, `/v2/hook/` |
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


_OPTION = rb"-(?<![a-z_-]-)(?:[aup]|-(?:creds|proxy-user|user)(?![a-z_-]))"
_QUOTE = b"<quote>"
_ARGUMENTS = {b"'": re.compile(rb"[^'\r\n]*+"), b'"': re.compile(rb'[^"\r\n]*+'), b"": re.compile(rb"[^\s'\"\\]*+")}
_ADDRESS = re.compile(rb"(?:[^\s'\"<>\\]++|(?=\\/)\\/)*+")
_LONG = re.compile(rb"(?:[^\s'\"<>\\]|\\/){16}")
_SIGNATURE = re.compile(rb"[\w%+/=-]*+")
_ANY = re.compile(rb"(?!<redacted>)[^\s'\"$<]")
_DENSE = re.compile(rb"(?=[!-~]{0,40}[0-9])(?=[!-~]{0,40}[A-Za-z])[\w.~+/=-]{16}")


def _phrase(gate: bytes, hint: bytes, behind: bytes, opening: bytes, value: Pattern, rest: Pattern) -> Phrase:
    return Phrase(gate, hint, re.compile(behind), re.compile(opening), value, rest)


def _option(option: bytes, command: bytes, opening: bytes, gate: bytes = _OPTION, spelt: bytes = b"") -> list[Phrase]:
    """After an option of a command that stands before it on the line; in quotes up to their end.

    ``opening`` has ``<quote>`` where these stand. ``spelt``: a pattern for an option that is not always spelt the same.
    """
    behind = rb"(?:\A|[^\w.-])(?:" + command + rb")(?:[ \t'\",]+[^|;&]*)?[\s'\",]\Z"
    hint = spelt or option + rb"(?<![\w-]" + option + rb")"
    begin = b"(?i:" + spelt + b")" if spelt else option
    return [
        _phrase(gate, hint, behind, begin + opening.replace(_QUOTE, quote), _ANY, rest)
        for quote, rest in _ARGUMENTS.items()
    ]


_LONG_OPTION = (
    rb"(?:a(?:rams|th)|ort|re(?:cision|fix|trained)|rint|ro(?:file|tocol))(?![\w-])"  # -pretrained, with one dash
)
_APART = rb"(?:['\"],)?[ \t=]{1,4}" + _QUOTE
_USER = rb"(?:(?:['\"],)?[ \t=]{1,4})?" + _QUOTE + rb"[^\s:'\"/$]{1,64}:"
_WITH_USER = rb"curl|https?|xh|lftp"
_SLASH = rb"(?:\\?/|%2[fF])"
_HEX = re.compile(rb"[0-9a-f]{32}")
_ARGUMENT = _ARGUMENTS[b""]
_IS_SIGNATURE = rb"(?:=|%3[dD]|['\"][ \t]{0,4}:[ \t]{0,4}['\"])"
_BASE64 = re.compile(
    rb"(?=[a-z0-9+/=]{0,60}[A-Z])(?=[A-Z0-9+/=]{0,60}[a-z])(?:[A-Za-z0-9+/]{4}){3}[A-Za-z0-9+/=]*[\"\\]"
)

PHRASES: tuple[Phrase, ...] = (
    *_option(b"-p", rb"(?:mysql|mariadb)[\w-]*", rb"(?!" + _LONG_OPTION + rb")" + _QUOTE),
    *_option(b"-p", rb"sshpass|mongo\w*|login", rb"(?:(?:['\"],)?[ \t=]{1,4})?" + _QUOTE),
    *_option(b"-u", _WITH_USER, _USER),
    *_option(b"-u", _WITH_USER, _USER, rb"curl", rb"-(?<![\w-]-)[a-z]{1,4}u(?![a-z_-])"),
    *_option(b"--user", _WITH_USER, _USER),
    *_option(b"--proxy-user", rb"curl", _USER),
    *_option(b"-a", rb"redis-cli", _APART),
    *_option(b"-k", rb"swanlab", _APART, rb"swanlab"),
    *_option(b"--creds", rb"skopeo|podman|buildah|oras", _USER),
    _phrase(rb"login", rb"login", rb"", rb"login[ \t]{1,4}", _HEX, _ARGUMENT),
    _phrase(
        rb"wandb login", rb"--host(?![\w-])", rb"wandb login .*\Z", rb"--host[ =][^\s]{1,48}[ \t]{1,4}", _HEX, _ARGUMENT
    ),
    _phrase(rb"enter:", rb"enter:", rb"(?i:api key .*)\Z", rb"(?i:enter:)[ \t]{1,4}", _HEX, _ARGUMENT),
    _phrase(rb"hooks\.slack\.", rb"hooks\.slack\.", rb"", rb"(?i:hooks\.slack\.)[a-z]{2,10}" + _SLASH, _ANY, _ADDRESS),
    _phrase(
        rb"webhooks?b?(?:\\?/|%f)", rb"webhook(?:s|b2)(?=[\\/%])", rb"", rb"webhook(?:s|b2)" + _SLASH, _LONG, _ADDRESS
    ),
    _phrase(rb"/hook/", rb"/v2/hook/", rb"", rb"/v2/hook/", _LONG, _ADDRESS),
    _phrase(rb"webhook/send", rb"send\?key=(?<=webhook/send\?key=)", rb"", rb"(?i:send)\?(?i:key)=", _LONG, _ADDRESS),
    _phrase(
        rb"sig(?:nature)?(?:=|%d|['\"][ \t]{0,4}:)",
        rb"sig(?:nature)?(?:=|%3d|['\"][ \t]{0,4}:)",
        rb"(?i:[?&;]|%26|u0026|[ ,]|\A|x-[a-z]{2,5}-)\Z",
        rb"(?i:sig(?:nature)?)" + _IS_SIGNATURE,
        re.compile(rb"(?=[\w%+/=-]{0,63}?[0-9])[\w%+/=-]{16}"),
        _SIGNATURE,
    ),
    _phrase(
        rb"auth[\\]{0,3}[\"]",
        rb"auth(?=[\\]{0,3}[\"])",
        rb"[\"]\Z",
        rb"(?i:auth)[\\]{0,3}[\"][ \t]{0,4}:[ \t]{0,4}[\\]{0,3}[\"]",
        _BASE64,
        _ARGUMENT,
    ),
    _phrase(
        rb"k[=: ](?<![a-z_.-][as]k.)(?<=[as]k.)",
        rb"k(?=[ \t]?[=:])(?<=[as]k)",
        rb"(?:\A|[^\w.-])[asAS]\Z",
        rb"[kK][ \t]?[=:][ \t]?['\"]?",
        _DENSE,
        _ARGUMENT,
    ),
    _phrase(rb"bearer", rb"bearer", rb"(?:\A|[^\w])\Z", rb"(?i:bearer)[ \t]{1,4}", _DENSE, _ADDRESS),
)
