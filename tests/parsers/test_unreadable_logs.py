"""What cannot be read is an error that names the file."""

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from parsers.io import packed
from parsers.io.errors import LogError
from parsers.runs.reading import read, survey
from tests.parsers.toy_logs import FORMAT, steps, write

TEXT = b"".join(steps(500))
BOMB = b"\n" * (5 << 20)
BROKEN_GZIP = gzip.compress(TEXT)[:100] + b"\xff" * 50 + gzip.compress(TEXT)[150:]

CASES: dict[str, Callable[[Path], Path]] = {
    "missing": lambda folder: folder / "absent.log",
    "folder": lambda folder: folder,
    "empty": write,
    "empty gz": lambda folder: write(folder, gzip.compress(b"")),
    "laid out": lambda folder: write(folder, b"\0" * 9999),
    "binary": lambda folder: write(folder, random.Random(1).randbytes(9999)),  # noqa: S311
    "cut gz": lambda folder: write(folder, gzip.compress(TEXT)[:-20]),
    "cut xz": lambda folder: write(folder, lzma.compress(TEXT)[:-20]),
    "cut zst": lambda folder: write(folder, zstandard.compress(TEXT)[:-20]),
    "cut bz2": lambda folder: write(folder, bz2.compress(TEXT)[:-20]),
    "bomb gz": lambda folder: write(folder, gzip.compress(BOMB)),
    "bomb bz2": lambda folder: write(folder, bz2.compress(BOMB)),
    "bomb zst": lambda folder: write(folder, zstandard.compress(BOMB)),
    "broken gz": lambda folder: write(folder, BROKEN_GZIP),
    "broken xz": lambda folder: write(folder, lzma.compress(TEXT)[:60] + b"\xff" * 99),
    "broken zst": lambda folder: write(folder, zstandard.compress(TEXT) + b"\xff" * 99),
}


@pytest.mark.parametrize("format", [None, FORMAT])
@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_an_unreadable_log_is_an_error_of_one_line_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Path], format: str | None
) -> None:
    monkeypatch.setattr(packed, "LEAST", 4 * packed.MIB)
    path = make(tmp_path)
    with pytest.raises(LogError) as raised:
        survey(path, format=format)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("rest", [b"", b"\n"])
def test_an_overlong_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: bytes) -> None:
    monkeypatch.setattr("parsers.scanning.source.LONGEST_LINE", 2 << 20)
    path = write(tmp_path, *steps(3), b"x" * (5 << 20), rest)
    with pytest.raises(LogError, match=r"has a line longer than 2 MiB"):
        read(path)


def test_a_long_line_is_no_reason_to_refuse_a_log(tmp_path: Path) -> None:
    assert len(read(write(tmp_path, *steps(2), b"x" * (3 << 20), b"\n", *steps(1))).records) == 3


@pytest.mark.slow
def test_a_log_that_unpacks_to_much_is_read_where_the_user_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LEAST", packed.MIB)
    log = write(tmp_path, gzip.compress(TEXT + b"\n" * (2 << 20)))
    with pytest.raises(LogError):
        read(log)
    monkeypatch.setenv(packed.VARIABLE, "0.01")
    assert read(log).account.total == 500 + (2 << 20)
