"""Page files: found by name or by path, read, and checked as a whole."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from parsers.io.errors import CANNOT_BE_READ, ParserError
from parsers.io.input_file import text_of
from parsers.io.message import Message

from .consistency import mistakes
from .page import Page

NO_FILE = "Page file {path} not found."
NO_PAGE = "No page is named {page}; use one of {names}, or a path ending in .toml."
SEVERAL_LINES = "{key}: {text} has several lines; use a single line."
NOT_VALID = "{key} is not a valid key; allowed keys: {allowed}."
IS_MISSING = "{key} is missing."

FOLDER = Path(__file__).parents[1] / "pages"
# Paragraphs, code and notes; all else stands in a heading, a cell, a link, the name of a file or a command.
_OF_SEVERAL_LINES = re.compile(
    r"(tested|environment|setup|steps|results|tables\.\d+\.notes)\.\d+(\.code)?|sources\..+\.note", re.DOTALL
)


class PageError(ParserError):
    """A page file that does not exist or has a mistake; one sentence names file, key and what is allowed."""


def names() -> list[str]:
    """Names of all pages in the folder of pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find(page: str) -> Path:
    """The file of a page, by its name or its path; raises PageError when there is none."""
    path = Path(page) if page.endswith(".toml") else FOLDER / f"{page}.toml"
    if page.endswith(".toml") and not path.exists():
        raise PageError(NO_FILE, path=path)
    if not path.exists():
        raise PageError(NO_PAGE, page=repr(page), names=", ".join(names()))
    return path


def load(path: Path) -> Page:
    """Read one page file; raises PageError when it is not valid TOML, a key is wrong, or a text has several lines."""
    try:
        stated = tomllib.loads(text_of(path))
        page = Page.model_validate(stated)
        if mistake := next(mistakes(page), None):
            raise PageError.at(path, _stopped(mistake))
    except OSError as error:
        raise PageError.at(path, CANNOT_BE_READ, reason=Message(error.strerror or str(error))) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PageError.at(path, _stopped(str(error))) from error
    except ValidationError as error:
        # A misspelt key comes as two errors; the key that is there says more than the one that is missing.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise PageError.at(path, _sentence(first)) from None
    if broken := next(_broken(stated), None):
        raise PageError.at(path, SEVERAL_LINES, key=broken[0], text=repr(broken[1]))
    return page


def _broken(stated: Any) -> Iterator[tuple[str, str]]:
    """The texts that should stand on one line and do not, each with the key where it stands."""
    for key, text in _texts(stated):
        if not _OF_SEVERAL_LINES.fullmatch(key) and text.splitlines() not in ([], [text]):
            yield key, text


def _texts(part: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a part of a page file, names among them, each with the key where it stands."""
    if isinstance(part, str):
        yield key.removeprefix("."), part
    elif isinstance(part, list):
        yield from (found for number, inner in enumerate(part) for found in _texts(inner, f"{key}.{number}"))
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from _texts(name, key)
            yield from _texts(inner, f"{key}.{name}")


def _sentence(error: ErrorDetails) -> Message:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return Message(NOT_VALID, key=key, allowed=", ".join(_allowed(error["loc"])))
    if error["type"] == "missing":
        return Message(IS_MISSING, key=key)
    message = error["msg"].removeprefix("Value error, ")
    return _stopped(f"{key}: {message[:1].lower()}{message[1:]}" if key else message)


def _stopped(sentence: str) -> Message:
    """A sentence of others, in English, with one full stop, whether it came with one or not."""
    return Message(sentence.rstrip(".") + ".")


def _allowed(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the part of a page that a wrong key stands in."""
    part: Any = Page
    for step in location[:-1]:
        fields = part.model_fields if isinstance(part, type) and issubclass(part, BaseModel) else {}
        part = _model(fields[step].annotation) if step in fields else part
    return list(part.model_fields)


def _model(annotation: Any) -> Any:
    """The model inside an annotation such as ``list[Table]`` or ``dict[str, Column]``."""
    inner = [_model(argument) for argument in getattr(annotation, "__args__", ())]
    models = [a for a in (annotation, *inner) if isinstance(a, type) and issubclass(a, BaseModel)]
    return models[0] if models else annotation
