"""Baseline rows: which row of a table each of its rows may be compared with."""

from collections.abc import Iterator, Sequence

from .grid import CellGrid

# For each row the one that it is compared with; None for those that are not.
Baselines = tuple[int | None, ...]


def baselines(grid: CellGrid, labels: Sequence[int]) -> set[Baselines]:
    """All ways to compare rows that the labels allow: with one row, with the row before, or with a label's value."""
    count = len(grid.rows)
    found: set[Baselines] = {tuple(None if row == fixed else fixed for row in range(count)) for fixed in range(count)}
    found.add(tuple(row - 1 if row else None for row in range(count)))
    return found.union(*(_by_label(grid, label, labels) for label in labels))


def of_fewest_cards(grid: CellGrid, cards: int, labels: Sequence[int]) -> Baselines:
    """Compare each row with the one on the fewest cards whose other labels are the same, or that is the only one."""
    counts = [cell.value if cell else None for cell in grid.printed[cards]]
    fewest = min((count for count in counts if count), default=None)
    value = next((text for text, count in zip(grid.column(cards), counts, strict=True) if count == fewest), "")
    alike = _alike(grid, cards, value, [label for label in labels if label != cards])
    return alike if any(row is not None for row in alike) else _alike(grid, cards, value, [])


def _by_label(grid: CellGrid, label: int, labels: Sequence[int]) -> Iterator[Baselines]:
    others = [other for other in labels if other != label]
    for value in dict.fromkeys(grid.column(label)):
        yield _alike(grid, label, value, others)
        yield _before(grid.column(label), value)


def _alike(grid: CellGrid, label: int, value: str, others: Sequence[int]) -> Baselines:
    """Compare each row with the one that has this value, and every other label like it."""
    like: dict[tuple[str, ...], list[int]] = {}
    for row, cells in enumerate(grid.rows):
        if cells[label] == value:
            like.setdefault(tuple(cells[other] for other in others), []).append(row)
    found = [like.get(tuple(cells[other] for other in others), []) for cells in grid.rows]
    return tuple(rows[0] if len(rows) == 1 and rows[0] != row else None for row, rows in enumerate(found))


def _before(texts: Sequence[str], value: str) -> Baselines:
    """Compare each row with the last one before it that has this value."""
    found: list[int | None] = []
    last = None
    for row, text in enumerate(texts):
        found.append(None if text == value else last)
        last = row if text == value else last
    return tuple(found)
