"""Ranges of line numbers, as readers and awk take them."""

from collections.abc import Iterable, Iterator, Sequence


def ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Return ascending numbers as pairs of the first and the last of each run without a gap."""
    first = last = None
    for number in numbers:
        if first is None or last is None or number > last + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def shown(numbers: Sequence[int], most: int = 12) -> str:
    """Return line numbers in one text, ``198 to 203, 205``; of very many runs how many there are."""
    runs = list(ranges(sorted(set(numbers))))
    if len(runs) > most:
        return f"{runs[0][0]} to {runs[-1][1]} in {len(runs)} pieces"
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)
