"""How fast contenders are: CPU time, in turns, the best of some rounds."""

import re
import resource
import time
from collections.abc import Callable
from pathlib import Path

MIB = 1 << 20
BEST_OF = 3

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
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def found_by(field: str, path: Path) -> list[str]:
    """All that the expression of one field matches in a log; compiled before, it would take half the time."""
    found = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            found += re.findall(field, line)
    return found


DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark.md"


def write_section(title: str, text: str) -> None:
    """Put a section (its heading, such as ``## Ingesting``, and its Markdown text) in its place, or at the end."""
    page = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else ""
    # A section ends where the next heading begins, of whatever rank: none holds one itself.
    old = re.compile(rf"^{re.escape(title)}\n.*?(?=^#|\Z)", re.MULTILINE | re.DOTALL)
    new = f"{title}\n\n{text.strip()}\n\n"
    page = old.sub(lambda _: new, page) if old.search(page) else f"{page}\n{new}"
    DOCUMENT.write_text(page.strip() + "\n", encoding="utf-8")
