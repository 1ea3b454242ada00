"""An archive in which anything was changed: the file is named, and of what is computed the number and the line."""

import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.audit.archiving.archive_layout import CHECKSUMS, ArchiveError
from report.audit.archiving.archived_page import archive
from report.audit.archiving.verification import ArchiveDifference, verify
from tests.commandline import run
from tests.report.archiving.small_archive import Files, changed, files_of, make, sealed, with_byte, write

pytestmark = pytest.mark.slow

LOG = "logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"
EDITS = 1000
SOURCE = """[source]
repository = "https://example.com/logs"
commit = "0123456789abcdef0123456789abcdef01234567"
licence = "Apache-2.0"
url = "https://example.com/logs/blob/{commit}/{path}"
"""
# What the issue of an archive is about: what was measured, what is printed, and what leads from one to the other.
PROVING = ("logs/", "pages/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changed")


@pytest.fixture(scope="module")
def files(folder: Path) -> Files:
    return files_of(make(folder))


def differences(files: Files, folder: Path) -> list[ArchiveDifference]:
    return verify(write(files, folder / "changed.tach.zip")).differences


@given(data=st.data())
@settings(max_examples=20)
def test_a_byte_that_is_changed_in_any_file_is_found_and_the_file_named(
    data: st.DataObject, files: Files, folder: Path
) -> None:
    name = data.draw(st.sampled_from(sorted(files.keys() - {CHECKSUMS})))
    position = data.draw(st.integers(0, len(files[name]) - 1))
    edited = changed(files, name, with_byte(position, data.draw(st.integers(0, 254))))
    assert name in {difference.file for difference in differences(edited, folder)}


@given(data=st.data())
@settings(max_examples=20)
def test_a_byte_that_is_changed_in_a_page_is_found_with_its_line_though_the_checksums_were_made_anew(
    data: st.DataObject, files: Files, folder: Path
) -> None:
    name = data.draw(st.sampled_from(sorted(name for name in files if name.startswith("pages/"))))
    position = data.draw(st.integers(0, len(files[name]) - 1))
    edited = changed(files, name, with_byte(position, data.draw(st.integers(0, 254))))
    found = differences(sealed(edited), folder)
    line = files[name][:position].count(b"\n") + 1
    assert {difference.file for difference in found} == {name}
    assert any(difference.line in (line, line + 1) for difference in found)


def test_each_of_a_thousand_bytes_changed_in_logs_pages_and_evidence_is_found_and_named(
    files: Files, folder: Path
) -> None:
    numbers = random.Random(23)  # noqa: S311 - no secret
    names = sorted(name for name in files if name.startswith(PROVING))
    for _ in range(EDITS):
        name = numbers.choice(names)
        edit = with_byte(numbers.randrange(len(files[name])), numbers.randrange(255))
        assert name in {difference.file for difference in differences(changed(files, name, edit), folder)}


def test_a_number_that_is_changed_is_named_with_its_place_and_what_the_logs_give(files: Files, folder: Path) -> None:
    page = "pages/toy.en.md"
    found = differences(sealed(changed(files, page, lambda data: data.replace(b"[399.532]", b"[399.533]"))), folder)
    ((said, printed, computed),) = {(str(one.said), one.printed, one.computed) for one in found}
    assert (printed, computed) == ("399.533", "399.532")
    assert said == "1, Static: the page prints 399.533; made again from the logs it is 399.532."


def test_a_changed_number_is_named_where_the_logs_were_published_by_others(tmp_path: Path) -> None:
    page, logs = tmp_path / "toy.toml", tmp_path / "logs"
    make(tmp_path)
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{SOURCE}", encoding="utf-8")
    archive(str(page), logs, (), tmp_path / "toy.tach.zip")
    files = files_of(tmp_path / "toy.tach.zip")
    assert differences(files, tmp_path) == []
    edited = changed(files, "pages/toy.en.md", lambda data: data.replace(b"[399.532]", b"[399.533]"))
    assert ("399.533", "399.532") in {(one.printed, one.computed) for one in differences(sealed(edited), tmp_path)}


def test_a_log_that_is_changed_changes_the_number_of_the_page(files: Files, folder: Path) -> None:
    log = changed(files, LOG, lambda data: data.replace(b"ips: 398.94300", b"ips: 399.94300"))
    evidence = sealed(log)
    found = differences(evidence, folder)
    assert LOG not in {difference.file for difference in found}
    assert "pages/toy.evidence.json" in {difference.file for difference in found}


def test_a_page_file_that_is_changed_no_longer_gives_the_page(files: Files, folder: Path) -> None:
    edited = changed(files, "page/toy.toml", lambda data: data.replace(b"skip_records", b"drop_last", 1))
    found = differences(sealed(edited), folder)
    assert {difference.file for difference in found} >= {"pages/toy.evidence.json"}


def test_a_page_file_that_is_no_longer_valid_is_named(files: Files, folder: Path) -> None:
    (found,) = differences(sealed(changed(files, "page/toy.toml", lambda data: data + b"=")), folder)
    assert found.file == "page/toy.toml"
    assert "The page could not be made again" in str(found.said)


def test_an_archive_whose_page_has_no_tables_is_compared_all_the_same(files: Files, folder: Path) -> None:
    page = b'title = "t"\nmodel = "m"\nunit = "images/s"\ntested = ["t"]\ntables = []\n[columns.a]\ntitle = "A"\n'
    found = differences(sealed({**files, "page/toy.toml": page}), folder)
    assert "pages/toy.en.md" in {difference.file for difference in found}


def test_what_follows_from_a_changed_log_is_told_as_one(files: Files, folder: Path) -> None:
    log = changed(files, LOG, lambda data: data.replace(b"ips: 398.94300", b"ips: 399.94300"))
    changes, follows = differences(log, folder)
    assert (changes.file, str(changes.said)[:18]) == (LOG, "Its bytes changed:")
    assert str(follows.said).startswith("Follows from that, here and at ")
    assert "pages/toy.evidence.json" in str(follows.said)


@pytest.mark.parametrize("name", ["page/toy.toml", "pages/toy.evidence.json", "pages/toy.en.md"])
def test_any_file_whose_packed_data_is_damaged_is_named_as_changed(name: str, folder: Path, files: Files) -> None:
    path = write(files, folder / "damaged.tach.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as packed:
        entry = packed.getinfo(name)
    data[entry.header_offset + 30 + len(name) + entry.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    found = verify(path).differences
    assert (found[0].file, str(found[0].said)[:19]) == (name, "Its bytes changed: ")
    assert [one.file for one in found].count(name) == 1


def test_files_that_are_missing_and_files_that_were_added_are_named(files: Files, folder: Path) -> None:
    others = {name: data for name, data in files.items() if name != "pages/toy.zh.md"} | {"pages/more.md": b"more"}
    said = {difference.file: str(difference.said) for difference in differences(others, folder)}
    assert said["pages/toy.zh.md"] == "The file is missing."
    assert said["pages/more.md"] == "It is not rendered from the page file and logs."


def test_a_file_whose_packed_data_is_damaged_is_named(folder: Path, files: Files) -> None:
    path = write(files, folder / "damaged.tach.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as packed:
        entry = packed.getinfo(LOG)
    data[entry.header_offset + 30 + len(LOG) + entry.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    (found, *others) = verify(path).differences
    assert (found.file, str(found.said)[:19]) == (LOG, "Its bytes changed: ")
    assert {one.file for one in others}.isdisjoint({LOG})


def test_the_command_names_each_difference_and_ends_with_one(files: Files, folder: Path) -> None:
    page = "pages/toy.en.md"
    path = write(changed(files, page, lambda data: data.replace(b"[399.532]", b"[399.533]")), folder / "c.tach.zip")
    done = run("verify", path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == f"{page}: Its bytes changed: the SHA-256 is not the one that {CHECKSUMS} lists."
    assert lines[1].endswith(": 1, Static: the page prints 399.533; made again from the logs it is 399.532.")
    assert lines[-2] == f"Differences: {len(lines) - 2}."


def test_the_command_says_what_it_verified(files: Files, folder: Path) -> None:
    done = run("verify", write(files, folder / "same.tach.zip"), "--lang", "zh")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "20 个文件的校验和一致；由 4 个文件重新计算的 6 项数据与报告一致。"


def link(entry: zipfile.ZipInfo) -> None:
    entry.create_system, entry.external_attr = 3, 0o120777 << 16


def bzip2(entry: zipfile.ZipInfo) -> None:
    entry.compress_type = zipfile.ZIP_BZIP2


def nothing(_: zipfile.ZipInfo) -> None:
    pass


@pytest.mark.parametrize(
    ("name", "data", "change", "said"),
    [
        ("../out", b"", nothing, "its file '../out' has a name that leads out of the archive"),
        ("/out", b"", nothing, "its file '/out' has a name that leads out"),
        ("logs/../../out", b"", nothing, "has a name that leads out"),
        ("logs//a", b"", nothing, "has a name that leads out of the archive or is spelt in an unusual way"),
        ("logs/a\\b", b"", nothing, "has a name that leads out"),
        ("logs/", b"", nothing, "has a name that leads out"),
        (f"logs/{256 * 'a'}", b"", nothing, "has a name that leads out"),
        ("logs/a\nb", b"", nothing, "has a name that leads out"),
        ("pages/toy.en.md", b"", nothing, "its file 'pages/toy.en.md' is there twice"),
        ("logs", b"", nothing, "its file 'logs' is a folder, too"),
        ("setup.py", b"", nothing, "its file 'setup.py' is not a file of an archive"),
        ("logs/link", b"/etc/passwd", link, "its file 'logs/link' is a symbolic link"),
        ("logs/packed", b"text", bzip2, "uses an unsupported compression method"),
        ("logs/bomb", bytes(100 << 20), nothing, "it unpacks to more than 64 MiB"),
    ],
    ids=lambda value: repr(value)[:30] if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_that_is_made_to_do_harm_is_refused(
    name: str, data: bytes, change: Callable[[zipfile.ZipInfo], None], said: str, files: Files, tmp_path: Path
) -> None:
    path = write(files, tmp_path / "hostile.tach.zip")
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    change(entry)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr(entry, data)
    with pytest.raises(ArchiveError, match=said.replace("(", r"\(")):
        verify(path)
    assert [found.name for found in tmp_path.iterdir()] == ["hostile.tach.zip"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no archive", "is not a zip archive, or is incomplete."),
        (b"", "is not a zip archive, or is incomplete."),
        (b"PK\x05\x06" + bytes(18), f"is not an archive of Tachograph: {CHECKSUMS} is missing."),
    ],
)
def test_what_is_not_an_archive_is_said_in_a_sentence(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tach.zip"
    path.write_bytes(data)
    done = run("verify", path)
    assert (done.returncode, done.stderr) == (2, f"Error: {path}: {said}\n")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_an_archive_that_was_cut_is_refused(share: float, files: Files, tmp_path: Path) -> None:
    path = write(files, tmp_path / "cut.tach.zip")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ArchiveError, match="is not a zip archive, or is incomplete"):
        verify(path)


def test_a_list_of_checksums_that_is_none_is_refused(files: Files, folder: Path) -> None:
    with pytest.raises(ArchiveError, match=f"line 1 of {CHECKSUMS} is not a SHA-256 and a file name"):
        differences({**files, CHECKSUMS: b"\xff"}, folder)
