"""A sieve lets every variant pass whose texts are in a block, and holds back all others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.judging import Texts
from parsers.scanning.kernel import shapes_of_c
from tests.parsers.shapes import both, needs_c

# Of few different bytes, so that texts overlap, begin alike and end where the block does.
PIECES = st.text("ab:", min_size=3, max_size=12).map(str.encode)


@both
@given(texts=st.lists(PIECES, max_size=20), block=st.text("ab:", max_size=60).map(str.encode))
def test_those_texts_are_found_that_are_in_a_block(*, compiled: bool, texts: list[bytes], block: bytes) -> None:
    assert Texts(texts, compiled=compiled).found_in(block).tolist() == [text in block for text in texts]


@both
@given(text=st.binary(min_size=3, max_size=12), shift=st.integers(min_value=0, max_value=3))
def test_a_text_is_found_where_two_pieces_of_a_large_block_meet(*, compiled: bool, text: bytes, shift: int) -> None:
    block = b"\n" * ((1 << 14) - len(text) + shift) + text + b"\n" * (1 << 14)
    assert Texts([text], compiled=compiled).found_in(block).tolist() == [True]


@needs_c
@pytest.mark.parametrize("starts", [[0, 3], [0, 2, 6], [1, 3, 6], [0, 4, 3, 6]])
def test_texts_that_do_not_fit_are_refused_by_c(starts: list[int]) -> None:
    assert shapes_of_c is not None
    with pytest.raises(ValueError, match="do not fit"):
        shapes_of_c.texts_in(b"", b"abcdef", np.array(starts, np.int32), np.zeros(len(starts) - 1, np.bool_))
