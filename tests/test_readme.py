"""The commands, programs, tables and links of the READMEs, CONTRIBUTING.md and docs/ are true as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from report.pagefile.page_file import names
from report.wording.markdown import anchor
from tachograph.cli import command_line
from tests.commandline import PROJECT, run
from tests.conftest import Compare

READMES = ("README.md", "README.zh.md")
DOCS = sorted(path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs").glob("*.md"))
TEXTS = (*READMES, "CONTRIBUTING.md", "SECURITY.md", "logs/README.md", *DOCS)
every_text = pytest.mark.parametrize("name", TEXTS)
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(name), re.DOTALL)


def commands(block: str) -> list[str]:
    return re.findall(r"^\$ (tachograph .+)$", block, re.MULTILINE)


def typed(name: str) -> list[str]:
    """The calls of the command in blocks of shell and in words."""
    text = text_of(name)
    scripts = re.findall(r"```(?:bash|sh|console|yaml)\n(.*?)```", text, re.DOTALL)
    calls = [call for script in scripts for call in re.findall(r"(?:^|[ (])(tachograph [^|#\n)]+)", script)]
    return calls + re.findall(r"`(tachograph [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


@every_text
def test_its_commands_and_their_options_exist(name: str) -> None:
    group = command_line()
    context = click.Context(group)
    for call in typed(name):
        command, *rest = call.split(" -- ")[0].split()[1:]
        if re.fullmatch("[a-z]+", command):
            found = group.get_command(context, command)
            assert found, call
            known = {option for parameter in found.params for option in parameter.opts}
            assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= {*known, "--help"}, call


@pytest.mark.slow
@pytest.mark.parametrize("name", ["docs/reading.md", "docs/reading.zh.md"])
def test_its_tachograph_commands_succeed(name: str) -> None:
    ours = [shlex.split(command)[1:] for block in blocks(name, "console") for command in commands(block)]
    assert [run(*command, cwd=PROJECT).returncode for command in ours] == [0] * len(ours) != []


@pytest.mark.parametrize("name", [*READMES, "docs/publishing.md", "docs/publishing.zh.md"])
def test_what_stands_below_a_command_is_what_it_prints(name: str, compare: Compare) -> None:
    def filled(found: "re.Match[str]") -> str:
        (command,) = commands(found[1]) or [""]
        if not command:
            return found[0]
        printed = re.sub(r" +$", "", run(*shlex.split(command)[1:], cwd=PROJECT).stdout, flags=re.MULTILINE)
        return f"```console\n$ {command}\n{printed}```"

    compare(PROJECT / name, CONSOLE.sub(filled, text_of(name)))


@pytest.mark.parametrize("readme", READMES)
def test_its_make_targets_exist(readme: str) -> None:
    console = "\n".join(blocks(readme, "console"))
    targets = re.findall(r"^\$ make (\w+)", console, re.MULTILINE)
    done = subprocess.run(["make", "--dry-run", *targets], cwd=PROJECT, capture_output=True, check=False)
    assert (targets, done.returncode) == (["report", "test"], 0)


@pytest.mark.slow
def test_the_python_of_the_docs_runs_and_is_typed(tmp_path: Path) -> None:
    programs = blocks("docs/python.md", "python")
    for number, program in enumerate(programs):
        (tmp_path / f"program{number}.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "MYPYPATH": str(PROJECT)}
    files = sorted(map(str, tmp_path.iterdir()))
    checked = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", *files]
    for command in ([sys.executable, "-Wignore", file] for file in files):
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    types = subprocess.run(checked, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert types.stdout.splitlines()[-1:] == [f"Success: no issues found in {len(programs)} source files"]


@every_text
def test_its_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(name), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, place = link.partition("#")
        if not link.startswith(("https:", "http:")):
            target = (PROJECT / name).parent / path if path else PROJECT / name
            assert target.exists(), link
            assert not place or place in headings(target), link


def headings(path: Path) -> set[str]:
    """The addresses of the headings of a text."""
    return {anchor(title) for title in re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)}


@pytest.mark.parametrize("readme", READMES)
def test_it_names_every_page_that_a_fresh_clone_renders(readme: str) -> None:
    named = re.findall(r"\(report/pages/(.+?)\.toml\)", text_of(readme))
    assert sorted(named) == names()


def test_both_name_the_same_commands() -> None:
    lists = (re.findall(r"[(（]((?:`[a-z]+`[, 、]*)+)[)）]", text_of(readme)) for readme in READMES)
    english, chinese = (re.findall("`([a-z]+)`", " ".join(found)) for found in lists)
    assert english == chinese != []


def test_the_index_of_the_docs_names_every_file_there() -> None:
    named = set(re.findall(r"\]\(([^)/]+\.md)\)", text_of("docs/README.md")))
    assert named == {path.name for path in (PROJECT / "docs").glob("*.md")} - {"README.md"}
