"""Prose: numbers in the words of a page, each beside a link to its log, as tables of one row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from .document import Document, DocumentTable, DocumentText, Link
from .labels import read_label, seconds_of_step
from .site_logs import is_named_archive, may_be_log

_END = re.compile(r"(?<=[.;!?])\s+|(?<=[。；！？])")
_LOG = re.compile(r"(?<![a-z])logs?(?![a-z])|\.(?:txt|out|jsonl)(?:\.\w{2,4})?$", re.IGNORECASE)
_WORD = r"[A-Za-z]{1,20}|[\u4e00-\u9fff]{1,4}"
_MEASURED = re.compile(
    r"(?<![\w.,^/~≈<>±+−-])(?P<number>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?(?: ?[kKM](?![a-zA-Z]))?) ?"
    rf"(?P<unit>(?:{_WORD}) ?(?:/|per) ?(?:{_WORD}))(?!\w| ?(?:/|per) ?\w)"
)
# Words that say of a number near them that it is no measured one, or not all of it.
_ABOUT = re.compile(
    r"[~≈<>±]|(?<![a-z])(?:about|around|roughly|approx\w*|near\w*|almost|over|under|above|below|more|less|most|least"
    r"|up to|peak|max\w*|min\w*|by|target|expect\w*|theor\w*|ideal\w*|claim\w*|paper|instead|than|from|was|were|not|if"
    r"|increase\w*|gain\w*|improve\w*|faster|slower)(?![a-z])|约|近|超过|高达|最高|最低|峰值|预计|不到|以上|左右|提升|提高|增加|比|从",
    re.IGNORECASE,
)
LONGEST = 20_000  # characters of a block of text; what is longer, nobody reads
NEAR = 40  # characters before a number in which such a word is looked for
BEHIND = 15


@dataclass(frozen=True)
class _Part:
    """A part of a text in which one number stands beside one link to a log."""

    text: str
    found: re.Match[str]
    link: Link


def prose_tables(document: Document) -> Iterator[DocumentTable]:
    """Each number of a throughput or of the time of a step beside a link to a log, as the table that would state it.

    The words around it are the caption of that table, those of the link its row, the unit its head. What is said to be
    about so much, or more or less than something, is left out.
    """
    number = len(document.tables)
    for text, headings in document.linked_texts:
        for part in _parts(text):
            yield _table(number, headings, part)
            number += 1


def _table(number: int, headings: tuple[DocumentText, ...], part: _Part) -> DocumentTable:
    link = DocumentText(part.link.text, (part.link,))
    words = DocumentText(part.text)
    return DocumentTable(
        number=number,
        line=part.link.line,
        headings=headings,
        head=(DocumentText(""), DocumentText(part.found["unit"])),
        rows=((link, DocumentText(part.found["number"])),),
        lines=(part.link.line,),
        since=(words,),
        section=(words,),
        above=(),
    )


def _parts(text: DocumentText) -> Iterator[_Part]:
    if len(text.plain) > LONGEST:
        return
    begin, placed = 0, list(_placed(text))
    for end in [*(found.end() for found in _END.finditer(text.plain)), len(text.plain)]:
        links = [(at, link) for at, link in placed if begin <= at < end]
        found = list(_MEASURED.finditer(text.plain, begin, end))
        if len(links) == len(found) == 1:
            yield from _measured(text.plain[begin:end], found, links)
        elif len(links) == len(found) and _alternate(found, links):
            bounds = [begin, *(at + len(link.text) for at, link in links)]
            for place, one in enumerate(found):
                yield from _measured(text.plain[bounds[place] : bounds[place + 1]], [one], [links[place]])
        begin = end


def _placed(text: DocumentText) -> Iterator[tuple[int, Link]]:
    """The links to logs, each with the place of its words."""
    at = 0
    for link in text.links:
        at = max(at, text.plain.find(link.text, at))
        if _leads_to_log(link.address):
            yield at, link
        at += len(link.text)


def _alternate(found: Sequence[re.Match[str]], links: Sequence[tuple[int, Link]]) -> bool:
    """Whether each number has its link behind it, and before the next number."""
    places = [place for one, (at, _) in zip(found, links, strict=True) for place in (one.start(), at)]
    return places == sorted(places)


def _measured(text: str, found: Sequence[re.Match[str]], links: Sequence[tuple[int, Link]]) -> Iterator[_Part]:
    """The part, where its number is measured: its unit says so, and no word near it that it is only about so much."""
    (one,), ((_, link),) = found, links
    around = one.string[max(0, one.start() - NEAR) : one.start()] + " " + one.string[one.end() : one.end() + BEHIND]
    is_rate = read_label(one["unit"]).quantities == {"throughput"}
    says_other = read_label(text.replace(one["unit"], " ")).quantities - {"throughput", "time"}
    if (is_rate or seconds_of_step(one["unit"], "")) and not says_other and not _ABOUT.search(around):
        yield _Part(text, one, link)


def _leads_to_log(address: str) -> bool:
    try:
        path = urlsplit(address).path
    except ValueError:
        return False
    return is_named_archive(path) or (_LOG.search(path) is not None and may_be_log(path))
