"""A small git checkout that seems to come from a native repository."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

URL = "https://github.com/PaddlePaddle/PaddleClas"


def git(repo: Path, *arguments: str) -> str:
    """Run git there, and return what it prints."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.check_output(["git", "-C", str(repo), *identity, *arguments], text=True).strip()


@cache
def _template() -> tempfile.TemporaryDirectory[str]:
    made = tempfile.TemporaryDirectory()
    path = Path(made.name)
    (path / "tools").mkdir()
    (path / "tools" / "train.py").write_text("one\n")
    git(path, "init", "-q")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "a")
    git(path, "remote", "add", "origin", f"{URL}.git")
    return made


def make_checkout(top: Path) -> Path:
    """Make a checkout with one file under `top`."""
    shutil.copytree(_template().name, top / "PaddleClas")
    git(top / "PaddleClas", "update-index", "-q", "--refresh")
    return top / "PaddleClas"
