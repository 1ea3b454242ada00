"""Which format a log has: found by trying all known ones on it."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .errors import FormatError
from .format import METRICS, ROOM, Format, load
from .scan import Scanner
from .source import Source, clean, is_text
from .variant import Variant

PIECE = 1 << 14


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
        fits = _fits(clean(block), known)
        if fits:
            return _best(path, fits, known)
    return None


def _fits(block: bytes, known: Sequence[Format]) -> Counter[str]:
    """How many metric lines of each format a block has; a look for its texts comes first, for most have none there.

    When the texts of one format alone are there, one line of it is enough.
    """
    present = {fmt.name: [v for v in fmt.variants if v.record in METRICS and v.may_stand_in(block)] for fmt in known}
    candidates = {name: variants for name, variants in present.items() if variants}
    enough = 1 if len(candidates) == 1 else len(block)
    return +Counter({name: _metric_lines(variants, block, enough) for name, variants in candidates.items()})


def _metric_lines(variants: Sequence[Variant], block: bytes, enough: int) -> int:
    scanner, count, start = Scanner(variants), 0, 0
    while start < len(block) and count < enough:
        end = block.find(b"\n", start + PIECE) + 1 or len(block)
        count += sum(len(found.rows) for found in scanner.feed(block[start:end]))
        start = end
    return count


def _best(path: Path, fits: Counter[str], known: Sequence[Format]) -> Format:
    (name, count), *others = fits.most_common(2)
    if others and others[0][1] == count:
        raise FormatError(
            f"{path}: fits {name} and {others[0][0]} equally well ({count} lines); say which with --format."
        )
    return next(fmt for fmt in known if fmt.name == name)
