"""Every message that code can tell is in the catalogues, and comes out in each language with all its values."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from parsers.io.message import Message
from parsers.runs.provenance import WORDS
from report.wording.told import worded
from report.wording.words import languages, words

PROJECT = Path(__file__).parents[2]
TOLD_BY = {
    "Message",
    "NoMeasurement",
    "NoEvidenceError",
    "LogError",
    "FormatError",
    "LogError.at",
    "FormatError.at",
    "joined",
}
SOURCES = [path for room in ("parsers", "report") for path in sorted((PROJECT / room).rglob("*.py"))]


def keys_of(path: Path) -> Iterator[str]:
    """The keys that a module tells: literal ones, and all constants of it that are sentences."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    telling = [call for call in calls if ast.unparse(call.func) in TOLD_BY and call.args]
    if not telling:
        return
    for key in (call.args[ast.unparse(call.func).endswith(".at")] for call in telling):
        assert not isinstance(key, ast.JoinedStr), f"{path}:{key.lineno}: values are put in last"
        if isinstance(key, ast.Constant):
            yield str(key.value)
    module = importlib.import_module(".".join(path.relative_to(PROJECT).with_suffix("").parts))
    for name, value in vars(module).items():
        if name.isupper():
            yield from (said for said in texts(value) if "{" in said or said.endswith("."))


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


KEYS = sorted({key for path in SOURCES for key in keys_of(path)} | {key for key, *_ in WORDS.values()})


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_the_messages_are_found() -> None:
    assert len(KEYS) > 100


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("key", KEYS)
def test_a_message_comes_out_in_each_language_with_the_values_of_its_key(key: str, language: str) -> None:
    translate = words(language).gettext
    assert names(translate(key)) == names(key)
    said = worded(Message(key, **{name: f"<{name}>" for name in names(key)}), translate)
    assert all(f"<{name}>" in said for name in names(key))


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("run.json", "--{name}")])
def test_a_message_is_translated(key: str) -> None:
    assert words("zh")._catalog.get(key)


# What is worded: no program decides anything by looking into it.
WORDED = {"warning", "warnings", "reason", "remark", "remarks", "witness", "source", "message", "said", "told", "error"}
LOOKING = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
    "find",
    "index",
}


def looked_into(path: Path) -> Iterator[int]:
    """The lines of a module that look into ``str(...)`` of something worded, by a method, ``in`` or ``re``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            searched = [node.func.value] if node.func.attr in LOOKING else []
            searched += node.args if ast.unparse(node.func.value) == "re" else []
        elif isinstance(node, ast.Compare):
            searched = [node.left, *node.comparators]
        else:
            continue
        if any(is_worded(found) for found in searched):
            yield node.lineno


def is_worded(node: ast.expr) -> bool:
    """Whether an expression is ``str(warning)``, ``str(finding.reason)`` or the like."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and node.args):
        return False
    said = node.args[0]
    return (said.attr if isinstance(said, ast.Attribute) else getattr(said, "id", "")) in WORDED


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_no_program_looks_into_what_is_worded(path: Path) -> None:
    assert list(looked_into(path)) == []


def test_looking_into_a_sentence_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('str(found.reason).startswith("give")\n"give" in str(reason)\nre.search("give", str(warning))\n')
    assert list(looked_into(module)) == [1, 2, 3]
