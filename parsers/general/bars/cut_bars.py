"""Progress bars that a terminal cut: what did not fit its width stands on the next line."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ...io.message import Message
from ...naming.slots import BAR

CUT = (
    "its progress bars are wrapped onto the next line, first at line {line}, as a terminal does; read the log "
    "before it was wrapped"
)
FEWEST = 3
# What a bar may end in where it is cut, and what it then goes on with.
_OPEN = re.compile(r"[^\[\]]{0,40}(?:\[[^\]]{0,60})?\Z")
_REST = re.compile(r"(?=\S)[^A-Za-z%|\]]{1,60}(?:[A-Za-z]{1,12}/s|s/[A-Za-z]{1,12})(?![A-Za-z])")


def why_cut(head: Sequence[str]) -> Message | None:
    """Why bars of a log, of its first lines, cannot be read: several of them go on in the line after; else None."""
    pairs = enumerate(pairwise(head), 1)
    lines = [line for line, (one, following) in pairs if _is_open(one) and _REST.match(following.split("\r", 1)[0])]
    return Message(CUT, line=lines[0]) if len(lines) >= FEWEST else None


def _is_open(line: str) -> bool:
    """Whether a line ends within a bar, before the speed that it shows."""
    bar = BAR.search(last := line.rpartition("\r")[2])
    rest = last[bar.end() :] if bar else "]"
    return bool(_OPEN.fullmatch(rest)) and not re.search(r"[A-Za-z]/s|s/[A-Za-z]", rest)
