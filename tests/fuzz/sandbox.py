"""A sandbox: what the bytes of a fuzzer become, the folders in which a command meets it, and what must hold then.

Bytes become files, folders and archives; what must hold is of all that a command prints and writes.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import signal
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import zstandard
from click.testing import CliRunner

from tachograph.cli import command_line
from tests.hostile_text import unseen

SECONDS = 20
"""Of the processor; no input takes a tenth of it."""
WAITED = 300
"""Seconds on the wall, for an input that is waited for; a machine may have much else to do."""
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder with a name of its own is made in it
HERE = b"@HERE@"
"""Stands in an input for the folder that holds the logs and what lies outside of them."""
TOKEN = uuid4().hex
"""Is in the files outside; an input cannot know it."""
LOG = "".join(
    f"[2023/07/01 12:00:{step:02}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/9]lr(PiecewiseDecay): 0.1, loss: 6.0, "
    f"batch_cost: 0.1s, reader_cost: 0.1, ips: {40 + step / 8} samples/s, eta: 0:00:19\n"
    for step in range(9)
).encode()
OUTSIDE = {
    "outside/train.log": f"{TOKEN}\n".encode() + LOG,
    "outside/ResNet50_bs4_fp32_N1C1_log": f"{TOKEN}\n".encode() + LOG,
    ".bashrc": f"# {TOKEN}\n".encode(),
}
MAY_NOT_SHOW = (TOKEN.encode(), *(sha256(text).hexdigest().encode() for text in OUTSIDE.values()))
STATUSES = (0, 1, 2, 3)
PIECE = re.compile(r"tachograph\.receive\((.*)\);\n", re.DOTALL)
SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]*):")


class TooSlow(BaseException):
    """An input took more than SECONDS, or WAITED; no error of the code under test, so that none of it catches this."""


@contextmanager
def sandbox() -> Iterator[Path]:
    """A folder for one input, so deep that ``..`` many times over does not leave what is thrown away; on the clock."""
    with tempfile.TemporaryDirectory(prefix="tachograph-fuzz-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        folder = Path(name, *"abcdefgh")
        folder.mkdir(parents=True)
        with _on_the_clock():
            yield folder


@contextmanager
def _on_the_clock() -> Iterator[None]:
    def stop(number: int, _: object) -> None:
        how = f"{SECONDS} s of the processor" if number == signal.SIGPROF else f"{WAITED} s"
        raise TooSlow(f"an input takes more than {how}")

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, WAITED))
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def lay(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)


def run(folder: Path, *arguments: str | Path, may_write: Path | None = None) -> bytes:
    """Run a command; returns what it printed.

    It ends with 0 to 3 and no traceback, prints UTF-8 that no terminal obeys, and changes nothing in the folder but
    below ``may_write``.
    """
    before = files_below(folder, without=may_write)
    with patch.object(os, "sched_getaffinity", return_value={0}):  # no other processes: they would not be on the clock
        result = CliRunner().invoke(command_line(), [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in STATUSES, f"exit status {result.exit_code}"
    odd = unseen(result.output_bytes.decode("utf-8"))
    assert not odd, f"{arguments[0]} prints {sorted(map(ascii, odd))}"
    assert files_below(folder, without=may_write) == before, f"{arguments[0]} changed a file outside"
    return result.output_bytes


def files_below(folder: Path, without: Path | None = None) -> dict[Path, bytes | str]:
    """The regular files below a folder with their bytes, and the links with what they lead to."""
    found: dict[Path, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        if without is not None and path.is_relative_to(without):
            continue
        if path.is_symlink():
            found[path] = os.readlink(path)  # noqa: PTH115 - it may be no path
        elif path.is_file():
            found[path] = path.read_bytes()
    return found


def assert_silent(printed: bytes, out: Path) -> None:
    """What was printed, and the files below a folder, show nothing of what lies outside; none of them is a link."""
    texts = {Path("output"): printed, **files_below(out)}
    for path, text in texts.items():
        assert isinstance(text, bytes), f"{path} is a link"
        assert not any(secret in text for secret in MAY_NOT_SHOW), f"what lies outside shows in {path.suffix or path}"


def assert_harmless_site(out: Path) -> None:
    """What a site is made of runs no script but its own, and loads nothing from elsewhere."""
    for path in out.glob("*.html"):
        _Page.check(path.read_text(encoding="utf-8"))
    for path in (out / "evidence").rglob("*.js"):
        piece = PIECE.fullmatch(path.read_text(encoding="utf-8"))
        assert piece, f"{path} is no piece"
        assert "<" not in piece[1]
        json.loads(f"[{piece[1]}]")


def assert_harmless_page(page: Path) -> None:
    """What a page that is one file is made of: as of a site, but with a style of its own."""
    text = page.read_text(encoding="utf-8")
    _Page.check(re.sub(r"<style>[^<]*</style>", "", text))


class _Page(HTMLParser):
    """Refuses what would run or load anything that the site does not bring along."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._script: dict[str, str | None] | None = None
        self._text = ""

    @classmethod
    def check(cls, text: str) -> None:
        page = cls()
        page.feed(text)
        page.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        assert tag not in ("iframe", "object", "embed", "base", "img", "style"), f"<{tag}>"
        for name, value in attrs:
            assert not name.startswith("on"), f"<{tag} {name}={value}>"
            if name in ("href", "src", "xlink:href", "action", "formaction", "data"):
                self._check_address(tag, name, value or "")
        if tag == "script":
            self._script, self._text = named, ""

    @staticmethod
    def _check_address(tag: str, name: str, value: str) -> None:
        scheme = SCHEME.match(value)
        assert scheme is None or (name == "href" and tag == "a" and scheme[1].lower() in ("http", "https")), value
        assert name != "src" or value.startswith("assets/"), value

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            if self._script.get("type") == "application/json":
                json.loads(self._text)
            else:
                assert "src" in self._script, f"a script of its own: {self._text[:80]!r}"
                assert not self._text.strip()
            self._script = None


SEPARATOR = b"\x1c"
"""Ends a file: between the log and its side files, and between the members of an archive or of a folder."""
SHA256 = b"@SHA256@"
"""Stands in a file for the SHA-256 of the log beside it."""
LONGEST = 20_000
TAR_KINDS = b"01234560"
PACKERS = (lambda data: gzip.compress(data, 1), bz2.compress, lzma.compress, zstandard.compress)
LINK, PIPE, FOLDER = 4, 5, 6
KINDS = 8


def source(folder: Path, data: bytes) -> Path:
    """A source for ingest, of the kind that the first byte chooses."""
    kind, data = (data[0] if data else 0), data[1:]
    if kind == 1 or (kind >= 5 and kind % 5 == 1):
        return _packed(folder, kind // 5, data)
    return (_plain, _plain, _tar, _zip, _tree)[kind % 5](folder, data)


def _plain(folder: Path, data: bytes) -> Path:
    path = folder / ("train.log", "all.tar", "all.zip", "train.log.gz", "all.tar.xz")[len(data) % 5]
    path.write_bytes(data)
    return path


def _packed(folder: Path, kind: int, data: bytes) -> Path:
    """A packed log, or what a packed file of a thousand times as much becomes."""
    path = folder / "train.log.gz"
    path.write_bytes(PACKERS[kind % len(PACKERS)](data * (1000 if kind >= 2 * len(PACKERS) else 1)))
    return path


def _tar(folder: Path, data: bytes) -> Path:
    path = folder / "all.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name, body in members(data.split(SEPARATOR)):
            info = tarfile.TarInfo(name)
            info.type = TAR_KINDS[kind % KINDS : kind % KINDS + 1]
            info.linkname = os.fsdecode(body[:90])
            info.size = len(body)
            with suppress(ValueError):  # a name that no tar archive can hold
                archive.addfile(info, io.BytesIO(body))
    return path


def _zip(folder: Path, data: bytes) -> Path:
    path = folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for kind, name, body in members(data.split(SEPARATOR)):
            info = zipfile.ZipInfo(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") or "x")
            info.external_attr = kind << 24
            archive.writestr(info, body, zipfile.ZIP_DEFLATED if kind % 2 else zipfile.ZIP_STORED)
    return path


def _tree(folder: Path, data: bytes) -> Path:
    laid(folder, data.split(SEPARATOR))
    return folder


def members(pieces: Iterable[bytes]) -> Iterator[tuple[int, str, bytes]]:
    """Kind, name and bytes of each member: a byte, a line, and what is left of the piece."""
    for piece in filter(None, pieces):
        name, _, body = piece[1:].partition(b"\n")
        yield piece[0], os.fsdecode(name), body


def laid(folder: Path, pieces: list[bytes]) -> None:
    """Put members into a folder: files, links, pipes and folders of whatever names can be."""
    found = list(members(pieces))
    digest = next((sha256(body).hexdigest() for _, name, body in found if name == "train.log"), "").encode()
    for kind, name, body in found:
        path = folder / "/".join(part for part in name.split("/") if part not in ("", ".", ".."))
        with suppress(OSError, ValueError):  # a name that no file can have, or that another file has
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, kind % KINDS, body.replace(SHA256, digest), folder)


def _put(path: Path, kind: int, body: bytes, folder: Path) -> None:
    if os.path.lexists(path):  # to write through a link would be ours, not that of what is tested
        return
    if kind == LINK:
        path.symlink_to(os.fsdecode(body.replace(HERE, bytes(folder.parent))[:200]) or "x")
    elif kind == PIPE:
        os.mkfifo(path)
    elif kind == FOLDER:
        path.mkdir()
    else:
        path.write_bytes(body)
