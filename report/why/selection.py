"""Selections: the condition by which awk takes just the lines whose numbers are used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .extraction import Extraction, awk_string, common_start
from .preparation import Numbered

# A longer list of line numbers is nothing that a shell takes as one argument.
LONGEST_LIST = 90_000


@dataclass(frozen=True)
class Selection:
    """From line ``first`` to line ``last``, with a ``prefix``; of these only, or all but, the ``listed`` numbers."""

    first: int
    last: int
    prefix: bytes = b""
    listed: tuple[int, ...] = ()
    is_without: bool = False

    @property
    def conditions(self) -> list[str]:
        """The conditions, all of which hold, in awk."""
        said = [f"NR >= {self.first}", f"NR <= {self.last}"] if self.first < self.last else [f"NR == {self.first}"]
        if self.prefix:
            said.append(f"index($0, {awk_string(self.prefix)}) == 1")
        if self.listed:
            numbers = " ".join(map(str, self.listed))
            said.append(f'{"!" if self.is_without else ""}index(" {numbers} ", " " NR " ")')
        return said


def selection(used: Sequence[Numbered], lines: Iterable[Numbered], found_by: Sequence[Extraction]) -> Selection | None:
    """Return what selects the used lines among all in which the numbers can be found.

    ``used``: at least one, ascending. ``lines``: all lines of the log. None where that takes too long a list of lines.
    """
    first, last = used[0].number, used[-1].number
    numbers = {line.number for line in used}
    others = [
        line
        for line in lines
        if first <= line.number <= last and line.number not in numbers and all(x.selects(line.text) for x in found_by)
    ]
    if not others:
        return Selection(first, last)
    prefix = common_start([line.text for line in used])
    if prefix and not any(line.text.startswith(prefix) for line in others):
        return Selection(first, last, prefix)
    return _listed(first, last, sorted(numbers), [line.number for line in others])


def _listed(first: int, last: int, used: Sequence[int], others: Sequence[int]) -> Selection | None:
    is_without = len(others) < len(used)
    listed = tuple(others if is_without else used)
    if sum(len(str(number)) + 1 for number in listed) > LONGEST_LIST:
        return None
    return Selection(first, last, b"", listed, is_without)
