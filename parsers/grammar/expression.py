"""Regular expressions of grammars: compiled alike by every Python, and the digits that they tell apart.

Before 3.11.5, a repeat of a group that gives nothing back, ``(?:ab)*+``, tries the group once too often and keeps what
that took before it failed (gh-106052): lines match that should not, and others do not. There such a repeat becomes an
atomic group around an ordinary one, ``(?>(?:ab)*)``, which means the same.

Lines that are alike but for their digits are read alike, unless a pattern holds a digit itself, as "top1" does. The
parser of Python's expressions says which bytes may stand beside such a digit: only where these stand in a line does it
matter which digit is there.
"""

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from .variant import METRICS, Variant

GOES_BACK = sys.version_info >= (3, 11, 5)
REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
CHARACTERS = (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY)


def compiled(source: bytes, *, goes_back: bool = GOES_BACK) -> re.Pattern[bytes]:
    """The pattern of an expression; ``goes_back``: as this Python does, for tests."""
    return re.compile(source) if goes_back else _of_tree(parser.parse(source), goes_back=False)


def looked_for(source: bytes, begins: bytes, *, goes_back: bool = GOES_BACK) -> re.Pattern[bytes]:
    """The pattern of an expression that begins with no blank and no digit, or else only where ``begins`` holds.

    One that begins with a text is found by that, which is much faster; so a text is put before its atomic group.
    """
    tree = parser.parse(source)
    op, argument = tree[0]
    if op is ops.ATOMIC_GROUP and argument[0][0] is ops.LITERAL:
        tree[0:1] = [argument[0], (op, argument[1:])]
    op, argument = tree[0]
    if op is not ops.LITERAL or argument in b" \t0123456789":
        tree[0:0] = parser.parse(begins).data
    return _of_tree(tree, goes_back=goes_back)


def _of_tree(tree: Any, *, goes_back: bool) -> re.Pattern[bytes]:
    if not goes_back:
        _rewrite(tree)
    found: re.Pattern[bytes] = compiler.compile(tree)
    return found


def _rewrite(tree: Any) -> None:
    """Make atomic groups of the possessive repeats of a parsed expression."""
    for place, (op, argument) in enumerate(tree):
        for part in _parts(op, argument):
            _rewrite(part)
        if op is ops.POSSESSIVE_REPEAT:
            tree[place] = (ops.ATOMIC_GROUP, parser.SubPattern(tree.state, [(ops.MAX_REPEAT, argument)]))


def _parts(op: Any, argument: Any) -> list[Any]:
    """The parts of an expression that one of its parts holds."""
    if op in REPEATS or op is ops.SUBPATTERN:
        return [argument[-1]]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [argument[1]]
    if op is ops.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part]
    return list(argument[1]) if op is ops.BRANCH else [argument] if op is ops.ATOMIC_GROUP else []


def takes_newline(source: str) -> bool:
    """Whether what an expression takes, or looks for behind that, may hold the end of a line."""
    return _takes_newline(parser.parse(source.encode()))


def _takes_newline(tree: Any) -> bool:
    for op, argument in tree:
        if op in (ops.AT, ops.ASSERT_NOT):
            continue
        if op in CHARACTERS:
            found = ord("\n") in taken(op, argument)
        else:  # what refers to another group may take anything
            parts = [] if op is ops.GROUPREF_EXISTS else _parts(op, argument)
            found = not parts or any(map(_takes_newline, parts))
        if found:
            return True
    return False


# ---- the digits that they tell apart

DIGITS = frozenset(b"0123456789")
ANY = frozenset(range(256))
_MASK = bytes(0 if byte in DIGITS else byte for byte in range(256))
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") | DIGITS
_BLANK = frozenset(b" \t\n\r\f\v")
_CATEGORIES = {
    ops.CATEGORY_DIGIT: DIGITS,
    ops.CATEGORY_NOT_DIGIT: ANY - DIGITS,
    ops.CATEGORY_WORD: _WORD,
    ops.CATEGORY_NOT_WORD: ANY - _WORD,
    ops.CATEGORY_SPACE: _BLANK,
    ops.CATEGORY_NOT_SPACE: ANY - _BLANK,
}
MOST_REPEATED = 8
# An expression without a digit but in these takes all digits or none.
_OF_ALL_DIGITS = re.compile(r"0-9|\{[0-9,]*\}")

Bytes = frozenset[int]
Run = tuple[re.Pattern[bytes], tuple[int, ...]]


def masked(line: bytes) -> bytes:
    """A line with NUL for each of its digits."""
    return line.translate(_MASK)


@cache
def tells_digits(variant: Variant) -> bool:
    """Whether a line may be of a variant, or resemble one, only with some digits at some places."""
    return bool(re.search("[0-9]", _OF_ALL_DIGITS.sub("", variant.source)))


def telling_places(variant: Variant, line: bytes) -> Iterator[int]:
    """The places in a masked line at which the variant tells one digit from another."""
    runs = _runs(variant) if _may_be(variant, line) else _telling_texts(variant) if _may_resemble(variant, line) else ()
    for pattern, offsets in runs:
        for found in pattern.finditer(line):
            yield from (found.start() + offset for offset in offsets)


def may_tell(variant: Variant, text: bytes) -> bool:
    """Whether there may be such places in any line of a masked text."""
    return _may_be(variant, text) or _may_resemble(variant, text)


def _may_be(variant: Variant, text: bytes) -> bool:
    return all(any(need in text for need in needs) for needs in _masked_needs(variant))


def _may_resemble(variant: Variant, text: bytes) -> bool:
    return variant.record in METRICS and bool(_telling_texts(variant)) and _masked(variant).resembles(text)


@cache
def _masked_needs(variant: Variant) -> tuple[tuple[bytes, ...], ...]:
    needs = sorted(variant.needs, key=lambda need: -min(map(len, need)))  # the longest are the rarest
    return tuple(tuple(masked(text) for text in need) for need in needs)


@cache
def _masked(variant: Variant) -> Variant:
    """What stands for a variant where masked lines are compared with its texts."""
    texts = tuple(masked(text).decode() for text in variant.texts)
    return Variant(variant.record, variant.source, (), texts, spans=variant.spans)


@cache
def _runs(variant: Variant) -> tuple[Run, ...]:
    """The runs of bytes in which a variant tells digits apart: the run in a masked line, and where the digits are."""
    runs: list[list[Bytes]] = []
    # A metric line may stand amid other output, without what may stand before it.
    for source in (variant.source, variant.own_source) if variant.record in METRICS else (variant.source,):
        _walk(parser.parse(source.encode()), [], runs)
    return tuple({pattern.pattern: (pattern, offsets) for pattern, offsets in map(_compiled, runs)}.values())


@cache
def _telling_texts(variant: Variant) -> tuple[Run, ...]:
    """The same of the texts by which a line resembles one of the variant."""
    return tuple(_compiled([frozenset([byte]) for byte in text]) for text in variant.telling if DIGITS & set(text))


def _compiled(run: Sequence[Bytes]) -> Run:
    # Of each byte the set of those that stand for it in a masked line.
    sets = (b"".join(b"\\x%02x" % byte for byte in sorted(set(masked(bytes(taken))))) for taken in run)
    pattern = b"".join(b"[%s]" % one for one in sets)
    return re.compile(b"(?=%s)" % pattern, re.DOTALL), tuple(i for i, taken in enumerate(run) if _is_telling(taken))


def _is_telling(taken: Bytes) -> bool:
    return 0 < len(taken & DIGITS) < len(DIGITS)


def _walk(tree: Any, run: list[Bytes], runs: list[list[Bytes]]) -> None:
    """Note the runs of a part, which goes on with what stands before it.

    A run holds what each of some bytes that follow each other may be.
    """
    _end(_along(tree, run, runs), runs)


def _end(run: list[Bytes], runs: list[list[Bytes]]) -> None:
    if any(map(_is_telling, run)):
        runs.append(list(run))


def _along(tree: Any, run: list[Bytes], runs: list[list[Bytes]]) -> list[Bytes]:
    """The run that ends with a part, and may go on behind it."""
    for op, argument in tree:
        if op in CHARACTERS:
            run = [*run, taken(op, argument)]
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            run = _along(_parts(op, argument)[0], run, runs)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            _walk(argument[1], list(run) if argument[0] > 0 else [], runs)
        elif op is not ops.AT:
            run = _fork(op, argument, run, runs)
    return run


def _fork(op: Any, argument: Any, run: list[Bytes], runs: list[list[Bytes]]) -> list[Bytes]:
    """A part that has no one length: what follows it goes on with nothing."""
    if op is ops.BRANCH:
        for option in argument[1]:
            _walk(option, list(run), runs)
    elif op in REPEATS:
        least, most, part = argument
        if least == most <= MOST_REPEATED:
            return _along(list(part) * least, run, runs)
        _end(run, runs)
        _walk(part, list(run) if most == 1 else [], runs)
    else:  # what refers to another group compares its digits
        _end(run, runs)
        runs += [[frozenset([digit])] for digit in DIGITS]
    return []


def taken(op: Any, argument: Any) -> Bytes:
    """The bytes that one place of an expression takes; letters in either case."""
    if op is ops.ANY:
        return ANY
    if op is not ops.IN:
        either = frozenset(bytes([argument]).swapcase() + bytes([argument]))
        return either if op is ops.LITERAL else ANY - frozenset([argument])
    taken, negated = set[int](), False
    for kind, part in argument:
        negated |= kind is ops.NEGATE
        if kind is ops.RANGE:
            taken.update(range(part[0], part[1] + 1))
        elif kind is ops.LITERAL:
            taken.add(part)
        elif kind is not ops.NEGATE:
            taken.update(_CATEGORIES[part])
    return ANY - taken if negated else frozenset((*taken, *bytes(taken).swapcase()))
