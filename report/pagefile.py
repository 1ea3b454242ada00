"""Reading page files: by name from the folder of pages, or by path."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from parsers.regular import text_of

from .page import Page

FOLDER = Path(__file__).with_name("pages")


class PageError(ValueError):
    """A page file that does not exist or has a mistake; one sentence names file, key and what is allowed."""


def names() -> list[str]:
    """Names of all pages in the folder of pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find(page: str) -> Path:
    """The file of a page, by its name or its path; raises PageError when there is none."""
    path = Path(page) if page.endswith(".toml") else FOLDER / f"{page}.toml"
    if not path.exists():
        raise PageError(f"There is no page {page!r}; pages are {', '.join(names())}, or a path that ends in .toml.")
    return path


def load(path: Path) -> Page:
    """Read one page file; raises PageError when it is no TOML or a key is wrong."""
    try:
        return Page.model_validate(tomllib.loads(text_of(path)))
    except OSError as error:
        raise PageError(f"{path}: cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PageError(f"{path}: {_stopped(str(error))}") from error
    except ValidationError as error:
        # A misspelt key comes as two errors; the key that is there says more than the one that is missing.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise PageError(f"{path}: {_sentence(first)}") from None


def _sentence(error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{key} is not a key of a page; allowed there are {', '.join(_allowed(error['loc']))}."
    if error["type"] == "missing":
        return f"{key} is missing."
    message = error["msg"].removeprefix("Value error, ")
    return _stopped(f"{key}: {message[:1].lower()}{message[1:]}" if key else message)


def _stopped(sentence: str) -> str:
    """A sentence with one full stop, whether it came with one or not."""
    return f"{sentence.rstrip('.')}."


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
