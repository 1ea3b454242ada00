"""The compiler: a line kind of a Lark grammar becomes one regular expression.

Lark parses a log line by line at some 2 MB/s; logs have hundreds of megabytes, and few of their lines are of a format.
So Lark reads the grammar only, and Python's ``re`` reads the log: a grammar without recursion is a regular language, so
one expression with a group a field finds the same lines and fields, many times as fast. Lark still decides what is
right: the tests parse golden lines with both, and where a line breaks off, Lark says where.

The compiler walks Lark's tree as it is before Lark expands optionals: after that, a rule with ten optional parts is a
thousand alternatives. Terminals become atomic groups, repeats and choices possessive ones: no part of a line is tried
twice, so time is linear in its length whatever the line holds. The price is that a repeated part must not match the
text that follows it, which a parser that tries again would sort out; CONTRIBUTING.md says so to authors of grammars.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any

from lark import Token, Tree

from ..io.errors import GrammarError
from ..io.message import Message
from .expression import takes_newline
from .field import LENGTHS, TIMES, WHOLE_LINE, WRITTEN_AS, Field, wrong_parameter
from .variant import Variant

# The largest line of ours has 10,383 signs.
LONGEST_PATTERN = 1 << 16
MOST_PARTS = 1 << 14  # of one line kind, the rules in it put into their places


def placed(said: Message, text: str, name: str) -> Message:
    """What is said of a name, after the first line of a grammar, comments aside, that holds it as a word."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//") and word.search(line):
            return Message(AT_LINE, line=number, said=said)
    return said


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


Rule = tuple[tuple[str, ...], Any]

# What is read as a time needs a terminal whose texts are known to be one.
HOLDS = {"time": TIMES, "elapsed": LENGTHS}
NO_FIXED_TEXT = "{name} has an alternative without fixed text to search for; add a literal."
NO_PART_OF_A_LINE = "{part} cannot be compiled into a line."
RULE_OF_ITSELF = "rule {name} refers to itself; rewrite it without recursion."
NUMBER_OF_PARAMETERS = "{name} takes {count} parameters: {names}."
TOO_LONG_A_RULE = "a line with the rule {name} becomes too long; use fewer parts."
AT_LINE = "line {line}: {said}"
IS_WRONG = "{said} is wrong in {name}; expected one of {known}."
NO_TERMINAL = "a field holds a terminal or a literal, but {name} is neither."
NEWLINE = "NEWLINE"  # the terminal of the vocabulary that a record of several lines holds


@dataclass
class _Line:
    """What one variant gathers while it is compiled."""

    groups: list[Field] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    choices: list[tuple[str, ...]] = field(default_factory=list)
    open_rules: tuple[str, ...] = ()
    optional: int = 0
    repeated: int = 0
    spans: bool = False
    parts: int = 0


@dataclass(frozen=True)
class Compiler:
    """The parts of one grammar: its rules (parameters and tree), terminals and literals as regular expressions.

    ``name`` and ``text`` are those of its file.
    """

    name: str
    text: str
    rules: Mapping[str, Rule]
    terminals: Mapping[str, str]
    literals: Mapping[str, str]
    blank: str
    vocabulary: frozenset[str]

    def alternatives(self, rule: str) -> Iterator[str]:
        """Names of the rules that a rule offers one by one, such as the line kinds of ``start``."""
        for expansion in self.rules[rule][1].children:
            yield name_of(next(expansion.find_data("value")).children[0])

    def error(self, name: str, told: Message) -> GrammarError:
        """A mistake with its file and the first line that holds a name."""
        return GrammarError.at(self.name, placed(told, self.text, name))

    def variants(self, line_kind: str) -> Iterator[Variant]:
        """Compile each alternative of a line kind; raises GrammarError for recursion and for a line without text."""
        for expansion in self.rules[line_kind][1].children:
            line = _Line(open_rules=(line_kind,))
            source, record = self._blanks() + self._node(expansion, line, {}), line_kind.removesuffix("_line")
            if not line.literals:
                raise self.error(line_kind, Message(NO_FIXED_TEXT, name=line_kind))
            if record == "event":  # the whole text is kept, because it is what happened
                line.groups.insert(0, WHOLE_LINE)
                source = f"({source})"
            # Of a record of several lines what its first line is.
            firsts = dict(self._firsts(self._parts(expansion), self._blanks(), "")) if line.spans else {}
            yield Variant(
                record,
                source,
                tuple(line.groups),
                tuple(line.literals),
                tuple(line.choices),
                spans=line.spans,
                head=self._head(expansion),
                first="|".join(firsts),
                first_texts=tuple(firsts.values()) if all(firsts.values()) else (),
            )

    def _head(self, expansion: Any) -> int:
        """How much of the source is for what may stand before a line: blanks, and first parts in ``?``.

        The last of these is none that holds a field, unless there is but one: it would not be read amid other output.
        """
        source, head = self._blanks(), len(self._blanks())

        def is_optional(node: Any) -> bool:
            return isinstance(node, Tree) and node.data == "expr" and str(node.children[1]) == "?"

        for number, part in enumerate(takewhile(is_optional, self._parts(expansion))):
            line = _Line()
            source += self._node(part, line, {})
            if not (number and line.groups):
                head = len(source)
        return head

    def _firsts(self, parts: Iterable[Any], source: str, text: str) -> Iterator[tuple[str, str]]:
        """What a first line may be, by its parts and what stands before them; and the longest text that it holds.

        It goes up to what may end that line. Such a part ends it for certain where it is nothing but that end. Where it
        is a choice or may be missing, each way to go on has a first line of its own.
        """
        end = self._symbol(NEWLINE, _Line(), {})
        for part in parts:
            line = _Line()
            own = self._node(part, line, {})
            if not takes_newline(own):
                source, text = source + own, max([text, *line.literals], key=len)
            elif own in (end, f"(?:{end})++"):
                yield source + own, text
                return
            elif isinstance(part, Tree) and part.data == "expansions":
                options = [(option, self._node(option, _Line(), {})) for option in part.children]
                for option, _ in (of for of in options if takes_newline(of[1])):
                    yield from self._firsts(self._parts(option), source, text)
                others = [own for _, own in options if not takes_newline(own)]
                if not others:
                    return
                source += f"(?>{'|'.join(others)})"
            elif isinstance(part, Tree) and part.data in ("expr", "maybe"):
                child, *repeat = part.children
                yield from self._firsts(self._parts(child), source, text)
                times = [str(each) for each in repeat] or ["?"]
                if times[0] == "+" or (times[0] == "~" and int(times[1])):
                    return
            else:
                break
        yield source, text

    def _parts(self, node: Any) -> Iterator[Any]:
        """The parts of a line in their order: rules without alternatives are looked into, fields are not."""
        is_only = isinstance(node, Tree) and node.data == "expansions" and len(node.children) == 1
        if is_only or (isinstance(node, Tree) and node.data in ("alias", "value")):
            yield from self._parts(node.children[0])
        elif isinstance(node, Tree) and node.data == "expansion":
            yield from (part for child in node.children for part in self._parts(child))
        elif isinstance(node, Tree) or name_of(node) in self.vocabulary or name_of(node) not in self.rules:
            yield node
        else:
            yield from self._parts(self.rules[name_of(node)][1])

    def _node(self, node: Any, line: _Line, arguments: Mapping[str, Any]) -> str:
        match node:
            case Tree(data="value", children=[child]):
                source = self._node(child, line, arguments)
            case Tree(data="expansion"):
                source = "".join(self._node(child, line, arguments) for child in node.children)
            case Tree(data="expansions"):
                source = self._choice(node.children, line, arguments)
            case Tree(data="maybe", children=[child]):
                source = self._optional(child, line, arguments, "?+")
            case Tree(data="expr", children=[child, *repeat]):
                source = self._repeat(child, [str(part) for part in repeat], line, arguments)
            case Tree(data="literal", children=[Token() as token]):
                source = self._text(self.literals[str(token)], line)
            case Tree(data="template_usage", children=[rule, *values]):
                source = self._rule(name_of(rule), values, line, arguments)
            case Tree(data="alias", children=[child, *_]):
                source = self._node(child, line, arguments)
            case Tree():
                raise GrammarError.at(self.name, NO_PART_OF_A_LINE, part=node.data)
            case _:
                source = self._symbol(name_of(node), line, arguments)
        return source

    def _symbol(self, name: str, line: _Line, arguments: Mapping[str, Any]) -> str:
        if name in arguments:
            return self._node(arguments[name], line, {})
        if name in self.rules:
            return self._rule(name, [], line, arguments)
        line.spans |= name == NEWLINE
        return self._text(self.terminals[name], line)

    def _text(self, pattern: str, line: _Line) -> str:
        self._remember(pattern, line)
        return f"{atomic(pattern)}{self._blanks()}"

    def _choice(self, options: list[Any], line: _Line, arguments: Mapping[str, Any]) -> str:
        if len(options) == 1:
            return self._node(options[0], line, arguments)
        outer, sources, held = (line.literals, line.choices), [], []
        for option in options:
            line.literals, line.choices = [], []
            sources.append(self._node(option, line, arguments))
            held.append(max([*line.choices, *zip(line.literals)], key=lambda texts: min(map(len, texts)), default=()))
        line.literals, line.choices = outer
        if all(held):
            line.choices.append(tuple(dict.fromkeys(chain.from_iterable(held))))
        return f"(?>{'|'.join(sources)})"

    def _optional(self, node: Any, line: _Line, arguments: Mapping[str, Any], repeat: str) -> str:
        line.optional += 1
        source = self._node(node, line, arguments)
        line.optional -= 1
        return f"(?:{source}){repeat}"

    def _repeat(self, node: Any, repeat: list[str], line: _Line, arguments: Mapping[str, Any]) -> str:
        line.repeated += 1
        times = f"{{{','.join(repeat[1:])}}}+" if repeat[0] == "~" else f"{repeat[0]}+"
        source = self._optional(node, line, arguments, times)
        line.repeated -= 1
        return source

    @staticmethod
    def _remember(pattern: str, line: _Line) -> None:
        """Keep a text that every such line must hold: a plain literal outside of every choice and optional part."""
        if is_plain(pattern) and not line.optional:
            line.literals.append(plain(pattern))

    def _blanks(self) -> str:
        """What may stand between two tokens: the terminal that the grammar ignores, as a possessive run."""
        single = re.fullmatch(r"(\[[^\]]+\]| )\+", self.blank)
        return f"{single[1]}*+" if single else f"(?:{self.blank})*+" if self.blank else ""

    def _rule(self, name: str, values: list[Any], line: _Line, arguments: Mapping[str, Any]) -> str:
        if name in line.open_rules:
            raise self.error(name, Message(RULE_OF_ITSELF, name=repr(name)))
        parameters, tree = self.rules[name]
        if len(values) != len(parameters):
            names = ", ".join(parameters)
            raise self.error(name, Message(NUMBER_OF_PARAMETERS, name=name, count=len(parameters), names=names))
        bound = {p: arguments.get(name_of(v), v) for p, v in zip(parameters, values, strict=True)}
        if name in self.vocabulary:
            return self._field(name, tree, line, bound)
        outer, line.open_rules = line.open_rules, (*line.open_rules, name)
        source = self._node(tree, line, bound)
        line.open_rules, line.parts = outer, line.parts + 1
        if line.parts > MOST_PARTS or len(source) > LONGEST_PATTERN:
            raise self.error(name, Message(TOO_LONG_A_RULE, name=repr(name)))
        return source

    def _field(self, name: str, tree: Tree[Any], line: _Line, bound: Mapping[str, Any]) -> str:
        held = name_of(next(tree.find_data("value")).children[0])
        type_, pattern = self._held(bound.get(held, held))
        if type_ not in HOLDS.get(name, (type_,)):
            raise self._wrong(name, name_of(bound.get(held, held)).strip('"/'), sorted(HOLDS[name]))
        meaning = self._meaning({key: value for key, value in bound.items() if key != held})
        column = WRITTEN_AS.get(name, name)
        if wrong := wrong_parameter(column, meaning):
            raise self._wrong(name, *wrong)
        line.groups.append(Field(column, type_, **meaning))
        self._remember(pattern, line)
        # Python's `re` forgets what a group held before when the group is begun in a repeat once more and not ended.
        begun = f"(?={pattern})" if line.repeated else ""
        return f"{begun}({atomic(pattern)}){self._blanks()}"

    def _wrong(self, name: str, said: str, allowed: Iterable[str]) -> GrammarError:
        used = f"{name}{{{said}}}"
        told = Message(IS_WRONG, said=repr(said), name=name, known=", ".join(allowed))
        return self.error(used if used in self.text else said, told)

    def _held(self, node: Any) -> tuple[str, str]:
        """Type and regular expression of what a field holds: a terminal, or the literal spelling of its value."""
        while isinstance(node, Tree) and node.data in ("value", "literal"):
            node = node.children[0]
        text = str(node) if isinstance(node, Token) and node.type in ("STRING", "REGEXP") else name_of(node)
        if text in self.literals:
            return "WORD", self.literals[text]
        if text in self.terminals:
            return text, self.terminals[text]
        raise self.error(text, Message(NO_TERMINAL, name=repr(text)))

    def _meaning(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments that say what the number means: ``kind=running_mean{per_epoch, "4"}`` names kind, per and since."""
        meaning: dict[str, Any] = {}
        for parameter, value in bound.items():
            node = value.children[0] if isinstance(value, Tree) and value.data == "value" else value
            if isinstance(node, Tree) and node.data == "template_usage":
                name, *inner = node.children
                meaning |= self._meaning(dict(zip(self.rules[name_of(name)][0], inner, strict=True)))
                node = name
            meaning[parameter] = constant(node)
        return meaning
