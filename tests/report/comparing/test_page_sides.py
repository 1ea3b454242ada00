"""Pages as sides of a comparison, today and at a revision of git."""

import subprocess
from pathlib import Path

import pytest

from parsers.io.errors import LogError, ParserError
from report.comparing.notebook import compare
from report.pagefile.page_file import PageError
from tests.commandline import run
from tests.report.comparing.made_sides import STEADY, make_side, only

PAGE = """\
title = "Toy"
model = "GPT-2"
unit = "tokens/s"
tested = ["A toy."]
[columns.gpt]
title = "GPT"
logs = "suite/GPT-2_bs12_N1C1/*/train.log"
protocol = "records=step,estimate=step_time,skip_records=10,statistic=mean"
[[tables]]
name = "main"
title = "Main"
case = { model = "GPT-2", nodes = 1, cards = 1 }
columns = [{ column = "gpt" }]
rows = [{ title = "12", case = { batch_size = 12 } }]
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose tag `before` has a page and its logs, and whose files of today are those of runs 5% slower."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    make_side(folder / "logs/suite", STEADY, starts=(1, 4, 5))
    (folder / "toy.toml").write_text(PAGE, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "before")
    git(folder, "tag", "before")
    make_side(folder / "new/suite", [time * 1.05 for time in STEADY], starts=(2, 3, 6))
    for path in (folder / "new").rglob("*.*"):
        path.replace(folder / "logs" / path.relative_to(folder / "new"))
    monkeypatch.chdir(folder)
    return folder


def test_a_page_is_compared_with_itself_at_a_revision(project: Path) -> None:
    found = compare("before:toy.toml", "toy.toml")
    case = only(found)
    assert (case.title, case.verdict, found.status) == ("main/bs12/gpt", "slower", 1)
    assert all(place.log.is_file() for side in case.sides for place in side.runs)
    assert not case.sides[0].runs[0].log.is_relative_to(project)


def test_a_page_is_compared_with_a_folder_where_each_has_one_case(project: Path) -> None:
    assert only(compare(project / "toy.toml", project / "logs/suite")).title == "main/bs12/gpt → GPT-2_bs12_N1C1"


def test_logs_that_a_revision_lacks_are_those_of_today(project: Path) -> None:
    git(project, "rm", "-rq", "--cached", "logs")
    git(project, "commit", "-qm", "without logs")
    case = only(compare("HEAD:toy.toml", "toy.toml"))
    assert str(case.reason).startswith("both sides hold the log")


def test_a_page_in_a_folder_brings_its_text_from_the_revision(project: Path) -> None:
    (project / "pages/words").mkdir(parents=True)
    (project / "pages/words/setup.en.md").write_text("Set up.\n", encoding="utf-8")
    (project / "pages/toy.toml").write_text(f'prose = "words"\n{PAGE}', encoding="utf-8")
    git(project, "add", "pages")
    git(project, "commit", "-qm", "text")
    assert only(compare("HEAD:pages/toy.toml", "toy.toml")).verdict == "slower"


@pytest.mark.parametrize(
    ("side", "error", "said"),
    [
        ("no-such", ParserError, r"is neither a log, a folder, a page nor REVISION:PAGE; pages: .*cpu-demo"),
        ("no-such.toml", PageError, r"Page file no-such.toml not found"),
        ("no-such:toml", PageError, r"No page is named 'toml'"),
        ("no-such:toy.toml", ParserError, r"project has no revision 'no-such', or git cannot read it"),
        ("--help:toy.toml", ParserError, r"has no revision '--help'"),
        ("before:no.toml", ParserError, r"no.toml: does not exist at revision before\."),
        ("before:../toy.toml", ParserError, r"is in no git checkout, so it has no revision before"),
        ("vgg16", LogError, r"vgg16: names no log that is in logs; state the folder of logs with --logs"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_is_no_side_is_told(side: str, error: type[ParserError], said: str) -> None:
    with pytest.raises(error, match=said):
        compare(side, "toy.toml")


@pytest.mark.usefixtures("project")
def test_the_command_takes_pages_and_their_folder_of_logs() -> None:
    done = run("compare", "before:toy.toml", "toy.toml", "--logs", "logs", "--gate", "3%")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("A: before:toy.toml; B: toy.toml; ")
    done = run("compare", "no-such", "toy.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
