"""Page files: found by name or by path, read, and checked as a whole."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.input_file import text_of
from parsers.io.message import Message
from parsers.io.validation import MISSING, NOT_TOML, OF_KEY, UNKNOWN, Mistake, mistake

from .consistency import mistakes
from .page import Page
from .prose import as_stated, with_prose
from .stated_lines import Step, line_of, stated_key

NO_FILE = "Page file {path} not found."
NO_PAGE = "No page is named {page}; use one of {names}, or a path ending in .toml."
SEVERAL_LINES = "{key}: {text} has several lines; use a single line."
TEXT_OF_EACH_LANGUAGE = 'must be a text, or one for each language, such as { en = "…", zh = "…" }.'
ON_LINE = "{path}, line {line}: {what}"

FOLDER = Path(__file__).parents[1] / "pages"
# Paragraphs, code and notes; all else stands in a heading, a cell, a link, the name of a file or a command.
_OF_SEVERAL_LINES = re.compile(
    r"(tested|environment|setup|steps|results|tables\.\d+\.notes)\.\d+(\.(code|texts\..+|[a-z]{2,3}(_[A-Z]{2})?))?"
    r"|sources\..+\.note|texts\..+",
    re.DOTALL,
)


class PageError(ParserError):
    """A page file that does not exist or has a mistake; one sentence names file, line, key and what is allowed."""


def names() -> list[str]:
    """Names of all pages in the folder of pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find(page: str) -> Path:
    """The file of a page, by its path, with or without .toml, or by its name; raises PageError when there is none."""
    if page.endswith(".toml"):
        if not Path(page).exists():
            raise PageError(NO_FILE, path=Path(page))
        return Path(page)
    found = next((path for path in (FOLDER / f"{page}.toml", Path(f"{page}.toml")) if path.exists()), None)
    if found is None:
        raise PageError(NO_PAGE, page=repr(page), names=", ".join(names()))
    return found


def load(path: Path) -> Page:
    """Read one page file; raises PageError when it is not valid TOML, a key is wrong, or a text has several lines."""
    return parse(read_text(path), path)


def read_text(path: Path) -> str:
    """The text of a page file with that of its Markdown files; line ends are newlines.

    Raises PageError when one cannot be read, or is not what it should be.
    """
    try:
        text = text_of(path)
        try:
            return with_prose(text, path)
        except Mistake as error:
            raise _error(path, text, error.message) from error
    except OSError as error:
        raise PageError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise PageError.at(path, NOT_TOML, reason=error) from error


def parse(text: str, path: Path) -> Page:
    """The page of the text of a page file, which is that of ``path``; raises PageError as ``load`` does."""
    try:
        stated = tomllib.loads(text)
        page = Page.model_validate(stated)
    except tomllib.TOMLDecodeError as error:
        raise PageError.at(path, NOT_TOML, reason=error) from error
    except ValidationError as error:
        # A misspelt key comes as two errors; what is there says more than what is missing.
        first = min(error.errors(), key=lambda found: (found["type"] != UNKNOWN, found["type"] == MISSING))
        key = stated_key(first["loc"], stated, is_missing=first["type"] == MISSING)
        what = mistake(first, Page, key)
        if first["type"] == "string_type" and isinstance(first["input"], dict):
            what = Message(OF_KEY, key=key, said=Message(TEXT_OF_EACH_LANGUAGE))
        raise _error(path, text, what, first["loc"]) from None
    if found := next(mistakes(page), None):
        raise _error(path, text, found)
    if broken := next(_broken(stated), None):
        location, said = broken
        told = Message(SEVERAL_LINES, key=stated_key(location, stated), text=repr(said))
        raise _error(path, text, told, location)
    return page


def _error(path: Path, text: str, what: Message, location: Sequence[Step] = ()) -> PageError:
    line = line_of(as_stated(text), what, location)
    return PageError.at(path, what) if line is None else PageError(ON_LINE, path=path, line=line, what=what)


def _broken(stated: Any) -> Iterator[tuple[tuple[Step, ...], str]]:
    """The texts that should stand on one line and do not, each with where it stands."""
    for location, text in _texts(stated):
        key = ".".join(map(str, location))
        if not _OF_SEVERAL_LINES.fullmatch(key) and text.splitlines() not in ([], [text]):
            yield location, text


def _texts(part: Any, location: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], str]]:
    """All texts of a part of a page file, names among them, each with where it stands."""
    if isinstance(part, str):
        yield location, part
    elif isinstance(part, list):
        yield from (found for number, inner in enumerate(part) for found in _texts(inner, (*location, number)))
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from _texts(name, location)
            yield from _texts(inner, (*location, name))
