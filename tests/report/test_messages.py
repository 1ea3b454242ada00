"""The catalogues: every message that code can tell is in each of them, with the same values, and hardly another."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.pofile import read_po

from parsers.io.message import Message
from report.wording.words import FOLDER, Translator, filled, languages, worded

PROJECT = Path(__file__).parents[2]
# What refuses is English, as help is, and so are the commands of two rooms.
ONLY_ENGLISH = tuple(
    PROJECT / place
    for place in (
        *(f"parsers/{room}" for room in ("grammar", "ingesting", "io", "origins", "scanning", "scrubbing", "sharing")),
        "report/pagefile",
        "report/views/archive.py",
        "report/drafting/logs.py",
        "report/measure/operations.py",
        "report/measure/protocol.py",
        "report/results/plan.py",
        "report/views/publish.py",
    )
)
# Of the sentences of diagnostics and what fills them, which stand in English in its catalogue only.
CODES = ("code.", "source.", "kind.", "scope.", "job_needs.", "missing.")
# Rooms whose sentences are messages, though some are told by the name of a table of them; what begins in lower case
# follows the name of a file in an error.
ROOMS = ("parsers/runs", "report/results")
OF_SENTENCES = tuple(PROJECT / room for room in ROOMS)
# What makes a message.
MADE_BY = ("Message", "joined", "say")
TELLS_CODES = ("say", "NoEvidenceError", "Diagnostic")
ENGLISH = FOLDER / "en.po"


def keys(source: Path) -> Iterator[str]:
    """The keys of the messages that a module tells: literal ones, and its constants that it tells by name."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if any(source.is_relative_to(room) for room in OF_SENTENCES):
        stated = [node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
        texts = [part.value for value in stated for part in ast.walk(value) if isinstance(part, ast.Constant)]
        sentences = (text for text in texts if isinstance(text, str) and " " in text and text.endswith("."))
        yield from (text for text in sentences if text[0].isupper())
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        if ast.unparse(call.func).rpartition(".")[2] in MADE_BY and call.args:
            key = call.args[0]
            told = key.value if isinstance(key, ast.Constant) else constants.get(ast.unparse(key))
            if isinstance(told, str) and (" " in told or "{" in told):
                yield told


def values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@cache
def all_keys() -> set[str]:
    sources = [path for room in ("parsers", "report") for path in (PROJECT / room).rglob("*.py")]
    told = {key for path in sources if not any(map(path.is_relative_to, ONLY_ENGLISH)) for key in keys(path)}
    return told | {*of_diagnostics()}


def of_diagnostics() -> Iterator[str]:
    """What diagnostics say in English, of those with a count both forms."""
    with ENGLISH.open("rb") as file:
        for message in read_po(file):
            if str(message.id[0] if message.pluralizable else message.id).startswith(CODES):
                yield from map(str, message.string or ()) if message.pluralizable else (str(message.string),)


@cache
def translated(language: str, *, of_pages: bool = True) -> list[tuple[str, ...]]:
    """The texts that a catalogue translates, those of a count in both forms; ``of_pages``: also those with a place."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        found = [message for message in read_po(file) if message.id and message.string]
    ids = [message.id for message in found if of_pages or not message.locations]
    return [one if isinstance(one, tuple) else (str(one),) for one in ids]


def source_texts() -> Iterator[str]:
    """The texts of all sources, and what they make of names: ``tensor parallel``, ``tokens of a step``."""
    for room in ("launchers", "parsers", "report", "tachograph"):
        for path in (PROJECT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from (node.value, node.value.replace("_", " "), f"{node.value} of a step")


def test_a_translation_is_of_a_text_of_the_sources_the_templates_or_the_pages() -> None:
    """But for keys, which are put together: ``quantity_mfu``. Texts with a location are held against their page."""
    ids = [text for texts in translated("zh", of_pages=False) for text in texts]
    told = {*source_texts(), *of_diagnostics()}
    files = [*(PROJECT / "report/templates").rglob("*.jinja"), *(PROJECT / "report/pages").glob("*.toml")]
    quoted = "".join(path.read_text(encoding="utf-8") for path in files)
    assert len(ids) > 100
    assert [
        text for text in ids if text not in told and f'"{text}"' not in quoted and (" " in text or "_" not in text)
    ] == []


def test_a_code_that_is_told_has_words_and_no_other_has() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (PROJECT / "report").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [one for one in nodes if isinstance(one, ast.Call) and one.args and ast.unparse(one.func) in TELLS_CODES]
    told = {one.args[0].value for one in calls if isinstance(one.args[0], ast.Constant)}
    codes = {one for one in told if isinstance(one, str) and re.fullmatch(r"[a-z_]+", one)} - {"told"}
    known = {*re.findall(r'^msgid "code\.(.+)"$', ENGLISH.read_text(), re.MULTILINE)}
    assert codes - known == set()
    texts = {*source_texts()}
    assert [code for code in known if not {code, code.removeprefix("unlike_")} & texts] == []


def test_a_message_is_translated() -> None:
    assert len(all_keys()) > 100
    assert all_keys() - {text for texts in translated("zh") for text in texts} == set()


@pytest.mark.parametrize("language", languages())
def test_a_catalogue_has_each_message_once_and_tells_its_values(language: str) -> None:
    ids = re.findall(r'^msgid "(.+)"$', (FOLDER / f"{language}.po").read_text(encoding="utf-8"), re.MULTILINE)
    assert [key for key, count in Counter(ids).items() if count > 1] == []
    translate = Translator(language).translate
    with_plurals = [texts for texts in translated("zh") if len(texts) > 1]
    alone = all_keys() - {text for texts in with_plurals for text in texts}
    of_count = [texts for texts in with_plurals if all_keys() & {*texts}]
    for texts in [*((key,) for key in alone), *of_count]:
        told = {name: f"<{name}>" for name in values(texts[-1]) if name != "count"}
        said = Message.of_count(90210, *texts, **told) if len(texts) > 1 else Message(texts[0], **told, count="<count>")
        text = worded(said, translate)
        assert [name for name in told if f"<{name}>" not in text] == [], text
        assert ("{count}" in texts[-1]) == ("90210" in text or "<count>" in text), text


def test_a_count_has_the_words_of_its_number() -> None:
    said = [Message.of_count(count, "{count} other line", "{count} other lines") for count in (0, 1, 2)]
    assert list(map(str, said)) == ["0 other lines", "1 other line", "2 other lines"]
    assert [worded(one, Translator("en").translate) for one in said] == list(map(str, said))
    assert [worded(one, Translator("zh").translate) for one in said] == [f"其他 {count} 行" for count in (0, 1, 2)]


@pytest.mark.parametrize(
    ("template", "value", "told"),
    [
        ("{value} 与 {other}", "FP32", "FP32 与半精度"),
        ("{value} 与 {other}", "半精度", "半精度与半精度"),
        ("{value}、{other}", "a b", "a b、半精度"),
        ("{value} and {other}", "半精度", "半精度 and 半精度"),
    ],
)
def test_a_blank_stands_between_chinese_and_latin_words_and_not_between_chinese_ones(
    template: str, value: str, told: str
) -> None:
    assert filled(template, {"value": value, "other": "半精度"}) == told
