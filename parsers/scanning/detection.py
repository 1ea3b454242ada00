"""Which formats a log has: found by trying all known ones on its lines.

A format claims a log by its metric lines alone, never by events, facts, a banner or a file name: programs share
launchers, banners and what they say when they save a model, and files are renamed, but the lines with the numbers
must match.
Where lines of several formats are alike, the one with more fixed text is the more specific and has the line; equals are
refused, because a guess would be a number of the wrong meaning.

About a hundred formats are tried, but only on the first line of each shape, and shapes are kept from one log to the
next. The first block of a log that has a metric line decides.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..grammar.format import ROOM, Format, load
from ..io.box import MEMORY, LimitError, boxed
from ..io.cache import kept
from ..io.errors import FormatError, GrammarError, WrappedError
from ..io.message import Message
from .judging import TORN, WHOLE, KnownShapes
from .kernel import Flags, Ids
from .shapes import ShapedLines
from .source import clean
from .text import LogText

# Tables of shapes that are kept: one for all known formats, some for formats that were named.
MOST_TABLES = 4
VARIABLE = "TACHOGRAPH_FORMATS"
NO_FOLDER = "is not a folder; ${variable} must be a folder of grammars (*.lark)."
WRAPPED = (
    "its lines were cut at {width} columns, first in line {line}, and numbers with them; "
    "read the log as it was before `fold` or a terminal wrapped it."
)
FEWEST_CUT = 3  # lines that a terminal cut: one or two may be of one length by chance
FEWEST_MENDED = 2  # metric lines of them: what follows a line by chance hardly ever makes one of it
_TRIED = 1 << 18  # bytes of a log in which they are looked for
_REST = re.compile(r"[0-9.]*[0-9]")
_TORN = re.compile(r"[0-9.][0-9.eE]")  # the last character of a line and the first of the next, of one number
SEVERAL_FIT = "matches {best} and {other} equally well; choose one with --format."

# Of CPU time for a log, and two more for each MiB, where a grammar is not one of ours; ours take a hundredth of it.
SECONDS = 10
TOO_SLOW = "takes more than {seconds} s of CPU time to read {log}; nest no repeats in its terminals."
TOO_SLOW_AT = "takes more than {seconds} s of CPU time to read {log}, at line {line}; nest no repeats in its terminals."
TOO_MUCH_MEMORY = "takes too much memory to read {log}; nest no repeats in its terminals."

Result = TypeVar("Result")


def formats() -> tuple[Format, ...]:
    """All known formats, by name: ours, and those of the user's folder that $TACHOGRAPH_FORMATS names.

    A format of the user's takes the place of ours of that name. Raises GrammarError when one has a mistake,
    FormatError when there is no such folder.
    """
    return _of_folders(_folders())


def grammars() -> Mapping[str, Path]:
    """The grammar file of each known format, by name; raises FormatError when there is no folder of the user's."""
    return _paths(_folders())


def _folders() -> tuple[Path, ...]:
    own = os.environ.get(VARIABLE)
    return (ROOM / "formats", Path(own)) if own else (ROOM / "formats",)


@kept
def _of_folders(folders: Sequence[Path]) -> tuple[Format, ...]:
    return tuple(load(path) for path in _paths(folders).values())


@kept
def _paths(folders: Sequence[Path]) -> Mapping[str, Path]:
    for folder in folders:
        if not folder.is_dir():
            raise FormatError.at(folder, NO_FOLDER, variable=VARIABLE)
    paths = {path.stem: path for folder in folders for path in folder.glob("*.lark")}
    return dict(sorted(paths.items()))


@cache
def common() -> Format:
    """What any program may print: facts in the arguments that it repeats, and events such as its failure."""
    return load(ROOM / "common.lark")


_kept = threading.local()


def known_shapes(known: Sequence[Format]) -> KnownShapes:
    """The shapes of lines that were met before in logs of these formats; a table that is nearly full is left behind."""
    tables: dict[tuple[int, ...], KnownShapes] = _kept.__dict__.setdefault("tables", {})
    key = tuple(map(id, known))  # what was found by one format is not found by its equal, loaded anew
    shapes = tables.pop(key, None)
    if shapes is None or shapes.table.is_full:
        shapes = KnownShapes(known, [common()])
    tables[key] = shapes
    if len(tables) > MOST_TABLES:
        del tables[next(iter(tables))]
    return shapes


def within_limits(do: Callable[[], Result], path: Path, known: Sequence[Format]) -> Result:
    """What a function makes of a log by these formats: in a box where one of their grammars is from elsewhere.

    Raises what the function raises, and GrammarError where that grammar takes too long, or too much memory.
    """
    strange = ", ".join(str(fmt.path) for fmt in known if not fmt.is_ours)
    if not strange:
        return do()
    size = path.stat().st_size if path.is_file() else 0
    known_shapes(known)  # so that the child of the next log has the table as well
    try:
        return boxed(do, SECONDS + 2 * (size >> 20), MEMORY + 8 * size)
    except LimitError as error:
        if not error.seconds:
            raise GrammarError.at(strange, TOO_MUCH_MEMORY, log=path) from error
        line, before = 0, 0  # the first that holds the text
        for block in map(clean, LogText(path).data() if error.text else ()):
            if (place := block.replace(b"\r", b"\n").find(error.text)) >= 0:
                line = before + block.count(b"\n", 0, place) + 1
                break
            before += block.count(b"\n")
        said = Message(TOO_SLOW_AT if line else TOO_SLOW, seconds=error.seconds, log=path, line=line)
        raise GrammarError.at(strange, said) from error


def detect(path: Path, known: Sequence[Format]) -> Format | None:
    """The format of a log: that of its text.

    Raises LogError when it cannot be read or is wrapped, FormatError as ``detected``, GrammarError as
    ``within_limits``.
    """

    def found() -> Format | None:
        text = LogText(path)
        fmt = detected(text, known)
        refuse_wrapped(text, known, has_metrics=fmt is not None)
        return fmt

    return within_limits(found, path, known)


def detected(text: LogText, known: Sequence[Format]) -> Format | None:
    """The format that claims most lines of the first block that has a metric line; None when no block has one.

    A log without metric lines, such as that of an evaluation or of a run that failed, is of none: its events are those
    of many programs. A line that several formats match is claimed by the most specific: the one with the most fixed
    text in it. Lines amid other output tell the format only where no line is whole. Raises FormatError when two formats
    are equally specific, LogError when the log cannot be read.
    """
    shapes = known_shapes(known)
    for lines in text.blocks(shapes):
        if name := most_claimed(text.path, lines, np.ones(len(lines), np.bool_), shapes):
            return next(fmt for fmt in known if fmt.name == name)
    return None


def most_claimed(
    path: Path, lines: ShapedLines, left: Flags, shapes: KnownShapes, without: Set[str] = frozenset()
) -> str | None:
    """The name of the format that claims most of the lines left by metric lines, but for those of these names.

    Raises FormatError when another format claims just the lines that the best one does.
    """
    claims = {name: fixed for name, fixed in shapes.claims(lines, left).items() if name not in without}
    for how in (WHOLE, TORN):
        if names := sorted(name for name, fixed in claims.items() if fixed[how].any()):
            return _most_specific(path, names, np.array([claims[name][how] for name in names]))
    return None


def _most_specific(path: Path, names: Sequence[str], fixed: Ids) -> str:
    """The format for which most of most lines is fixed text: a row of each, of what it claims."""
    is_most = (fixed == fixed.max(axis=0)) & (fixed > 0)
    counts = is_most.sum(axis=1)
    best = int(counts.argmax())
    for other in np.flatnonzero(counts == counts[best]).tolist():
        if other != best and is_most[other][is_most[best]].all():
            raise FormatError.at(path, SEVERAL_FIT, best=names[best], other=names[other])
    return names[best]


def refuse_wrapped(text: LogText, known: Sequence[Format], *, has_metrics: bool = False) -> None:
    """Raise WrappedError where the longest lines of a log become metric lines with those after them.

    Where the log has metric lines as it is, no line after a longest one may be one, and a longest one that is a metric
    line already counts only if a number goes on in the next line: `1.2` before `25e7`.
    """
    lines = clean(text.first_block[:_TRIED]).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    width = max(map(len, lines))
    cut = [number for number, line in enumerate(lines[:-1]) if len(line) == width]
    if not width or len(cut) < FEWEST_CUT:
        return
    shapes = known_shapes(known)

    def are_metric(of: Iterable[str]) -> Flags:
        shaped = shapes.table.lines("".join(f"{line}\n" for line in of).encode())
        claims = shapes.claims(shaped, np.ones(len(shaped), np.bool_)).values()
        found: Flags = np.any([np.zeros(len(shaped)), *(fixed[WHOLE] > 0 for fixed in claims)], axis=0)
        return found

    if has_metrics and are_metric(lines[number + 1] for number in cut).any():
        return
    alone = int(are_metric(lines[number] for number in cut).sum()) if has_metrics else 0
    mended, torn = list[str](), set[int]()
    for before, number in pairwise([-2, *cut]):
        if before != number - 1:
            mended.append(lines[number])
        mended[-1] += lines[number + 1]
        if _TORN.match(lines[number][-1] + lines[number + 1][:1]):
            torn.add(len(mended) - 1)
    are_mended = are_metric(mended)
    found = int(are_mended.sum()) - alone
    # Metric lines may be of one length by themselves, but hardly where each is followed by nothing but digits.
    if len(cut) - alone >= FEWEST_CUT or all(_REST.fullmatch(lines[number + 1]) for number in cut):
        found = max(found, int(are_mended[[*torn]].sum()))
    if found >= FEWEST_MENDED:
        raise WrappedError.at(text.path, WRAPPED, width=width, line=cut[0] + 1)
