"""Every message that code can tell is in the catalogues, and comes out in each language with all its values."""

import ast
import importlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from errno import EACCES, EIO, EISDIR, ELOOP, EMFILE, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR, EROFS
from pathlib import Path
from string import Formatter
from types import ModuleType

import pytest

from parsers.io.atomic_write import LEADS_OUT, OUTSIDE
from parsers.io.errors import MessageError
from parsers.io.message import Message
from parsers.io.validation import BROKEN
from parsers.runs.provenance import WORDS
from report.audit.claim import ROUNDED
from report.audit.finding import VERDICTS
from report.audit.findings.printing import HEAD, UNLIKE_HEAD, VERDICTS_HEAD
from report.evidence.comparability import KIND_KEYS
from report.site.exchange import IS_FOREIGN, IS_IN_USE, IS_MOUNTED
from report.why.derivation import REASONS
from report.wording.words import FOLDER, filled, languages, worded, words

PROJECT = Path(__file__).parents[2]
# Commands that speak English only are all that these wings are for.
ONLY_ENGLISH = ("parsers/ingesting", "parsers/scrubbing")
SOURCES = [
    path
    for room in ("parsers", "report")
    for path in sorted((PROJECT / room).rglob("*.py"))
    if path.parent.relative_to(PROJECT).as_posix() not in ONLY_ENGLISH
]


def of_project(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def module_of(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.relative_to(PROJECT).with_suffix("").parts))


def below(error: type[Exception]) -> Iterator[type[Exception]]:
    for inner in error.__subclasses__():
        yield from (inner, *below(inner))


MODULES = {path: module_of(path) for path in SOURCES}
importlib.import_module("parsers.ingesting.ingest")
# All classes of the project, for those of the other wings that speak English are imported with the commands.
ERRORS = sorted(
    {error for error in below(Exception) if error.__module__.partition(".")[0] in ("parsers", "report")}, key=str
)
TELLING = [error for error in (MessageError, *below(MessageError)) if error in ERRORS]
# What tells a key of the catalogues, and which of its arguments that is.
TOLD_BY = {
    **dict.fromkeys(("Message", "joined", *(error.__name__ for error in TELLING)), 0),
    **dict.fromkeys(("cls.at", "wrong_use", "extra", *(f"{error.__name__}.at" for error in TELLING)), 1),
}


def telling_calls(path: Path) -> Iterator[ast.expr]:
    """The arguments of a module that are keys of the catalogues."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and len(call.args) > TOLD_BY.get(ast.unparse(call.func), len(call.args)):
            yield call.args[TOLD_BY[ast.unparse(call.func)]]


def keys_of(path: Path) -> Iterator[str]:
    """The keys that a module tells: literal ones, and all constants of it that are sentences."""
    if not (telling := list(telling_calls(path))):
        return
    yield from (str(key.value) for key in telling if isinstance(key, ast.Constant))
    for name, value in vars(MODULES[path]).items():
        if name.isupper():
            yield from (said for said in texts(value) if said[:1] != "^" and ("{" in said or said.endswith(".")))


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


# Keys that the audit takes from tables, and reasons that systems give.
OF_TABLES = {
    *REASONS.values(),
    *VERDICTS,
    *VERDICTS.values(),
    *HEAD,
    *VERDICTS_HEAD,
    *UNLIKE_HEAD,
    *ROUNDED.values(),
    *KIND_KEYS,
}
OF_TABLES |= {*BROKEN.values(), OUTSIDE, LEADS_OUT, IS_MOUNTED, IS_IN_USE, IS_FOREIGN}
OF_SYSTEMS = {
    os.strerror(code) for code in (ENOENT, EACCES, EIO, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG, EMFILE, ENOSPC, EROFS)
}
KEYS = sorted(
    {key for path in SOURCES for key in keys_of(path)} | {key for key, *_ in WORDS.values()} | OF_TABLES | OF_SYSTEMS
)


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_the_messages_are_found() -> None:
    assert len(KEYS) > 100


# No command shows these: that a draft is none and why a file is not ingested are values, and what click is given is
# worded already.
WITHOUT_MESSAGE = {"NoGrammarError", "NotTakenError", "Unreadable"}


def test_every_error_of_ours_carries_a_message() -> None:
    assert {error.__name__ for error in ERRORS if error not in TELLING} == WITHOUT_MESSAGE


@pytest.mark.parametrize("path", SOURCES, ids=of_project)
def test_the_values_of_a_message_are_put_in_last(path: Path) -> None:
    assert [key.lineno for key in telling_calls(path) if isinstance(key, ast.JoinedStr)] == []


# What goes on to a system, tells a developer that a library has changed, or is a message without values.
OF_SYSTEM = {"report/charts/chart.py": "ValueError", "report/site/exchange.py": "OSError"}


@pytest.mark.parametrize("path", [path for path in SOURCES if path.is_relative_to(PROJECT / "report")], ids=of_project)
def test_what_a_report_raises_in_words_is_a_message(path: Path) -> None:
    raised = [node.exc for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Raise)]
    named = [ast.unparse(call.func) for call in raised if isinstance(call, ast.Call) and call.args]
    errors = {name for name in named if name.rpartition(".")[0] or name[:1].isupper()}
    assert errors - TOLD_BY.keys() - {"Unreadable", OF_SYSTEM.get(of_project(path))} == set()


# What a report needs of these wings: what it cannot read it leaves out, and words nothing of theirs.
WITHOUT_WORDS = {f"parsers.ingesting.{module}" for module in ("archive", "walk", "address", "git_origin")}


@pytest.mark.parametrize("wing", ONLY_ENGLISH)
def test_a_report_needs_nothing_worded_of_the_wings_that_speak_english(wing: str) -> None:
    module = re.compile(re.escape(wing.replace("/", ".")) + r"\.\w+")
    used = {name for path in SOURCES for name in module.findall(path.read_text(encoding="utf-8"))}
    assert used <= WITHOUT_WORDS


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_catalogue_has_each_message_once(language: str) -> None:
    text = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
    counts = Counter(re.findall(r'^msgid "(.+)"$', text, re.MULTILINE))
    assert [key for key, count in counts.items() if count > 1] == []


# What is worded: no program decides anything by looking into it.
WORDED = {"warning", "warnings", "reason", "reasons", "remark", "remarks", "witness", "message", "sentence", "advice"}
WORDING = {"str", "worded"}
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
    "search",
    "match",
    "fullmatch",
}
# Errors of Lark say what is wrong in their text alone; it is made plain for people.
TEXT_ALONE = {"parsers/grammar/mistakes.py"}


def looked_into(path: Path) -> Iterator[int]:
    """The lines of a module that look into a sentence: a worded value, or any text for a phrase of several words."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOOKING:
            of_re = ast.unparse(node.func.value) == "re"  # whose first argument is a pattern, not a phrase
            searched = node.args[1:] if of_re else [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Is | ast.IsNot):
            searched = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            searched = [node.value]
        else:
            continue
        if any(map(is_phrase, searched)) or is_of_words(node, searched):
            yield node.lineno


def is_phrase(node: ast.expr) -> bool:
    """Whether an expression is, or holds, a text of several words."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(is_phrase, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()


def is_of_words(node: ast.AST, searched: Sequence[ast.expr]) -> bool:
    """Whether something worded is searched: by its name, where it is held against a text, or as ``str(reason)``."""
    if any(
        isinstance(found, ast.Call) and ast.unparse(found.func) in WORDING and is_named(found) for found in searched
    ):
        return True
    texts = [found for found in searched if isinstance(found, ast.Constant | ast.JoinedStr) or is_constant(found)]
    return bool(texts) and any(name_of(found) in WORDED for found in searched)


def is_named(call: ast.Call) -> bool:
    return bool(call.args) and name_of(call.args[0]) in {*WORDED, "said", "told", "source", "error"}


def is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.isupper()


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


LOOKED_THROUGH = [
    path for room in ("launchers", "parsers", "report") for path in sorted((PROJECT / room).rglob("*.py"))
]


@pytest.mark.parametrize(
    "path", [path for path in LOOKED_THROUGH if of_project(path) not in TEXT_ALONE], ids=of_project
)
def test_no_program_looks_into_what_is_worded(path: Path) -> None:
    assert list(looked_into(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        'str(found.reason).startswith("give")',
        '"give" in str(reason)',
        're.search("give", str(warning))',
        'said.startswith("no such")',
        '"no such" in said',
        'said in ("no such", "none")',
        "reason != NO_LINE",
        'remark.partition("; ")',
        'error.message.partition("; ")',
        "worded(warning, translate) == said",
    ],
)
def test_looking_into_a_sentence_would_be_seen(line: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(f"{line}\n", encoding="utf-8")
    assert list(looked_into(tmp_path / "module.py")) == [1]


@pytest.mark.parametrize(
    "line", ["reason.key == NO_LINE", "reason is NO_LINE", "reason not in known", "finding.verdict in GOOD"]
)
def test_asking_a_value_is_not_looking_into_a_sentence(line: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(f"{line}\n", encoding="utf-8")
    assert list(looked_into(tmp_path / "module.py")) == []


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
