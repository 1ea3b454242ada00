"""shapes.c itself: what it is given, hostile lines, no memory, and what the sanitizers of GCC say of it."""

import itertools
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest

from parsers.scanning.kernel import Shapes, shapes_of_c
from tests.commandline import PROJECT
from tests.parsers.shapes import needs_c

# What shapes.c itself is given: kernel.py checks most of it before.
SIXTEEN = bytes(8 * (6 + 2))


@needs_c
@pytest.mark.parametrize(
    "arguments",
    [
        (1, 1, 16, 1, b""),
        (-1, 1, 16, 1, SIXTEEN),
        (1, -1, 16, 1, SIXTEEN),
        (1, 1, -1, 1, b""),
        (1, 1, 1 << 40, 1, b""),
        (1, 1, 16, -1, SIXTEEN),
    ],
)
def test_a_table_of_c_that_cannot_be_is_refused(arguments: tuple[int, int, int, int, bytes]) -> None:
    assert shapes_of_c is not None
    with pytest.raises(ValueError, match=r"most is up to|the key has"):
        shapes_of_c.Table(*arguments)


@needs_c
@pytest.mark.parametrize(
    ("at", "ids", "starts", "known"),
    [
        (0, "i4", "i4", 0),
        (3, "i4", "i8", 0),
        (-1, "i4", "i8", 0),
        (0, "i4", "i8", 3),
        (0, "i4", "i8", -1),
        (0, "u1", "i8", 0),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_c(at: int, ids: str, starts: str, known: int) -> None:
    assert shapes_of_c is not None
    table = shapes_of_c.Table(1, 1, 16, 1, SIXTEEN)
    with pytest.raises(ValueError, match=r"do not fit|is not one of elements"):
        table.lines(b"a\n", at, np.zeros(2, ids), np.zeros(2, starts), known)


@needs_c
def test_lines_of_one_hash_are_told_apart_by_their_bytes() -> None:
    assert shapes_of_c is not None
    table = shapes_of_c.Table(9, 99, 16, 1, SIXTEEN)  # of this key all hashes are 0
    ids, starts = np.empty(8, np.int32), np.empty(8, np.int64)
    table.lines(b"a\nb\nab\na\0\n\n\0\nab\nb\n", 0, ids, starts, 0)
    assert ids.tolist() == [0, 1, 2, 3, 4, 5, 2, 1]


FIRST = b"step of "
"""What the first word of the known key takes to zero, and with it the product that is hashed."""
KNOWN = bytes(range(1, 49)) + (-int.from_bytes(FIRST, "little") % 2**64).to_bytes(8, "little") + bytes(range(8))
WORDS = [bytes(word) for word in itertools.islice(itertools.product(b"abcd", repeat=8), 1 << 13)]
HOSTILE = b"".join(FIRST + word + b"\n" for word in WORDS)
HARMLESS = b"".join(word + FIRST + b"\n" for word in WORDS)


def cost(key: bytes, text: bytes) -> float:
    """The least CPU time of three to read a text of lines of 16 bytes into a table of this key."""
    assert shapes_of_c is not None
    ids, starts, costs = np.empty(1 << 13, np.int32), np.empty(1 << 13, np.int64), []
    for _ in range(3):
        table = shapes_of_c.Table(1 << 16, 1 << 20, 16, 1, key)
        before = time.process_time()
        table.lines(text, 0, ids, starts, 0)
        costs.append(time.process_time() - before)
        assert len(table) == 1 << 13
    return min(costs)


@needs_c
def test_lines_made_to_share_a_bucket_cost_no_more_than_others_where_the_key_is_secret() -> None:
    assert cost(KNOWN, HOSTILE) > 10 * cost(KNOWN, HARMLESS)
    assert cost(os.urandom(len(KNOWN)), HOSTILE) < 5 * cost(os.urandom(len(KNOWN)), HARMLESS)


@needs_c
def test_every_table_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[bytes] = []

    def noted(size: int) -> bytes:
        keys.append(secrets.token_bytes(size))
        return keys[-1]

    monkeypatch.setattr(os, "urandom", noted)
    for _ in range(2):
        Shapes(compiled=True)
    assert len(set(keys)) == 2


@needs_c
def test_a_table_for_which_there_is_no_memory_is_an_error_of_python_and_stays_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "MemoryError\n[0]\n", "")


OUT_OF_MEMORY = """
import resource
from parsers.scanning.kernel import Shapes
shapes = Shapes(1 << 24, 1 << 40, compiled=True)
shapes.lines(b"known 1\\n")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
try:
    for i in range(1 << 20):
        shapes.lines(bytes(97 + (i >> 3 * bit) % 8 for bit in range(8)) * 500 + b"\\n")
except MemoryError as error:
    print(type(error).__name__)
print(shapes.lines(b"known 2\\n")[0].tolist())
"""
FLAGS = [
    "-g",
    "-O1",
    "-shared",
    "-fPIC",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-DPy_LIMITED_API=0x030b0000",
    "-Werror=implicit-function-declaration",  # what is not of the limited API is not declared
]
OF_C = tuple(f"tests/parsers/test_{part}.py" for part in ("kernel", "fields_of_lines", "sieve"))
TESTS = ("pytest", "-q", "-s", "-x", "-p", "no:cacheprovider", "-n0", *OF_C)
FUZZER = ("tests.fuzz.fuzz", "shapes", "--seconds", "3")
SOURCE = PROJECT / "parsers/scanning/shapes.c"
RIGHT = "if (end - at >= WORD)"


def sanitized(folder: Path, source: str, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a module of Python with a build of C that has the sanitizers of GCC in it."""
    if (compiler := shutil.which("gcc")) is None:
        pytest.skip("no gcc: `apt-get install gcc libc6-dev` has it")
    library, code = folder / "_shapes.abi3.so", folder / "shapes.c"
    code.write_text(source, encoding="utf-8")
    include = sysconfig.get_path("include")
    subprocess.run([compiler, *FLAGS, f"-I{include}", str(code), "-o", str(library)], check=True)
    asked = [compiler, "-print-file-name=libasan.so"]
    preloaded = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    # What Python itself keeps until it ends is no leak, and its own allocator would hide what is read past an end.
    options = {"ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc", "LD_PRELOAD": preloaded}
    started = [sys.executable, "-m", "tests.parsers.sanitized", str(library), *command]
    environment = {**os.environ, **options}
    return subprocess.run(started, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("command", [TESTS, FUZZER], ids=["tests", "fuzzer"])
def test_the_sanitizers_of_gcc_find_nothing(command: tuple[str, ...], tmp_path: Path) -> None:
    done = sanitized(tmp_path, SOURCE.read_text(encoding="utf-8"), *command)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.slow
def test_the_sanitizers_see_a_read_past_the_end_of_a_text(tmp_path: Path) -> None:
    source = SOURCE.read_text(encoding="utf-8")
    assert RIGHT in source
    done = sanitized(tmp_path, source.replace(RIGHT, "if (end)"), *TESTS, "-k", "any_kind_of_bytes")
    assert (done.returncode != 0, "heap-buffer-overflow" in done.stderr + done.stdout) == (True, True)


def test_a_kernel_that_was_built_before_an_update_is_not_used() -> None:
    old = "import sys, types; sys.modules['parsers.scanning._shapes'] = types.ModuleType('old')"
    done = subprocess.run(
        [sys.executable, "-c", f"{old}; from parsers.scanning import kernel; print(kernel.COMPILED)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
