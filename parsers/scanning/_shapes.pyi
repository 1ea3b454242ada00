from typing import Any

from numpy.typing import NDArray

Data = bytes | bytearray | memoryview
VERSION: int

class Table:
    def __new__(cls, most: int, most_bytes: int, longest: int, most_parts: int, key: Data, /) -> Table: ...
    def __len__(self) -> int: ...
    def lines(self, text: Data, at: int, ids: NDArray[Any], starts: NDArray[Any], known: int, /) -> tuple[int, int]: ...
    def tell(self, shape: int, places: NDArray[Any], /) -> None: ...

def fields(
    text: Data,
    at: NDArray[Any],
    shape: NDArray[Any],
    places: NDArray[Any],
    kinds: NDArray[Any],
    cells: NDArray[Any],
    odd: NDArray[Any],
    /,
) -> int: ...
def texts_in(text: Data, texts: Data, starts: NDArray[Any], found: NDArray[Any], /) -> None: ...
def without_escapes(text: Data, /) -> bytes: ...
