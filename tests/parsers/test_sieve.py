"""A sieve lets every variant pass whose texts are in a block, and holds back nearly all others."""

from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.judging import Texts

# Of few different bytes, so that texts overlap, begin alike and end where the block does.
PIECES = st.text("ab:", min_size=1, max_size=12).map(str.encode)


@given(texts=st.lists(PIECES, max_size=20), block=st.text("ab:", max_size=60).map(str.encode))
def test_those_texts_pass_that_are_in_a_block(texts: list[bytes], block: bytes) -> None:
    passed = Texts(texts).may_be_in(block).tolist()
    assert [text for text, may_be in zip(texts, passed, strict=True) if text in block and not may_be] == []


def test_texts_of_four_bytes_and_more_are_held_back_where_none_like_them_is_in_a_block() -> None:
    texts = [b"%d images/s" % number for number in range(1000)]
    assert Texts([*texts, b"abc"]).may_be_in(b"loss 0.5, lr 1e-4, " * 50).tolist() == [False] * 1000 + [True]
