"""At the end of the tests stands which of them were not run, and what would run them."""

import subprocess
import sys
from pathlib import Path

from tests.commandline import PROJECT

TESTS = """
import pytest

@pytest.mark.skip(reason="no cards here: borrow one")
@pytest.mark.parametrize("number", [1, 2])
def test_a(number): pass

def test_b(): pass
"""


def test_the_reasons_stand_at_the_end_with_the_number_of_tests(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS, encoding="utf-8")
    settings = ["-p", "tests.conftest", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", "-c", "setup.cfg"]
    command = [sys.executable, "-m", "pytest", "-q", *settings, "-m", "not slow", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "\nskipped 2: no cards here: borrow one\nleft out: the tests marked slow: make test-slow\n" in done.stdout
