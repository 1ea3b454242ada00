"""How fast contenders are: CPU time, in turns, the best of some rounds; and the document that states it."""

import argparse
import os
import platform
import re
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from launchers.machine.facts import processor

MIB = 1 << 20
BEST_OF = 3
DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark.md"

Contender = Callable[[Path], object]


def speeds_of(contenders: dict[str, tuple[Contender, int]], path: Path, rounds: int = BEST_OF) -> dict[str, float]:
    """MiB in a second of CPU time, children's included, of each contender: the best of some rounds of all."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (contender, _) in contenders.items():
            start = cpu()
            contender(path)
            taken[name].append(cpu() - start)
    return {name: size / MIB / min(taken[name]) for name, (_, size) in contenders.items()}


def cpu() -> float:
    """Seconds of CPU time of this process and of all children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def found_by(field: str, path: Path) -> list[str]:
    """All that the expression of one field matches in a log; compiled before, it would take half the time."""
    found = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            found += re.findall(field, line)
    return found


def is_written(about: str | None) -> bool:
    """Whether the command line asks for the results to be written into the document."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--write", action="store_true", help=f"write the results into {DOCUMENT}, too")
    return bool(parser.parse_args().write)


def table(*rows: str) -> str:
    """Rows as a Markdown table; the first one is its head, and all but the first column are numbers."""
    rule = " | ".join(["---", *["---:"] * rows[0].count("|")])
    return "\n".join(f"| {row} |" for row in (rows[0], rule, *rows[1:]))


def machine() -> str:
    """What ran this, without the name of the host."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("lark", "numpy", "pandas"))
    return f"Measured on: {processor()}, {os.cpu_count()} cores; Python {platform.python_version()}; {packages}."


def tell(title: str, *parts: str | None, write: bool) -> None:
    """Print Markdown, and put it into the document: in the place of the section with this heading, or at the end."""
    text = "\n\n".join(part.strip() for part in parts if part)
    sys.stdout.write(f"{text}\n")
    if write:
        page = DOCUMENT.read_text(encoding="utf-8")
        # A section ends where the next heading begins, of whatever rank: none holds one itself.
        old = re.compile(rf"^{re.escape(title)}\n.*?(?=^#|\Z)", re.MULTILINE | re.DOTALL)
        new = f"{title}\n\n{text}\n\n"
        page = old.sub(lambda _: new, page) if old.search(page) else f"{page}\n{new}"
        DOCUMENT.write_text(page.strip() + "\n", encoding="utf-8")
