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


def test_logs_that_a_revision_lacks_are_those_of_today(project: Path) -> None:
    git(project, "rm", "-rq", "--cached", "logs")
    git(project, "commit", "-qm", "without logs")
    before, today = only(compare("HEAD:toy.toml", "toy.toml")).sides
    assert [run.log for run in before.runs] == [run.log for run in today.runs] != []


@pytest.mark.parametrize(
    ("side", "error"),
    [
        ("no-such", ParserError),
        ("no-such.toml", PageError),
        ("no-such:toml", PageError),
        ("no-such:toy.toml", ParserError),
        ("--help:toy.toml", ParserError),
        ("before:no.toml", ParserError),
        ("before:../toy.toml", ParserError),
        ("vgg16", LogError),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_is_no_side_is_told(side: str, error: type[ParserError]) -> None:
    with pytest.raises(error):
        compare(side, "toy.toml")


@pytest.mark.usefixtures("project")
def test_the_command_takes_pages_and_their_folder_of_logs() -> None:
    done = run("compare", "before:toy.toml", "toy.toml", "--logs", "logs", "--gate", "3%")
    assert done.returncode == 1
    done = run("compare", "no-such", "toy.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
