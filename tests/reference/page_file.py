"""The reference of page files, made of the models that read them: tables, keys, types, defaults and meanings."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

import report
from report.measuring.protocol import Protocol
from report.measuring.quantity import QUANTITIES, Quantity
from report.measuring.windows.length import Length
from report.pagefile.page import Page
from report.wording.words import words
from tests.reference.templates import TEMPLATES

EXAMPLE = Path(__file__).with_name("example.toml")
NAMED = Path(report.__file__).with_name("protocols.toml")
_TYPES = {"string": "text", "integer": "whole number", "number": "number"}

Schema = Mapping[str, Any]


class _AsWritten(GenerateJsonSchema):
    """Tells a length and a quantity as they are written."""

    def encode_default(self, dft: Any) -> Any:
        return super().encode_default(str(dft) if isinstance(dft, Length | Quantity) else dft)


SCHEMA: Schema = Page.model_json_schema(schema_generator=_AsWritten)


@dataclass(frozen=True)
class Section:
    """One table of a page file: its model, how TOML spells it, and the part of the example that shows it."""

    model: str
    spelt: str

    @property
    def title(self) -> str:
        """The name of the model in words: ``Table column``."""
        return _words(self.model)

    @property
    def about(self) -> str:
        """What the table is, in sentences."""
        return str(_model(self.model)["description"])

    @property
    def keys(self) -> list[tuple[str, str, str, str]]:
        """Its keys: name, type, default and meaning of each, in Markdown."""
        model = _model(self.model)
        return [_row(name, key, model.get("required", ())) for name, key in model["properties"].items()]

    @property
    def example(self) -> str:
        """The part of the example that shows it."""
        return examples()[self.title]


def page() -> str:
    """The reference in Markdown."""
    first = Section("Page", "the head of the file")
    return TEMPLATES.get_template("page-file.md.jinja").render(
        sections=[first, *sections("Page", ())],
        quantities=list(quantities()),
        named=NAMED.read_text(encoding="utf-8").strip(),
    )


def quantities() -> Iterator[tuple[str, str, str, str]]:
    """What a column can show beside the throughput: name, unit on a page of images, title, and what it is."""
    english = words("en")
    for quantity in (quantity for quantity in QUANTITIES.values() if not quantity.is_throughput):
        _, values = next(step for step in quantity.steps(Protocol(), 0) if step[0] == quantity.rule)
        said = english.gettext(quantity.rule).format(**values)
        yield quantity.name, quantity.unit("images/s"), english.gettext(quantity.name), said


def sections(model: str, path: Sequence[str]) -> Iterator[Section]:
    """All tables below one, each once and before those below it."""
    found: dict[str, Section] = {}
    for name, key in _model(model)["properties"].items():
        for below, spelt, step in _tables(name, key, path):
            found.setdefault(below, Section(below, spelt))
            found.update({one.model: one for one in sections(below, step) if one.model not in found})
    yield from found.values()


def _tables(name: str, key: Schema, path: Sequence[str]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The tables that a key holds: the model of each, how TOML spells it, and its path."""
    here = (*path, name)
    listed = key.get("items", {})
    for below in _references(key):
        yield below, f"[{'.'.join(here)}]", here
    for below in _references(key.get("additionalProperties", {})):
        yield below, f"[{'.'.join(here)}.NAME]", (*here, "NAME")
    for below in _references(listed):
        is_inline = "anyOf" in listed
        yield below, "an inline table among texts" if is_inline else f"[[{'.'.join(here)}]]", here


def examples() -> dict[str, str]:
    """The parts of the example, by the titles that stand above them."""
    _, *parts = re.split(r"^# ---- (.+)\n", EXAMPLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def _model(name: str) -> Schema:
    return SCHEMA if name == "Page" else SCHEMA["$defs"][name]


def _row(name: str, key: Schema, required: Sequence[str]) -> tuple[str, str, str, str]:
    meaning = " ".join(key["description"].split())
    return name, _type(key), "required" if name in required else _default(key), meaning


def _default(key: Schema) -> str:
    return "" if key.get("default") is None else f"`{json.dumps(key['default'], ensure_ascii=False)}`"


def _type(key: Schema) -> str:
    """What may stand there, in words; models are links to their tables."""
    if "anyOf" in key:
        return " or ".join(_type(one) for one in key["anyOf"] if one.get("type") != "null")
    if "enum" in key:
        return ", ".join(f'`"{value}"`' for value in key["enum"])
    if "$ref" in key:
        title = _words(_name(key))
        return f"[{title.lower()}](#{title.lower().replace(' ', '-')})"
    if key["type"] == "array":
        of = f"({_type(key['items'])})" if "anyOf" in key["items"] else _type(key["items"])
        return f"list of {of}{', at least 1' if key.get('minItems') else ''}"
    if key["type"] == "object":
        of = "axis" if "propertyNames" in key else "name"
        return f"table, {of} = {_type(key['additionalProperties'])}"
    return _TYPES[key["type"]] + _limits(key)


def _limits(key: Schema) -> str:
    """Which of them are allowed, such as ``, at least 1``."""
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMaximum": "below"}
    limits = [f", {said} {key[limit]}" for limit, said in words.items() if limit in key]
    return "".join([*limits, *([f", of the form `{key['pattern']}`"] if "pattern" in key else [])])


def _references(key: Schema) -> list[str]:
    return [_name(one) for one in (key, *key.get("anyOf", ())) if "$ref" in one]


def _name(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _words(model: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model).capitalize()
