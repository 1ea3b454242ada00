"""Markdown: text from logs, paths and page files made safe to stand in it."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from tabulate import tabulate

from parsers.io.printable import printable

# GitHub takes these for markup wherever they stand, an underscore at the edge of a word; a pipe ends a cell.
_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def text(raw: object) -> str:
    """Plain text that shows as it is, on one line: no markup, no HTML, and what no eye sees is escaped."""
    shown = seen(str(raw))
    return _MARKUP.sub(r"\\\g<0>", re.sub("[&<>]", lambda found: _ENTITIES[found[0]], shown))


def seen(raw: str) -> str:
    """The text on one line, in which each character that no eye sees is escaped."""
    return raw if raw.isprintable() else printable(re.sub(r"[\n\r\t]", " ", raw))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain texts."""
    shown = [[text(cell) for cell in row] for row in rows]
    return tabulate(shown, head, tablefmt="pipe", disable_numparse=True)


def code(raw: object) -> str:
    """Text in a code span that can hold backticks; a pipe is kept out because it would end a table cell."""
    shown = seen(str(raw)).replace("|", "¦")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def link(label: str, address: str) -> str:
    """A link; the label is taken as Markdown, the address is percent-encoded."""
    return f"[{label}]({address_of(address)})"


def shown_address(address: str) -> str:
    """An address that leads to itself; one that no link leads to as text."""
    return f"<{address}>" if address_of(address) == address and "://" in address else text(address)


def address_of(address: str) -> str:
    """An address that can stand in a link: percent-encoded, and with no scheme but http and https."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", address)
    if found and found[1].lower() not in ("http", "https"):
        return "#"
    return quote(address.encode("utf-8", "surrogateescape"), safe="/:#?&=.-_~%")


def path_address(path: str) -> str:
    """The address of a file: all of its name is percent-encoded, so that no ``#``, ``?`` or ``:`` ends or opens it."""
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return f"./{encoded}" if ":" in path and not path.startswith((".", "/")) else encoded


def anchor(raw: str) -> str:
    """The name that GitHub gives to a heading, to link to it."""
    kept = re.sub(r"[^\w\- ]", "", raw.strip().lower())
    return kept.replace(" ", "-")
