"""What a browser sees of a page of a site: its elements and figures."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import html5lib

XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(page: Path | str) -> ElementTree.Element:
    """A page, or its text, as a browser reads it; raises ParseError for what a browser would have to mend."""
    parser = html5lib.HTMLParser(strict=True)
    root: ElementTree.Element = parser.parse(page.read_text(encoding="utf-8") if isinstance(page, Path) else page)
    return root


def elements(root: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if element.tag in {XHTML + name for name in names})


def classes(element: ElementTree.Element) -> list[str]:
    return (element.get("class") or "").split()


def text(element: ElementTree.Element) -> str:
    return "".join(element.itertext()).strip()


def figures(root: ElementTree.Element) -> list[str]:
    """The numbers of the tables of results, in their order."""
    tables = [table for table in elements(root, "table") if "r" in classes(table)]
    return [text(link) for table in tables for link in elements(table, "a") if "n" in classes(link)]


def assert_inert(root: ElementTree.Element) -> None:
    """Hold that a page runs its own scripts alone, has no style of its own, and links to nothing but pages."""
    for element in root.iter():
        name = str(element.tag).removeprefix(XHTML)
        assert name not in ("iframe", "object", "embed", "base", "img", "style", "applet"), name
        assert "style" not in element.attrib
        assert [key for key in element.attrib if key.startswith("on")] == []
        for key in ("href", "src", "action", "formaction", "data", "{http://www.w3.org/1999/xlink}href"):
            address = element.get(key, "")
            assert ":" not in address.partition("/")[0] or address.startswith(("#", "https://", "http://")), address
        if name in ("script", "link"):
            assert (element.get("src") or element.get("href") or "").startswith("assets/")
            assert text(element) == ""
