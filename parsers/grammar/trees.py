"""Trees of a grammar, as Lark reads it: what their parts are, and how large it becomes.

A few lines of a grammar can stand for more than memory holds once it is put together.
"""

import re
from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

from lark import Tree
from lark.load_grammar import Grammar

from ..io.message import Message

TOO_MANY_WAYS = "{name} has more than {most} combinations; move some of them into separate rules."
OF_ITSELF = "{name} refers to itself; rewrite it without recursion."

# The largest of ours: a rule of 768 ways, and a line of 10,383 signs.
MOST_WAYS = 1 << 13
LONGEST_PATTERN = 1 << 16
MOST_PARTS = 1 << 14  # of one line kind, the rules in it put into their places

# Lark writes a repeat out up to so many times.
_WRITTEN_OUT = 50

_TERMINAL = re.compile(r"^(?:%\w+ +)?[?!]*(_?[A-Z][_A-Z0-9]*)(?:\.-?\d+)?[ \t]*:(.*(?:\n[ \t|].*)*)", re.MULTILINE)
_QUOTED = re.compile(r'"(?:(?=\\.)\\.|[^"\\\n])*+"i?|//.*|/(?:(?=\\.)\\.|[^/\\\n])*+/[a-z]*')
_NAME = re.compile(r"_?[A-Z][_A-Z0-9]*")


def too_long(text: str) -> str | None:
    """The first terminal of the text of a grammar whose regular expression becomes too long.

    Lark puts terminals into each other while it reads them, so this is told by the text.
    """
    bodies = {found[1]: _QUOTED.sub(" ", found[2]) for found in _TERMINAL.finditer(text)}
    lengths = dict[str, int]()
    return next((name for name in bodies if _length(name, bodies, lengths) > LONGEST_PATTERN), None)


def _length(name: str, bodies: Mapping[str, str], known: dict[str, int]) -> int:
    """How many parts a terminal has, those of the terminals in it counted; one in itself counts once."""
    if name not in known:
        known[name] = 1
        known[name] += sum(_length(inner, bodies, known) for inner in _NAME.findall(bodies.get(name, "")))
    return known[name]


class TooMuch(NamedTuple):
    """The name of a rule that stands for too much, and why it does."""

    name: str
    told: Message


def too_many(grammar: Grammar) -> TooMuch | None:
    """The first rule of a grammar that Lark read which it could not compile in any time, and why."""
    for name, _, tree, _ in grammar.rule_defs:
        if _ways(tree) > MOST_WAYS:
            return TooMuch(str(name), Message(TOO_MANY_WAYS, name=repr(str(name)), most=MOST_WAYS))
    templates = {str(name): tree for name, parameters, tree, _ in grammar.rule_defs if parameters}
    for name in templates:
        if name in _used(templates, name):
            return TooMuch(name, Message(OF_ITSELF, name=repr(name)))
    return None


def _ways(node: Any) -> int:
    """In how many ways a rule can be written without ``?`` and ``|``, as Lark writes it before it parses."""
    if not isinstance(node, Tree) or node.data == "template_usage":
        return 1
    inner = [_ways(child) for child in node.children]
    match node.data:
        case "expansions":
            return sum(inner)
        case "maybe":
            return inner[0] + 1
        case "expr":
            return _repeated(inner[0], [str(part) for part in node.children[1:]])
    return prod(inner)


def _repeated(ways: int, repeat: list[str]) -> int:
    if repeat[0] != "~":
        return ways + 1
    least, most = int(repeat[1]), int(repeat[-1])
    if most >= _WRITTEN_OUT:
        return ways
    return sum(ways**times for times in range(least, most + 1))


def _used(templates: Mapping[str, Any], name: str) -> set[str]:
    """The templates that one uses, and those that these use."""
    used, left = set[str](), [name]
    while left:
        usages = templates[left.pop()].find_data("template_usage")
        inner = {name_of(usage.children[0]) for usage in usages} & templates.keys() - used
        used |= inner
        left += inner
    return used


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
