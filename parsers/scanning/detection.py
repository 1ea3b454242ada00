"""Which formats a log has: found by trying all known ones on its lines.

A format claims a log by its metric lines, or its events where no format finds any, never by a banner or a file name:
programs share launchers and banners, and files are renamed, but the lines with the numbers must match in any case.
Where lines of several formats are alike, the one with more fixed text is the more specific and has the line; equals are
refused, because a guess would be a number of the wrong meaning.

About a hundred formats are tried on each log, so that most have to fail at once. A log is looked at in pieces, and the
first with a metric line decides; a sieve of hashed fours of bytes tells which literals may stand in a piece at all, and
only the formats whose literals are left are searched for.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import compress, tee
from pathlib import Path

from ..grammar.format import METRICS, ROOM, Format, load
from ..grammar.variant import Variant
from ..io.errors import FormatError
from .block import Block
from .matches import Found
from .scan import Scanner
from .sieve import Sieve
from .text import LogText

# The formats of a log are those of the first piece of so many bytes that has a line of any.
PIECE = 1 << 16
VARIABLE = "TACHOGRAPH_FORMATS"
NO_FOLDER = "is not a folder; ${variable} must be a folder of grammars (*.lark)."
SEVERAL_FIT_LINE = "matches {best} and {other} equally well (1 line); choose one with --format."
SEVERAL_FIT = "matches {best} and {other} equally well ({count} lines); choose one with --format."

Claims = Mapping[int, tuple[int, set[str]]]
Named = list[tuple[str, Variant]]
Piece = tuple[Block, Mapping[str, list[Variant]]]


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


@cache
def _of_folders(folders: Sequence[Path]) -> tuple[Format, ...]:
    return tuple(load(path) for path in _paths(folders).values())


@cache
def _paths(folders: Sequence[Path]) -> Mapping[str, Path]:
    for folder in folders:
        if not folder.is_dir():
            raise FormatError.at(folder, NO_FOLDER, variable=VARIABLE)
    paths = {path.stem: path for folder in folders for path in folder.glob("*.lark")}
    return dict(sorted(paths.items()))


def detect(path: Path, known: Sequence[Format]) -> Format | None:
    """The format of a log: that of its text; raises LogError when it cannot be read, FormatError as ``detected``."""
    return detected(LogText(path), known)


def detected(text: LogText, known: Sequence[Format]) -> Format | None:
    """The format that claims most lines of the first block that has a metric line; None when no block has one.

    Of a log without metric lines, such as that of an evaluation, events tell a format that may have printed them. A
    line that several formats match is claimed by the most specific: the one with the most fixed text in it. Lines amid
    other output tell the format only where no line is whole. Raises FormatError when two formats are equally specific,
    LogError when the log cannot be read.
    """
    for kinds in (METRICS, ("event",)):
        for block in text.blocks():
            if found := most_claimed(text.source.path, block, known, kinds):
                return found
    return None


def most_claimed(
    path: Path, block: Block, known: Sequence[Format], kinds: Sequence[str] = METRICS, without: Set[str] = frozenset()
) -> Format | None:
    """The format that claims most lines of a block, as ``detected`` says, but for those of these names."""
    pieces, again = tee(_looked_at(block, _sieved(tuple(known), tuple(kinds)), without))
    claims = _claims(pieces, whole_only=True)
    if not claims and kinds == METRICS:  # no other lines are looked for amid other output
        claims = _claims(map(_telling, again), whole_only=False)
    counts = Counter(name for _, names in claims.values() for name in names)
    if not counts:
        return None
    best = max(sorted(counts), key=lambda name: counts[name])
    if kinds == METRICS:
        _refuse_equals(path, best, counts, claims)
    return next(fmt for fmt in known if fmt.name == best)


def _looked_at(whole: Block, look: tuple[Named, Sieve], without: Set[str]) -> Iterator[Piece]:
    """The pieces of a block, each with the variants, by format, whose texts are in it."""
    named, sieve = look
    for block in _pieces(whole):
        candidates: dict[str, list[Variant]] = defaultdict(list)
        for name, variant in compress(named, sieve.passes(block.fours).tolist()):
            if name not in without and variant.may_stand_in(block.text):
                candidates[name].append(variant)
        yield block, candidates


def _telling(piece: Piece) -> Piece:
    """A piece with the variants that are looked for amid other output: those that hold more than signs."""
    block, candidates = piece
    told = {name: [variant for variant in variants if variant.telling] for name, variants in candidates.items()}
    return block, {name: variants for name, variants in told.items() if variants}


def _claims(pieces: Iterable[Piece], *, whole_only: bool) -> Claims:
    """By the number of each line how many of its letters are fixed, and the formats that know so many.

    A format that has no line where others have some is not looked for any more, and one that is alone needs no count.
    """
    claims: dict[int, tuple[int, set[str]]] = defaultdict(lambda: (0, set()))
    claiming = set[str]()
    for block, candidates in pieces:
        tried = {name: candidates[name] for name in candidates if not claiming or name in claiming}
        lines = _lines(block, tried, may_be_alone=not claiming, whole_only=whole_only)
        for name, number, fixed in lines:
            most, alike = claims[number]
            if fixed >= most:
                claims[number] = (fixed, alike | {name} if fixed == most else {name})
        claiming = claiming or {name for name, _, _ in lines}
        if len(claiming) == 1:
            break
    return claims


@lru_cache(8)
def _sieved(known: tuple[Format, ...], kinds: tuple[str, ...]) -> tuple[Named, Sieve]:
    named = [(fmt.name, variant) for fmt in known for variant in fmt.variants if variant.record in kinds]
    return named, Sieve([variant.needs for _, variant in named])


def _lines(
    block: Block, candidates: Mapping[str, Sequence[Variant]], *, may_be_alone: bool, whole_only: bool
) -> list[tuple[str, int, int]]:
    """The lines of a block that formats know: the format, the number, and how many letters are fixed.

    When no other format has a line, some lines of the one that has are enough.
    """
    scanners = {name: Scanner(variants, whole_only=whole_only) for name, variants in candidates.items()}
    if may_be_alone and whole_only:
        firsts = {name: found for name, scanner in scanners.items() if (found := scanner.first(block))}
        if len(firsts) <= 1:
            return _told(firsts)
        scanners = {name: scanners[name] for name in firsts}
    return _told({name: scanner.scan(block) for name, scanner in scanners.items()})


def _told(lines: Mapping[str, Sequence[Found]]) -> list[tuple[str, int, int]]:
    return [
        (name, number, found.variant.fixed)
        for name, of_format in lines.items()
        for found in of_format
        for number in found.numbers.tolist()
    ]


def _pieces(block: Block) -> Iterator[Block]:
    """A block in pieces, to look at no more than is needed; a small one is looked at as it is."""
    if len(block.data) <= 2 * PIECE:
        yield block
        return
    lines, end = 0, 0
    while end < len(block.data):
        start, end = end, block.data.find(b"\n", end + PIECE) + 1 or len(block.data)
        piece = Block.after(lines, block.data[start:end])
        lines += piece.lines
        yield piece


def _refuse_equals(path: Path, best: str, counts: Counter[str], claims: Claims) -> None:
    """Raise FormatError when another format claims just the lines that the best one does."""
    lines = {number for number, (_, names) in claims.items() if best in names}
    for other in sorted(counts.keys() - {best}):
        if counts[other] == counts[best] and all(other in claims[number][1] for number in lines):
            if counts[best] == 1:
                raise FormatError.at(path, SEVERAL_FIT_LINE, best=best, other=other)
            raise FormatError.at(path, SEVERAL_FIT, best=best, other=other, count=counts[best])
