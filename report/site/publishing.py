"""Publishing as a site: page files in; pages, evidence, raw logs and an index out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parsers.whole import unfinished, writing

from .exchange import refuse_others, take_place
from .pen import Pen

if TYPE_CHECKING:
    from ..publish import Published

FOLDERS = ("assets", "evidence", "logs")


def publish_site(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    *,
    reloads: bool = False,
    is_kept: bool = True,
) -> "Iterator[Published]":
    """Write pages as a site into ``out``; all that have a log or quote a figure, in all languages, when none is named.

    The site is made beside ``out`` and takes its place when it is complete: until then, and when anything fails, what
    is there stays as it is. ``reloads``: pages come again when the site is built anew and served. ``is_kept``: whether
    it is to outlive a crash of the machine. The same pages and logs give the same bytes. Raises as ``publish`` does,
    WriteError where ``out`` holds what is of no site, and LogError when a log changes while it is read.
    """
    place = out.resolve()
    refuse_others(FOLDERS, place)
    with writing(out):
        place.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(place.parent, out) as folder:
        made = folder / place.name
        found = _made(pages, logs, languages, (made, out), reloads=reloads)
        refuse_others([path.name for path in made.iterdir()], place)
        take_place(made, place, is_kept=is_kept)
    yield from found


def _made(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], folders: tuple[Path, Path], *, reloads: bool
) -> "list[Published]":
    """Make a site in the first of two folders, which is to become the second, and return its pages."""
    with Pen() as pen:
        # The pen gets ready while all else is imported.
        from ..publish import publish
        from ..words import languages as all_languages
        from .site import Site

        site = Site(languages or all_languages(), folders[0], pen, reloads=reloads)
        found = list(publish(pages, logs, languages, folders[1], write=site.add))
        site.finish()
        return found
