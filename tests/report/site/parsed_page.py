"""What a browser sees of a page of a site: its elements and figures."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import html5lib

XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(path: Path) -> ElementTree.Element:
    """A page as a browser reads it; raises ParseError for what a browser would have to mend."""
    parser = html5lib.HTMLParser(strict=True)
    root: ElementTree.Element = parser.parse(path.read_text(encoding="utf-8"))
    return root


def elements(root: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if element.tag in {XHTML + name for name in names})


def text(element: ElementTree.Element) -> str:
    return "".join(element.itertext()).strip()


def figures(root: ElementTree.Element) -> list[str]:
    """The numbers of the tables of results, in their order."""
    tables = [table for table in elements(root, "table") if "results" in (table.get("class") or "").split()]
    return [text(link) for table in tables for link in elements(table, "a")]
