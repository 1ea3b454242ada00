"""What is wrong with a grammar, as messages: Lark's text becomes one line that says where and what is known."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from lark.exceptions import UnexpectedInput

from ..io.errors import CANNOT_BE_READ, reason_of
from ..io.message import Message

AT_LINE = "line {line}: {said}"
AT_COLUMN = "line {line}, column {column}: {said}"
NOT_IMPORTED = "{name} is not imported; add it to an %import .vocabulary (...)."
NOT_DEFINED = "{name} is not defined here or in the vocabulary; known names: {known}."
NOT_UTF_8 = "is not UTF-8 text."
NO_GRAMMAR = "file not found."
NO_IMPORTED_FILE = "imported file {name} not found."

_UNKNOWN = re.compile(r"(?:Rule|Template|Terminal|Token) '([^']+)' used but not defined")
_IGNORED = re.compile(r"Terminals \{'([^']+)'.*were marked to ignore but were not defined")
# Lark asserts this where the file lies in the working directory.
_ELSEWHERE = re.compile(r"Couldn't import grammar \('([^']+)'")
_NAMED = re.compile(r"Rule '([^']+)' defined more than once|template arguments used for (\w+)|token (?!__)(\w+): '")
_PATTERN = re.compile(r"token __\w+: '(.+)'")


def placed(said: Message, text: str, name: str) -> Message:
    """What is said of a name, after the first line of a grammar, comments aside, that holds it as a word."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//") and word.search(line):
            return Message(AT_LINE, line=number, said=said)
    return said


def reason(error: Exception, text: str, known: Collection[str]) -> Message:
    """Why a grammar cannot be opened, with its line where that can be found. ``known``: the names of the vocabulary."""
    if isinstance(error, OSError | UnicodeDecodeError):
        return _unreadable(error, text)
    said = _plain(error)
    if found := _ELSEWHERE.search(said):
        return _no_file(f"{found[1]}.lark", text)
    if found := _UNKNOWN.search(said) or _IGNORED.search(said):
        name = found[1]
        if name in known:
            return placed(Message(NOT_IMPORTED, name=repr(name)), text, name)
        return placed(Message(NOT_DEFINED, name=repr(name), known=_nearest(name, known)), text, name)
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    if isinstance(line, int) and line > 0:
        return Message(AT_COLUMN, line=line, column=column, said=said)
    named = _NAMED.search(said) or _PATTERN.search(said)
    return placed(Message(said), text, next(filter(None, named.groups()))) if named else Message(said)


def _unreadable(error: OSError | UnicodeDecodeError, text: str) -> Message:
    if isinstance(error, UnicodeDecodeError):
        return Message(NOT_UTF_8)
    if isinstance(error, FileNotFoundError):
        return _no_file(str(error.filename), text)
    return Message(CANNOT_BE_READ, reason=reason_of(error))


def _no_file(missing: str, text: str) -> Message:
    if not text:
        return Message(NO_GRAMMAR)
    return placed(Message(NO_IMPORTED_FILE, name=missing), text, missing.removesuffix(".lark"))


def _plain(error: Exception) -> str:
    """Lark's own text in one line, without the place, which is told before it."""
    said = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
    if isinstance(error, UnexpectedInput):
        said = said.partition(" at line ")[0].partition(", at line ")[0] + "."
    return re.sub(r"Token\('\w+', (.+)\)", r"\1", said)


def _nearest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = get_close_matches(name, names) or get_close_matches(name.lower(), names)
    return ", ".join([*near, *(other for other in names if other not in near)])
