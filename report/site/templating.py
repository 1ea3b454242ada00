"""Templating: the templates of the site, in which everything but markup is escaped."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..wording.markdown import seen
from ..wording.words import words
from . import hypertext
from .log_excerpts import script_json

FOLDER = Path(__file__).parents[1] / "templates" / "site"
ASSETS = (
    "icon.svg",
    "site.css",
    "theme.js",
    "site.js",
    "sorting.js",
    "tables.js",
    "evidence.js",
    "finder.js",
    "reload.js",
)


@cache
def environment() -> Environment:
    """The environment of all templates of the site."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        autoescape=True,
    )
    made.filters |= {"html": hypertext.html, "inline": hypertext.inline, "script_json": script_json}
    made.filters |= {"plain": hypertext.plain, "gapped": hypertext.gapped, "seen": seen, "language_name": language_name}
    return made


def language_name(language: str) -> str:
    """The name of a language in itself."""
    return words(language).gettext("language")
