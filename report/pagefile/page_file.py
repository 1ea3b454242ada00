"""Page files: found by name or by path, read with what stands beside them, and checked as a whole.

A page file ``PAGE.toml`` has its figures of others in ``PAGE.quotes.csv`` beside it, and its texts as Markdown files in
the folder that it names as ``prose``. The text of a page, as it is kept with its evidence, is that of its page file
with all these at its end, as its table ``files``.
"""

import csv
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.files import is_spelt_inside, leading_out, text_of
from parsers.io.message import Message
from parsers.io.validation import MISSING, NEAREST_KEY, NOT_TOML, NOT_VALID, UNKNOWN, Mistake, mistake

from .consistency import mistakes
from .page import Page, PageFile
from .parts import LANGUAGE, Axis
from .toml_lines import Key, line_of, missing_comma, stated_key

FOLDER = Path(__file__).parents[1] / "pages"
SECTIONS = ("tested", "environment", "setup", "steps", "results")
QUOTES, LAUNCH = "quotes.csv", "launch.toml"
MOST_BYTES = 200_000  # of a text beside a page file
_TEXT = re.compile(rf"([^.]+)\.({LANGUAGE})\.md")
# Markdown; all else stands in a heading, a cell, a link, the name of a file or a command.
_OF_SEVERAL_LINES = re.compile(
    rf"({'|'.join(SECTIONS)}|(tables\.\d+\.)+notes)\.\d+(\.{LANGUAGE})?|sources\..+\.note(\..+)?", re.DOTALL
)


class PageError(ParserError):
    """A page file that does not exist or has a mistake; one sentence names file, line, key and what is allowed."""

    @classmethod
    def in_file(cls, path: Path, text: str, what: Message | str, *locations: Key) -> "PageError":
        """The error of what is wrong at the first of some keys that a page file states, or in its file of quotes."""
        if locations and locations[0][:1] == ("quotes",) and len(locations[0]) > 1:
            return cls.on_line(path.with_suffix(f".{QUOTES}"), int(locations[0][1]) + 2, what)
        return cls.on_line(path, line_of(text, *locations), what)

    @classmethod
    def on_line(cls, path: Path, line: int | None, what: Message | str) -> "PageError":
        """The error of what is wrong on a line of a file, or in all of it."""
        return cls(f"{path}: {what}" if line is None else f"{path}, line {line}: {what}")


def names() -> list[str]:
    """Names of all pages in the folder of pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml") if not path.name.endswith(LAUNCH))


def find(page: str) -> Path:
    """The file of a page, by its path, with or without .toml, or by its name; raises PageError when there is none."""
    if page.endswith(".toml"):
        if not Path(page).exists():
            raise PageError(f"Page file {Path(page)} not found.")
        return Path(page)
    for path in (FOLDER / f"{page}.toml", Path(f"{page}.toml")):
        if path.exists():
            return path
    if Path(page).exists():
        command = f"tachograph init my-page {shlex.quote(page)}"
        raise PageError(f"{page} is no page file; if it is a log, `{command}` drafts a page from it.")
    if close := get_close_matches(page, names(), 1):
        raise PageError(f"No page is named {page!r}; did you mean {close[0]}?")
    raise PageError(f"No page is named {page!r}; use one of {', '.join(names())}, or a path ending in .toml.")


def load(path: Path) -> Page:
    """Read one page file; raises PageError when it is not valid TOML, a key is wrong, or a text has several lines."""
    return parse(read_text(path), path)


# ---- what stands beside a page file


def read_text(path: Path) -> str:
    """The text of a page: that of its page file, and what the files beside it hold; line ends are newlines.

    Raises PageError when one cannot be read, or is not what it should be.
    """
    text = toml_text(path)
    try:
        beside = files_beside(text, path)
        held = {QUOTES if file.suffix == ".csv" else file.name: _text_beside(file) for file in beside}
    except Mistake as error:
        raise PageError.in_file(path, text, error.message, ("prose",)) from error
    except OSError as error:
        raise PageError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    # A text of JSON is one of TOML but for one character.
    told = (
        f"{json.dumps(name)} = {json.dumps(said, ensure_ascii=False)}\n".replace("\x7f", "\\u007f")
        for name, said in held.items()
    )
    return "".join([text.rstrip("\n"), "\n\n[files]\n", *told]) if held else text


def _text_beside(file: Path) -> str:
    if (size := file.stat().st_size) > MOST_BYTES:
        raise Mistake(f"{file.name!r} has {size} bytes; a text may have {MOST_BYTES}.")
    try:
        return text_of(file).strip("\n")
    except UnicodeDecodeError as error:
        raise Mistake(f"{file.name!r} is not valid UTF-8.") from error


def toml_text(path: Path) -> str:
    """The text of a file of TOML; raises PageError when it cannot be read."""
    try:
        return text_of(path)
    except OSError as error:
        raise PageError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise PageError.at(path, NOT_TOML, reason=error) from error


def files_beside(text: str, path: Path) -> list[Path]:
    """The files beside the page file that has this text and belong to the page; raises Mistake and OSError.

    Beside one that is not valid TOML only its quotes are found.
    """
    quotes = path.with_suffix(f".{QUOTES}")
    found = [quotes] if quotes.exists() else []
    try:
        name = tomllib.loads(text).get("prose")
    except (tomllib.TOMLDecodeError, RecursionError):
        name = None
    if isinstance(name, str) and is_spelt_inside(name):
        folder = path.parent / name
        if not folder.is_dir():
            raise Mistake(f"prose: the folder {folder.name!r} is not beside the page file.")
        found += sorted(folder.glob("*.md"))
    if (out := leading_out((file for one in found for file in (one.parent, one)), path.parent)) is not None:
        raise Mistake(f"{out.name!r} leads out of the folder of the page file.")
    return found


# ---- from text to page


def parse(text: str, path: Path) -> Page:
    """The page of a text of ``read_text``, whose page file is ``path``; raises PageError as ``load`` does."""
    stated = toml_of(text, path)
    files = stated.pop("files", {})
    if "quotes" in stated:  # which a file beside it holds
        allowed = ", ".join(PageFile.model_fields)
        raise PageError.in_file(path, text, Message(NOT_VALID, key="quotes", allowed=allowed), ("quotes",))
    stated["quotes"] = list(_quotes(str(files.get(QUOTES, "")), path.with_suffix(f".{QUOTES}")))
    try:
        whole = _with_texts(stated, files)
    except Mistake as error:
        raise PageError.in_file(path, text, error.message, ("prose",)) from error
    try:
        page = Page.model_validate(whole)
    except ValidationError as error:
        raise invalid(error, PageFile, stated, text, path) from None
    for locations, what in mistakes(page):
        raise PageError.in_file(path, text, what, *locations)
    return page


def toml_of(text: str, path: Path) -> dict[str, Any]:
    """What a page file or launch file states; raises PageError where it is not valid, or a text has several lines."""
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if found := missing_comma(text):
            raise PageError.on_line(path, *found) from error
        raise PageError.at(path, NOT_TOML, reason=error) from error
    except RecursionError as error:
        raise PageError.at(path, NOT_TOML, reason="it is nested too deeply") from error
    for location, said in _strings({key: value for key, value in stated.items() if key != "files"}):
        if said.splitlines() not in ([], [said]) and not _OF_SEVERAL_LINES.fullmatch(".".join(map(str, location))):
            what = f"{stated_key(location, stated)}: {said!r} has several lines; use a single line."
            raise PageError.in_file(path, text, what, location)
    return stated


def invalid(
    error: ValidationError, model: type[BaseModel], stated: Mapping[str, Any], text: str, path: Path
) -> PageError:
    """The error of what a model finds wrong first; a misspelt key comes as two errors: what is there says more."""
    first = min(error.errors(), key=lambda found: (found["type"] != UNKNOWN, found["type"] == MISSING))
    key = stated_key(first["loc"], stated, is_missing=first["type"] == MISSING)
    return PageError.in_file(path, text, mistake(first, model, key), first["loc"])


def _with_texts(stated: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """A page as its page file states it, whose sections and tables end with the texts of its files."""
    page: dict[str, Any] = deepcopy(dict(stated))
    places: dict[str, tuple[Any, str]] = {section: (page, section) for section in SECTIONS}
    places |= {f"table-{table.get('name')}": (table, "notes") for table in _tables(page)}
    texts: dict[str, dict[str, str]] = {}
    for name in (name for name in files if name != QUOTES):
        found = _TEXT.fullmatch(name)
        if found is None or found[1] not in places:
            near = get_close_matches(name, [f"{place}.en.md" for place in places], 1, 0)[0]
            raise Mistake(f"{name!r} is not the text of a section or a table of the page; did you mean {near}?")
        texts.setdefault(found[1], {})[found[2]] = files[name]
    for place, said in texts.items():
        part, key = places[place]
        if isinstance(before := part.get(key, []), list):
            part[key] = [*before, said]
    return page


def _tables(part: Any) -> Iterator[dict[str, Any]]:
    for table in part.get("tables", []) if isinstance(part.get("tables", []), list) else ():
        if isinstance(table, dict):
            yield table
            yield from _tables(table)


def _quotes(text: str, path: Path) -> Iterator[dict[str, Any]]:
    """The figures of the CSV file of quotes, a line each; an empty value is none. Raises PageError."""
    head: list[str] = []
    keys = ("column", "value", "source", "unit", *get_args(Axis))
    for number, line in enumerate(text.split("\n") if text else (), start=1):
        try:
            row = next(csv.reader([line]))
        except csv.Error as error:
            raise PageError.on_line(path, number, f"is no line of CSV: {error}.") from error
        head = head or row
        if unknown := [name for name in head if name not in keys]:
            near = get_close_matches(unknown[0], keys, 1, 0)[0]
            raise PageError.on_line(path, number, Message(NEAREST_KEY, key=unknown[0], nearest=near))
        if len(row) != len(head):
            raise PageError.on_line(path, number, f"has {len(row)} values for {len(head)} columns.")
        if number > 1:
            stated: dict[str, Any] = {name: value for name, value in zip(head, row, strict=True) if value}
            case = {name: stated.pop(name) for name in head if name in stated and name in get_args(Axis)}
            yield {**stated, "case": case}


def _strings(part: Any, location: Key = ()) -> Iterator[tuple[Key, str]]:
    """All texts of a part of a page file, names among them, each with where it stands."""
    if isinstance(part, str):
        yield location, part
    elif isinstance(part, list):
        yield from (found for number, inner in enumerate(part) for found in _strings(inner, (*location, number)))
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from _strings(name, location)
            yield from _strings(inner, (*location, name))
