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

GOES_BACK = sys.version_info >= (3, 11, 5)


def compiled(source: bytes, *, goes_back: bool = GOES_BACK) -> re.Pattern[bytes]:
    """The pattern of an expression; ``goes_back``: as this Python does, for tests."""
    if goes_back:
        return re.compile(source)
    tree = parser.parse(source)
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
