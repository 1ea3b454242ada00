"""The check of a recipe: each option that its launcher passes is looked up in the text of the native program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import click

from parsers.io.input_file import opened

from .command_line import ARGUMENTS, options, words

_FILE = re.compile(r"(?<![\w./-])(?:[\w./-]{1,200}\.(?:py|sh|ya?ml|toml)\b|\./[\w-]{1,200})")
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import)[ \t]+(\([^)]{0,20000}|.*)", re.MULTILINE)
_CODE = re.compile(r"^(?:import|from|def|class|if|for|while|with|try)\b", re.MULTILINE)  # not in a config
_TAKES_FIELDS = re.compile(r"\b(?:HfArgumentParser|PdArgumentParser|ArgumentGroupFactory|tyro\.cli|exec)\(")
_EXTENDS = re.compile(r"^class \w+\((?:[\w.]+, *)*(\w+Arguments)\b", re.MULTILINE)
# What defines an option; a field or variable, which some parsers make an option of; a key; and what reads a key.
_OPTION = re.compile(r"""["'/](--?[A-Za-z][\w.-]{0,99})|\bDEFINE_\w{1,30}\(\s*["'](\w{1,99})["']""")
_FIELD = re.compile(r"^(?: {4}| {8}|\t)(\w{1,99})[ \t]*:|^(\w{1,99})[ \t]*=", re.MULTILINE)
_KEY = re.compile(r"""(?<![\w.-])(\w{1,99})["']?[ \t]*[:=]""")
_READ = re.compile(r"""[\[(]\s*["'](\w{1,99})["']""")
_LARGEST, _DEEPEST = 1 << 22, 32  # bytes of a file, packages in each other


class CheckOutcome(NamedTuple):
    """Options: `known` with their `file:line`, `unknown` with a similar one, `unchecked` of starters and libraries."""

    known: Mapping[str, str]
    unknown: Mapping[str, str]
    unchecked: Sequence[str]
    searched: Sequence[str]


def check(lines: Iterable[str], repo: Path) -> CheckOutcome:
    """Look up every option of native commands, as dry runs of one recipe print them, in the checkout `repo`.

    Nothing in it is executed. Raises click.ClickException where a command runs no program of it.
    """
    repo, files, uses, starter = repo.resolve(), dict[Path, None](), dict[str, None](), dict[str, None]()
    for line in lines:
        folder, command = words(line)
        place = Path(folder.replace("$REPO", str(repo), 1)).resolve()
        values = [word.rpartition("=")[2].replace("$REPO", str(repo)) for word in command]
        found = [_inside(place / value, repo) for value in values]
        if not any(found):
            raise click.ClickException(f"The native command does not run any program in {repo}: {line.strip()}")
        files |= dict.fromkeys(file for file in found if file)
        first = next(number for number, file in enumerate(found) if file)
        starter |= dict.fromkeys(word.partition("=")[0] for word in command[:first] if re.match("--?[A-Za-z]", word))
        absent = [value for value, file in zip(values, found, strict=True) if not file and _FILE.fullmatch(value)]
        passed = [name for name in options(command[first + 1 :]) if name != ARGUMENTS]
        uses |= dict.fromkeys([*passed, *(name for name in absent if name[:2] != "./")])  # else it is data
    texts = _texts(list(files), place, repo)
    fields = texts if any(map(_TAKES_FIELDS.search, texts.values())) else {}
    configs = {name: text for name, text in texts.items() if not _CODE.search(text)}
    flags, names, keys = _defined(texts, _OPTION), _defined(fields, _FIELD), _defined(configs, _KEY)
    keys = {**_defined(texts, _READ), **names, **keys}
    known = {use: hit for use in uses if (hit := _place(use, flags, names if use.startswith("-") else keys))}
    # Where fields are those of a library nothing here tells more of them; but none is spelt almost as a known one.
    every = "\n".join(fields.values())
    is_open = any(f"class {base}" not in every for base in _EXTENDS.findall(every))
    absent = [use for use in uses if use not in known]
    nearest = {use: _nearest(use, flags, names if use.startswith("-") else keys, is_open) for use in absent}
    unknown = {use: near for use, near in nearest.items() if near or not is_open}
    return CheckOutcome(known, unknown, [*starter, *(use for use in absent if use not in unknown)], list(texts))


def _inside(path: Path, repo: Path) -> Path | None:
    """The file that a path leads to, if it is one of the checkout."""
    with suppress(OSError):  # a word of a command may be too long for a name
        real = path.resolve()
        if real.is_file() and (path.suffix or os.access(real, os.X_OK)) and real.is_relative_to(repo):
            return real
    return None


def _texts(files: Sequence[Path], folder: Path, repo: Path) -> dict[str, str]:
    """The texts of files that a command names in `folder`, of those that they name, and of what all of these import."""
    texts, waiting, named = dict[str, str](), [*files], {*files}
    above = dict.fromkeys([*(up for file in files for up in file.parents), folder])
    roots = [*(up for up in above if up.is_relative_to(repo)), repo / "src"]
    for path in waiting:  # which grows
        name = path.relative_to(repo).as_posix()
        if name not in texts:
            with opened(path) as file:
                text = texts[name] = file.read(_LARGEST).decode(errors="replace")
            told = dict.fromkeys(_FILE.findall(text)) if path in named else []
            found = [_inside(up / word.lstrip("/"), repo) for word in told for up in (path.parent, folder)]
            named.update(inner := [file for file in found if file])
            waiting += [*inner, *_imported(path, text, roots, repo)]
    return texts


def _imported(path: Path, text: str, roots: Sequence[Path], repo: Path) -> Iterator[Path]:
    """The files that a Python file imports: modules, and the packages on the way to them."""
    if path.name == "__init__.py" and "import_module(" in text:  # modules whose names are known at run time
        yield from (file for each in sorted(path.parent.glob("*.py")) if (file := _inside(each, repo)))
    for module, names in dict.fromkeys(_IMPORT.findall(text)):
        dots = len(module) - len(module.lstrip("."))
        for name in re.findall(r"[\w.]+", names):
            parts = f"{module}.{name}".strip(".").split(".")[:_DEEPEST]
            for root in path.parents[dots - 1 : dots] if dots else roots:
                steps = [root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
                tried = [each for step in steps for each in (step / "__init__.py", step.with_name(f"{step.name}.py"))]
                if found := [file for each in tried if (file := _inside(each, repo))]:
                    yield from found
                    break


def _defined(texts: Mapping[str, str], pattern: re.Pattern[str]) -> dict[str, str]:
    """The names that a pattern finds in texts, and the `file:line` of the first place of each."""
    places: dict[str, str] = {}
    for file, text in texts.items():
        line, counted = 1, 0
        for hit in pattern.finditer(text):
            line, counted = line + text.count("\n", counted, hit.start()), hit.start()
            name = hit[1] or hit[2]
            places.setdefault(f"--{name}" if pattern is _OPTION and not hit[1] else name, f"{file}:{line}")
    return places


def _place(use: str, flags: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Where an option or a key is defined; each part of a dotted one has to be."""
    positive = re.sub("^--(?:no-?|disable-)", "--", use)
    for option in (use, positive, re.sub(r"^(-[A-Za-z])\d.*", r"\1", use)):
        if option.startswith("-") and option in flags:
            return flags[option]
    for option in (use, positive):
        parts = [part for part in option.lstrip("-").replace("-", "_").split(".") if not part.isdecimal()]
        if all(part in names for part in parts):
            return names[parts[-1]]
    return ""


def _nearest(use: str, flags: Mapping[str, str], names: Mapping[str, str], is_open: bool) -> str:
    """The most similar option or key; of a dotted one the first part that is missing is replaced. Else nothing."""
    stem = use.lstrip("-")
    dashes, parts = use[: len(use) - len(stem)], stem.split(".")
    missing = next((part for part in parts if not (part.isdecimal() or part.replace("-", "_") in names)), stem)
    known = {flag.lstrip("-") for flag in flags if dashes and len(parts) == 1}
    known |= {name.replace("_", "-") if "-" in missing else name for name in names}
    near = get_close_matches(missing, known, 1, 0.85 if is_open else 0.6)
    return dashes + ".".join(near[0] if part == missing else part for part in parts) if near else ""
