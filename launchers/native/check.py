"""The check of a recipe: each option that its launcher passes is looked up in the text of the native program."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from parsers.io.input_file import opened

from . import recipes

_FILE = re.compile(r"(?<![\w./-])(?:[\w./-]{1,200}\.(?:py|sh|ya?ml|toml)\b|\./[\w-]{1,200})")
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import)[ \t]+(\([^)]{0,20000}|.*)", re.MULTILINE)
_CODE = re.compile(r"^(?:import|from|def|class|if|for|while|with|try)\b", re.MULTILINE)  # no config has it
_TAKES_FIELDS = re.compile(r"\b(?:HfArgumentParser|PdArgumentParser|ArgumentGroupFactory|tyro\.cli|exec)\(")
_EXTENDS = re.compile(r"^class \w+\((?:[\w.]+, *)*(\w+Arguments)\b", re.MULTILINE)
# What has an option; what parsers and configs make options of: fields, variables, keys; and what reads a key.
_OPTION = r"""["'/]{option}(?![\w.-])|\bDEFINE_\w{{1,30}}\(\s*["']{flag}["']"""
_FIELD = r"^(?: {{4}}|\t){name}[ \t]*:|^{name}[ \t]*="
_KEY = r"""(?<![\w.-]){name}["']?[ \t]*[:=]"""
_READ = r"""[\[(]\s*["']{name}["']"""
_LARGEST, _LONGEST = 1 << 22, 120  # bytes of a file or a help, seconds of a help
_DEEPEST, _MOST_NAMES = 32, 10_000  # packages in each other; options and keys that a similar one is looked for among


class CheckOutcome(NamedTuple):
    """Options: `known` with their `file:line`, `unknown` with a similar one, `unchecked` of starters and libraries."""

    known: Mapping[str, str]
    unknown: Mapping[str, str]
    unchecked: Sequence[str]
    searched: Sequence[str]


def check(lines: Iterable[str], repo: Path, *, runs_help: bool = False) -> CheckOutcome:
    """Look up every option of native commands, as dry runs of one recipe print them, in the checkout `repo`.

    `runs_help`: also execute the program for its --help. Raises click.ClickException where a command runs none.
    """
    repo, files, uses, starter = repo.resolve(), dict[Path, None](), dict[str, None](), dict[str, None]()
    helped: dict[str, str] = {}
    for line in lines:
        folder, words = recipes.words(line)
        place = Path(folder.replace("$REPO", str(repo), 1)).resolve()
        values = [word.rpartition("=")[2].replace("$REPO", str(repo)) for word in words]
        found = [_inside(place / value, repo) for value in values]
        if not any(found):
            raise click.ClickException(f"The native command does not run any program in {repo}: {line.strip()}")
        files |= dict.fromkeys(file for file in found if file)
        first, program = next((number, file) for number, file in enumerate(found) if file)
        if runs_help and f"{program} --help" not in helped:
            helped |= _help(words[:first], program, place)
        starter |= dict.fromkeys(word.partition("=")[0] for word in words[:first] if re.match("--?[A-Za-z]", word))
        options = [name for name in recipes.options(words[first + 1 :]) if name != recipes.ARGUMENTS]
        absent = [value for value, file in zip(values, found, strict=True) if not file and _FILE.fullmatch(value)]
        uses |= dict.fromkeys([*options, *(name for name in absent if name[:2] != "./")])  # else it is data
    texts = _texts(list(files), place, repo) | helped
    fields = texts if any(map(_TAKES_FIELDS.search, texts.values())) else {}
    configs = {name: text for name, text in texts.items() if not _CODE.search(text)}
    tables = {True: [(_OPTION, texts), (_FIELD, fields)], False: [(_KEY, configs), (_FIELD, fields), (_READ, texts)]}
    known = {use: where for use in uses if (where := _place(use, tables))}
    # Where fields are those of a library, only a help tells more of them; but none is spelt almost as a known one.
    every = "\n".join(fields.values())
    is_open = not helped and any(f"class {base}" not in every for base in _EXTENDS.findall(every))
    nearest = _nearest([use for use in uses if use not in known], tables, 0.85 if is_open else 0.6)
    unknown = {use: near for use, near in nearest.items() if near or not is_open}
    return CheckOutcome(known, unknown, [*starter, *(use for use in nearest if use not in unknown)], list(texts))


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
            words = dict.fromkeys(_FILE.findall(text)) if path in named else []
            found = [_inside(up / word.lstrip("/"), repo) for word in words for up in (path.parent, folder)]
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


def _help(before: Sequence[str], program: Path, folder: Path) -> dict[str, str]:
    """What a program prints for --help, its options in quotes; by a file, for a pipe waits for what it starts."""
    words = [*(["python"] if program.suffix == ".py" else []), str(program), "--help"]
    env = os.environ | dict(word.split("=", 1) for word in before if re.match("[A-Z_]+=", word))
    nothing = subprocess.DEVNULL
    with tempfile.TemporaryFile() as out, suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(words, cwd=folder, env=env, stdin=nothing, stdout=out, stderr=out, timeout=_LONGEST, check=False)
        out.seek(0)
        quoted = re.sub(r"(?<![\w-])--?[A-Za-z][\w.-]*", r'"\g<0>"', out.read(_LARGEST).decode(errors="replace"))
        return {f"{program} --help": quoted} if '"--' in quoted else {}
    return {}


def _place(use: str, tables: dict[bool, list[tuple[str, dict[str, str]]]]) -> str:
    """The `file:line` that has an option or a key; each part of a dotted one has to be there."""
    above = [part for part in use.lstrip("-").split(".")[:-1] if not part.isdecimal()]
    spelt = dict.fromkeys([use, re.sub("^--(?:no|disable)-", "--", use), re.sub(r"^(-[A-Za-z])\d.*", r"\1", use)])
    for pattern, texts in tables[use.startswith("-")]:
        for option in spelt if pattern == _OPTION or all(_place(part, tables) for part in above) else ():
            name = option.lstrip("-").rpartition(".")[2].replace("-", "_")
            flag = re.sub("^no", "(?:no)?", re.escape(name))  # absl takes --noxla for a flag xla
            wanted = re.compile(pattern.format(option=re.escape(option), name=re.escape(name), flag=flag), re.MULTILINE)
            for file, text in texts.items():
                if (name.removeprefix("no") in text or option in text) and (hit := wanted.search(text)):
                    return f"{file}:{text.count(chr(10), 0, hit.start()) + 1}"
    return ""


def _nearest(uses: list[str], tables: dict[bool, list[tuple[str, dict[str, str]]]], cutoff: float) -> dict[str, str]:
    """The most similar option or key for each; of a dotted one the first part that is missing is replaced."""
    nearest = dict.fromkeys(uses, "")
    for is_option in {use.startswith("-") for use in uses}:
        names = set[str]()
        for pattern, held in tables[is_option]:
            wanted = re.compile(
                pattern.format(option=r"--?([A-Za-z][\w.-]{0,99})", name=r"(\w{1,99})", flag=r"(\w{1,99})"),
                re.MULTILINE,
            )
            hits = (hit for text in held.values() for hit in wanted.finditer(text))
            names |= {name for hit in islice(hits, _MOST_NAMES) for name in hit.groups() if name}
        for use, stem in ((use, use.lstrip("-")) for use in uses if use.startswith("-") == is_option):
            part = next((part for part in stem.split(".") if not (part.isdecimal() or _place(part, tables))), stem)
            spelt = {name.replace("_", "-") if "-" in part else name for name in names}
            near = get_close_matches(part, spelt, 1, cutoff)
            parts = [near[0] if each == part else each for each in stem.split(".")] if near else []
            nearest[use] = use[: len(use) - len(stem)] * bool(near) + ".".join(parts)
    return nearest
