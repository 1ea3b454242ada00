"""shapes.c itself: lines that are made to be slow, and what the sanitizers of GCC say of it."""

import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parsers.scanning.kernel import CompiledShapes
from tests.commandline import PROJECT
from tests.parsers.shapes import needs_c

FIRST = b"step of "
"""What the first word of the known key takes to zero, and with it the product that is hashed."""
KNOWN = bytes(range(1, 41)) + (-int.from_bytes(FIRST, "little") % 2**64).to_bytes(8, "little") + bytes(range(8))
WORDS = [bytes(word) for word in itertools.islice(itertools.product(b"abcd", repeat=8), 1 << 13)]
HOSTILE = b"".join(FIRST + word + b"\n" for word in WORDS)
HARMLESS = b"".join(word + FIRST + b"\n" for word in WORDS)


def cost(monkeypatch: pytest.MonkeyPatch, key: bytes | None, text: bytes) -> float:
    """The least CPU time of three to read a text of lines of 16 bytes into a table of this key, or of a secret one."""
    if key is not None:
        monkeypatch.setattr(os, "urandom", lambda size: key.ljust(size, b"x"))
    costs = []
    for _ in range(3):
        shapes = CompiledShapes(1 << 16, 16, 64)
        before = time.process_time()
        shapes.lines(text)
        costs.append(time.process_time() - before)
        assert len(shapes) == 1 << 13
    monkeypatch.undo()
    return min(costs)


@needs_c
def test_lines_made_to_share_a_bucket_cost_no_more_than_others_where_the_key_is_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert cost(monkeypatch, KNOWN, HOSTILE) > 10 * cost(monkeypatch, KNOWN, HARMLESS)
    assert cost(monkeypatch, None, HOSTILE) < 5 * cost(monkeypatch, None, HARMLESS)


FLAGS = ["-g", "-O1", "-shared", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TESTS = ("pytest", "-q", "-s", "-x", "-p", "no:cacheprovider", "-n0", "tests/parsers/test_kernel.py")
FUZZER = ("tests.fuzz.fuzz", "shapes", "--seconds", "3")
SOURCE = PROJECT / "parsers/scanning/shapes.c"
# Loads the library in place of the one that is installed, and runs the module; atheris brings sanitizers of its own.
PROGRAM = """
import ctypes, runpy, sys
from parsers.scanning import kernel
path, sys.argv[:] = sys.argv[1], sys.argv[2:]
load, ctypes.PyDLL = ctypes.PyDLL, lambda name: load(path)
kernel.LIBRARY, ctypes.PyDLL, sys.modules["atheris"] = kernel.library(), load, None
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=False)
"""
RIGHT = "end - line >= STEP"


def sanitized(folder: Path, source: str, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a module of Python with a build of C that has the sanitizers of GCC in it."""
    if (compiler := shutil.which("gcc")) is None:
        pytest.skip("no gcc: `apt-get install gcc libc6-dev` has it")
    library, code = folder / "_shapes.abi3.so", folder / "shapes.c"
    code.write_text(source, encoding="utf-8")
    subprocess.run([compiler, *FLAGS, str(code), "-o", str(library)], check=True)
    asked = [compiler, "-print-file-name=libasan.so"]
    preloaded = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    # What Python itself keeps until it ends is no leak, and its own allocator would hide what is read past an end.
    options = {"ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc", "LD_PRELOAD": preloaded}
    started = [sys.executable, "-c", PROGRAM, str(library), *command]
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
    done = sanitized(tmp_path, source.replace(RIGHT, "end - line > 0"), *TESTS, "-k", "only_the_ten_digits")
    assert (done.returncode != 0, "heap-buffer-overflow" in done.stderr + done.stdout) == (True, True)


@needs_c
def test_a_kernel_that_was_built_before_an_update_is_not_used_and_told() -> None:
    asked = "from parsers.scanning import kernel; kernel.VERSION = 'version_0'; print(kernel.library())"
    done = subprocess.run([sys.executable, "-c", asked], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert (done.stdout, "install Tachograph again" in done.stderr) == ("None\n", True)
