"""Properties of scrubbing that hold for any text."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from parsers.scrubbing.copies import rewrite, text_blocks
from parsers.scrubbing.identities import identities, rules
from parsers.scrubbing.placeholders import Placeholders
from tachograph.cli import secrets

FRAGMENTS = sorted(
    {part for rule in rules() for part in re.findall(rb"\w+|\W", rule.line)} | set(b"\n\x1b[1m\0\xe9".split())
)
pieces = st.one_of(st.sampled_from([rule.line for rule in rules()]), st.sampled_from(FRAGMENTS), st.binary(max_size=4))
texts = st.lists(pieces, max_size=30).map(b"".join)


def public(text: bytes) -> bytes:
    """A text as it is published: names are sought in what holds no credentials."""
    before, after = secrets().stream(), secrets().stream()
    placeholders = Placeholders(identities(before.feed(text) + before.finish()))
    return after.feed(placeholders.replaced(text)) + after.finish()


@given(texts)
@example(b"Hostname: gpu-node-07NCCLeth0:10.0.0.4<0>")
@example(b"Hostname: NCCL0\nNCCL0:10.0.0.4\ncuda 10.2.89.1")
@example(b"USER=NCCL0:10.0.0.4")
def test_to_scrub_what_is_scrubbed_changes_nothing(text: bytes) -> None:
    once = public(text)
    assert public(once) == once


@given(texts)
def test_lines_stay_lines(text: bytes) -> None:
    assert public(text).count(b"\n") == text.count(b"\n")


@given(texts)
def test_what_was_found_as_a_word_is_gone(text: bytes) -> None:
    found = {identity.text for identity in identities(text) if identity.kind in {"host", "user", "address"}}
    replaced = Placeholders(identities(text)).replaced(text)
    kept = {identity.text for identity in identities(replaced) if identity.kind in {"host", "user", "address"}}
    assert found & kept == set()


@given(st.binary())
@example(b"\xff\xfeh\0\n\0\0")
@example("\ud83d\ude00\n".encode("utf-16-le", "surrogatepass") * 3 + b"\x3d\xd8\n\0")
@example(b"a\0\n\0\x00\xdc\n\0")
def test_a_rewritten_log_has_the_same_bytes_where_nothing_changes(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        log, copy = Path(folder) / "log", Path(folder) / "copy"
        # What begins like a packed file is one.
        log.write_bytes(b"line\n" + data)
        rewrite(log, copy, bytes)
        assert copy.read_bytes() == log.read_bytes()


@given(st.binary())
def test_any_bytes_after_a_mark_of_utf_16_stay(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        log, copy = Path(folder) / "log", Path(folder) / "copy"
        log.write_bytes(b"\xff\xfe" + data)
        rewrite(log, copy, bytes)
        assert copy.read_bytes() == log.read_bytes()
        assert all(block.endswith(b"\n") for block in [*text_blocks(log)][:-1])
