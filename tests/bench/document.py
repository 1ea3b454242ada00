"""The page of benchmarks: each program that measures writes a section of its own."""

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark.md"


def write_section(title: str, text: str) -> None:
    """Put a section (its heading, such as ``## Ingesting``, and its Markdown text) in its place, or at the end."""
    page = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else ""
    # A section ends where the next heading begins, of whatever rank: none holds one itself.
    old = re.compile(rf"^{re.escape(title)}\n.*?(?=^#|\Z)", re.MULTILINE | re.DOTALL)
    new = f"{title}\n\n{text.strip()}\n\n"
    page = old.sub(lambda _: new, page) if old.search(page) else f"{page}\n{new}"
    DOCUMENT.write_text(page.strip() + "\n", encoding="utf-8")
