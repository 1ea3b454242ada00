"""What is wrong with a grammar, in plain words: Lark's messages made one line that says where and what is known."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from lark.exceptions import UnexpectedInput

_UNKNOWN = re.compile(r"(?:Rule|Template|Terminal|Token) '([^']+)' used but not defined")
_IGNORED = re.compile(r"Terminals \{'([^']+)'.*were marked to ignore but were not defined")
# Lark asserts this where the file lies in the working directory.
_ELSEWHERE = re.compile(r"Couldn't import grammar \('([^']+)'")
_NAMED = re.compile(r"Rule '([^']+)' defined more than once|template arguments used for (\w+)|token (?!__)(\w+): '")
_PATTERN = re.compile(r"token __\w+: '(.+)'")


def place(text: str, name: str) -> str:
    """``line 5: `` for the first line of a grammar that holds a name as a word, comments aside; else nothing."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//") and word.search(line):
            return f"line {number}: "
    return ""


def reason(error: Exception, text: str, known: Collection[str]) -> str:
    """Why a grammar cannot be opened, with its line where that can be found. ``known``: the names of the vocabulary."""
    if isinstance(error, OSError | UnicodeDecodeError):
        return _unreadable(error, text)
    said = _plain(error)
    if found := _ELSEWHERE.search(said):
        return _no_file(f"{found[1]}.lark", text)
    if found := _UNKNOWN.search(said) or _IGNORED.search(said):
        name = found[1]
        if name in known:
            return f"{place(text, name)}{name!r} is not imported; add it to an %import .vocabulary (...)."
        return f"{place(text, name)}{name!r} is not defined here or in the vocabulary; {_nearest(name, known)}."
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    if isinstance(line, int) and line > 0:
        return f"line {line}, column {column}: {said}"
    named = _NAMED.search(said) or _PATTERN.search(said)
    return (place(text, next(filter(None, named.groups()))) if named else "") + said


def _unreadable(error: OSError | UnicodeDecodeError, text: str) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text."
    is_missing = isinstance(error, FileNotFoundError)
    return _no_file(str(error.filename), text) if is_missing else f"cannot be read: {error.strerror}."


def _no_file(missing: str, text: str) -> str:
    if not text:
        return "file not found."
    return f"{place(text, missing.removesuffix('.lark'))}imported file {missing} not found."


def _plain(error: Exception) -> str:
    """Lark's own text in one line, without the place, which is told before it."""
    said = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
    if isinstance(error, UnexpectedInput):
        said = said.partition(" at line ")[0].partition(", at line ")[0] + "."
    return re.sub(r"Token\('\w+', (.+)\)", r"\1", said)


def _nearest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = get_close_matches(name, names) or get_close_matches(name.lower(), names)
    return f"known names: {', '.join([*near, *(other for other in names if other not in near)])}"
