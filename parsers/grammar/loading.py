"""Compiling a grammar file: Lark reads it, the compiler makes regular expressions of its line kinds.

What is wrong with a grammar becomes a message: Lark's text in one line, that says where and what is known.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.exceptions import LarkError, UnexpectedInput
from lark.load_grammar import Grammar, load_grammar

from ..io.cache import kept
from ..io.errors import CANNOT_BE_READ, GrammarError, reason_of
from ..io.files import text_of
from ..io.message import Message
from .compiler import Compiler, placed
from .field import Field
from .variant import METRICS, ROOM, Variant

FILE_BESIDE = "{name} is a file in the same folder; import it with a dot: %import .{file}"
TOO_DEEP = "its rules or brackets are nested too deep; use fewer levels."
SEVERAL_IGNORED = "ignores {count} terminals; merge them into one."
NO_START = "rule start is missing; it lists the line kinds of the format."
NO_LINE_KIND = "start lists {name}; valid line kinds: {known}."
TWO_MEANINGS = "{name} has two different definitions in {line}; use one."
AT_COLUMN = "line {line}, column {column}: {said}"
NOT_IMPORTED = "{name} is not imported; add it to an %import .vocabulary (...)."
NOT_DEFINED = "{name} is not defined here or in the vocabulary; known names: {known}."
NOT_UTF_8 = "is not UTF-8 text."
NO_GRAMMAR = "file not found."
NO_IMPORTED_FILE = "imported file {name} not found."
LINE_KINDS = (*(f"{metric}_line" for metric in METRICS), "event_line", "fact_line", "noise_line")

_IMPORTED = re.compile(r"^%import[ \t]+(\w+)", re.MULTILINE)
_UNKNOWN = re.compile(r"(?:Rule|Template|Terminal|Token) '([^']+)' used but not defined")
_IGNORED = re.compile(r"Terminals \{'([^']+)'.*were marked to ignore but were not defined")
# Lark asserts this where the file lies in the working directory.
_ELSEWHERE = re.compile(r"Couldn't import grammar \('([^']+)'")
_NAMED = re.compile(r"Rule '([^']+)' defined more than once|template arguments used for (\w+)|token (?!__)(\w+): '")
_PATTERN = re.compile(r"token __\w+: '(.+)'")


def open_grammar(path: Path, **options: Any) -> Lark:
    """Open a grammar file with the shared vocabulary in reach; raises GrammarError with file, line and reason."""
    text = ""
    try:
        text = text_of(path)
        return Lark(_loaded(path, text, **options), source_path=str(path), maybe_placeholders=False, **options)
    except (LarkError, OSError, UnicodeDecodeError, AssertionError) as error:
        raise GrammarError.at(path.name, _reason(error, text)) from error


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


def compiled(path: Path) -> tuple[str, tuple[Variant, ...]]:
    """Compile one grammar file: its first comment line, and its kinds of lines.

    Raises GrammarError when it has a mistake or cannot be compiled.
    """
    try:
        compiler = _compiler(open_grammar(path, parser=None, lexer="basic"), path)
        variants = tuple(v for kind in _line_kinds(compiler) for v in compiler.variants(kind))
    except RecursionError as error:
        raise GrammarError.at(path.name, TOO_DEEP) from error
    seen: dict[tuple[str, str], Field] = {}
    for variant in (variant for variant in variants if variant.record in METRICS):
        for field in variant.fields:
            if seen.setdefault((variant.record, field.name), field) != field:
                raise GrammarError.at(path.name, TWO_MEANINGS, name=field.name, line=f"{variant.record}_line")
    first = compiler.text.partition("\n")[0]
    return first.removeprefix("//").strip() if first.startswith("//") else "", variants


def _compiler(lark: Lark, path: Path) -> Compiler:
    def plain(name: str) -> str:
        """Lark prefixes what an import brings along with the file's name; take that off again."""
        return str(name).removeprefix("vocabulary__")

    patterns = {plain(t.name): t.pattern for t in lark.terminals}
    blank = [patterns[plain(name)].to_regexp() for name in lark.ignore_tokens]
    if len(blank) > 1:
        raise GrammarError.at(path.name, SEVERAL_IGNORED, count=len(blank))
    return Compiler(
        name=path.name,
        text=path.read_text(encoding="utf-8"),
        rules={plain(n): (tuple(plain(p) for p in params), tree) for n, params, tree, _ in lark.grammar.rule_defs},
        terminals={name: p.to_regexp() for name, p in patterns.items()},
        literals={t.pattern.raw: t.pattern.to_regexp() for t in lark.terminals if t.pattern.raw},
        blank=blank[0] if blank else "",
        vocabulary=vocabulary(),
    )


@cache
def vocabulary() -> frozenset[str]:
    """Names of all columns and facts: the rules of the vocabulary that hold a terminal or a spelling."""
    lark = open_grammar(ROOM / "vocabulary.lark", parser=None, lexer="basic", start="rank")
    return frozenset(str(name) for name, _, tree, _ in lark.grammar.rule_defs if next(tree.find_data("value"), None))


def _line_kinds(compiler: Compiler) -> Iterator[str]:
    if "start" not in compiler.rules:
        raise GrammarError.at(compiler.name, NO_START)
    kinds = list(compiler.alternatives("start"))
    for kind in (kind for kind in kinds if kind not in LINE_KINDS):
        raise compiler.error(kind, Message(NO_LINE_KIND, name=repr(kind), known=", ".join(LINE_KINDS)))
    return iter(kinds)


# ---- what is wrong with a grammar


@cache
def _known_names() -> frozenset[str]:
    """All names that the vocabulary defines: fields, parameters and terminals."""
    text = (ROOM / "vocabulary.lark").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^(\w+)(?:\{[^}]*\})?:", text, re.MULTILINE))


def _reason(error: Exception, text: str) -> Message:
    """Why a grammar cannot be opened, with its line where that can be found."""
    if isinstance(error, UnicodeDecodeError):
        return Message(NOT_UTF_8)
    if isinstance(error, OSError):
        is_missing = isinstance(error, FileNotFoundError)
        return _no_file(str(error.filename), text) if is_missing else Message(CANNOT_BE_READ, reason=reason_of(error))
    # Lark's own text in one line, without the place, which is told before it.
    said = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
    if isinstance(error, UnexpectedInput):
        said = said.partition(" at line ")[0].partition(", at line ")[0] + "."
    said = re.sub(r"Token\('\w+', (.+)\)", r"\1", said)
    if found := _ELSEWHERE.search(said):
        return _no_file(f"{found[1]}.lark", text)
    if found := _UNKNOWN.search(said) or _IGNORED.search(said):
        return placed(_unknown(found[1]), text, found[1])
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    if isinstance(line, int) and line > 0:
        return Message(AT_COLUMN, line=line, column=column, said=said)
    named = _NAMED.search(said) or _PATTERN.search(said)
    return placed(Message(said), text, next(filter(None, named.groups()))) if named else Message(said)


def _no_file(missing: str, text: str) -> Message:
    if not text:
        return Message(NO_GRAMMAR)
    return placed(Message(NO_IMPORTED_FILE, name=missing), text, missing.removesuffix(".lark"))


def _unknown(name: str) -> Message:
    names = sorted(_known_names())
    if name in names:
        return Message(NOT_IMPORTED, name=repr(name))
    near = get_close_matches(name, names) or get_close_matches(name.lower(), names)
    return Message(NOT_DEFINED, name=repr(name), known=", ".join(dict.fromkeys([*near, *names])))
