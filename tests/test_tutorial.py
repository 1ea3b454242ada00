"""The tutorial works as it stands there: every command is run, and what it prints is what is shown below it."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.commandline import PROJECT
from tests.conftest import Compare

pytestmark = pytest.mark.slow

ENGLISH, CHINESE = (PROJECT / "docs" / name for name in ("tutorial.md", "tutorial.zh.md"))
BLOCK = re.compile(r"```(bash|console)\n(.*?)```", re.DOTALL)
PATIENCE = 120


def commands(kind: str, block: str) -> list[str]:
    """The commands of a block: each line after a $ of what a terminal shows, or the whole of a script."""
    return re.findall(r"^\$ (.+)$", block, re.MULTILINE) if kind == "console" else [block]


def all_commands(path: Path) -> list[str]:
    return [command for block in BLOCK.findall(path.read_text(encoding="utf-8")) for command in commands(*block)]


def filled(text: str, printed: Iterator[str]) -> str:
    """The text with what its commands print below them; a script prints nothing, or it would stand there, too."""

    def block(found: "re.Match[str]") -> str:
        kind, shown = found.groups()
        script = kind == "bash"
        session = [command if script else f"$ {command}\n" for command in commands(kind, shown)]
        return f"```{kind}\n{''.join(typed + next(printed) for typed in session)}```"

    return BLOCK.sub(block, text)


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """An environment that has the command on its path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "tachograph"
    program = f'exec {shlex.quote(sys.executable)} -c "import tachograph; tachograph.main()" "$@"'
    command.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    command.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), "COLUMNS": "120", "LC_ALL": "C.UTF-8"}


def told(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    """What one command prints, without blanks at the ends of lines; it succeeds."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return re.sub(r" +$", "", done.stdout, flags=re.MULTILINE)


def test_both_languages_have_the_same_commands() -> None:
    assert all_commands(ENGLISH) == all_commands(CHINESE) != []


def test_below_each_command_stands_what_it_prints(
    tmp_path: Path, environment: Mapping[str, str], compare: Compare
) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    printed = [told(command, folder, environment) for command in all_commands(ENGLISH)]
    for path in (ENGLISH, CHINESE):
        compare(path, filled(path.read_text(encoding="utf-8"), iter(printed)))


@pytest.mark.parametrize("path", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_the_links_of_the_tutorial_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", BLOCK.sub("", path.read_text(encoding="utf-8")))
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []
