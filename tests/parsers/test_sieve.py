"""A sieve lets every text pass that is in a block, and holds back most that are not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.block import Block
from parsers.scanning.sieve import Sieve, fours

TEXTS = st.binary(min_size=1, max_size=12)


@given(st.binary(max_size=40), TEXTS, st.binary(max_size=40))
def test_a_text_passes_wherever_it_stands(before: bytes, text: bytes, after: bytes) -> None:
    assert Sieve([[[text]]]).passes(fours(before + text + after)).tolist() == [True]


@given(TEXTS, st.integers(min_value=0, max_value=3))
def test_a_text_passes_where_two_pieces_of_a_large_block_meet(text: bytes, shift: int) -> None:
    block = b"\n" * ((1 << 14) - len(text) + shift) + text + b"\n" * (1 << 14)
    assert Sieve([[[text]]]).passes(fours(block)).tolist() == [True]


def test_a_group_passes_with_all_its_needs_only() -> None:
    groups = [[[b"epoch:"], [b"loss:"]], [[b"epoch:"], [b"speed:"]]]
    assert Sieve(groups).passes(fours(b"epoch: 1, loss: 2")).tolist() == [True, False]


def test_a_need_is_met_by_any_of_its_texts() -> None:
    groups = [[[b"Epoch:", b"epoch:"]], [[b"Iter:", b"iter:"]]]
    assert Sieve(groups).passes(fours(b"epoch: 1, loss: 2")).tolist() == [True, False]


def test_of_no_groups_none_passes() -> None:
    assert Sieve([]).passes(fours(b"text")).tolist() == []


@given(st.lists(st.from_regex(rb"[a-c\r]{0,5}", fullmatch=True), min_size=1, max_size=12), st.data())
def test_the_lines_that_are_left_keep_their_numbers(lines: list[bytes], data: st.DataObject) -> None:
    known = data.draw(st.sets(st.integers(min_value=8, max_value=7 + len(lines))))
    block = Block.after(7, b"".join(line + b"\n" for line in lines))
    rest = block.without(np.array(sorted(known), np.int64))
    left = [number for number in range(8, 8 + len(lines)) if number not in known]
    assert rest.numbers(np.arange(rest.lines)).tolist() == left
    assert rest.data == b"".join(lines[number - 8] + b"\n" for number in left)
