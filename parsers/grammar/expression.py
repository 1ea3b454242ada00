"""Regular expressions of grammars, compiled so that every Python matches them alike.

Before 3.11.5, a repeat of a group that gives nothing back, ``(?:ab)*+``, tries the group once too often and keeps what
that took before it failed (gh-106052): lines match that should not, and others do not. There such a repeat becomes an
atomic group around an ordinary one, ``(?>(?:ab)*)``, which means the same.
"""

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from typing import Any

_BLANKS_AND_DIGITS = b" \t0123456789"
GOES_BACK = sys.version_info >= (3, 11, 5)


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
    if op is not ops.LITERAL or argument in _BLANKS_AND_DIGITS:
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
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        return [argument[2]]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [argument[1]]
    if op is ops.SUBPATTERN:
        return [argument[3]]
    if op is ops.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part]
    return list(argument[1]) if op is ops.BRANCH else [argument] if op is ops.ATOMIC_GROUP else []
