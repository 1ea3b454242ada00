"""What cannot be read is refused before anything is made, and what is written is there whole or not at all."""

import hashlib
import json
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from parsers.io.files import opened
from tests.commandline import ENVIRONMENT, PROGRAM, PROJECT, files, run
from tests.parsers.run_folders import logs
from tests.parsers.toy_logs import step, write

# Each calls the program.
pytestmark = pytest.mark.slow

GOLDEN = PROJECT / "tests/report/golden"
KILLS = 4
FEW = 100  # bytes, less than any file here has; a semaphore of Python takes 32
# Commands that write something of the golden page or of its logs into FOLDER/out, which is there.
REPORT = "report {folder}/toy.toml --logs {folder}/logs --out {folder}/out"
COMMANDS = {
    "report": REPORT,
    "site": f"{REPORT} --html",
    "csv": "parse {log} --out {folder}/out/records.csv",
    "scrub": "scrub {log} --out {folder}/out",
    "archive": "archive {folder}/toy.toml --logs {folder}/logs --out {folder}/out/toy.tach.zip",
    "sarif": "audit {folder}/pages --sarif {folder}/out/audit.sarif",
}

LOG = min(path.relative_to(GOLDEN) for path in (GOLDEN / "logs").rglob("*") if path.is_file())


def words(name: str, folder: Path) -> list[str]:
    """One of the commands."""
    return [word.format(folder=folder, log=folder / LOG) for word in COMMANDS[name].split()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the golden page and its logs."""
    shutil.copytree(GOLDEN / "logs", tmp_path / "logs")
    shutil.copy(GOLDEN / "toy.toml", tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path


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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_what_was_there_and_is_one_sentence_that_names_the_file(name: str, folder: Path) -> None:
    if name == "sarif":
        run("report", folder / "toy.toml", "--logs", folder / "logs", "--out", folder / "pages")
    if name in ("report", "site"):  # nothing of a page that was not there
        assert limited(FEW, words(name, folder)).returncode == 2
        assert files(folder / "out") == {} and not [*folder.rglob(".*")]
    assert run(*words(name, folder)).returncode in (0, 1)
    before = files(folder / "out")
    done = limited(FEW, words(name, folder))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"Error: {folder}/out/")
    assert "/." not in done.stderr.removeprefix(f"Error: {folder}")
    assert files(folder / "out") == before and not [*folder.rglob(".*")]
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


def change(folder: Path) -> None:
    """Change a title of the page."""
    page = folder / "toy.toml"
    page.write_text(page.read_text(encoding="utf-8").replace("By cards", "By cards, anew"), encoding="utf-8")


def test_a_folder_in_the_place_of_one_file_leaves_all_files_of_the_page(folder: Path) -> None:
    run(*words("report", folder))
    (folder / "out/toy.zh.md").unlink()
    (folder / "out/toy.zh.md").mkdir()
    before = files(folder / "out")
    change(folder)
    done = run(*words("report", folder))
    assert (done.returncode, f"{folder}/out/toy.zh.md: " in done.stderr) == (2, True)
    assert files(folder / "out") == before


@pytest.mark.parametrize("name", ["report", "site"])
def test_a_kill_at_any_time_leaves_a_whole_page_and_the_next_call_removes_what_is_left(name: str, folder: Path) -> None:
    arguments = words(name, folder)
    run(*arguments)
    before = files(folder / "out")
    change(folder)
    start = time.monotonic()
    run(*(str(folder / "other") if word == str(folder / "out") else word for word in arguments))
    duration = time.monotonic() - start
    after = files(folder / "other")
    assert before != after
    for _ in range(KILLS):
        process = subprocess.Popen(
            [*PROGRAM, *arguments], env=ENVIRONMENT, start_new_session=True, stdout=subprocess.DEVNULL
        )
        time.sleep(random.uniform(0.3, 1.1) * duration)  # noqa: S311 - any time will do
        os.killpg(process.pid, signal.SIGKILL)  # with all of its processes
        process.wait()
        there = {name: data for name, data in files(folder / "out").items() if not name.startswith(".")}
        assert before.keys() == there.keys()
        assert [name for name, data in there.items() if data not in (before[name], after[name])] == []
    assert run(*arguments).returncode == 0
    assert files(folder / "out") == after and not [*folder.rglob(".*")]


def test_a_site_takes_the_files_along_that_are_of_no_site_and_leaves_out_pages_that_are_gone(folder: Path) -> None:
    run(*words("report", folder))
    pages = files(folder / "out")
    (folder / "out/.git").mkdir()
    (folder / "out/.git/HEAD").write_text("main")
    shutil.copy(folder / "toy.toml", folder / "other.toml")
    run("report", folder / "other.toml", *words("site", folder)[1:])
    of_other = {"other.en.html", "data/other.report.json"}
    assert of_other <= files(folder / "out").keys()
    (folder / "out/assets/mine.css").write_text("mine")
    assert run(*words("site", folder)).returncode == 0
    there = files(folder / "out")
    assert pages.items() < there.items()
    assert {"index.html", ".git/HEAD", "assets/mine.css"} < there.keys()
    assert of_other & there.keys() == set()


# A file where a site is to be written, and what it says: an account that is none makes no file one of a site.
OF_NO_SITE: list[tuple[str, str | None]] = [
    *((f"{name}/mine", "mine") for name in ("logs", "assets", "data", "index.html")),
    *(("assets/contents.json", said) for said in ("", "[]", "{}", "[" * 9999, '{"a.html": 1}', "null")),
    ("assets/contents.json", None),  # a pipe, which is not waited for
]


@pytest.mark.parametrize(("name", "said"), OF_NO_SITE)
def test_a_site_does_not_take_the_place_of_what_is_of_no_site(name: str, said: str | None, folder: Path) -> None:
    path = folder / "out" / name
    path.parent.mkdir()
    os.mkfifo(path) if said is None else path.write_text(said)
    done = run(*words("site", folder))
    assert (done.returncode, f"{path.parent}: " in done.stderr) == (2, True)
    assert files(folder / "out") == ({} if said is None else {name: said.encode()})


def test_a_site_deletes_nothing_that_an_account_in_its_folder_names_and_no_page_that_changed(folder: Path) -> None:
    out = folder / "out"
    assert run(*words("site", folder)).returncode == 0
    names = [".git/HEAD", "notes.txt", "mine/page.html", "assets/.mine", "../mine.html"]
    for name in names:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    account = [hashlib.sha256((out / name).read_bytes()).hexdigest() for name in [*files(out), "../mine.html"]]
    (out / "assets/contents.json").write_text(json.dumps(account))
    run(*words("site", folder))
    assert {name: (out / name).read_text() for name in names} == dict.fromkeys(names, "mine")


@pytest.mark.parametrize("is_link", [False, True])
def test_a_page_of_a_site_that_the_user_changed_is_not_overwritten(is_link: bool, folder: Path) -> None:
    assert run(*words("site", folder)).returncode == 0
    page, mine = folder / "out/index.html", folder / "mine.html"
    mine.write_bytes(page.read_bytes() if is_link else b"mine")
    page.unlink()
    page.symlink_to(mine) if is_link else page.write_bytes(b"mine")
    done = run(*words("site", folder))
    assert (done.returncode, f"{page}: " in done.stderr) == (2, True)
    assert (page.is_symlink(), page.read_bytes()) == (is_link, mine.read_bytes())


@pytest.mark.parametrize("name", ["report", "site"])
def test_a_link_in_the_folder_of_what_is_written_is_not_followed(name: str, folder: Path) -> None:
    mine = folder / "mine"
    mine.write_text("mine")
    for made in ("toy.en.md", "toy.report.json"):
        (folder / "out" / made).symlink_to(mine)
    assert run(*words(name, folder)).returncode == 0
    assert mine.read_text() == "mine"


def test_scrub_writes_nothing_behind_a_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "out" / LOG.parts[1]).symlink_to(folder / "elsewhere")
    logs = sorted(path for path in (folder / "logs").rglob("*") if path.is_file())
    assert run("scrub", *logs, "--out", folder / "out").returncode == 2
    assert files(folder / "elsewhere") == {}


def test_a_table_is_written_through_a_link_that_the_user_names(folder: Path) -> None:
    kept, link = folder / "kept.csv", folder / "out.csv"
    kept.write_text("before", encoding="utf-8")
    kept.chmod(0o640)
    link.symlink_to(kept)
    run("parse", folder / LOG, "--out", link)
    assert (link.is_symlink(), kept.read_text(encoding="utf-8").startswith("log,")) == (True, True)
    assert kept.stat().st_mode & 0o777 == 0o640


def test_what_is_written_to_a_pipe_goes_through_it(folder: Path) -> None:
    run("report", folder / "toy.toml", "--logs", folder / "logs", "--out", folder / "pages")
    command = f"{shlex.join(PROGRAM)} audit pages --sarif /dev/stdout | head -c 5"
    told = subprocess.run(["sh", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    assert (told.stdout, Path("/dev/stdout").is_symlink()) == (b'{\n "$', True)


# It is a second's work; whoever waits for a pipe waits for ever.
PATIENCE = 60
PIPE = "it is a pipe, not a file; write its output to a file first"

# The command, where {made} is what cannot be read; its ending.
READERS = {
    "show {made}": "log",
    "parse {made} --out {folder}/out.csv": "log",
    "ingest {made} --into {folder}/suite": "log",
    "scrub {made} --out {folder}/public": "log",
    "why {made}": "log",
    "why {made} e1": "toml",
    "audit {made}": "log",
    "audit {folder}": "md",
    "recover {made} --published 2791.98": "log",
    "report {made} --out {folder}/pages": "toml",
    "show {log} --format {made}": "lark",
}


def started(command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of bash, whose end is not waited for longer than anybody would."""
    words = ["bash", "-c", command.replace("tachograph", shlex.join(PROGRAM), 1)]
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=PATIENCE)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("is_pipe", [True, False], ids=["a pipe", "a name too long for a file"])
def test_no_command_waits_for_a_pipe_or_fails_at_a_name(tmp_path: Path, command: str, is_pipe: bool) -> None:
    (tmp_path / "train.log").write_bytes(step(1))
    made = tmp_path / (f"made.{READERS[command]}" if is_pipe else "x" * 300)
    if is_pipe:
        os.mkfifo(made)
    words = command.format(made=made, folder=tmp_path if is_pipe else made, log=tmp_path / "train.log")
    done = started(f"tachograph {words}") if is_pipe else run(*words.split())
    said = [line for line in done.stderr.splitlines() if made.name in line]
    assert (done.returncode in (1, 2), len(said), "Traceback" in done.stderr) == (True, 1, False)
    assert not is_pipe or any(words in said[0] for words in (PIPE, "is not a regular file"))


def test_what_a_shell_puts_in_the_place_of_a_command_is_a_pipe_and_one_in_a_run_folder_is_named(tmp_path: Path) -> None:
    done = started("tachograph show <(echo a)")
    assert (done.returncode, PIPE in done.stderr) == (2, True)
    (tmp_path / "train.log").write_bytes(step(1))
    os.mkfifo(tmp_path / "run.json")
    done = started(f"tachograph show {tmp_path}")
    assert (done.returncode, done.stderr) == (2, f"Error: {tmp_path}/run.json: cannot be read: {PIPE}.\n")


def test_a_pipe_in_a_suite_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "logs/case/1").mkdir(parents=True)
    os.mkfifo(tmp_path / "logs/case/1/run.json")
    assert [log.is_new for log in logs(tmp_path / "logs", write(tmp_path, step(1)))] == [True]


def test_a_link_to_a_pipe_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "made")
    (tmp_path / "link").symlink_to(tmp_path / "made")
    with pytest.raises(OSError, match=PIPE):
        opened(tmp_path / "link")
