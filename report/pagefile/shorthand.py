"""Shorthand: what a page file may say once, spelt out as the rest of the program reads it.

What is not stated as it should be is left as it is, for the checks of the page to name.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from parsers.io.validation import Mistake

from .prose import OF_TABLE, SECTIONS

TWO_TRANSLATIONS = "{text} has two translations in {language}: {first} and {second}; use one."
HAS_BRACES = "{text} has braces, which a text in several languages cannot have."
NO_TEXT_FOR = "there is a text for {name}, which is neither a section nor a table of the page; {known} are."
NEAREST_TEXT = "there is a text for {name}, which is neither a section nor a table of the page; did you mean {nearest}?"
NO_TABLE = "table {table} takes its rows from an unknown table {name}; tables before it: {known}."
NEAREST_TABLE = "table {table} takes its rows from an unknown table {name}; did you mean {nearest}?"

ENGLISH = "en"
IN_LANGUAGES = ("texts", "words")
TAKEN = ("corner", "case", "unit", "for", "rows", "leave_out", "columns")
OF_RUNS = ("logs", "launched", "protocol", "read", "spellings", "launcher")
_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")
Words = dict[str, dict[str, str]]


def spelt_out(stated: Mapping[str, Any]) -> dict[str, Any]:
    """A page as its page file states it, with tables that are like others, texts in their sections, and words."""
    listed = stated["words"] if isinstance(stated.get("words"), dict) else {}
    words: Words = {language: dict(said) for language, said in listed.items() if isinstance(said, dict)}
    kept: dict[str, Any] = _in_english(dict(stated), words)
    if words:
        kept["words"] = {**listed, **words}
    if isinstance(tables := kept.get("tables"), list):
        kept["tables"] = _with_what_they_take(tables)
    return _with_texts(kept)


def _in_english(part: Any, words: Words) -> Any:
    """A part with its texts in English; ``words`` gets what they are in other languages."""
    if isinstance(part, list):
        return [_in_english(inner, words) for inner in part]
    if not isinstance(part, dict):
        return part
    if not (ENGLISH in part and all(_LANGUAGE.fullmatch(key) and isinstance(part[key], str) for key in part)):
        return {key: inner if key in IN_LANGUAGES else _in_english(inner, words) for key, inner in part.items()}
    english = part[ENGLISH]
    for language, said in part.items():
        known = words.setdefault(language, {}).setdefault(english, said)
        if known != said:
            told = {"text": repr(english), "language": language, "first": repr(known), "second": repr(said)}
            raise Mistake(TWO_TRANSLATIONS, **told)
    return english


def _with_what_they_take(tables: list[Any]) -> list[Any]:
    """Tables with the columns and rows of those that they name with ``from``, but for what they state themselves."""
    named: dict[Any, Mapping[str, Any]] = {}
    found: list[Any] = []
    for table in tables:
        spelt = table
        if isinstance(table, dict):
            if isinstance(name := table.get("from"), str):
                spelt = {**_taken(table, name, named), **table}
            named[spelt.get("name") if isinstance(spelt.get("name"), str) else None] = spelt
        found.append(spelt)
    return found


def _taken(table: Mapping[str, Any], name: str, named: Mapping[Any, Mapping[str, Any]]) -> dict[str, Any]:
    if name not in named:
        known = [one for one in named if one]
        told = {"table": str(table.get("name")), "name": repr(name)}
        if close := get_close_matches(name, known, 1):
            raise Mistake(NEAREST_TABLE, **told, nearest=close[0])
        raise Mistake(NO_TABLE, **told, known=", ".join(known) or "-")
    return {key: named[name][key] for key in TAKEN if key in named[name]}


def _with_texts(stated: dict[str, Any]) -> dict[str, Any]:
    """A page whose sections and tables end with their texts."""
    texts = stated.get("texts")
    if not isinstance(texts, dict):
        return stated
    tables = stated.get("tables")
    tables = [dict(table) if isinstance(table, dict) else table for table in tables] if isinstance(tables, list) else []
    places: dict[str, tuple[dict[str, Any], str]] = {section: (stated, section) for section in SECTIONS}
    places |= {f"{OF_TABLE}{table.get('name')}": (table, "notes") for table in tables if isinstance(table, dict)}
    for name, said in texts.items():
        if name not in places:
            raise _no_place(name, list(places))
        part, key = places[name]
        before = part.get(key, [])
        part[key] = [*before, {"texts": said}] if isinstance(before, list) else before
    return stated | {"tables": tables} if tables else stated


def _no_place(name: str, places: list[str]) -> Mistake:
    if close := get_close_matches(name, places, 1):
        return Mistake(NEAREST_TEXT, name=repr(name), nearest=close[0])
    return Mistake(NO_TEXT_FOR, name=repr(name), known=", ".join(places))


def with_runs(stated: Mapping[str, Any]) -> dict[str, Any]:
    """A column of a page whose runs have what it states for all of them; one run, where it states no other."""
    shared = {key: stated[key] for key in OF_RUNS if key in stated}
    runs = stated.get("runs", [{}] if "logs" in shared else [])
    if isinstance(runs, list):
        runs = [{**shared, **run} if isinstance(run, dict) else run for run in runs]
    return {**stated, "runs": runs}


def with_columns(stated: Mapping[str, Any]) -> dict[str, Any]:
    """A table whose columns are tables of keys, and have what it states for all of them."""
    columns = stated.get("columns")
    if not isinstance(columns, list):
        return dict(stated)
    shared = {key: stated[key] for key in ("quantity", "against", "decimals") if key in stated}
    spelt = [{"column": column} if isinstance(column, str) else column for column in columns]
    return {**stated, "columns": [{**shared, **one} if isinstance(one, dict) else one for one in spelt]}
