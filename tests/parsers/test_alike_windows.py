"""Lines that may have been cut are looked at once for all that are followed by lines of the same shapes."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.shapes import ALONE
from parsers.scanning.wrapped import MOST_PIECES, alike_windows

SHAPES = st.lists(st.sampled_from([ALONE, 0, 1]), min_size=1, max_size=2 * MOST_PIECES)


@given(SHAPES, st.data())
def test_rows_are_together_if_they_and_as_many_after_them_are_of_the_same_shapes(
    shapes: list[int], data: st.DataObject
) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(shapes) - 1), max_size=20)))
    more = [data.draw(st.integers(0, min(MOST_PIECES, len(shapes) - row) - 1)) for row in rows]
    found = alike_windows(np.array(shapes, np.int32), np.array(rows, np.int64), np.array(more, np.int64))
    window = {row: shapes[row : row + count + 1] for row, count in zip(rows, more, strict=True)}
    # A line without a shape is like no other.
    said = {row: (lines, row * (ALONE in lines)) for row, lines in window.items()}
    together = groupby(sorted(rows, key=said.__getitem__), key=said.__getitem__)
    assert sorted([rows[one] for one in alike] for alike in found) == sorted(sorted(same) for _, same in together)
