"""Archives are hostile: nothing in them is written under a name of theirs, and none fills disk or memory."""

import bz2
import gzip
import lzma
import re
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.io import files
from tests.parsers.run_folders import (
    events,
    left_out,
    logs,
    make_run,
    member,
    put_clock,
    run_file,
    runs,
    tar,
    unreadable,
)
from tests.parsers.toy_logs import OTHER_NOISE, step

HOSTILE = ["../../escape.log", "/escape.log", "a/../../../escape.log", "C:\\escape.log", "a\nb\x1b[2J.log"]
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": gzip.compress,
    "tgz": gzip.compress,
    "tar.xz": lzma.compress,
    "tar.bz2": bz2.compress,
    "tar.zst": zstandard.compress,
    "zip": bytes,
}


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "in/logs"


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def zip_of(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(("ending", "pack"), PACKINGS.items(), ids=PACKINGS)
def test_an_archive_is_read_however_it_is_packed(
    tmp_path: Path, into: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    archive = tmp_path / f"lab.{ending}"
    if ending == "zip":
        zip_of(archive, ("v100/a.log", step(1)), ("v100/", b""), ("n.txt", OTHER_NOISE))
    else:
        put(archive, pack(tar(member("v100/a.log", step(1)), member("n.txt", OTHER_NOISE))))
    logs(into, archive)
    assert (into / "lab__v100__a/1/train.log").read_bytes() == step(1)
    assert run_file(into)["source"].items() >= {"archive": archive.name, "path": "v100/a.log"}.items()


def test_a_run_folder_in_an_archive_stays_whole(tmp_path: Path, into: Path) -> None:
    log = put_clock(make_run(tmp_path / "net/2", step(1), recipe="toy"), "1,1.0").with_name("train.log")
    files_of_run = (member(f"net/2/{path.name}", path.read_bytes()) for path in log.parent.iterdir())
    logs(into, put(tmp_path / "lab.tar", tar(*files_of_run)))
    assert (run_file(into)["recipe"], (into / "lab__net/2/clock.csv").is_file()) == ("toy", True)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_no_name_in_an_archive_leads_out_of_the_suite(tmp_path: Path, into: Path, name: str, kind: str) -> None:
    if kind == "tar":
        archive = put(tmp_path / "lab.tar", tar(member(name, step(1))))
    else:
        archive = zip_of(tmp_path / "lab.zip", (name, step(1)))
    assert len(logs(into, archive)) == 1
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_relative_to(into)]
    assert (outside, len(runs(into))) == ([archive], 1)


@pytest.mark.parametrize("name", ["x" * 300, "", "b.log/c.log"])
def test_a_name_that_no_disk_takes_does_not_stop_the_rest(tmp_path: Path, into: Path, name: str) -> None:
    archive = put(tmp_path / "lab.tar", tar(member("b.log", step(1)), member(name, step(2))))
    assert (len(logs(into, archive)), len(unreadable(into, archive))) == (1, 1)


def test_links_and_devices_of_an_archive_are_left_out(tmp_path: Path, into: Path) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "soft": {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        "hard": {"type": tarfile.LNKTYPE, "linkname": "../x"},
        "null": {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3},
        "pipe": {"type": tarfile.FIFOTYPE},
    }
    archive = put(tmp_path / "lab.tar", tar(*(member(name, **said) for name, said in kinds.items())))
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert left_out(into, archive, zip_of(tmp_path / "lab.zip", (info, b"/etc/passwd"))) == {
        "link": "is a symbolic link.",
        "soft": "is a symbolic link.",
        "hard": "is a hard link.",
        "null": "is not a regular file.",
        "pipe": "is not a regular file.",
    }


TWO = tar(member("a.log", step(1)), member("b.log", step(2) * 99))
BROKEN = TWO[:1024] + b"\xff" * 100 + TWO[1124:]


def stored(folder: Path, method: int = zipfile.ZIP_STORED) -> Path:
    """A zip archive of two logs."""
    return zip_of(folder / "lab.zip", ("a.log", step(1)), ("b.log", step(2)), method=method)


def cut(folder: Path, at: int) -> Path:
    return put(folder / "lab.tar", TWO[:at])


# An archive, and what is said of what is wrong with it; how many of its logs are taken.
WRONG: dict[str, tuple[Callable[[Path], Path], str, int]] = {
    **{f"cut at {at}": (partial(cut, at=at), "", at >= 600) for at in (100, 600, 1500, 5000)},
    "a broken header": (lambda a: put(a / "lab.tar", BROKEN), "completely: a header is truncated or corrupt", 1),
    "a page": (lambda a: put(a / "lab.tar.gz", b"<html>not found</html>\n"), "is not a tar or zip archive", 0),
    "a broken entry": (lambda a: put(a / "lab.zip", stored(a).read_bytes().replace(step(1), step(3))), "Bad CRC-32", 1),
    "too many members": (lambda a: put(a / "a.tar", tar(*(member(f"{n}.txt") for n in range(4)))), "more than 3", 0),
    # They would fill the memory.
    "bzip2 in zip": (lambda a: stored(a, zipfile.ZIP_BZIP2), "unsupported compression method", 0),
    "lzma in zip": (lambda a: stored(a, zipfile.ZIP_LZMA), "unsupported compression method", 0),
}


@pytest.mark.parametrize(("make", "said", "taken"), WRONG.values(), ids=WRONG)
def test_what_is_broken_in_an_archive_is_told_and_the_rest_is_taken(
    tmp_path: Path, into: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Path], said: str, taken: int
) -> None:
    monkeypatch.setattr(files, "MOST_MEMBERS", 3)
    reasons = unreadable(into, make(tmp_path))
    assert reasons != [] and said in reasons[0]
    assert len(runs(into) if into.exists() else []) == taken


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "zip", "gz", "bz2", "xz", "zst"])
def test_a_bomb_is_refused(tmp_path: Path, into: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(files, "LEAST", files.MIB)
    text, archive = b"\n" * (64 << 20), zip_of(tmp_path / f"bomb.{kind}", ("a.log", b"\n" * (64 << 20)))
    if kind != "zip":
        put(
            archive, PACKINGS[f"tar.{kind.removeprefix('tar.')}"](tar(member("a.log", text)) if "tar" in kind else text)
        )
    (said,) = unreadable(into, archive)
    assert re.search(r"it unpacks to more than .* MiB", said)
    assert runs(into) == []


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_tar_header_that_would_fill_the_memory_is_refused(tmp_path: Path, into: Path, kind: bytes) -> None:
    size = 256 << 20
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, size
    archive = tmp_path / "bomb.tar.gz"
    with gzip.open(archive, "wb", compresslevel=1) as file:
        file.write(header.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        assert unreadable(into, archive) == ["cannot be read completely: a header is longer than 1 MiB."]
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


WHOLE = tar(member("a.log", step(1)), member("n" * 150, step(2)), member("c", type=tarfile.SYMTYPE, linkname="a"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_to_an_archive_crashes(tmp_path: Path, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([WHOLE, zip_of(tmp_path / "z", ("a.log", step(1)), ("b", step(2))).read_bytes()]))
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(whole) - 1))
        damaged[at : at + 1] = data.draw(st.binary(min_size=0, max_size=4))
    events(tmp_path / "logs", put(tmp_path / "lab.tar", bytes(damaged)))
    assert not [path for path in tmp_path.iterdir() if path.name not in ("lab.tar", "logs", "z")]


def test_an_archive_is_taken_into_a_folder_that_is_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab.tar").write_bytes(tar(member("a/train.log", step(1))))
    assert [one.label for one in logs(Path("in/logs"), "lab.tar")] == ["lab__a__train"]
