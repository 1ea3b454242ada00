"""Which format a log has: found by trying all known ones on it."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .errors import FormatError
from .grammar import METRICS, ROOM, Format, load
from .scan import Scanner
from .source import Source, clean, is_text


@cache
def formats(folder: Path = ROOM / "formats") -> tuple[Format, ...]:
    """All formats of a folder, by name; raises GrammarError when one of them has a mistake."""
    return tuple(load(path) for path in sorted(folder.glob("*.lark")))


def detect(path: Path, known: Sequence[Format]) -> Format | None:
    """The format most of whose metric lines stand in the first block that has any; None when no block has one.

    Raises FormatError when two formats fit equally well, LogError when the log cannot be read.
    """
    for block in Source(path).blocks():
        if not is_text(block[:65536]):
            return None
        text = clean(block)
        fits = Counter({fmt.name: n for fmt in known if (n := _metric_lines(fmt, text))})
        if fits:
            return _best(path, fits, known)
    return None


def _metric_lines(fmt: Format, block: bytes) -> int:
    """How many metric lines of a format a block has; a look for its texts comes first, for most formats have none."""
    present = [v for v in fmt.variants if v.record in METRICS and all(text.encode() in block for text in v.literals)]
    return sum(len(found.rows) for found in Scanner(present).feed(block)) if present else 0


def _best(path: Path, fits: Counter[str], known: Sequence[Format]) -> Format:
    (name, count), *others = fits.most_common(2)
    if others and others[0][1] == count:
        raise FormatError(
            f"{path}: fits {name} and {others[0][0]} equally well ({count} lines); say which with --format."
        )
    return next(fmt for fmt in known if fmt.name == name)
