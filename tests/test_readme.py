"""The commands and programs of the READMEs work as they stand there."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from report.evidence.case_evidence import cells
from report.pagefile.page_file import find, load, names
from tests.commandline import PROJECT, run

READMES = ("README.md", "README.zh.md")


def blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (PROJECT / readme).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("readme", READMES)
def test_its_tachograph_commands_succeed(readme: str) -> None:
    commands = [line[2:] for block in blocks(readme, "console") for line in block.splitlines()]
    ours = [shlex.split(command)[1:] for command in commands if command.startswith("tachograph ")]
    assert [run(*command, cwd=PROJECT).returncode for command in ours] == [0] * len(ours) != []


@pytest.mark.parametrize("readme", READMES)
def test_its_make_targets_exist(readme: str) -> None:
    targets = [
        target for block in blocks(readme, "console") for target in re.findall(r"^\$ make (\w+)", block, re.MULTILINE)
    ]
    done = subprocess.run(["make", "--dry-run", *targets], cwd=PROJECT, capture_output=True, check=False)
    assert targets
    assert done.returncode == 0


@pytest.mark.parametrize("readme", READMES)
def test_its_python_runs(readme: str) -> None:
    (program,) = blocks(readme, "python")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, check=False)
    assert done.stderr == b""


@pytest.mark.parametrize("readme", READMES)
def test_its_links_to_files_lead_somewhere(readme: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (PROJECT / readme).read_text(encoding="utf-8"))
    assert [link for link in links if not (PROJECT / link).exists()] == []


@pytest.mark.parametrize("readme", READMES)
def test_it_names_every_page_that_a_fresh_clone_renders(readme: str) -> None:
    paragraphs = (PROJECT / readme).read_text(encoding="utf-8").split("\n\n")
    (told,) = (text for text in paragraphs if "report/pages/cpu-demo.toml" in text)
    rendered = [name for name in names() if any(cell.digits for cell in cells(load(find(name)), PROJECT / "logs"))]
    assert sorted(re.findall(r"\(report/pages/(.+?)\.toml\)", told)) == rendered


def test_both_name_the_same_commands() -> None:
    texts = [(PROJECT / readme).read_text(encoding="utf-8") for readme in READMES]
    english, chinese = (re.findall(r"^\| `(tachograph [^`]+)`", text, re.MULTILINE) for text in texts)
    assert english == chinese != []
