"""Trees: what the parts of Lark's tree of a grammar are."""

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
