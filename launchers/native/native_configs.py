"""The configs of native programs: which keys a YAML or Python config has, with all that it is based on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from parsers.io.input_file import text_of

from .native_sources import last_name, parse

SUFFIXES = (".yaml", ".yml", ".py")
_BASES = ("_base_", "_BASE_")
_EXPRESSION = r"[0-9.eE+\- ()]*[*/][0-9.eE+\-*/ ()]*"
_KINDS = {
    "int": re.compile(rf"[-+]?[0-9]+|{_EXPRESSION}"),
    "float": re.compile(rf"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|{_EXPRESSION}"),
    "bool": re.compile("true|false|yes|no|on|off", re.IGNORECASE),
}
_REPLACES = ("_delete_", "_inherited_")  # marks of a mapping that takes nothing over from the base


@dataclass(frozen=True)
class ConfigKey:
    """A key of a config: the `file:line` that has it, its text where it is a scalar, and the entries below it.

    The items of a list are entries called 0, 1, 2 … `kind` is the type of a scalar: int, float, bool, str or null.
    """

    where: str
    text: str = ""
    below: Mapping[str, ConfigKey] = field(default_factory=dict)
    is_list: bool = False
    kind: str = ""

    def find(self, path: Iterable[str]) -> list[ConfigKey]:
        """List the entries along a path of keys, as far as they exist."""
        found: list[ConfigKey] = []
        below = self.below
        for key in path:
            if key not in below:
                break
            found.append(below[key])
            below = below[key].below
        return found


def is_config(path: Path) -> bool:
    """Say whether a file is a config: YAML, or Python that consists of assignments alone."""
    if path.suffix != ".py":
        return path.suffix in SUFFIXES
    body = parse(path).body
    return bool(body) and all(isinstance(node, ast.Assign | ast.Expr) for node in body) and _assigns(body)


def read(path: Path, repo: Path) -> ConfigKey:
    """Read the keys of the config `path`, those of its bases included. Both paths must be resolved.

    Raises OSError where a base is missing or no file, yaml.YAMLError and UnicodeDecodeError where one is not YAML.
    """
    name = path.relative_to(repo).as_posix() if path.is_relative_to(repo) else path.name
    own = _PythonConfig(name).read(parse(path)) if path.suffix == ".py" else _read_yaml(path, name)
    for base in _bases(own):
        own = _merged(own, read((path.parent / base).resolve(), repo))
    return own


def fits(kind: str, value: str) -> bool:
    """Say whether the text of a value is of a kind that a config has: a number or a truth value by another one.

    What has another kind, or none, may become anything, and everything may become nothing. A program may compute
    numbers from an expression such as `499.5/1334`.
    """
    return kind not in _KINDS or value.lower() in ("", "none", "null") or _KINDS[kind].fullmatch(value) is not None


def _assigns(body: Iterable[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Assign) for node in body)


def _bases(config: ConfigKey) -> list[str]:
    entries = [config.below[key] for key in _BASES if key in config.below]
    return [entry.text for named in entries for entry in ([*named.below.values()] if named.is_list else [named])]


def _merged(own: ConfigKey, base: ConfigKey) -> ConfigKey:
    if own.is_list or base.is_list or not own.below or not base.below or any(key in own.below for key in _REPLACES):
        return own
    both = {key: _merged(entry, base.below[key]) for key, entry in own.below.items() if key in base.below}
    return ConfigKey(own.where, own.text, {**base.below, **own.below, **both})


def _read_yaml(path: Path, name: str) -> ConfigKey:
    # Composed, not constructed: it keeps the lines, and a tag in the file creates no object.
    node = yaml.compose(text_of(path), Loader=yaml.SafeLoader)
    return ConfigKey(name) if node is None else _yaml_entry(node, name, node)


def _yaml_entry(node: yaml.Node, name: str, place: yaml.Node) -> ConfigKey:
    where = f"{name}:{place.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode):
        return ConfigKey(where, below=_yaml_mapping(node, name))
    if isinstance(node, yaml.SequenceNode):
        items = {str(number): _yaml_entry(item, name, item) for number, item in enumerate(node.value)}
        return ConfigKey(where, below=items, is_list=True)
    return ConfigKey(where, text=str(node.value), kind=node.tag.rpartition(":")[2])


def _yaml_mapping(node: yaml.MappingNode, name: str) -> dict[str, ConfigKey]:
    entries = {key.value: _yaml_entry(value, name, key) for key, value in node.value}
    inherited = entries.pop("<<", None)  # the merge key of YAML: one mapping, or a list of them
    sources = [] if inherited is None else [*inherited.below.values()] if inherited.is_list else [inherited]
    return {**{key: entry for source in reversed(sources) for key, entry in source.below.items()}, **entries}


class _PythonConfig:
    """A Python config, as far as it is made of literals, `dict(...)` and names assigned earlier in the file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: dict[str, ConfigKey] = {}

    def read(self, tree: ast.Module) -> ConfigKey:
        for node in tree.body:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._names[ast.unparse(target)] = self._entry(node.value, node.lineno)
        return ConfigKey(f"{self._name}:1", below=self._names)

    def _entry(self, node: ast.expr, line: int) -> ConfigKey:
        where = f"{self._name}:{line}"
        if isinstance(node, ast.Name) and node.id in self._names:
            known = self._names[node.id]
            return ConfigKey(where, known.text, known.below, known.is_list, known.kind)
        if isinstance(node, ast.List | ast.Tuple):
            items = {str(number): self._entry(item, item.lineno) for number, item in enumerate(node.elts)}
            return ConfigKey(where, below=items, is_list=True)
        if isinstance(node, ast.Constant):
            return ConfigKey(where, str(node.value), kind=type(node.value).__name__)
        return ConfigKey(where, below={key: self._entry(value, value.lineno) for key, value in _pairs(node)})


def _pairs(node: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [(str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant)]
    if isinstance(node, ast.Call) and last_name(node.func) == "dict":
        return [(word.arg, word.value) for word in node.keywords if word.arg]
    return []
