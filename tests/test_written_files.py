"""What commands write is there whole or not at all: after a full disk, and after a kill at any time."""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commandline import PROJECT, run

# Each calls the program.
pytestmark = pytest.mark.slow

GOLDEN = PROJECT / "tests/report/golden"
PROGRAM = [sys.executable, "-c", "import tachograph; tachograph.main()"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1"}
KILLS = 4
FEW = 100  # bytes, less than any file here has; a semaphore of Python takes 32

Files = dict[str, bytes]


def report(folder: Path, *options: str) -> list[str]:
    return ["report", f"{folder}/toy.toml", "--logs", f"{folder}/logs", "--out", f"{folder}/out", *options]


def commands(folder: Path) -> dict[str, list[str]]:
    """Commands that write something of the golden page or of its logs into FOLDER/out, which is there."""
    log = next(str(path) for path in sorted((folder / "logs").rglob("*")) if path.is_file())
    return {
        "report": report(folder),
        "site": report(folder, "--html"),
        "csv": ["parse", log, "--out", f"{folder}/out/records.csv"],
        "jsonl": ["parse", log, "--out", f"{folder}/out/records.jsonl"],
        "scrub": ["scrub", log, "--out", f"{folder}/out"],
        "archive": ["archive", f"{folder}/toy.toml", "--logs", f"{folder}/logs", "--out", f"{folder}/out/toy.tach.zip"],
        "sarif": ["audit", f"{folder}/pages", "--sarif", f"{folder}/out/audit.sarif"],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the golden page and its logs."""
    shutil.copytree(GOLDEN / "logs", tmp_path / "logs")
    shutil.copy(GOLDEN / "toy.toml", tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path


def files(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hidden(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob(".*")]


def limited(size: int, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command that can write so many bytes to a file, as if the disk were full then."""
    limit = (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    return subprocess.run(
        [*PROGRAM, *arguments],
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report", "site", "csv", "jsonl", "scrub", "archive", "sarif"])
def test_a_full_disk_leaves_what_was_there_and_is_one_sentence_that_names_the_file(name: str, folder: Path) -> None:
    if name == "sarif":
        run("report", folder / "toy.toml", "--logs", folder / "logs", "--out", folder / "pages")
    asked = commands(folder)[name]
    assert run(*asked).returncode in (0, 1)
    before = files(folder / "out")
    done = limited(FEW, asked)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"Error: {folder}/out/")
    assert "/." not in done.stderr.removeprefix(f"Error: {folder}")
    assert (files(folder / "out"), hidden(folder)) == (before, [])
    assert before != {}


@pytest.mark.parametrize("packed", ["", "logs.tar"])
def test_a_full_disk_while_logs_are_ingested_is_reported_of_the_file_and_not_of_its_source(
    packed: str, folder: Path
) -> None:
    if packed:
        shutil.make_archive(str(folder / "logs"), "tar", folder / "logs")
    done = limited(FEW, ["ingest", str(folder / (packed or "logs")), "--into", str(folder / "suite"), "--jobs", "1"])
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"Error: {folder}/logs" not in done.stderr


@pytest.mark.parametrize("options", [(), ("--html",)])
def test_a_full_disk_leaves_nothing_of_a_page_that_was_not_there(options: Sequence[str], folder: Path) -> None:
    assert limited(FEW, report(folder, *options)).returncode == 2
    assert (files(folder / "out"), hidden(folder)) == ({}, [])


def test_a_folder_in_the_place_of_one_file_leaves_all_files_of_the_page(folder: Path) -> None:
    run(*report(folder))
    (folder / "out/toy.zh.md").unlink()
    (folder / "out/toy.zh.md").mkdir()
    before = files(folder / "out")
    change(folder)
    done = run(*report(folder))
    assert (done.returncode, f"{folder}/out/toy.zh.md: " in done.stderr) == (2, True)
    assert files(folder / "out") == before


def change(folder: Path) -> None:
    page = folder / "toy.toml"
    page.write_text(page.read_text(encoding="utf-8").replace("By cards", "By cards, anew"), encoding="utf-8")


def killed(arguments: Sequence[str], seconds: float) -> None:
    """Start a command, and kill it with all of its processes after so many seconds."""
    process = subprocess.Popen(
        [*PROGRAM, *arguments], env=ENVIRONMENT, start_new_session=True, stdout=subprocess.DEVNULL
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--html",)])
def test_a_kill_at_any_time_leaves_a_whole_page_and_the_next_call_removes_what_is_left(
    options: Sequence[str], folder: Path
) -> None:
    arguments = report(folder, *options)
    run(*arguments)
    before = files(folder / "out")
    change(folder)
    start = time.monotonic()
    run(*report(folder, *options)[: -1 - len(options)], str(folder / "other"), *options)
    duration = time.monotonic() - start
    after = files(folder / "other")
    assert before != after
    for _ in range(KILLS):
        killed(arguments, random.uniform(0.3, 1.1) * duration)  # noqa: S311 - any time will do
        assert has_whole_files(folder, before, after)
    assert run(*arguments).returncode == 0
    assert (files(folder / "out"), hidden(folder)) == (after, [])


def has_whole_files(folder: Path, before: Files, after: Files) -> bool:
    there = {name: data for name, data in files(folder / "out").items() if not name.startswith(".")}
    return before.keys() == there.keys() and all(data in (before[name], after[name]) for name, data in there.items())


def test_a_site_takes_the_files_along_that_are_of_no_site(folder: Path) -> None:
    run(*report(folder))
    pages = files(folder / "out")
    (folder / "out/.git").mkdir()
    (folder / "out/.git/HEAD").write_text("main")
    run(*report(folder, "--html"))
    there = files(folder / "out")
    assert pages.items() < there.items()
    assert {"index.html", ".git/HEAD"} < there.keys()


def test_a_page_that_is_gone_is_no_longer_in_the_site(folder: Path) -> None:
    shutil.copy(folder / "toy.toml", folder / "other.toml")
    run("report", folder / "other.toml", *report(folder, "--html")[1:])
    assert (folder / "out/other.en.html").is_file()
    run(*report(folder, "--html"))
    assert not (folder / "out/other.en.html").exists()
    assert not (folder / "out/data/other.report.json").exists()


@pytest.mark.parametrize("name", ["logs", "assets", "data", "index.html"])
def test_a_site_does_not_take_the_place_of_what_is_of_no_site(name: str, folder: Path) -> None:
    (folder / "out" / name).mkdir()
    (folder / "out" / name / "mine").write_text("mine")
    done = run(*report(folder, "--html"))
    assert (done.returncode, f"{folder}/out/{name}: " in done.stderr) == (2, True)
    assert files(folder / "out") == {f"{name}/mine": b"mine"}


@pytest.mark.slow
def test_a_pipe_in_place_of_what_a_site_has_is_not_waited_for(folder: Path) -> None:
    (folder / "out/assets").mkdir()
    os.mkfifo(folder / "out/assets/contents.json")
    assert run(*report(folder, "--html")).returncode == 2


def told(folder: Path, names: Sequence[str]) -> None:
    """Write the account of a site that has files of these names, as they are now."""
    made = [hashlib.sha256((folder / "out" / name).read_bytes()).hexdigest() for name in names]
    (folder / "out/assets").mkdir(exist_ok=True)
    (folder / "out/assets/contents.json").write_text(json.dumps(made))


@pytest.mark.slow
def test_a_site_deletes_nothing_because_an_account_in_its_folder_names_it(folder: Path) -> None:
    names = [".git/HEAD", "notes.txt", "mine/page.html", "assets/.mine", "../mine.html"]
    run(*report(folder, "--html"))
    for name in names:
        (folder / "out" / name).parent.mkdir(exist_ok=True)
        (folder / "out" / name).write_text("mine")
    told(folder, [*files(folder / "out"), "../mine.html"])
    run(*report(folder, "--html"))
    assert {name: (folder / "out" / name).read_text() for name in names} == dict.fromkeys(names, "mine")


def test_a_file_of_the_user_among_those_of_a_site_comes_along(folder: Path) -> None:
    run(*report(folder, "--html"))
    (folder / "out/assets/mine.css").write_text("mine")
    assert run(*report(folder, "--html")).returncode == 0
    assert (folder / "out/assets/mine.css").read_text() == "mine"


@pytest.mark.parametrize("is_link", [False, True])
def test_a_page_of_a_site_that_the_user_changed_is_not_overwritten(is_link: bool, folder: Path) -> None:
    run(*report(folder, "--html"))
    page, mine = folder / "out/index.html", folder / "mine.html"
    mine.write_bytes(page.read_bytes() if is_link else b"mine")
    page.unlink()
    page.symlink_to(mine) if is_link else page.write_bytes(b"mine")
    done = run(*report(folder, "--html"))
    assert (done.returncode, f"{page}: " in done.stderr) == (2, True)
    assert (page.is_symlink(), page.read_bytes()) == (is_link, mine.read_bytes())


@pytest.mark.parametrize("said", ["", "[]", "{}", "[" * 9999, '{"a.html": 1}', "null"])
def test_an_account_that_is_none_makes_no_file_one_of_a_site(said: str, folder: Path) -> None:
    (folder / "out/assets").mkdir()
    (folder / "out/assets/contents.json").write_text(said)
    done = run(*report(folder, "--html"))
    assert (done.returncode, files(folder / "out")) == (2, {"assets/contents.json": said.encode()})


@pytest.mark.parametrize("options", [(), ("--html",)])
def test_a_link_in_the_folder_of_what_is_written_is_not_followed(options: Sequence[str], folder: Path) -> None:
    mine = folder / "mine"
    mine.write_text("mine")
    for name in ("toy.en.md", "toy.report.json"):
        (folder / "out" / name).symlink_to(mine)
    assert run(*report(folder, *options)).returncode == 0
    assert mine.read_text() == "mine"


def test_scrub_writes_nothing_behind_a_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    logs = sorted(path for path in (folder / "logs").rglob("*") if path.is_file())
    first = logs[0].relative_to(folder / "logs").parts[0]
    (folder / "out" / first).symlink_to(folder / "elsewhere")
    done = run("scrub", *logs, "--out", folder / "out")
    assert done.returncode == 2
    assert files(folder / "elsewhere") == {}


def test_what_is_written_to_a_pipe_goes_through_it(folder: Path) -> None:
    log = commands(folder)["csv"][1]
    command = f"{sys.executable} -c 'import tachograph; tachograph.main()' audit pages --sarif /dev/stdout | head -c 5"
    run("report", folder / "toy.toml", "--logs", folder / "logs", "--out", folder / "pages")
    told = subprocess.run(["sh", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    assert (told.stdout, Path("/dev/stdout").is_symlink(), bool(log)) == (b'{\n "$', True, True)
