"""The check of a recipe: git looks up each option that its launcher passes in the files of the native checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import click

from parsers.runs.git_files import git

from .command_line import ARGUMENTS, options, words

_CONFIG = re.compile(r"(?!\.?/)[\w./-]{1,200}\.(?:py|ya?ml|toml)")
_HIT = re.compile(r"([^\0]+)\0(\d+)\0(.*)\n")
# Programs that the checkout configures are not started, and its submodules are not looked into.
_GREP = ("grep", "-I", "--no-textconv", "--no-recurse-submodules", "--no-color")
_WITHOUT_DEFINITIONS = (".md", ".rst", ".txt", ".ipynb", ".svg", ".sh")
_FILES = ("--", ".", *(f":(exclude)*{suffix}" for suffix in _WITHOUT_DEFINITIONS))
# What may define an option or a key: a word in quotes, or the name of a field, a variable, or a key.
_DEFINED = r"""["'/]-{0,2}[A-Za-z][A-Za-z0-9_.-]*["'/]|[A-Za-z_][A-Za-z0-9_]*["']?[[:space:]]*[:=]"""


class CheckOutcome(NamedTuple):
    """Options: `known` with their `file:line`, `unknown` with a similar one, `unchecked` of starters."""

    known: Mapping[str, str]
    unknown: Mapping[str, str]
    unchecked: Sequence[str]
    searched: Sequence[str]


def check(lines: Iterable[str], repo: Path) -> CheckOutcome:
    """Look up every option of native commands, as dry runs of one recipe print them, in the checkout `repo`.

    Nothing in it is executed. Raises click.ClickException where git tracks no file of it, and where a command runs
    none of them.
    """
    tracked = dict.fromkeys((git(repo, "ls-files", "-z") or "").split("\0")[:-1])
    if not tracked:
        raise click.ClickException(f"git does not track any file in {repo}; --check requires a git checkout as --repo.")
    uses, starter, absent = dict[str, list[str]](), dict[str, None](), dict[str, str]()
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
        absent |= {value: "" for value, file in named if _CONFIG.fullmatch(value) and not (repo / file).exists()}
    known = _places(uses, repo)
    missing = [use for use in uses if use not in known]
    searched = [file for file in tracked if not file.endswith(_WITHOUT_DEFINITIONS)]
    return CheckOutcome(known, {**_similar(missing, repo), **absent}, list(starter), searched)


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


def _similar(missing: Sequence[str], repo: Path) -> dict[str, str]:
    """Options that are not there, each with the most similar one that is, or with nothing."""
    if not missing:
        return {}
    lines = (git(repo, *_GREP, "-hoE", "-e", _DEFINED, *_FILES) or "").splitlines()
    names = {line.strip("\"'/ \t:=") for line in lines}
    found = dict[str, str]()
    for use in missing:
        head, dot, last = use.rpartition(".")
        stem = last.lstrip("-")
        dashes = last[: len(last) - len(stem)]
        known = {name.lstrip("-") if dashes else name for name in names}
        known |= {name.replace("_", "-") for name in names} if "-" in stem else set()
        near = get_close_matches(stem, known, 1)
        found[use] = f"{head}{dot}{dashes}{near[0]}" if near else ""
    return found
