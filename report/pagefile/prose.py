"""Prose: the text of a page in Markdown files, one for each section and language, in a folder beside the page file.

What they hold is put at the end of the text of the page file, as its table ``texts``: a page file that is kept with the
evidence of a page is whole.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from parsers.io.containment import is_spelt_inside, leading_out
from parsers.io.input_file import text_of
from parsers.io.message import Message
from parsers.io.validation import Mistake

SECTIONS = ("tested", "environment", "setup", "steps", "results")
OF_TABLE = "table-"
MOST_FILES, MOST_BYTES = 200, 200_000
TEXTS_TWICE = "prose and texts exclude each other; the files of prose are the texts."
NO_FOLDER = "prose: the folder {folder} is not beside the page file."
LEAVES_PAGE = "prose: {file} leads out of the folder of the page file."
TOO_MANY_FILES = "prose: {folder} has more than {most} files."
TOO_LARGE = "{file} has {size} bytes; a text may have {most}."
NOT_A_TEXT = "{file} is not a text of the page; {nearest}use SECTION.LANGUAGE.md, with one of {sections}."
NEAREST = "did you mean {name}? "
NOT_UTF_8 = "{file} is not valid UTF-8."
HEADING = "{file}, line {line}: use ### or lower for headings; # and ## are those of the page."

_TEXTS = "\n[texts"
_NAME = re.compile(rf"((?:{'|'.join(SECTIONS)})|{OF_TABLE}[^.]+)\.([a-z]{{2,3}}(?:_[A-Z]{{2}})?)\.md")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}##?(\s|$)")


def is_text(name: str) -> bool:
    """Whether a file is called as a text of a page is."""
    return _NAME.fullmatch(name) is not None


def with_prose(text: str, path: Path) -> str:
    """The text of a page file with that of its Markdown files; raises Mistake, and OSError where one cannot be read.

    A page file that is not valid, or names no folder, is left as it is, for its own checks to name.
    """
    if (folder := _folder(text, path)) is None:
        return text
    texts: dict[str, dict[str, str]] = {}
    for file in _files(folder, path.parent):
        found = _NAME.fullmatch(file.name)
        if not found:
            raise _not_a_text(file)
        texts.setdefault(found[1], {})[found[2]] = _checked(file)
    tables = (f"{_TEXTS}.{json.dumps(key)}]\n{_lines(said)}" for key, said in texts.items())
    return "".join([text.rstrip("\n"), "\n", *tables])


def as_stated(text: str) -> str:
    """The text of a page file without that of its Markdown files."""
    return text.partition(_TEXTS)[0] if "prose" in tomllib.loads(text) else text


def prose_files(text: str, path: Path) -> list[Path]:
    """The Markdown files of the page file that has this text; raises as ``with_prose`` does."""
    folder = _folder(text, path)
    return list(_files(folder, path.parent)) if folder else []


def _folder(text: str, path: Path) -> Path | None:
    """The folder that a page file names for its text; None where it names none, or is not valid."""
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    name = stated.get("prose")
    if not isinstance(name, str) or not is_spelt_inside(name):
        return None
    if "texts" in stated:
        raise Mistake(TEXTS_TWICE)
    return path.parent / name


def _files(folder: Path, home: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise Mistake(NO_FOLDER, folder=repr(folder.name))
    files = sorted(file for file in folder.iterdir() if file.suffix == ".md")
    if len(files) > MOST_FILES:
        raise Mistake(TOO_MANY_FILES, folder=repr(folder.name), most=MOST_FILES)
    if (out := leading_out([folder, *files], home)) is not None:
        raise Mistake(LEAVES_PAGE, file=repr(out.name))
    yield from files


def _not_a_text(file: Path) -> Mistake:
    section, _, language = file.name.removesuffix(".md").rpartition(".")
    close = get_close_matches(section or language, SECTIONS, 1)
    nearest = Message(NEAREST, name=f"{close[0]}.{language if section else 'en'}.md") if close else ""
    return Mistake(
        NOT_A_TEXT, file=repr(file.name), nearest=nearest, sections=", ".join([*SECTIONS, f"{OF_TABLE}NAME"])
    )


def _checked(file: Path) -> str:
    """The text of a file that is small enough and leaves the headings of the page alone."""
    if (size := file.stat().st_size) > MOST_BYTES:
        raise Mistake(TOO_LARGE, file=repr(file.name), size=size, most=MOST_BYTES)
    try:
        text = text_of(file).strip("\n")
    except UnicodeDecodeError as error:
        raise Mistake(NOT_UTF_8, file=repr(file.name)) from error
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif not fence and _HEADING.match(line):
            raise Mistake(HEADING, file=repr(file.name), line=number)
    return text


def _lines(said: dict[str, str]) -> str:
    # A text of JSON is one of TOML but for one character.
    return "".join(
        f"{key} = {json.dumps(text, ensure_ascii=False)}\n".replace("\x7f", "\\u007f") for key, text in said.items()
    )
