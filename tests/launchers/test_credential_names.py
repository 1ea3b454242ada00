"""Names in capitals are those of an environment: what they hold is a secret unless it plainly is none."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from launchers.secrets.published_run import redact_command, redact_document
from launchers.secrets.redaction import Redactor, redact_text, secret_values

R = "<redacted>"
LONG = "Zm9vYmFy+abcdefghIJKLMNOP/QRSTUV=="
SECRETS = {
    **{
        f"{name}={LONG}": f"{name}={R}"
        for name in (
            "AZURE_STORAGE_PRIMARY_KEY",
            "AZURE_PRIMARY_KEY",
            "QUERY_API_KEY",
            "IMAGE_REGISTRY_TOKEN",
            "DOCKER_IMAGE_TOKEN",
            "CACHE_TOKEN",
            "PRIVKEY",
            "KEY",
            "TOKENS",
        )
    },
    "MYTOKEN=abcdefgh": f"MYTOKEN={R}",
    "DBKEY: abc": f"DBKEY: {R}",
    "env {'MYTOKEN': 'a b', 'LANG': 'C'}": f"env {{'MYTOKEN': '{R}', 'LANG': 'C'}}",
    "|          MYTOKEN      abcdefgh       |": f"|          MYTOKEN      {R}       |",
    "API_TOKEN=123456789012": f"API_TOKEN={R}",
    "CACHE_TOKEN=123456789012": f"CACHE_TOKEN={R}",
    "SECRET_KEY=123456789012": f"SECRET_KEY={R}",
    "SIGNING_KEY=[abc]def\nloss 1": f"SIGNING_KEY={R}\nloss 1",
    'CREDENTIALS={"a": "b"}\nloss 1': f"CREDENTIALS={R}\nloss 1",
    'export A_SECRET={ "a": "b" }': f"export A_SECRET={R}",
    "clone https://a1b2c3d4e5f6a7b8c9d0@host/x.git": f"clone https://{R}@host/x.git",
    "clone https://a1b2c3d4e5f6a7b8c9d0:@host/x.git": f"clone https://{R}@host/x.git",
}
HARMLESS = [
    "MAX_TOKENS=4096 NUM_TOKENS: 512 TOKENS_PER_SECOND: 12345.6 KEYS=12 MONKEY=3",
    "TRAIN_TOKENS=300000000000 TOKENS: 1,234,567,890,123 TOKENS_PER_SECOND=1.5e6",
    "TOKENS: [101, 2023, 102] SPECIAL_TOKENS=['<s>', '</s>'] SORT_KEYS: [image, label] API_KEYS=[]",
    "PAD_TOKEN=[PAD] EOS_TOKEN=</s> SORT_KEY=name CACHE_KEY=/data/cache/images KEYRING=~/.local/keys",
    "TOKENIZER=bert-base-uncased TOKENIZERS_PARALLELISM=true USE_CACHE_TOKEN=None",
    "| KEY      value_of_loss |",
    "ssh://git@host https://host/a1b2c3d4e5f6a7b8c9d0@2 http://localhost-8080@x",
]
GIVEN = [b"correct horse battery"]
COMMANDS = {
    r"python train.py --password correct\ horse\ staple --lr 1": f"python train.py --password '{R}' --lr 1",
    r"python train.py --password=correct\ horse\ staple --lr 1": f"python train.py '--password={R}' --lr 1",
    r"env A_TOKEN=a\ b python train.py": f"env 'A_TOKEN={R}' python train.py",
    r"train --dsn correct\ horse\ battery a\ b": rf"train --dsn '{R}' a\ b",
    "train --env=A_TOKEN=a\\ b": f"train '--env=A_TOKEN={R}'",
    "train -o model.api_key='a b'": f"train -o 'model.api_key={R}'",
    "train --password $'a\\nb' --lr 1": f"train --password '{R}' --lr 1",
    r'cd "$REPO"/a\ b && train --ips "$MASTER" --rank="$NODE_RANK" --token abcd': (
        r'cd "$REPO"/a\ b && train --ips "$MASTER" --rank="$NODE_RANK" --token ' + f"'{R}'"
    ),
    r"train a$'it\'s \x' --token abcd": rf"train a$'it\'s \x' --token '{R}'",
    "train 'A_TOKEN=abcd": f"train 'A_TOKEN={R}",
}
DOCUMENTS: list[tuple[Any, Any]] = [
    ("PASSWORD=abc", f"PASSWORD={R}"),
    ({"a": [{"b": "use correct horse battery"}]}, {"a": [{"b": f"use {R}"}]}),
    ({"variables": {"DB_PASSWORD": "abc", "CARDS": "1"}}, {"variables": {"DB_PASSWORD": R, "CARDS": "1"}}),
    (["train.py", "--api-key", "abc", "--fp16"], ["train.py", "--api-key", R, "--fp16"]),
    ({"correct horse battery": 1}, {R: 1}),
]
words = st.one_of(
    st.sampled_from(["--lr", "a b", "it's", "&&", "$x", "\n", "é", "", "a=b c"]), st.text("ab '\"\\$", max_size=4)
)
documents = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("abc =\n")),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text("abc"), inner)),
)


def test_what_a_name_in_capitals_holds_is_replaced_and_what_was_replaced_stays_as_it_is() -> None:
    assert {text: redact_text(text) for text in SECRETS} == {text: (left, 1) for text, left in SECRETS.items()}
    assert [left for left in SECRETS.values() if redact_text(left) != (left, 0)] == []


@given(st.lists(st.sampled_from([*SECRETS, *HARMLESS, *" =:'\"[{(\n", "a1b2c3d4e5"]), max_size=5).map("".join))
@example("A_KEY=[abc]'")
def test_the_output_does_not_depend_on_the_chunks(text: str) -> None:
    redactor = Redactor()
    pieces = [redactor.feed(bytes([byte])) for byte in text.encode()]
    output = b"".join([*pieces, redactor.finish()])
    assert (output.decode(), redactor.count) == redact_text(text)


def test_what_plainly_is_no_secret_stays() -> None:
    assert [text for text in HARMLESS if redact_text(text) != (text, 0)] == []


def test_a_path_in_the_environment_is_not_sought_in_the_output() -> None:
    assert secret_values({"KEYRING": "/usr/share/keys", "CACHE_TOKEN": LONG}) == [LONG.encode()]


def test_a_secret_in_a_command_is_replaced_with_its_blanks_and_stays_so() -> None:
    assert {line: redact_command(line, GIVEN) for line in COMMANDS} == COMMANDS
    assert [left for left in COMMANDS.values() if redact_command(left, GIVEN) != left] == []


@given(st.lists(words))
def test_harmless_words_of_a_command_stay(given_words: list[str]) -> None:
    line = 'cd "$REPO" && ' + shlex.join(given_words)
    assert redact_command(line) == line


@pytest.mark.parametrize(("document", "public"), DOCUMENTS)
def test_secrets_anywhere_in_a_document_are_replaced(document: Any, public: Any) -> None:
    assert redact_document(document, GIVEN) == public


@given(documents)
def test_a_harmless_document_stays_as_it_is(document: Any) -> None:
    assert redact_document(document) == document
