"""Compiling a grammar file: Lark reads it, the compiler makes regular expressions of its line kinds."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.exceptions import LarkError
from lark.load_grammar import Grammar, load_grammar

from ..io.cache import kept
from ..io.errors import GrammarError
from ..io.files import text_of
from ..io.message import Message
from .compiler import Compiler
from .field import Field
from .mistakes import placed, reason
from .variant import METRICS, ROOM, Variant

_IMPORTED = re.compile(r"^%import[ \t]+(\w+)", re.MULTILINE)
FILE_BESIDE = "{name} is a file in the same folder; import it with a dot: %import .{file}"
TOO_DEEP = "its rules or brackets are nested too deep; use fewer levels."
SEVERAL_IGNORED = "ignores {count} terminals; merge them into one."
NO_START = "rule start is missing; it lists the line kinds of the format."
NO_LINE_KIND = "start lists {name}; valid line kinds: {known}."
TWO_MEANINGS = "{name} has two different definitions in {line}; use one."
LINE_KINDS = (*(f"{metric}_line" for metric in METRICS), "event_line", "fact_line", "noise_line")


def open_grammar(path: Path, **options: Any) -> Lark:
    """Open a grammar file with the shared vocabulary in reach; raises GrammarError with file, line and reason."""
    text = ""
    try:
        text = text_of(path)
        return Lark(_loaded(path, text, **options), source_path=str(path), maybe_placeholders=False, **options)
    except (LarkError, OSError, UnicodeDecodeError, AssertionError) as error:
        raise GrammarError.at(path.name, reason(error, text, _known_names())) from error


def _loaded(path: Path, text: str, *, keep_all_tokens: bool = False, **_: Any) -> Grammar:
    """A grammar before it is compiled; raises GrammarError for one that imports a file beside it as if from afar."""
    for name in _IMPORTED.findall(text):
        if (path.parent / f"{name}.lark").is_file() and not (ROOM / f"{name}.lark").is_file():
            told = Message(FILE_BESIDE, name=repr(name), file=name)
            raise GrammarError.at(path.name, placed(told, text, name))
    grammar: Grammar = load_grammar(text, str(path), [str(ROOM)], keep_all_tokens)[0]  # type: ignore[no-untyped-call]
    return grammar


@kept
def judge(path: Path) -> Lark:
    """Lark's own parser of one line of a format; raises GrammarError as ``open_grammar`` does."""
    return open_grammar(path, parser="lalr", keep_all_tokens=True)


@cache
def _known_names() -> frozenset[str]:
    """All names that the vocabulary defines: fields, parameters and terminals."""
    text = (ROOM / "vocabulary.lark").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^(\w+)(?:\{[^}]*\})?:", text, re.MULTILINE))


def compiled(path: Path) -> tuple[str, tuple[Variant, ...]]:
    """Compile one grammar file: its first comment line, and its kinds of lines.

    Raises GrammarError when it has a mistake or cannot be compiled.
    """
    try:
        lark = open_grammar(path, parser=None, lexer="basic")
        compiler = _compiler(lark, path)
        variants = tuple(v for kind in _line_kinds(compiler, path) for v in compiler.variants(kind))
    except RecursionError as error:
        raise GrammarError.at(path.name, TOO_DEEP) from error
    _check_meanings(variants, path)
    return _about(path), variants


def _compiler(lark: Lark, path: Path) -> Compiler:
    patterns = {_plain(t.name): t.pattern for t in lark.terminals}
    literals = {t.pattern.raw: t.pattern for t in lark.terminals if t.pattern.raw}
    blank = [patterns[_plain(name)].to_regexp() for name in lark.ignore_tokens]
    if len(blank) > 1:
        raise GrammarError.at(path.name, SEVERAL_IGNORED, count=len(blank))
    return Compiler(
        name=path.name,
        text=path.read_text(encoding="utf-8"),
        rules={_plain(n): (tuple(_plain(p) for p in params), tree) for n, params, tree, _ in lark.grammar.rule_defs},
        terminals={name: p.to_regexp() for name, p in patterns.items()},
        literals={raw: p.to_regexp() for raw, p in literals.items()},
        blank=blank[0] if blank else "",
        vocabulary=vocabulary(),
    )


def _plain(name: str) -> str:
    """Lark prefixes what an import brings along with the file's name; take that off again."""
    return str(name).removeprefix("vocabulary__")


@cache
def vocabulary() -> frozenset[str]:
    """Names of all columns and facts: the rules of the vocabulary that hold a terminal or a spelling."""
    lark = open_grammar(ROOM / "vocabulary.lark", parser=None, lexer="basic", start="rank")
    return frozenset(str(name) for name, _, tree, _ in lark.grammar.rule_defs if next(tree.find_data("value"), None))


def _line_kinds(compiler: Compiler, path: Path) -> Iterator[str]:
    if "start" not in compiler.rules:
        raise GrammarError.at(path.name, NO_START)
    kinds = list(compiler.alternatives("start"))
    wrong = [kind for kind in kinds if kind not in LINE_KINDS]
    if wrong:
        raise compiler.error(wrong[0], Message(NO_LINE_KIND, name=repr(wrong[0]), known=", ".join(LINE_KINDS)))
    return iter(kinds)


def _check_meanings(variants: tuple[Variant, ...], path: Path) -> None:
    seen: dict[tuple[str, str], Field] = {}
    for variant in variants:
        for field in variant.fields:
            if seen.setdefault((variant.record, field.name), field) != field and variant.record in METRICS:
                raise GrammarError.at(path.name, TWO_MEANINGS, name=field.name, line=f"{variant.record}_line")


def _about(path: Path) -> str:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("//").strip() if first.startswith("//") else ""
