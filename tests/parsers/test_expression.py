"""Expressions mean the same to every Python from 3.11 on, also to those that repeat groups wrongly."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parsers.grammar.expression import GOES_BACK, compiled
from parsers.scanning.detection import formats
from tests.commandline import PROJECT
from tests.parsers.golden_logs import LOGS
from tests.parsers.judging import lines_of

OLD = shutil.which("python3", path="/usr/bin")


def regs(pattern: re.Pattern[bytes], line: bytes) -> object:
    found = pattern.fullmatch(line)
    return found and found.regs


@pytest.mark.skipif(not GOES_BACK, reason="this Python repeats groups wrongly; one from 3.11.5 on does not")
def test_an_expression_without_possessive_groups_matches_what_it_did_with_them() -> None:
    differing = []
    for fmt in formats():
        lines = {line for log in LOGS if log.parent.name == fmt.name for line in lines_of(log)}
        for variant in fmt.variants:
            one, other = (compiled(variant.source.encode(), goes_back=way) for way in (True, False))
            differing += [(fmt.name, line) for line in lines if regs(one, line) != regs(other, line)]
    assert differing == []


def _version(python: str | None) -> list[int]:
    """The version of a Python of the system; nothing without one."""
    if python is None:
        return []
    asked = [python, "-c", "import sys; print(*sys.version_info[:3])"]
    return [int(part) for part in subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(
    not [3, 11, 0] <= _version(OLD) < [3, 11, 5] or sys.version_info[:2] != (3, 11),
    reason="no Python before 3.11.5 at /usr/bin/python3, as Debian 12 has it, or this one is not of the same ABI",
)
def test_the_python_of_debian_12_reads_golden_logs_alike_and_redacts_alike() -> None:
    tests = ["tests/parsers/test_golden_logs.py", "tests/launchers/test_secret_shapes.py"]
    asked = [str(OLD), "-m", "pytest", "-q", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(Path(np.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*asked, "-k", "json_says or secret", *tests],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
