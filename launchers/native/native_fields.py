"""The options of native programs that are fields of classes: of tyro, of Hugging Face's parser, and of Megatron-LM."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .native_sources import PythonFile, last_name

# Parsers that make an option of each field of the classes named in their file: transformers/hf_argparser.py and
# paddlenlp/trainer/argparser.py, which take --some_field; the former takes --some-field as well.
_OF_FILES = {"HfArgumentParser", "PdArgumentParser"}
# Megatron-LM, megatron/training/argument_utils.py: an option of each field of the class in the call.
_OF_CALLS = {"ArgumentGroupFactory"}


@dataclass(frozen=True)
class _Field:
    """A field of a class: `kind` is its type, as far as it is a class, `values` those that its type or head lists."""

    name: str
    kind: str
    where: str
    is_on: bool
    spellings: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True)
class FieldOption:
    """The `file:line` of an option, and the values that it may have; any where there are none."""

    where: str
    values: tuple[str, ...] = ()


def field_options(sources: Sequence[PythonFile]) -> dict[str, FieldOption]:
    """Map every option that some parser makes of the field of a class to where the field is."""
    classes = _Classes(sources)
    return {name: option for source in sources for name, option in classes.options_of(source)}


def inherits_from_outside(sources: Sequence[PythonFile]) -> bool:
    """Say whether a class that a parser reads is made from one of arguments that the sources lack: a library's."""
    classes = _Classes(sources)
    return any(classes.lacks_base(source) for source in sources)


class _Classes:
    """The classes of all files by their names; of two with one name the first that is imported counts."""

    def __init__(self, sources: Sequence[PythonFile]) -> None:
        found = [(node, source.name) for source in sources for node in source.statements]
        self._nodes = {node.name: (node, file) for node, file in found[::-1] if isinstance(node, ast.ClassDef)}

    def options_of(self, source: PythonFile) -> Iterator[tuple[str, FieldOption]]:
        """Yield the options that the parsers of a file make."""
        calls = source.calls("tyro", *_OF_FILES, *_OF_CALLS)
        if any(ast.unparse(call.func) == "tyro.cli" for call in calls):
            named = [(f"--{path}", field) for name in self._named(source) for path, field in self._paths(name)]
            yield from ((name, FieldOption(field.where, field.values)) for name, field in named)
        if any(last_name(call.func) in _OF_FILES for call in calls):
            for field in (field for name in self._named(source) for field in self._fields(name)):
                spellings = {f"--{field.name}", f"--{field.name.replace('_', '-')}"}
                yield from ((name, FieldOption(field.where, field.values)) for name in sorted(spellings))
        for call in calls:
            if last_name(call.func) in _OF_CALLS and call.args:
                yield from self._megatron(last_name(call.args[0]))

    def lacks_base(self, source: PythonFile) -> bool:
        """Say whether a class of arguments is missing from which one that a parser of a file reads is made."""
        if not any(last_name(call.func) in _OF_FILES for call in source.calls(*_OF_FILES)):
            return False
        waiting, seen = self._named(source), set[str]()
        while waiting:
            seen.add(name := waiting.pop())
            bases = [last_name(base) for base in self._nodes[name][0].bases]
            if any(base.endswith("Arguments") and base not in self._nodes for base in bases):
                return True
            waiting += [base for base in bases if base in self._nodes and base not in seen]
        return False

    def _named(self, source: PythonFile) -> list[str]:
        """The classes that a file names other than as the type of a field."""
        kinds = {node.annotation for node in source.nodes if isinstance(node, ast.AnnAssign)}
        names = dict.fromkeys(node.id for node in source.nodes if isinstance(node, ast.Name) and node not in kinds)
        return [name for name in names if name in self._nodes]

    def _megatron(self, name: str) -> Iterator[tuple[str, FieldOption]]:
        for field in self._fields(name):
            hyphened = field.name.replace("_", "-")
            own = [f"--no-{hyphened}", f"--disable-{hyphened}"] if field.is_on else [f"--{hyphened}"]
            yield from ((spelt, FieldOption(field.where, field.values)) for spelt in field.spellings or own)

    def _fields(self, name: str, seen: frozenset[str] = frozenset()) -> Iterator[_Field]:
        """Yield the fields of a class, and those of the classes that it is made from."""
        if name in self._nodes and name not in seen:
            node, file = self._nodes[name]
            yield from _annotated(node, file)
            for base in map(last_name, node.bases):
                yield from self._fields(base, seen | {name})

    def _paths(self, name: str, seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, _Field]]:
        """Yield the fields of a class, and the fields of these, as `part.field`; ends where classes hold themselves."""
        for field in self._fields(name):
            yield field.name, field
            if field.kind in self._nodes and field.kind not in seen | {name}:
                yield from ((f"{field.name}.{path}", below) for path, below in self._paths(field.kind, seen | {name}))


def _annotated(node: ast.ClassDef, file: str) -> Iterator[_Field]:
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            is_on = isinstance(field.value, ast.Constant) and field.value.value is True
            spellings = [text for text in _texts(field.value) if text.startswith("--")]
            kind, place = last_name(field.annotation), f"{file}:{field.lineno}"
            yield _Field(last_name(field.target), kind, place, is_on, tuple(spellings), _values(field))


def _texts(node: ast.expr | None) -> Iterator[str]:
    """The literals in the value of a field."""
    for inner in ast.walk(node) if node else ():
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _values(field: ast.AnnAssign) -> tuple[str, ...]:
    """The values that a type `Literal[...]`, or `"choices"` in the metadata of a field, lists."""
    literals = [node for node in ast.walk(field.annotation) if isinstance(node, ast.Subscript)]
    listed = [node.slice for node in literals if last_name(node.value) == "Literal"]
    pairs = _pairs(ast.walk(field.value) if field.value else ())
    listed += [value for key, value in pairs if key == "choices"]
    return tuple(text for node in listed[:1] for text in literal_values(node))


def _pairs(nodes: Iterable[ast.AST]) -> Iterator[tuple[object, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.Dict):
            keys = (key.value if isinstance(key, ast.Constant) else None for key in node.keys)
            yield from zip(keys, node.values, strict=True)


def literal_values(node: ast.expr, names: Mapping[str, ast.expr] | None = None) -> tuple[str, ...]:
    """Return the values of a list or tuple of literals as a command line spells them; none where one is no literal.

    `names`: what names stand for.
    """
    if isinstance(node, ast.Name) and names and node.id in names:
        return literal_values(names[node.id])
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    constants = [item for item in items if isinstance(item, ast.Constant)]
    return tuple(str(item.value) for item in constants) if len(constants) == len(items) else ()
