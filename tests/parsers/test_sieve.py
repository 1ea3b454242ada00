"""A sieve lets every text pass that is in a block, and holds back most that are not."""

from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.judging import Sieve, fours

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
