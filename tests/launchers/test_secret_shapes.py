"""Secrets of the shapes that services and programs give theirs do not get through, neither at capture nor in copies."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_lines import HARMLESS, LINES
from secret_shapes import CONTEXTS, NAMED, TOKENS, R

from launchers.secrets.redaction import Redactor, redact_text, secret_values
from tests.parsers.scrubbing import scrubbed_text

NAMED_CONTEXTS = {
    "assignment": "{name}={value}",
    "export": "export {name}='{value}'",
    "JSON": '{{"{name}": "{value}", "loss": 1}}',
    "small letters": "{small}: {value}",
    "option": "train.py --{option} {value} --lr 0.1",
    "header": "X-{option}: {value}",
    "address": "https://host/path?{small}={value}",
}
KNOWN = ["MY_PWD", "SSH_PASS", "NETRC_PASS", "SLACK_WEBHOOK_URL", "AZURE_SAS", "WEB_COOKIE", "WEB_SESSION"]
KNOWN += ["KEY_PASSPHRASE", "DB_PASS_2", "PASS", "SESSIONID"]
UNKNOWN = {
    "PWD": "/root/work/somewhere",
    "OLDPWD": "/root/work/somewhere",
    "XDG_SESSION_ID": "a1b2c3d4e5f6",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "GDMSESSION": "ubuntu-wayland",
    "SESSION_MANAGER": "local/host:@/tmp/.ICE-unix/1",
    "SECURITYSESSIONID": "186a8abcdef",
    "DESKTOP_SESSION": "ubuntu-xorg-1a2b3c",
    "PASSES": "abcd1234efgh",
    "COMPASS": "abcd1234efgh",
    "BYPASS": "abcd1234efgh",
    "PASS_COUNT": "abcd1234efgh",
    "FUSE_PASS": "conv_bn_fuse",
    "SASL_MECHANISM": "abcd1234efgh",
}
HOSTILE = [
    "password=",
    "password is ",
    "login password ",
    "mysql -p ",
    "curl -u ",
    "login -p ",
    "sk_live_",
    "s.",
    "hvs.",
    "%3a%2f%2f",
    "&sig=",
    "bearer ",
    "<password>",
    '"name": "DB_PASSWORD", ',
    "password: |\n ",
    "name: DB_PASSWORD\n",
    "Private-Lines: 2\n",
    "-us1",
    "Q~",
    "eyJhcGlf.",
    "cookie: a=",
    "webhooks/",
    ":AA",
]
PARTS = [*LINES, *TOKENS.values(), *HOSTILE, " ", "\n", "\r", "a", "1", ".", "'", '"']


def one_by_one(data: bytes) -> bytes:
    redactor = Redactor()
    return b"".join([redactor.feed(data[at : at + 1]) for at in range(len(data))]) + redactor.finish()


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_token_gets_through_in_any_context(context: str) -> None:
    before, after = CONTEXTS[context]
    outputs = {service: redact_text(before + token + after)[0] for service, token in TOKENS.items()}
    assert [service for service, output in outputs.items() if TOKENS[service][-12:] in output] == []
    assert [service for service, output in outputs.items() if not output.startswith(before) or R not in output] == []


@pytest.mark.parametrize("context", NAMED_CONTEXTS)
def test_what_a_name_says_is_secret_does_not_get_through(context: str) -> None:
    through = []
    for name, value in NAMED.items():
        small = name.lower()
        line = NAMED_CONTEXTS[context].format(name=name, small=small, option=small.replace("_", "-"), value=value)
        through += [name for output in redact_text(line)[:1] if value in output]
    assert through == []


def test_only_the_secret_of_a_line_is_replaced_and_what_was_redacted_stays_as_it_is() -> None:
    assert {line: redact_text(line + "\n")[0] for line in LINES} == {line: f"{left}\n" for line, left in LINES.items()}
    assert [left for left in LINES.values() if redact_text(left)[0] != left] == []


def test_tokens_and_lines_come_out_the_same_byte_by_byte() -> None:
    texts = [*(f"x {token} y\n" for token in TOKENS.values()), *LINES]
    assert [text for text in texts if one_by_one(text.encode()).decode() != redact_text(text)[0]] == []


def test_what_only_resembles_a_secret_stays() -> None:
    assert [text for text in HARMLESS if redact_text(text) != (text, 0)] == []


def test_a_copy_holds_none_of_them(tmp_path: Path) -> None:
    lines = [*LINES, *TOKENS.values(), *(f"{name}={value}" for name, value in NAMED.items())]
    kept = [*LINES.values(), *([R] * len(TOKENS)), *(f"{name}={R}" for name in NAMED)]
    copy = scrubbed_text(tmp_path, "\n".join([*lines, ""]).encode()).decode()
    assert copy.count(R) == "\n".join(kept).count(R)
    assert not [value for value in (*TOKENS.values(), *NAMED.values()) if value[-12:] in copy]


def test_a_copy_holds_all_that_is_harmless(tmp_path: Path) -> None:
    text = "\n".join([*HARMLESS, ""]).encode()
    assert R.encode() not in scrubbed_text(tmp_path, text)


def test_the_value_of_a_variable_whose_name_says_so_is_a_known_secret() -> None:
    value = "https://h/a1b2c3d4e5f6"
    assert [name for name in KNOWN if secret_values({name: value}) != [value.encode()]] == []
    short = ["MY_COOKIE", "MY_SESSION", "session_cookie", "webhook_url", "DBPASS", "PHPSESSID"]
    assert [name for name in short if secret_values({name: "abcdefgh"}) != [b"abcdefgh"]] == []


def test_the_value_of_a_variable_that_only_sounds_so_is_none() -> None:
    assert secret_values(UNKNOWN) == []


@given(st.lists(st.sampled_from(PARTS), max_size=4), st.lists(st.integers(0, 200), max_size=4))
def test_the_output_does_not_depend_on_the_chunks(parts: list[str], cuts: list[int]) -> None:
    data = "".join(parts).encode()
    redactor = Redactor()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [redactor.feed(data[begin:end]) for begin, end in pairwise(places)]
    output = b"".join(pieces) + redactor.finish()
    assert output == redact_text(data.decode())[0].encode()
    assert output == one_by_one(data)


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_time_for_a_hostile_line_grows_as_the_line_does(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        start = time.process_time()
        redact_text(text)
        return time.process_time() - start

    seconds(2**10)
    assert seconds(2**15) < 32 * seconds(2**12) + 0.1
