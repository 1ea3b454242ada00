"""What a program prints, the environment and the patch of a run are kept without their secrets, and with all else."""

import base64
import json
import random
import re
import string
import tomllib
import uuid
from collections.abc import Iterable
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from checkouts import METRIC, PRINT, Native, run_file
from hypothesis import example, given
from hypothesis import strategies as st

from launchers.job import of_command
from launchers.secrets.redaction import Redactor, redact_document, redact_text, secret_values
from launchers.secrets.redaction import public_command as command
from tests.parsers.corpus_logs import RealLog, every_real_log
from tests.parsers.run_folders import scrubbed_text

R = "<redacted>"
_DIGITS = {
    "mixed": "aB3dE5gH1jK7mN9pQ2rS4tU6vW8xY0zA",
    "small": "ab3de5gh1jk7mn9pq2rs4tu6vw8xy0za",
    "capitals": "AB3DE5GH1JK7MN9PQ2RS4TU6VW8XY0ZA",
    "hex": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
}


def _filled(text: str) -> str:
    made = re.sub(r"\{(\w+):(\d+)\}", lambda of: "".join(islice(cycle(_DIGITS[of[1]]), int(of[2]))), text)
    return re.sub(r"\{([A-Zm.]{1,3})\}", r"\1", made)


def text_of(marked: str) -> str:
    """A line without the marks of its secrets."""
    return re.sub("[«»]", "", marked)


def public(marked: str) -> str:
    """What is to be left of a line."""
    return re.sub("«[^»]*»", R, marked)


def secrets_of(marked: str) -> list[str]:
    """The secrets of a line."""
    return re.findall("«([^»]*)»", marked)


_TABLE = tomllib.loads(Path(__file__).with_name("secret_shapes.toml").read_text(encoding="utf-8"))
TOKENS, LINES, HARMLESS = (list(map(_filled, _TABLE[name])) for name in ("tokens", "lines", "harmless"))
KNOWN = ["correct horse battery", 'open "sesame"/\u00fc', "hunter2hunter2", "0123456789abcdef0123"]
CONTEXTS = [
    ("", ""),
    ("VALUE=", ""),
    ('{"value": "', '", "loss": 1}'),
    ("train.py --value ", " --lr 0.1"),
    ("X-Value: ", ""),
    ("https://host/path?value=", "&lr=1"),
]
# By what values of these names are recognised, or not, among the variables of an environment.
SECRET_NAMES = """
    API_KEY MY_TOKEN db_password MY_PWD SSH_PASS NETRC_PASS SLACK_WEBHOOK_URL AZURE_SAS WEB_COOKIE WEB_SESSION DBPASS
    KEY_PASSPHRASE DB_PASS_2 PASS SESSIONID session_cookie PRIVKEY MYTOKEN AZURE_PRIMARY_SECRET wandb_api_key"""  # noqa: S105
OTHER_NAMES = """
    PWD OLDPWD XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS GDMSESSION DESKTOP_SESSION PASSES COMPASS BYPASS PASS_COUNT
    FUSE_PASS SASL_MECHANISM MAX_TOKENS SECRET_FILE TOKENIZERS_PARALLELISM PATH HOME"""
COMMANDS = {
    r"python train.py --password correct\ horse --lr 1": f"python train.py --password '{R}' --lr 1",
    "train -o model.api_key='a b'": f"train -o model.api_key='{R}'",
    'cd "$REPO"/a\\ b && train --token abcd': f"cd \"$REPO\"/a\\ b && train --token '{R}'",
    "A_TOKEN=abcd train": f"A_TOKEN='{R}' train",
}
DOCUMENTS: list[tuple[Any, Any]] = [
    ({"a": [{"b": "use correct horse battery"}]}, {"a": [{"b": f"use {R}"}]}),
    ({"variables": {"DB_PASSWORD": "abc", "CARDS": "1"}}, {"variables": {"DB_PASSWORD": R, "CARDS": "1"}}),
    (["train.py", "--api-key", "a b", "--fp16"], ["train.py", "--api-key", R, "--fp16"]),
    ({"correct horse battery": 1, "packages": {"secretstorage": "3.3"}}, {R: 1, "packages": {"secretstorage": "3.3"}}),
]
PIECES = [
    *map(text_of, LINES),
    *TOKENS[::9],
    *HARMLESS,
    *KNOWN,
    *" =:'\"\\-_,.@/\n\r\t",
    "://",
    "x" * 130,
    "a b " * 3000,
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=6).map("".join)
documents = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("abc =\n")),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text("abc"), inner)),
)


def fed(chunks: Iterable[bytes], known: Iterable[str] = ()) -> tuple[bytes, int]:
    redactor = Redactor([value.encode() for value in known])
    return b"".join([*map(redactor.feed, chunks), redactor.finish()]), redactor.count


def spelt(value: str) -> list[str]:
    """A value as programs print it."""
    data = value.encode()
    encoded = [base64.b64encode(b"u" * before + data).decode() for before in range(3)]
    return [value, json.dumps(value), repr(value), data.hex(), data.hex().upper(), *encoded]


def test_only_the_secrets_of_a_stream_are_replaced_and_what_was_redacted_stays() -> None:
    marked = "".join(f"{line}\nloss 1\n" for line in LINES)
    chosen = random.Random(1)  # noqa: S311
    data = text_of(marked).encode()
    places = [0, *sorted(chosen.sample(range(len(data)), 200)), len(data)]
    assert fed(data[begin:end] for begin, end in pairwise(places))[0].decode().split("\n") == public(marked).split("\n")
    assert redact_text(public(marked)) == (public(marked), 0)


@pytest.mark.parametrize(("before", "after"), CONTEXTS)
def test_a_token_is_replaced_in_any_context(before: str, after: str) -> None:
    left = {token: redact_text(before + token + after)[0] for token in TOKENS}
    assert [token for token in TOKENS if token[-12:] in left[token] or not left[token].startswith(before)] == []


def test_secrets_in_the_facts_and_in_the_patch_of_a_run_are_replaced(repo: Path) -> None:
    facts = {"environment": {"notes": [*map(text_of, LINES), *TOKENS]}}
    kept = "\n".join(redact_document(facts)["environment"]["notes"])
    lines = [text_of(line) for line in LINES if "\r" not in line]
    (repo / "tools" / "train.py").write_text("\nloss 1\n".join([*lines, *TOKENS]))
    patch = of_command(["true"], repo).source()[1].decode()
    for left, marked in ((kept, LINES), (patch, [line for line in LINES if "\r" not in line])):
        assert [s for line in marked for s in secrets_of(line) if len(s) > 8 and s in left] == []
        assert [token for token in TOKENS if token[-12:] in left] == []


def test_what_only_resembles_a_secret_stays() -> None:
    assert [text for text in HARMLESS if redact_text(text) != (text, 0)] == []


@every_real_log
def test_in_a_real_log_only_lines_that_set_a_credential_change(log: RealLog) -> None:
    data = log.path.read_bytes()
    lines, now = data.split(b"\n"), fed([data])[0].split(b"\n")
    changed = [line for line, after in zip(lines, now, strict=True) if line != after]
    assert all(re.search(rb"\w+_API_KEY=", line) for line in changed)


@pytest.mark.parametrize(
    "text", ["API key: {}", "Token: {}", "your token is {}", "密码：{}", "口令 = {}", "the secret is {}"]
)
def test_nearly_all_random_values_are_seen_behind_a_label(text: str) -> None:
    made = random.Random(1)  # noqa: S311
    letters = string.ascii_letters + string.digits
    values = ["".join(made.choices(letters, k=size)) for size in (12, 32) for _ in range(200)]
    values += [base64.b64encode(made.randbytes(30)).decode() for _ in range(200)]
    values += [str(uuid.UUID(bytes=made.randbytes(16))) for _ in range(200)]
    seen = [value for value in values if value not in redact_text(text.format(value))[0]]
    assert len(seen) > 0.95 * len(values)


@given(texts, st.lists(st.sampled_from(KNOWN)), st.lists(st.integers(0, 13000)))
@example("PASSWORD=" + "a" * 20000 + " b\n", [], [9, 10, 8192, 8193])
@example("hunter2\r\nhunter2\nhunter2", KNOWN, [8, 9])
def test_the_output_does_not_depend_on_the_chunks(text: str, known: list[str], cuts: list[int]) -> None:
    data = text.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    whole = fed([data], known)
    assert fed((data[begin:end] for begin, end in pairwise(places)), known) == whole
    assert fed((data[at : at + 7] for at in range(0, len(data), 7)), known) == whole
    assert re.findall(rb"[\r\n]", whole[0]) == re.findall(rb"[\r\n]", data)


@given(st.lists(st.binary().filter(lambda data: not re.search(rb"[a-zA-Z:|.~-]", data))))
@example([b"\x00\xff\xe9\x1b[32m 10%|##", b"#\r 20%|####\r\n"])
def test_other_bytes_come_out_as_they_are(chunks: list[bytes]) -> None:
    assert fed(chunks) == (b"".join(chunks), 0)


@given(st.sampled_from(KNOWN), st.text("ab \n\r", max_size=9), st.text("ab \n\r", max_size=9), st.data())
def test_no_known_value_gets_through_in_any_encoding_on_one_line_or_two(
    value: str, before: str, after: str, drawn: st.DataObject
) -> None:
    shown = drawn.draw(st.sampled_from(spelt(value)))
    cut = drawn.draw(st.integers(0, len(shown)))
    end = drawn.draw(st.sampled_from(["", "\n", "\r\n"]))
    data = (before + shown[:cut] + end + shown[cut:] + after).encode()
    left = b"".join(fed((data[at : at + 5] for at in range(0, len(data), 5)), [value])[0].split())
    assert value.encode().replace(b" ", b"") not in left
    assert not [s for s in spelt(value)[1:] if s[3:-5].replace(" ", "").encode() in left]


def test_short_values_are_not_sought() -> None:
    assert fed([b"hunter2hunter2 1234567"], ["hunter2hunter2", "1234567"]) == (b"<redacted> 1234567", 1)


def test_nothing_is_returned_of_a_line_that_has_not_ended_and_of_a_secret_that_goes_on_after_a_pause() -> None:
    redactor = Redactor()
    assert (redactor.feed(b"loss 1\nPASSWORD=ses"), redactor.holds) == (b"loss 1\n", True)
    assert (redactor.finish(), redactor.holds) == (b"PASSWORD=<redacted>", False)
    assert redactor.feed(b"ame\nloss 2\n") == b"\nloss 2\n"


def test_the_variables_of_an_environment_that_are_secret_are_known_by_their_names() -> None:
    value = "https://h/a1b2c3d4e5f6"
    assert [name for name in SECRET_NAMES.split() if secret_values({name: value}) != [value.encode()]] == []
    values = {
        "HOME": "/root",
        "PWD": "/data/实验 a/user@x",
        "FUSE_PASS": "conv_bn_fuse",
        "GDMSESSION": "ubuntu-wayland",
    }
    given_values = {name: values.get(name, "abcdefgh") for name in OTHER_NAMES.split()}
    others = {"KEYRING": "/usr/share/keys", "API_KEY": "short", "MAX_TOKENS": "100000000"}
    assert secret_values({**given_values, **others}) == []


def test_a_secret_in_a_command_is_replaced_and_stays_so() -> None:
    assert {line: command(line) for line in COMMANDS} == COMMANDS
    assert [left for left in COMMANDS.values() if command(left) != left] == []


@pytest.mark.parametrize(("document", "left"), DOCUMENTS)
def test_secrets_anywhere_in_a_document_are_replaced(document: Any, left: Any) -> None:
    assert redact_document(document, [b"correct horse battery"]) == left


@given(documents)
def test_a_harmless_document_stays_as_it_is(document: Any) -> None:
    assert redact_document(document) == document


def test_a_copy_holds_none_of_them_and_all_that_is_harmless(tmp_path: Path) -> None:
    texts = [*HARMLESS, *TOKENS[::9], *map(text_of, LINES[::9]), ""]
    copy = scrubbed_text(tmp_path, "\nloss 1\n".join(texts).encode()).decode()
    assert copy.count(R) == "".join(LINES[::9]).count("«") + len(TOKENS[::9])


@pytest.mark.parametrize(
    "unit", ["a", "-", "key=", "PASSWORD='", "\\'", "://", "://a:b@", "password is ", '"value": "']
)
def test_what_is_held_of_an_endless_line_does_not_grow(unit: str) -> None:
    redactor = Redactor([b"a-a-a-a-a-b"])
    for at in range(0, 2**16, 4096):
        redactor.feed((unit * 2**16)[at : at + 4096].encode())
    assert len(redactor.finish()) < 2**15


def test_lines_behind_an_encoded_value_stay() -> None:
    value = b"hunter2-Qzz9x-long"
    left, _ = redact_text(f"auth {base64.b64encode(value).decode()}\nstep 1/40 loss 2.5\nabc\n", [value])
    assert left == f"auth {R}\nstep 1/40 loss 2.5\nabc\n"


@pytest.mark.slow
def test_secrets_reach_neither_log_nor_screen_nor_facts_and_are_counted_unless_they_are_to_be_kept(
    native: Native,
) -> None:
    native.environment["DATABASE_PASSWORD"] = "correct horse battery"  # noqa: S105
    shown = "print(os.environ['DATABASE_PASSWORD'])"
    native.trains(f"import os\n{PRINT}print('AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI')\n{shown}\nprint('after')\n")
    answer = native.launch("--", "--api-key=abcdefgh12345678")
    assert native.log == f"{METRIC}AWS_SECRET_ACCESS_KEY=<redacted>\n<redacted>\nafter\n"
    assert native.facts()["redacted"] == 2
    assert "wJalrXUtnFEMI" not in answer.stdout
    assert "abcdefgh12345678" not in (native.run / "run.json").read_text()
    native.launch("--no-redact", "--into", str(native.top / "kept"))
    (kept,) = (native.top / "kept").glob("*/1")
    assert "\ncorrect horse battery\n" in (kept / "train.log").read_text()
    assert run_file(kept)["redacted"] == 0


@pytest.mark.slow
def test_a_line_that_does_not_end_is_written_meanwhile_and_the_rest_of_its_secret_is_not(native: Native) -> None:
    log = str(native.unfinished / "train.log")
    waits = f"while b'<redacted>' not in pathlib.Path({log!r}).read_bytes(): time.sleep(0.05)"
    native.trains(f"import pathlib, time\n{PRINT}print('PASSWORD=ses', end='', flush=True)\n{waits}\nprint('ame')\n")
    native.launch()
    assert native.log == f"{METRIC}PASSWORD=<redacted>\n"
