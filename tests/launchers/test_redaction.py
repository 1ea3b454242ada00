"""What a program prints is kept without its secrets, and with everything else."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from launchers.secrets.redaction import Redactor, redact_text, secret_values
from tests.parsers.corpus_logs import RealLog, every_real_log

R = "<redacted>"
GITHUB = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl-_c2ln"
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
BODY = "MIIEowIBAAKCAQEA" * 4

SECRETS = {
    "SECRET_TOKEN=hunter2": f"SECRET_TOKEN={R}",
    "PASSWORD=12345": f"PASSWORD={R}",
    "DB_PASSWORD=with a blank inside": f"DB_PASSWORD={R}",
    "+ PASSWORD=a python train.py": f"+ PASSWORD={R} python train.py",
    "export WANDB_API_KEY=a1": f"export WANDB_API_KEY={R}",
    'declare -x MY_CREDENTIAL="a b"': f'declare -x MY_CREDENTIAL="{R}"',
    "env {'HOME': '/root', 'A_TOKEN': 'a b', 'B_KEY': \"it's\", 'C_KEY': 'it\\'s \"q\"', 'LANG': 'C'}": (
        f"env {{'HOME': '/root', 'A_TOKEN': '{R}', 'B_KEY': \"{R}\", 'C_KEY': '{R}', 'LANG': 'C'}}"
    ),
    "cmd ['python', 'train.py', '--password', 'a', '--lr', '1']": (
        f"cmd ['python', 'train.py', '--password', '{R}', '--lr', '1']"
    ),
    "|          MY_API_KEY      abc       |": f"|          MY_API_KEY      {R}       |",
    "  wandb_api_key ............. abc": f"  wandb_api_key ............. {R}",
    "train.py --api-key abc --lr 0.1": f"train.py --api-key {R} --lr 0.1",
    "train.py --token abc": f"train.py --token {R}",
    "train.py --password=abc --lr 0.1": f"train.py --password={R} --lr 0.1",
    "password: abc": f"password: {R}",
    '{"password": "a, b", "loss": 1}': f'{{"password": "{R}", "loss": 1}}',
    '"{\\"password\\": \\"abc\\"}"': f'"{{\\"password\\": \\"{R}\\"}}"',
    "Namespace(apiKey='abc', lr=0.1)": f"Namespace(apiKey='{R}', lr=0.1)",
    "\x1b[32mAPI_KEY\x1b[0m=abc\x1b[0m": f"\x1b[32mAPI_KEY\x1b[0m={R}\x1b[0m",
    "my_token: 0a1b2c3d4e": f"my_token: {R}",
    "key=0123456789abcdef0123": f"key={R}",
    "Authorization: Bearer a.b-c": f"Authorization: Bearer {R}",
    "clone https://user:pa55@host:80/x.git": f"clone https://{R}@host:80/x.git",
    "redis://:p@ss@host": f"redis://{R}@host",
    f"as {GITHUB}, or": f"as {R}, or",
    "github_pat_" + "0a_B" * 10: R,
    "glpat-" + "0a" * 10: R,
    "AKIAIOSFODNN7EXAMPLE": R,
    "(ASIAIOSFODNN7EXAMPLE)": f"({R})",
    "AIzaSy" + "0a-_" * 9: R,
    "xoxb-" + "1a" * 10: R,
    "hf_" + "aBcDeFgHiJ" * 4: R,
    "npm_" + "aBcDeFgHi0" * 4: R,
    "sk-proj-" + "aB0_-" * 5: R,
    "pypi-" + "Ag-0" * 10: R,
    f"x={JWT};": f"x={R};",
    f"'A_KEY': '{BEGIN}\\n{BODY}\\n{END}\\n'": f"'A_KEY': '{BEGIN}{R}{END}\\n'",
    f"A_KEY={BEGIN}\n{BODY}\nMII=\n{END}\nloss 1": f"A_KEY={BEGIN}\n{R}\n{R}\n{END}\nloss 1",
    f"[1,0]<stdout>:{BEGIN}\n[1,0]<stdout>:{BODY}\n[1,0]<stdout>:{END}": (
        f"[1,0]<stdout>:{BEGIN}\n[1,0]<stdout>:{R}\n[1,0]<stdout>:{END}"
    ),
    f"{BEGIN}\r\nProc-Type: 4,ENCRYPTED\r\n\r\n{BODY}\r\n": f"{BEGIN}\r\nProc-Type: 4,ENCRYPTED\r\n\r\n{R}\r\n",
    f"{BEGIN}\nloss 1\n{BODY}\nMII=\nloss 2\ndone\n": f"{BEGIN}\nloss 1\n{R}\n{R}\nloss 2\ndone\n",
}
HARMLESS = [
    "tokens: 4096",
    "tokens/s 1234.5, tokens per second: 1,234.5tok/s, ms/token: 12.5ms/token",
    "token_type_ids num_tokens=512 max_tokens=128,ips=3 MAX_TOKENS=128,LOSS=3",
    "key=value pairs",
    "keys: 12, 'sampler.key': 3, best_key: ips, monkey=3, hotkey=a1b2c3d4e5f6a7b8c9d0",
    "KeyError: 'loss'",
    "--tokenizer gpt2 --max-tokens 128 --unk_token <unk> --pad-token [PAD] --use-auth-token --fp16",
    "keyboard.py secret_sauce.py:12 sk-learn task-based-very-long-name-of-a-task-2 disk-A0",
    "{'eos_token': '</s>', 'pad_token': '[PAD]', \"key\": \"weights_initialization\", 'token': 'hello'}",
    "missing key: backbone.layer4.0.conv2.weight",
    "token: 5, access_token: None, password=None, use_password=True, SECRET=***, HF_TOKEN=",
    "TOKENIZERS_PARALLELISM=false MOE_TOKEN_DISPATCHER_TYPE=alltoall SECRET_FILE=/run/secrets/a",
    "hf_raise_for_status --world_info=eyJsb2NhbGhvc3QiOiBbMF19 http://127.0.0.1:8080/a@b git+ssh://git@host",
    "-----BEGIN CERTIFICATE-----\nMIIabc\n-----END CERTIFICATE-----",
]
WORDS = [*SECRETS, *HARMLESS, *" =:'\"\\-_,.@/\n\r\t", "  ", "://", "Bearer ", "\x1b[32m", "x" * 130, BEGIN, END, BODY]
texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=6).map("".join)
plain_bytes = st.binary().filter(lambda data: not re.search(rb"(?i)k|secret|cred|passw|authoriz|://|_|-|j|xox|a", data))
values = st.lists(st.sampled_from([b"known-value", b"known-value-of more", b"_KEY=abc", b"hunter2h"]))


def redacted(chunks: list[bytes], known: list[bytes] | None = None) -> tuple[bytes, int]:
    redactor = Redactor(known or [])
    return b"".join([*map(redactor.feed, chunks), redactor.finish()]), redactor.count


def single_bytes(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def test_a_secret_is_replaced_and_what_is_around_it_stays() -> None:
    assert {text: redact_text(text)[0] for text in SECRETS} == SECRETS
    assert [text for text in SECRETS if redact_text(text)[1] == 0] == []


def test_what_was_redacted_and_what_only_resembles_a_secret_stays() -> None:
    assert [text for text in HARMLESS if redact_text(text) != (text, 0)] == []
    assert [left for left in SECRETS.values() if redact_text(left)[0] != left] == []


def test_a_key_without_an_end_takes_no_line_of_text() -> None:
    text = f"{BEGIN}\n" + "loss 1\nstep 2 of 3\n" * 300 + BODY
    assert redact_text(text) == (text, 0)
    assert redact_text(f"{BEGIN}\n{BODY}\n{BODY}\n{END}\nPASSWORD=abc")[1] == 2


@given(texts, values, st.lists(st.integers(0, 300)))
@example("'A_PASSWORD': 'a\\'b' c", [], [17, 18])
@example("password:Bearer ", [], [])
def test_the_output_does_not_depend_on_the_chunks(text: str, known: list[bytes], cuts: list[int]) -> None:
    data = text.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    whole = redacted([data], known)
    assert redacted([data[begin:end] for begin, end in pairwise(places)], known) == whole
    assert redacted(single_bytes(data), known) == whole


@given(texts, values)
def test_line_ends_stay(text: str, known: list[bytes]) -> None:
    output, _ = redacted([text.encode()], known)
    assert re.findall(rb"[\r\n]", output) == re.findall(rb"[\r\n]", text.encode())


@given(st.lists(plain_bytes))
@example([b"\x00\xff\xe9\x1b[32m 10%|##", b"#\r 20%|####\r\n"])
def test_other_bytes_come_out_as_they_are(chunks: list[bytes]) -> None:
    assert redacted(chunks) == (b"".join(chunks), 0)


@pytest.mark.parametrize("text", ["'A_PASSWORD': 'S3CR3T' x", f"x {GITHUB} y", f"x {JWT} y", "x://me:S3CR3T@host"])
def test_nothing_of_a_secret_is_returned_at_any_time(text: str) -> None:
    output = b"".join(map(Redactor().feed, single_bytes(text.encode())))
    assert not re.search(rb"S3C|ghp|eyJ", output)


@given(texts.map(lambda text: text + "\n"))
def test_a_line_that_has_ended_is_not_kept_back(text: str) -> None:
    redactor = Redactor()
    redactor.feed(text.encode())
    assert redactor.finish() == b""


@pytest.mark.parametrize(("line", "shown"), [("step 10 lo", "step 10 "), ("10%|##", "10%|##"), ("a key: va", "a ")])
def test_only_the_last_word_of_a_line_is_kept_back(line: str, shown: str) -> None:
    assert Redactor().feed(line.encode()) == shown.encode()


def test_a_value_is_replaced_before_it_ends() -> None:
    assert Redactor().feed(b"PASSWORD='" + b"a" * 100).endswith(b"'<redacted>")


HOSTILE = [
    "a",
    "-",
    "a-",
    "key",
    "-key",
    "key=",
    "PASSWORD='",
    "\\'",
    "://",
    "://a:b@",
    "-eyJ",
    "sk-",
    BEGIN,
    "key ....",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_what_is_kept_of_an_endless_line_does_not_grow(unit: str) -> None:
    # Each call looks at its chunk and at what was kept, so that its work does not grow either.
    data = (unit * 2**15)[: 2**15].encode()
    redactor = Redactor([b"a-a-a-a-a-b"])
    for at in range(0, len(data), 64):
        redactor.feed(data[at : at + 64])
    assert len(redactor.finish()) < 2000


def test_known_values_are_replaced_wherever_they_appear() -> None:
    # Short ones are not sought.
    found = redacted([b"xhunter2hunter2x hunter2 1234567"], [b"hunter2hunter2", b"1234567"])
    assert found == (b"x<redacted>x hunter2 1234567", 1)


def test_a_known_value_of_several_lines_is_replaced_line_by_line() -> None:
    assert redacted([b"a first line, second line"], [b"first line\nsecond line\nshort"])[0] == (
        b"a <redacted>, <redacted>"
    )


@pytest.mark.parametrize(
    "spelt",
    [r"open \"sesame\"/\u00fc", 'open "sesame"/\u00fc', "open%20%22sesame%22%2F%C3%BC", "open+%22sesame%22%2F%C3%BC"],
)
def test_a_known_value_is_found_as_json_python_and_addresses_spell_it(spelt: str) -> None:
    known = 'open "sesame"/\u00fc'.encode()
    assert redacted([f"value {spelt}.".encode()], [known]) == (b"value <redacted>.", 1)


def test_secret_values_are_those_with_a_name_of_a_credential() -> None:
    environ = {"MY_TOKEN": "abcdefgh", "API_KEY": "short", "HOME": "/home/user", "MAX_TOKENS": "100000000"}
    assert secret_values({**environ, "db_password": "12345678"}) == [b"abcdefgh", b"12345678"]


@every_real_log
def test_in_a_real_log_only_lines_that_set_a_credential_change(log: RealLog) -> None:
    data = log.path.read_bytes()
    lines, now = data.split(b"\n"), redacted([data])[0].split(b"\n")
    changed = [line for line, after in zip(lines, now, strict=True) if line != after]
    assert all(re.search(rb"\w+_API_KEY=", line) for line in changed)
