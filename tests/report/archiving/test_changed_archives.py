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
EDITS = 60
SOURCE = """[source]
repository = "https://example.com/logs"
commit = "0123456789abcdef0123456789abcdef01234567"
licence = "Apache-2.0"
url = "https://example.com/logs/blob/{commit}/{path}"
"""
# What was measured, what is printed, and what leads from one to the other.
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


def test_each_of_sixty_bytes_changed_in_logs_pages_and_evidence_is_found_and_named(files: Files, folder: Path) -> None:
    numbers = random.Random(23)  # noqa: S311 - no secret
    names = sorted(name for name in files if name.startswith(PROVING))
    for _ in range(EDITS):
        name = numbers.choice(names)
        edit = with_byte(numbers.randrange(len(files[name])), numbers.randrange(255))
        assert name in {difference.file for difference in differences(changed(files, name, edit), folder)}


def test_a_number_that_is_changed_is_named_with_its_place_and_what_the_logs_give(files: Files, folder: Path) -> None:
    page = "pages/toy.en.md"
    found = differences(sealed(changed(files, page, lambda data: data.replace(b"[399.532]", b"[399.533]"))), folder)
    assert {(one.printed, one.computed) for one in found} == {("399.533", "399.532")}


def test_a_changed_number_is_named_where_the_logs_were_published_by_others(tmp_path: Path) -> None:
    page, logs = tmp_path / "toy.toml", tmp_path / "logs"
    make(tmp_path)
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{SOURCE}", encoding="utf-8")
    archive(str(page), logs, (), tmp_path / "toy.tach.zip")
    files = files_of(tmp_path / "toy.tach.zip")
    assert differences(files, tmp_path) == []
    edited = changed(files, "pages/toy.en.md", lambda data: data.replace(b"[399.532]", b"[399.533]"))
    assert ("399.533", "399.532") in {(one.printed, one.computed) for one in differences(sealed(edited), tmp_path)}


@pytest.mark.parametrize(
    ("name", "old", "new", "named"),
    [
        (LOG, b"ips: 398.94300", b"ips: 399.94300", "pages/toy.evidence.json"),
        ("page/toy.toml", b"skip_records", b"drop_last", "pages/toy.evidence.json"),
        ("page/toy.toml", b"title = ", b"= ", "page/toy.toml"),
    ],
    ids=["a log", "a page file", "a page file that is no longer valid"],
)
def test_a_change_under_new_checksums_is_found_by_what_follows_from_it(
    name: str, old: bytes, new: bytes, named: str, files: Files, folder: Path
) -> None:
    edited = sealed(changed(files, name, lambda data: data.replace(old, new, 1)))
    assert named in {difference.file for difference in differences(edited, folder)}


@pytest.mark.parametrize("name", [LOG, "page/toy.toml", "pages/toy.evidence.json", "pages/toy.en.md"])
def test_any_file_whose_packed_data_is_damaged_is_named_as_changed(name: str, folder: Path, files: Files) -> None:
    path = write(files, folder / "damaged.tach.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as packed:
        entry = packed.getinfo(name)
    data[entry.header_offset + 30 + len(name) + entry.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    found = verify(path).differences
    assert found[0].file == name
    assert [one.file for one in found].count(name) == 1


def test_files_that_are_missing_and_files_that_were_added_are_named(files: Files, folder: Path) -> None:
    others = {name: data for name, data in files.items() if name != "pages/toy.zh.md"} | {"pages/more.md": b"more"}
    assert {"pages/toy.zh.md", "pages/more.md"} <= {difference.file for difference in differences(others, folder)}


def test_the_command_names_each_difference_and_ends_with_one(files: Files, folder: Path) -> None:
    page = "pages/toy.en.md"
    path = write(changed(files, page, lambda data: data.replace(b"[399.532]", b"[399.533]")), folder / "c.tach.zip")
    done = run("verify", path)
    first, second, *_ = done.stdout.splitlines()
    assert (done.returncode, first.startswith(f"{page}: ")) == (1, True)
    assert ("399.533" in second, "399.532" in second) == (True, True)


def link(entry: zipfile.ZipInfo) -> None:
    entry.create_system, entry.external_attr = 3, 0o120777 << 16


def bzip2(entry: zipfile.ZipInfo) -> None:
    entry.compress_type = zipfile.ZIP_BZIP2


def nothing(_: zipfile.ZipInfo) -> None:
    pass


HOSTILE = [
    *((name, b"", nothing) for name in ("../out", "/out", "logs/../../out", "logs//a", "logs/a\\b", "logs/")),
    *((name, b"", nothing) for name in (f"logs/{256 * 'a'}", "logs/a\nb", "pages/toy.en.md", "logs", "setup.py")),
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


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_an_archive_that_was_cut_is_one_sentence(share: float, files: Files, tmp_path: Path) -> None:
    path = write(files, tmp_path / "cut.tach.zip")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    done = run("verify", path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("sums", [None, b"\xff"])
def test_an_archive_without_checksums_is_refused(sums: bytes | None, files: Files, folder: Path) -> None:
    others = {name: data for name, data in files.items() if name != CHECKSUMS}
    with pytest.raises(ArchiveError):
        differences(others | ({CHECKSUMS: sums} if sums else {}), folder)
