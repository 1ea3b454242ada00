"""A small native repository, and what the check finds in it."""

from __future__ import annotations

from pathlib import Path

from launchers.native import check
from launchers.native.native_commands import NativeCommand

ARGPARSE = "import argparse\nparser = argparse.ArgumentParser()\n"
CONFIGURED = "parser.add_argument('-c', '--config')\nparser.add_argument('-o', '--opts', nargs='+')\n"


def write(repo: Path, files: dict[str, str]) -> None:
    """Write files, folders included."""
    for name, content in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def found(repo: Path, command: str) -> dict[str, str | None]:
    """Check one command, seen from the top of the checkout: each option and the place that knows it."""
    return {item.option: item.where for item in check.examine([NativeCommand(f"cd {repo} && {command}", repo)], repo)}
