"""Trees: what the parts of Lark's tree of a grammar are."""

import re
from typing import Any

from lark import Tree


def is_only(node: Tree[Any]) -> bool:
    """Whether these are alternatives of which there is but one."""
    return node.data == "expansions" and len(node.children) == 1


def is_optional(node: Any) -> bool:
    """Whether a part of a line may be missing."""
    return isinstance(node, Tree) and node.data == "expr" and str(node.children[1]) == "?"


def constant(node: Any) -> str | int:
    """What an argument says: the name of a unit, a scope or a kind, or a count."""
    while isinstance(node, Tree):
        node = node.children[0]
    text = name_of(node).strip('"').removeprefix("per_")
    return int(text) if text.isdigit() else text


def name_of(node: Any) -> str:
    """Plain name of a symbol: Lark prefixes what an import brings along with the name of the imported file."""
    while isinstance(node, Tree):
        node = node.children[0]
    return str(getattr(node, "name", node)).removeprefix("vocabulary__")


def plain(pattern: str) -> str:
    """The text that a pattern without any sign of a regular expression spells out."""
    return re.sub(r"\\(.)", r"\1", pattern)


def is_plain(pattern: str) -> bool:
    """Whether a regular expression matches one text only, which it spells out."""
    return re.escape(plain(pattern)) == pattern


def atomic(pattern: str) -> str:
    """A pattern that is tried in one way only; plain text has no other."""
    return pattern if is_plain(pattern) else f"(?>{pattern})"
