"""What can be set in a native program: its options and the config keys that it reads, with the lines that say so."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .native_fields import field_options, literal_values
from .native_sources import PythonFile, last_name

_DEFINE = ("add_argument", "DEFINE_", "option(")
_CONFIG_NAME = re.compile(r"(cfg|config|configs)$")

Named = Iterator[tuple[str, ast.expr | ast.arg]]


def options(sources: Iterable[PythonFile]) -> dict[str, str]:
    """Map each option, as it is written on the command line, to the `file:line` that defines it.

    Options of argparse, absl flags and click count; so do the fields of the classes that some parsers read, and the
    variables of a program that lets a file executed in its own name space set them, as `--name`.
    An option whose name is put together at run time is not found.
    """
    files = list(sources)
    fields = {name: option.where for name, option in field_options(files).items()}
    return {**_variables(files), **fields, **_places((file, file.calls(*_DEFINE), _defined) for file in files)}


def values(sources: Iterable[PythonFile]) -> dict[str, tuple[str, ...]]:
    """Map each option whose program lists the values that it may have to these, as a command line spells them."""
    files = list(sources)
    listed = {name: option.values for name, option in field_options(files).items()}
    for source in files:
        assigned = [node for node in source.tree.body if isinstance(node, ast.Assign)]
        names = {last_name(target): node.value for node in assigned for target in node.targets}
        for call in source.calls("choices"):
            choices = [word.value for word in call.keywords if word.arg == "choices"]
            listed |= {name: literal_values(choice, names) for choice in choices for name, _ in _defined(call)}
    return {name: found for name, found in listed.items() if found}


def keys_read(sources: Iterable[PythonFile]) -> dict[str, str]:
    """Map each literal key that the sources read from a mapping or a config to the first `file:line` that does."""
    return _places((source, source.nodes, _read) for source in sources)


def parameters(sources: Iterable[PythonFile]) -> dict[str, str]:
    """Map `Name.parameter` to its `file:line` for what a config may build by name: classes and functions."""
    return _places((source, source.statements, _parameters) for source in sources)


def takes_new_keys(sources: Iterable[PythonFile]) -> bool:
    """Say whether a key that the config lacks can be overridden: not where `override` asserts that it is there."""
    functions = (node for source in sources for node in source.statements if isinstance(node, ast.FunctionDef))
    bodies = (node for function in functions if function.name == "override" for node in ast.walk(function))
    return not any(isinstance(node, ast.Assert) and _is_membership(node.test) for node in bodies)


def _is_membership(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and any(isinstance(operator, ast.In) for operator in test.ops)


def _places(wanted: Iterable[tuple[PythonFile, Iterable[ast.AST], Callable[[Any], Named]]]) -> dict[str, str]:
    """Map what is named in some nodes of each file to the first `file:line` that does."""
    places: dict[str, str] = {}
    for source, nodes, names in wanted:
        for name, origin in (named for node in nodes for named in names(node)):
            places.setdefault(name, f"{source.name}:{origin.lineno}")
    return places


def _defined(call: ast.Call) -> Named:
    function = last_name(call.func)
    if function == "add_argument":
        yield from _argparse(call)
    elif function.startswith("DEFINE_"):
        yield from _absl(call, negative="bool" in function)
    elif function == "option":
        yield from _click(call)


def _variables(sources: Iterable[PythonFile]) -> dict[str, str]:
    """Map the variables that a program sets before it executes another file with `exec`, which may set them anew."""
    places: dict[str, str] = {}
    for source in sources:
        statements = source.tree.body
        executing = (place for place, node in enumerate(statements) if _calls(node, "exec"))
        for node in statements[: next(executing, 0)]:
            names = node.targets if isinstance(node, ast.Assign) else ()
            places |= {f"--{last_name(name)}": f"{source.name}:{node.lineno}" for name in names}
    return places


def _calls(node: ast.stmt, function: str) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func) == function


def _argparse(call: ast.Call) -> Named:
    negative = any(word.arg == "action" and last_name(word.value) == "BooleanOptionalAction" for word in call.keywords)
    for text, origin in _texts(call.args):
        if text.startswith("-"):
            yield text, origin
        if negative and text.startswith("--"):
            yield f"--no-{text[2:]}", origin


def _absl(call: ast.Call, *, negative: bool) -> Named:
    for text, origin in _texts(call.args[:1]):
        yield f"--{text}", origin
        if negative:
            yield f"--no{text}", origin


def _click(call: ast.Call) -> Named:
    for text, origin in _texts(call.args):
        yield from ((part.strip(), origin) for part in text.split("/") if part.strip().startswith("-"))


def _texts(expressions: Iterable[ast.expr]) -> Named:
    for expression in expressions:
        if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
            yield expression.value, expression


def _read(node: ast.AST) -> Named:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _texts([node.slice])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "pop"}:
        yield from _texts(node.args[:1])
    elif isinstance(node, ast.Attribute) and _CONFIG_NAME.search(last_name(node.value)):
        yield node.attr, node


def _parameters(node: ast.AST) -> Named:
    if isinstance(node, ast.FunctionDef):
        yield from _arguments(node.name, node)
    elif isinstance(node, ast.ClassDef):
        makers = (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
        yield from (named for maker in makers for named in _arguments(node.name, maker))


def _arguments(name: str, function: ast.FunctionDef) -> Named:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    yield from ((f"{name}.{argument.arg}", argument) for argument in arguments)
