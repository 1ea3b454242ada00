"""A command line: what the words that start a training say of it, and whether its program knows its options.

Nothing of it is executed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import click

from parsers.io.input_file import opened
from parsers.runs.git_files import git

from .recipe import ROOM

ARGUMENTS = "arguments"  # what stands before the first option, as `options` names it
# Options that are followed by `key=value`: they override what a config says.
_OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
_OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PROGRAM = re.compile(r".+\.(?:py|sh|ipynb)|python[0-9.]*|bash|sh")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_SHEBANG = re.compile(rb"#!\s*(\S+)(?:[ \t]+(\S+))?")
_COUNT = re.compile("[1-9][0-9]{0,8}")
_LIST = re.compile("[0-9]+(?:,[0-9]+)*")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ONE_CARD = re.compile("[0-9]+|(?:GPU|MIG)-[0-9A-Za-z/-]+")  # of CUDA_VISIBLE_DEVICES; -1 or a word is no card
_LONGEST_SHEBANG = 1024  # bytes

_STARTERS: dict[str, dict[str, Any]] = {
    name: starter
    for starter in tomllib.loads((ROOM / "starters.toml").read_text(encoding="utf-8"))["starter"]
    for name in starter["names"]
}


class Count(NamedTuple):
    """A whole number of at least one that a command states, and the words that state it."""

    value: int
    words: str


def counts(words: Sequence[str], environment: Mapping[str, str]) -> dict[str, Count]:
    """How many `cards` (processes that train) and `nodes` a command starts, as far as its words prove it.

    `environment`: the one that it is started in; its CUDA_VISIBLE_DEVICES, or that of the command, proves one card
    where it names one.
    """
    assigned, rest = _assignments(words)
    found = _started(rest)
    visible = assigned.get(_VISIBLE, environment.get(_VISIBLE, ""))
    if "cards" not in found and _ONE_CARD.fullmatch(visible):
        found["cards"] = Count(1, f"{_VISIBLE}={visible}")
    return found


def _started(words: Sequence[str]) -> dict[str, Count]:
    """What the last of several starters, each of which starts the next one, says; it must say its nodes then."""
    program = next((place for place, word in enumerate(words) if word.endswith(".py")), len(words))
    starters = [(place, name) for place, word in enumerate(words[:program]) if (name := _starter(word))]
    if not starters:
        return {}
    place, name = starters[-1]
    own = list(takewhile(lambda word: not _PROGRAM.fullmatch(Path(word).name), words[place + 1 :]))
    stated: dict[str, Count | None] = {}  # None for a value that is no count
    for word, following in zip(own, [*own[1:], ""], strict=False):
        option, equals, glued = word.partition("=")
        meaning = _STARTERS[name]["options"].get(option.lstrip("-"))
        if meaning and option.startswith("-"):
            value = glued if equals else following
            pattern, count = (_LIST, value.count(",") + 1) if meaning == "list" else (_COUNT, value)
            stated[meaning] = Count(int(count), f"{option} {value}") if pattern.fullmatch(value) else None
    if "elsewhere" in stated:
        return {}
    nodes, per_node = stated.get("nodes"), stated.get("per_node") or stated.get("list")
    found = {"nodes": nodes} if nodes else {}
    if total := stated.get("total"):
        found["cards"] = total
    elif per_node and nodes:
        found["cards"] = Count(per_node.value * nodes.value, f"{per_node.words} {nodes.words}")
    elif per_node and "nodes" not in stated:
        found["cards"] = per_node
    elif "alone" in _STARTERS[name] and not stated:
        found["cards"] = Count(_STARTERS[name]["alone"], name)
    return found if len(starters) == 1 or nodes else {}


def _starter(word: str) -> str:
    """The name of the starter that a word is, or nothing."""
    return next((name for name in (word, Path(word).name) if name in _STARTERS), "")


def _assignments(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that `env` sets for a command, and the words after them."""
    if not words or Path(words[0]).name != "env":
        return {}, list(words)
    found = [match for match in takewhile(bool, map(_ASSIGNED.fullmatch, words[1:])) if match]
    return {match[1]: match[2] for match in found}, list(words[1 + len(found) :])


def python(words: Sequence[str], folder: Path, path: str) -> str | None:
    """The Python that a command starts, as its words or the first line of its program say; None where there is none.

    `folder`: where it is started; `path`: the PATH of its environment. A shell script may start the one on `path`.
    """
    _, rest = _assignments(words)
    for word in rest:
        program = str(folder / word) if os.sep in word else shutil.which(word, path=path)
        if _PYTHON.fullmatch(Path(word).name):
            return program
        if program and (_starter(word) or word == rest[0]) and (interpreter := _interpreter(Path(program))):
            return interpreter
    return shutil.which("python", path=path)


def _interpreter(program: Path) -> str | None:
    """The Python in the first line of a script; None for another program."""
    try:
        with opened(program) as file:
            found = _SHEBANG.match(file.read(_LONGEST_SHEBANG))
    except OSError:
        return None
    words = [os.fsdecode(word) for word in found.groups() if word] if found else []
    return next((word for word in words if _PYTHON.fullmatch(Path(word).name)), None)


def words(line: str) -> tuple[str, list[str]]:
    """Return the folder and the words of a native command, as a dry run prints it, with $REPO and $WORK in them."""
    _, folder, _, *command = shlex.split(line)
    return folder, command


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and that of a flag is "".

    What stands before the first option is called `arguments`.
    """
    found: dict[str, list[str]] = {}
    name = ARGUMENTS
    for argument in arguments:
        is_glued = argument[:2] in _OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := _OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in _OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in (ARGUMENTS, *_OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}


_CONFIG = re.compile(r"(?!\.?/)[\w./-]{1,200}\.(?:py|ya?ml|toml)")
_HIT = re.compile(r"([^\0]+)\0(\d+)\0(.*)\n")
# Programs that the checkout configures are not started, and its submodules are not looked into.
_GREP = ("grep", "-I", "--no-textconv", "--no-recurse-submodules", "--no-color")
_FILES = ("--", ".", *(f":(exclude)*{suffix}" for suffix in (".md", ".rst", ".txt", ".ipynb", ".svg", ".sh")))


class CheckOutcome(NamedTuple):
    """Options: `known` with their `file:line`, `unknown` ones, and `unchecked` ones of starters."""

    known: Mapping[str, str]
    unknown: Sequence[str]
    unchecked: Sequence[str]


def check(lines: Iterable[str], repo: Path) -> CheckOutcome:
    """Look up every option of native commands, as dry runs of one recipe print them, in the checkout `repo`.

    Nothing in it is executed. Raises click.ClickException where git tracks no file of it, and where a command runs
    none of them.
    """
    tracked = dict.fromkeys((git(repo, "ls-files", "-z") or "").split("\0")[:-1])
    if not tracked:
        raise click.ClickException(f"git does not track any file in {repo}; --check requires a git checkout as --repo.")
    uses, starter, absent = dict[str, list[str]](), dict[str, None](), dict[str, None]()
    for line in lines:
        folder, command = words(line)
        values = [word.rpartition("=")[2] for word in command]
        paths = [value if value.startswith("$REPO") else f"{folder}/{value}" for value in values]
        files = [os.path.normpath(path.replace("$REPO", ".", 1)) for path in paths]
        first = next(
            (place for place, file in enumerate(files) if file in tracked and command[place] != "python"), None
        )
        if first is None:
            raise click.ClickException(f"The native command does not run any program in {repo}: {line.strip()}")
        starter |= dict.fromkeys(word.partition("=")[0] for word in command[:first] if re.match("--?[A-Za-z]", word))
        ran = [file for file in files[first:] if file in tracked]
        uses |= {name: ran for name in options(command[first + 1 :]) if name != ARGUMENTS}
        named = zip(values, files, strict=True)
        absent |= {value: None for value, file in named if _CONFIG.fullmatch(value) and not (repo / file).exists()}
    known = _places(uses, repo)
    return CheckOutcome(known, [*(use for use in uses if use not in known), *absent], list(starter))


def _spellings(use: str) -> set[str]:
    """The option as it is passed, without `no`, and without a value behind its letter."""
    return {use, re.sub("^--(?:no-?|disable-)", "--", use), re.sub(r"^(-[A-Za-z])\d.*", r"\1", use)}


def _name(option: str) -> str:
    """The name of the field or key that an option sets: the last part of a dotted one."""
    return [part for part in option.lstrip("-").split(".") if not part.isdecimal()][-1].replace("-", "_")


def _places(uses: Mapping[str, Sequence[str]], repo: Path) -> dict[str, str]:
    """The `file:line` that seems to define each option, nearest to the files that its command names, as in `uses`."""
    texts = {text for use in uses for one in _spellings(use) for text in (one, _name(one)) if len(text) > 1}
    found = git(repo, *_GREP, "-nzwF", *(f"-e{text}" for text in sorted(texts)), *_FILES) or ""
    hits = [hit.groups() for hit in _HIT.finditer(found)]
    known = dict[str, str]()
    for use, ran in uses.items():
        flags, names = ("|".join(map(re.escape, map(form, _spellings(use)))) for form in (str, _name))
        start = r"^\s*" if use.startswith("-") else r"(?<![\w.-])"
        flag = re.compile(rf"""["'/](?:{flags})(?![\w-])""")
        defined = re.compile(rf"""{flag.pattern}|["'](?:{names})["']|{start}(?:{names})["']?\s*[:=]""")
        places = [
            (max(len(os.path.commonpath([one, file])) for one in ran), bool(flag.search(text)), f"{file}:{number}")
            for file, number, text in hits
            if defined.search(text)
        ]
        if places:
            known[use] = max(places, key=lambda place: place[:2])[2]
    return known
