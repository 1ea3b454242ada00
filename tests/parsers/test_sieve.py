"""A sieve lets every variant pass whose texts are in a block, and holds back all others."""

from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.judging import Texts
from tests.parsers.shapes import both

# Of few different bytes, so that texts overlap, begin alike and end where the block does.
PIECES = st.text("ab:", min_size=3, max_size=12).map(str.encode)


@both
@given(texts=st.lists(PIECES, max_size=20), block=st.text("ab:", max_size=60).map(str.encode))
def test_those_texts_are_found_that_are_in_a_block(*, compiled: bool, texts: list[bytes], block: bytes) -> None:
    assert Texts(texts, compiled=compiled).found_in(block).tolist() == [text in block for text in texts]
