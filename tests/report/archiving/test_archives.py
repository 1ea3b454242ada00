"""A page in an archive: the same bytes wherever it is made, all that its numbers rest on, and nothing of its maker."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from parsers.scanning.detection import VARIABLE
from report.audit.archiving.archive_layout import CHECKSUMS, ArchiveError
from report.audit.archiving.archived_page import archive
from report.audit.archiving.verification import verify
from report.views.publish import publish
from tests.commandline import PROJECT, run
from tests.report.archiving.small_archive import GOLDEN, files_of, make

pytestmark = pytest.mark.slow

PAGES = ("toy", "toy_gpu", "llm_example")


@pytest.fixture(scope="module", params=PAGES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("made"), request.param)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_every_number_of_an_archive_is_made_again(made: Path) -> None:
    found = verify(made)
    evidence = json.loads(files_of(made)[f"pages/{made.name.removesuffix('.tach.zip')}.evidence.json"])
    assert found.differences == []
    assert found.numbers == sum(cell["printed"] is not None for cell in evidence["cells"]) > 0


def test_the_pages_of_an_archive_are_those_that_report_writes(made: Path) -> None:
    page_file = made.with_name(made.name.replace(".tach.zip", ".toml"))
    (page,) = publish([str(page_file)], made.parent / "logs", [], made.parent / "pages")
    written = {f"pages/{path.name}": path.read_bytes() for path in page.files}
    archived = {name: data for name, data in files_of(made).items() if name.startswith("pages/")}
    assert archived == written


def test_an_unpacked_archive_can_be_rendered_by_report(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made) as packed:
        packed.extractall(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "pages").iterdir()}
    (page_file,) = (tmp_path / "page").glob("*.toml")
    (page,) = publish([str(page_file)], tmp_path / "logs", [], tmp_path / "pages")
    assert {path.name: path.read_bytes() for path in page.files} == before


def archived_by_command(folder: Path, zone: str, umask: int) -> bytes:
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    shutil.copy(GOLDEN / "toy_gpu.toml", folder)
    command = [
        sys.executable,
        "-c",
        "import tachograph; tachograph.main()",
        "archive",
        "toy_gpu.toml",
        "--out",
        "a.zip",
    ]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "TZ": zone}
    subprocess.run(command, cwd=folder, env=environment, umask=umask, check=True, capture_output=True)
    return (folder / "a.zip").read_bytes()


def test_an_archive_has_the_same_bytes_in_another_folder_time_zone_and_umask(tmp_path: Path) -> None:
    places = {"one": ("UTC", 0o022), "another folder": ("Asia/Shanghai", 0o077)}
    one, other = (archived_by_command(tmp_path / name, *how) for name, how in places.items())
    assert one == other


def test_sha256sum_checks_the_files_of_an_archive(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made) as packed:
        packed.extractall(tmp_path)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", CHECKSUMS], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.count(b": OK\n") == len(files_of(made)) - 1


def test_the_text_of_a_page_is_archived_with_its_page_file(toy: Path) -> None:
    page = toy.parent / "toy.toml"
    page.write_text(f'prose = "words"\n{page.read_text(encoding="utf-8")}', encoding="utf-8")
    (toy.parent / "words").mkdir()
    (toy.parent / "words/setup.en.md").write_text("Set up as it is.\n", encoding="utf-8")
    archive(str(page), toy.parent / "logs", (), toy)
    assert files_of(toy)["page/words/setup.en.md"] == b"Set up as it is.\n"
    assert verify(toy).differences == []


def test_a_format_of_ones_own_is_archived_and_used(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = toy.parent / "own"
    own.mkdir()
    grammar = (PROJECT / "parsers/formats/paddleclas_static.lark").read_text(encoding="utf-8")
    (own / "mine.lark").write_text(grammar.replace("ppcls INFO", "mine INFO"), encoding="utf-8")
    for log in (toy.parent / "logs/A100").glob("Paddle*"):
        log.write_text(log.read_text(encoding="utf-8").replace("ppcls INFO", "mine INFO"), encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(own))
    archive(str(toy.parent / "toy.toml"), toy.parent / "logs", (), toy)
    monkeypatch.delenv(VARIABLE)
    shutil.rmtree(own)
    found = verify(toy)
    assert "formats/mine.lark" in files_of(toy)
    assert (found.differences, found.numbers) == ([], 6)
    assert [name for name, _ in found.notes] == ["formats/mine.lark"]


def test_quoted_figures_are_not_counted_among_the_numbers_that_were_made_again(tmp_path: Path) -> None:
    archive(str(PROJECT / "report/pages/vgg16.toml"), tmp_path, ("en",), tmp_path / "a.zip")
    found = verify(tmp_path / "a.zip")
    assert (found.numbers, found.logs, found.quoted > 0, found.differences) == (0, 0, True, [])


def test_an_archive_that_would_give_other_numbers_is_refused(toy: Path) -> None:
    def copied_in_part(logs: Path, paths: object, folder: Path) -> None:
        shutil.copytree(logs / "A100", folder / "A100", ignore=shutil.ignore_patterns("*C8_log"))

    with pytest.raises(ArchiveError):
        archive(str(toy.parent / "toy.toml"), toy.parent / "logs", (), toy.parent / "b.zip", copied_in_part)
    assert not (toy.parent / "b.zip").exists()


def test_a_page_without_logs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("archive", GOLDEN / "toy.toml", "--logs", tmp_path / "logs", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_run_folders_are_archived_with_their_files_and_scrubbed_without_names(tmp_path: Path) -> None:
    page, out = PROJECT / "report/pages/cpu-demo.toml", tmp_path / "a.zip"
    of_run = {"train.log", "run.json", "clock.csv", "cpu.csv"}
    for options, files in (([], {*of_run, "job.sh"}), (["--scrub"], of_run)):
        done = run("archive", page, "--logs", PROJECT / "logs", *options, "--out", out)
        assert done.returncode == 0, done.stderr
        assert {name.rpartition("/")[2] for name in files_of(out) if name.startswith("logs/")} == files
        assert verify(out).differences == []


def test_names_and_credentials_are_taken_out_on_request(toy: Path) -> None:
    log = next((toy.parent / "logs/A100").glob("*C1_log"))
    log.write_text(f"ssh alice@secret-host.example.com\n{log.read_text(encoding='utf-8')}", encoding="utf-8")
    done = run("archive", "toy.toml", "--scrub", cwd=toy.parent)
    assert done.returncode == 0, done.stderr
    assert not any(b"alice" in data or b"secret-host" in data for data in files_of(toy).values())
    assert verify(toy).differences == []
