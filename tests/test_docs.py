"""The commands, programs, tables and links of the READMEs, CONTRIBUTING.md and docs/ are true as they stand there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import click
import pytest

from report.audit.rulings import Ruling
from report.measure.quantity import QUANTITIES
from report.pagefile.launch_file import LaunchFile
from report.pagefile.page import PageFile
from report.pagefile.page_file import load, names
from report.wording.markdown import anchor
from tachograph.cli import command_line
from tests.commandline import PROJECT, executable, run, start
from tests.conftest import Compare
from tests.report.page_text import HEAD, column
from tests.report.quoted_page import put_run

READMES = ("README.md", "README.zh.md")
TUTORIALS = ("docs/tutorial.md", "docs/tutorial.zh.md")
DOCS = sorted(path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs").glob("*.md"))
every_text = pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md", "SECURITY.md", "logs/README.md", *DOCS])
SHOWN = re.compile(r"```(bash|console)\n(.*?)```", re.DOTALL)


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(name), re.DOTALL)


def commands(kind: str, block: str) -> list[str]:
    """The commands of a block: each line after a $ of what a terminal shows, or the whole of a script."""
    return re.findall(r"^\$ (.+)$", block, re.MULTILINE) if kind == "console" else [block]


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


PAGES_WITH_OUTPUT = [f"docs/{name}{language}.md" for name in ("publishing", "reading") for language in ("", ".zh")]


@pytest.mark.parametrize("name", [*READMES, *PAGES_WITH_OUTPUT])
def test_its_commands_succeed_and_what_stands_below_one_is_what_it_prints(name: str, compare: Compare) -> None:
    def filled(found: "re.Match[str]") -> str:
        kind, block = found.groups()
        ours = [one for one in commands(kind, block) if kind == "console" and one.startswith("tachograph ")]
        done = [run(*shlex.split(command)[1:], cwd=PROJECT) for command in ours]
        assert [one.returncode for one in done] == [0] * len(done)
        if len(ours) != 1:
            return found[0]
        printed = re.sub(r" +$", "", done[0].stdout, flags=re.MULTILINE)
        return f"```console\n$ {ours[0]}\n{printed}```"

    compare(PROJECT / name, SHOWN.sub(filled, text_of(name)))


def printed_by(command: str, folder: Path) -> str:
    """What one command prints in a folder, without blanks at the ends of lines; it succeeds."""
    started = f'exec {shlex.quote(sys.executable)} -c "import tachograph; tachograph.main()" "$@"'
    executable(folder.parent / "bin/tachograph", f"#!/bin/sh\n{started}\n")
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return re.sub(r" +$", "", done.stdout, flags=re.MULTILINE)


@pytest.mark.slow
def test_below_each_command_of_the_tutorial_stands_what_it_prints_in_both_languages(
    tmp_path: Path, compare: Compare
) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    english, chinese = ([commands(*block) for block in SHOWN.findall(text_of(name))] for name in TUTORIALS)
    assert english == chinese != []
    printed = [printed_by(command, folder) for block in english for command in block]
    for name in TUTORIALS:
        rest = iter(printed)

        def filled(found: "re.Match[str]") -> str:
            """A block with what its commands print below them; a script prints nothing."""
            kind, block = found.groups()
            lines = [command if kind == "bash" else f"$ {command}\n" for command in commands(kind, block)]
            return f"```{kind}\n{''.join(line + next(rest) for line in lines)}```"  # noqa: B023 - it is called here

        compare(PROJECT / name, SHOWN.sub(filled, text_of(name)))


@pytest.mark.slow
def test_the_python_of_the_docs_runs_and_is_typed(tmp_path: Path) -> None:
    for number, program in enumerate(blocks("docs/python.md", "python")):
        (tmp_path / f"program{number}.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "MYPYPATH": str(PROJECT)}
    files = sorted(map(str, tmp_path.iterdir()))
    checked = ["-m", "mypy", "--strict", *files]  # with what `make test` keeps of our own modules
    for words in (*(["-Wignore", file] for file in files), checked):
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("readme", READMES)
def test_its_make_targets_exist_and_it_names_every_page_that_a_fresh_clone_renders(readme: str) -> None:
    console = "\n".join(blocks(readme, "console"))
    targets = re.findall(r"^\$ make (\w+)", console, re.MULTILINE)
    done = subprocess.run(["make", "--dry-run", *targets], cwd=PROJECT, capture_output=True, check=False)
    assert (targets, done.returncode) == (["report", "test"], 0)
    assert sorted(re.findall(r"\(report/pages/(.+?)\.toml\)", text_of(readme))) == names()


def test_both_name_the_same_commands() -> None:
    lists = (re.findall(r"[(（]((?:`[a-z]+`[, 、]*)+)[)）]", text_of(readme)) for readme in READMES)
    english, chinese = (re.findall("`([a-z]+)`", " ".join(found)) for found in lists)
    assert english == chinese != []


def test_the_index_of_the_docs_names_every_file_there() -> None:
    named = set(re.findall(r"\]\(([^)/]+\.md)\)", text_of("docs/README.md")))
    assert named == {path.name for path in (PROJECT / "docs").glob("*.md")} - {"README.md"}


def first_cells(name: str, head: str) -> list[str]:
    """The names in the first column of the tables under a head such as ``Key``."""
    tables = re.findall(rf"^\| {head}.*\n\|:.*\n((?:\|.*\n)+)", text_of(name), re.MULTILINE)
    cells = [row.split("|")[1] for table in tables for row in table.splitlines()]
    return [found for cell in cells for found in re.findall(r"`(\w+)`", cell) or [cell.strip()]]


def test_every_key_quantity_and_ruling_is_explained_and_no_other() -> None:
    schemas = [PageFile.model_json_schema(), LaunchFile.model_json_schema()]
    models = [model for schema in schemas for model in (schema, *schema["$defs"].values())]
    keys = set(chain(*(model.get("properties", ()) for model in models)))
    text = text_of("docs/page-file.md")
    named = re.findall(r"`(\w+)`", text) + re.findall(r"[`{,] *(\w+) = ", text)
    assert {"title", "columns", "protocol", "quantity"} <= keys <= set(named)
    assert set(first_cells("docs/page-file.md", "Key")) <= keys
    assert set(first_cells("docs/page-file.md", "`quantity`")) == set(QUANTITIES)
    assert first_cells("docs/audit.md", "Ruling") == list(Ruling)


def test_the_example_is_a_valid_page(tmp_path: Path) -> None:
    (example,) = blocks("docs/page-file.md", "toml")
    (tmp_path / "example.toml").write_text(example, encoding="utf-8")
    assert load(tmp_path / "example.toml").tables


# What is added goes where CONTRIBUTING.md says: a format and a language are one file each, a quantity is one line.
ROOMS = ("launchers", "parsers", "report", "tachograph")
FORMATS = ("paddleclas", "dllogger_tensorflow")


def copied(folder: Path) -> Path:
    """A copy of the program with the formats of the logs here alone: it compiles what it has anew."""
    for room in ROOMS:
        source = PROJECT / room
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / room)
    for grammar in (folder / "parsers/formats").glob("*.lark"):
        if grammar.stem not in FORMATS:
            grammar.unlink()
    return folder


def block(language: str) -> str:
    """The only block of a language in CONTRIBUTING.md."""
    (found,) = blocks("CONTRIBUTING.md", language)
    return re.sub("(?m)^   ", "", found)


def test_the_grammar_of_contributing_is_a_new_format(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    (copy / "parsers/formats/acme.lark").write_text(block("lark"), encoding="utf-8")
    log = copy / "a.log"
    log.write_text("acme step 1 of 2: loss 0.5, speed 11.4 images/s\nacme step 2 of 2: loss 0.4, speed 11.5 images/s\n")
    found = json.loads(start("show", "--json", log, cwd=copy, project=copy).stdout)
    assert (found["format"], found["throughput"]["value"], found["throughput"]["unit"]) == (
        "acme",
        pytest.approx(11.45, abs=0.01),
        "images/s",
    )


@pytest.mark.slow
def test_the_statistic_of_contributing_is_a_new_quantity_and_a_catalogue_a_new_language(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    quantities = copy / "report/measure/quantity.py"
    before, after = quantities.read_text(encoding="utf-8").split("\n    PEAK_MEMORY,\n")
    added = f"    {block('python').strip()},"
    quantities.write_text(f"{before}\n{added}\n    PEAK_MEMORY,\n{after}", encoding="utf-8")
    for language, title, rule in (("en", "third quartile", "the third quartile"), ("zh", "上四分位数", "取上四分位数")):
        with (copy / f"report/words/{language}.po").open("a", encoding="utf-8") as catalogue:
            catalogue.write(f'\nmsgid "third_quartile_of_runs"\nmsgstr "{title}"\n')
            catalogue.write(f'\nmsgid "quantity_third_quartile_of_runs"\nmsgstr "{rule}"\n')
    chinese = (copy / "report/words/zh.po").read_text(encoding="utf-8")
    (copy / "report/words/tlh.po").write_text(chinese.replace("Language: zh", "Language: tlh"), encoding="utf-8")
    for number, speed in enumerate((100, 200, 300, 500)):
        put_run(copy, f"runs/{number}", speed)
    shown = 'columns = [{ column = "a" }, { column = "a", quantity = "third_quartile_of_runs" }]\n'
    table = '[[tables]]\nname = "t"\ntitle = "Runs"\ncorner = "Cards"\ncase = { precision = "fp32" }\n'
    rows = 'rows = [{ title = "{cards}", case = { cards = 1 } }]\n'
    (copy / "toy.toml").write_text(
        HEAD + column("a", "runs/*/train.log", "decimals=1") + table + shown + rows, encoding="utf-8"
    )
    made = start("report", "toy.toml", "--logs", "logs", "--out", "out", cwd=copy, project=copy)
    assert made.returncode == 0, made.stderr
    chinese_words = ("上四分位数（images/s）", "取上四分位数")
    words = {"en": ("Third quartile (images/s)", "the third quartile"), "zh": chinese_words, "tlh": chinese_words}
    for language, (title, rule) in words.items():
        page = (copy / f"out/toy.{language}.md").read_text(encoding="utf-8")
        evidence = (copy / f"out/toy.evidence.{language}.md").read_text(encoding="utf-8")
        assert f" {title} |" in page
        assert re.search(r"\| \[250\.0\]\([^)]+#[^)]+\) \| \[350\.0\]\([^)]+#[^)]+\) \|", page)
        assert re.search(f"(?i){rule}.*`quantity=third_quartile_of_runs rule", evidence)
    found = start("audit", "out/toy.en.md", cwd=copy, project=copy)
    assert (found.returncode, "proved" in found.stdout) == (0, True)
