"""Publishing as a site: page files in; pages, evidence, raw logs and an index out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .pen import Pen

if TYPE_CHECKING:
    from ..publish import Published


def publish_site(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], out: Path, *, reloads: bool = False
) -> "Iterator[Published]":
    """Write pages as a site below ``out``; all that have a log or quote a figure, in all languages, when none is named.

    ``out/index.html`` comes last. ``reloads``: pages come again when the site is built anew and served. The same pages
    and logs give the same bytes. Raises as ``publish`` does, and LogError when a log changes while it is read.
    """
    with Pen() as pen:
        # The pen gets ready while all else is imported.
        from ..publish import publish
        from ..words import languages as all_languages
        from .site import Site

        site = Site(languages or all_languages(), out, pen, reloads=reloads)
        yield from publish(pages, logs, languages, out, write=site.add)
        site.finish()
