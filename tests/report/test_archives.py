"""A page in an archive: the same bytes wherever it is made, and of an archive that was changed whatever was changed."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.scanning.detection import VARIABLE
from report.views.archive import MADE_BY, MANIFEST, ArchiveError, Difference, Verified, archive, verify
from report.views.publish import publish
from tests.commandline import PROJECT, run
from tests.report.rank_logs import GRAMMAR, PAGE, rated
from tests.report.rank_logs import folder as rank_folder

pytestmark = pytest.mark.slow

GOLDEN = PROJECT / "tests/report/golden"
LOG = "logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"
REPORT = "page/toy.report.json"
SOURCE = """[source]
repository = "https://example.com/logs"
commit = "0123456789abcdef0123456789abcdef01234567"
licence = "Apache-2.0"
url = "https://example.com/logs/blob/{commit}/{path}"
"""
Files = dict[str, bytes]
Change = Callable[[bytes], bytes]


def make(folder: Path, name: str = "toy", more: str = "") -> Path:
    """Archive a golden page, with more text at the end of its page file, from a copy of it and of its logs."""
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    (folder / f"{name}.toml").write_text((GOLDEN / f"{name}.toml").read_text(encoding="utf-8") + more, encoding="utf-8")
    return again(folder / f"{name}.tach.zip")


def again(path: Path) -> Path:
    archive(str(path.with_name(path.name.replace(".tach.zip", ".toml"))), path.parent / "logs", path)
    return path


def files_of(path: Path) -> Files:
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def write(files: Mapping[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return path


def changed(files: Files, name: str, change: Change) -> Files:
    """The same files with one of them changed, though not in the manifest."""
    data = change(files[name])
    assert data != files[name]
    return {**files, name: data}


def put(old: bytes, new: bytes) -> Change:
    return lambda data: data.replace(old, new, 1)


def byte(position: int, other: int) -> Change:
    """What puts another byte in a place of a file: ``other`` of the 255 that do not stand there."""
    return lambda data: data[:position] + bytes([(data[position] + 1 + other % 255) % 256]) + data[position + 1 :]


def sealed(files: Files) -> Files:
    """The same files with a manifest of what they hold now."""
    sums = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()) if name != MANIFEST)
    return {**files, MANIFEST: "".join(sums).encode()}


@pytest.fixture(scope="module", params=["toy", "toy_gpu", "llm_example"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("made"), request.param)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changed")


@pytest.fixture(scope="module")
def files(folder: Path) -> Files:
    return files_of(make(folder))


def differences(files: Files, folder: Path) -> list[Difference]:
    return verify(write(files, folder / "changed.tach.zip")).differences


def counts(found: Verified) -> tuple[int, int, int]:
    """How many numbers of a report there are, how many rest on quotes, and how many logs are behind them."""
    assert found.report
    numbers = [result for result in found.report.results if result.digits]
    return len(numbers), sum(result.rests_on_quotes for result in numbers), len(found.report.logs)


# ---- what an archive holds


def test_every_number_of_an_archive_is_made_again(made: Path) -> None:
    found = verify(made)
    (told,) = (json.loads(data) for name, data in files_of(made).items() if name.endswith(".report.json"))
    assert (found.differences, found.made_by) == ([], MADE_BY)
    assert counts(found)[0] == sum("digits" in result for result in told["results"]) > 0


def test_an_unpacked_archive_gives_report_what_it_gave_the_maker(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made) as packed:
        packed.extractall(tmp_path)
    (report,) = (tmp_path / "page").glob("*.report.json")
    before = report.read_bytes()
    publish_from = report.with_name(report.name.replace(".report.json", ".toml"))
    list(publish([str(publish_from)], tmp_path / "logs", [], tmp_path / "page"))
    assert report.read_bytes() == before


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
    command = ["sha256sum", "--check", "--strict", MANIFEST]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.count(b": OK\n") == len(files_of(made)) - 1


def test_what_stands_beside_a_page_file_is_archived_with_it(toy: Path) -> None:
    page = toy.parent / "toy.toml"
    page.write_text(f'prose = "words"\n{page.read_text(encoding="utf-8")}', encoding="utf-8")
    (toy.parent / "words").mkdir()
    (toy.parent / "words/setup.en.md").write_text("Set up as it is.\n", encoding="utf-8")
    (toy.parent / "toy.launch.toml").write_text("# none\n", encoding="utf-8")
    held = files_of(again(toy))
    assert (held["page/words/setup.en.md"], held["page/toy.launch.toml"]) == (b"Set up as it is.\n", b"# none\n")
    assert verify(toy).differences == []


def test_a_folder_with_a_log_for_each_rank_is_archived_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/of_card.lark").write_text(GRAMMAR.format(word="of_card", scope="card"))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "own"))
    place = rank_folder(tmp_path / "logs", 2, rated([100, 90]))
    (tmp_path / "page.toml").write_text(PAGE.replace("train.log", place.name))
    again(tmp_path / "page.tach.zip")
    assert sum(name.startswith("logs/") for name in files_of(tmp_path / "page.tach.zip")) == 2
    assert verify(tmp_path / "page.tach.zip").differences == []


def test_quoted_figures_are_told_from_numbers_that_were_made_again(tmp_path: Path) -> None:
    archive(str(PROJECT / "report/pages/vgg16.toml"), tmp_path, tmp_path / "a.zip")
    found = verify(tmp_path / "a.zip")
    numbers, quoted, logs = counts(found)
    assert (numbers - quoted, logs, quoted > 0, found.differences) == (0, 0, True, [])


def test_an_archive_that_would_give_other_numbers_is_refused(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As where what a number rests on lies elsewhere.
    monkeypatch.setattr("report.views.archive._of_run", lambda log: [] if log.name.endswith("C8_log") else [log])
    with pytest.raises(ArchiveError):
        archive(str(toy.parent / "toy.toml"), toy.parent / "logs", toy.parent / "b.zip")
    assert not (toy.parent / "b.zip").exists()


def test_a_page_without_logs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("archive", GOLDEN / "toy.toml", "--logs", tmp_path / "logs", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_run_folders_are_archived_with_their_files(tmp_path: Path) -> None:
    page, out = PROJECT / "report/pages/cpu-demo.toml", tmp_path / "a.zip"
    done = run("archive", page, "--logs", PROJECT / "logs", "--out", out)
    assert done.returncode == 0, done.stderr
    names = {name.rpartition("/")[2] for name in files_of(out) if name.startswith("logs/")}
    assert names == {"train.log", "run.json", "clock.csv", "cpu.csv", "job.sh"}
    assert verify(out).differences == []


# ---- archives that were changed


@given(position=st.integers(0, 1 << 20), other=st.integers(0, 254))
@settings(max_examples=40, deadline=None)
def test_any_value_of_a_report_that_is_changed_is_found_though_the_manifest_was_made_anew(
    position: int, other: int, files: Files, folder: Path
) -> None:
    text = files[REPORT]
    edited = changed(files, REPORT, byte(position % (len(text) - 1), other))
    assert is_same(edited[REPORT], text) or {one.file for one in differences(sealed(edited), folder)} == {REPORT}


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two texts are the same as JSON, such as with another blank between."""
    try:
        return json.dumps(json.loads(one.decode("utf-8", "replace"))) == json.dumps(json.loads(other))
    except ValueError:
        return False


def test_each_of_sixty_bytes_changed_in_logs_and_report_is_found_and_named(files: Files, folder: Path) -> None:
    numbers = random.Random(23)  # noqa: S311 - no secret
    names = sorted(name for name in files if name.startswith(("logs/", "page/")))
    for _ in range(60):
        name = numbers.choice(names)
        edit = byte(numbers.randrange(len(files[name])), numbers.randrange(255))
        assert name in {one.file for one in differences(changed(files, name, edit), folder)}


@pytest.mark.parametrize("source", ["", SOURCE], ids=["own logs", "logs that others published"])
def test_a_number_that_is_changed_is_named_with_what_the_logs_give(source: str, tmp_path: Path) -> None:
    files = files_of(make(tmp_path, more=f"\n{source}"))
    assert differences(files, tmp_path) == []
    edited = sealed(changed(files, REPORT, put(b'"digits": "399.532"', b'"digits": "399.533"')))
    (told,) = differences(edited, tmp_path)
    assert all(digits in told.said for digits in ("cards/1/a", "399.533", "399.532"))


@pytest.mark.parametrize(
    ("name", "old", "new", "named"),
    [
        (LOG, b"ips: 398.94300", b"ips: 399.94300", REPORT),
        ("page/toy.toml", b"skip_records", b"drop_last", REPORT),
        ("page/toy.toml", b"title = ", b"= ", "page/toy.toml"),
    ],
    ids=["a log", "a page file", "a page file that is no longer valid"],
)
def test_a_change_under_a_new_manifest_is_found_by_what_follows_from_it(
    name: str, old: bytes, new: bytes, named: str, files: Files, folder: Path
) -> None:
    assert named in {one.file for one in differences(sealed(changed(files, name, put(old, new))), folder)}


def test_of_a_changed_log_both_the_log_and_its_numbers_are_named(files: Files, folder: Path) -> None:
    found = differences(sealed(changed(files, LOG, put(b"ips: 399.54712", b"ips: 399.64712"))), folder)
    said = "\n".join(one.said for one in found)
    assert ("399.532" in said, hashlib.sha256(files[LOG]).hexdigest() in said) == (True, True)


def test_an_archive_of_another_version_says_so(files: Files, folder: Path) -> None:
    done = run("verify", write(files, folder / "other.tach.zip"))
    assert (done.returncode, done.stderr.startswith("other.tach.zip: ")) == (0, True)


@pytest.mark.parametrize("name", [LOG, "page/toy.toml", REPORT, MANIFEST])
def test_any_file_whose_packed_data_is_damaged_is_named_as_changed(name: str, folder: Path, files: Files) -> None:
    path = write(files, folder / "damaged.tach.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as packed:
        entry = packed.getinfo(name)
    data[entry.header_offset + 30 + len(name) + entry.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    assert [one.file for one in verify(path).differences] == [name]


def test_files_that_are_missing_and_files_that_were_added_are_named(files: Files, folder: Path) -> None:
    others = {name: data for name, data in files.items() if name != LOG} | {"logs/more.txt": b"more"}
    assert {LOG, "logs/more.txt"} <= {one.file for one in differences(others, folder)}


@pytest.mark.parametrize("sums", [b"", b"\xff", b"0  logs/none\n"])
def test_a_manifest_that_lists_otherwise_is_a_difference(sums: bytes, files: Files, folder: Path) -> None:
    assert differences({**files, MANIFEST: sums}, folder) != []
    assert differences({**files, MANIFEST: files[MANIFEST] * 2}, folder) != []


@pytest.mark.parametrize("lacking", [MANIFEST, REPORT])
def test_an_archive_without_manifest_or_report_is_refused(lacking: str, files: Files, folder: Path) -> None:
    with pytest.raises(ArchiveError):
        differences({name: data for name, data in files.items() if name != lacking}, folder)


def test_the_command_names_each_difference_and_ends_with_one(files: Files, folder: Path) -> None:
    edited = changed(files, REPORT, put(b'"digits": "399.532"', b'"digits": "399.533"'))
    path = write(edited, folder / "c.tach.zip")
    done = run("verify", path)
    first, second, *_ = done.stdout.splitlines()
    assert (done.returncode, first.startswith(f"{REPORT}: ")) == (1, True)
    assert ("399.533" in second, "399.532" in second, "cards/1/a" in second) == (True, True, True)


# ---- archives that are made to do harm


def link(entry: zipfile.ZipInfo) -> None:
    entry.create_system, entry.external_attr = 3, 0o120777 << 16


def bzip2(entry: zipfile.ZipInfo) -> None:
    entry.compress_type = zipfile.ZIP_BZIP2


def nothing(_: zipfile.ZipInfo) -> None:
    pass


HOSTILE = [
    *((name, b"", nothing) for name in ("../out", "/out", "logs/../../out", "logs//a", "logs/a\\b", "logs/")),
    *((name, b"", nothing) for name in (f"logs/{256 * 'a'}", "logs/a\nb", REPORT, "logs", "logs/A100", "setup.py")),
    ("logs/link", b"/etc/passwd", link),
    ("logs/packed", b"text", bzip2),
    ("logs/bomb", bytes(100 << 20), nothing),
]


@pytest.mark.parametrize(("name", "data", "change"), HOSTILE, ids=[repr(name)[:30] for name, _, _ in HOSTILE])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_that_is_made_to_do_harm_is_refused(
    name: str, data: bytes, change: Callable[[zipfile.ZipInfo], None], files: Files, tmp_path: Path
) -> None:
    path = write(files, tmp_path / "hostile.tach.zip")
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    change(entry)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr(entry, data)
    with pytest.raises(ArchiveError):
        verify(path)
    assert [found.name for found in tmp_path.iterdir()] == ["hostile.tach.zip"]


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path) -> None:
    path = write({f"logs/{number}": b"" for number in range((1 << 16) + 1)}, tmp_path / "many.tach.zip")
    with pytest.raises(ArchiveError):
        verify(path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_an_archive_that_was_cut_is_one_sentence(share: float, files: Files, tmp_path: Path) -> None:
    path = write(files, tmp_path / "cut.tach.zip")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    done = run("verify", path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
