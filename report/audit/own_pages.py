"""Pages of our own: the report is made again from its page file and logs, the page from the report, and both compared.

Every number of such a page is proved where its line is as it is rendered again, and contradicted where it is not; so is
a line without a number, of the page or of its report. Where the logs are not here, a page is held against its report
alone: what is as the report has it is not proved then. No log backs what a page quotes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest
from math import nan
from pathlib import Path
from typing import NamedTuple

from parsers.io.errors import LogError
from parsers.io.files import data_of
from parsers.io.message import Message
from parsers.scanning.detection import grammars
from parsers.sharing.workers import ALL_CORES, Workers

from ..pagefile.page_file import PageError, parse
from ..results.build import build
from ..results.model import SUFFIX, Report, read_report, report_beside
from ..results.store import LogStore, outside
from ..views.html import page_file
from ..views.html import texts as site_texts
from ..views.markdown import GENERATED, evidence_name, page_name, texts
from ..wording.markdown import path_address
from ..wording.words import Translator, WordsError, languages
from .chance import Hit, Means
from .claims import Claim, claims_of
from .documents import LINE, PROSE
from .number import Number, numbers_in
from .rulings import Finding, Ruling

EVIDENCE = ".evidence"  # what the name of the evidence of a page ends with, before its language
NO_REPORT = "Tachograph generated this page, but its report is missing: render the page again."
NOT_RENDERED = "The page could not be rendered again: {reason}"
NO_LOGS = "its log {log} is not here; give --logs."
NO_GRAMMAR = "its log {log} was read by the grammar {format}, which is not here; set $TACHOGRAPH_FORMATS."
AS_REPORTED = "Its report says the same, but could not be made again: {reason}"
QUOTED = "The page quotes it; no log backs it."
_WORDS = re.compile(r"[\w.,%+\u2021-]+|.", re.DOTALL)
LONGEST = 160  # characters that are told of an altered line
MORE_LINES = 1000  # of a page, beyond twice those that it is to have, are compared; none that follows is to be there


class Alteration(NamedTuple):
    """One line that is not as it is to be.

    ``line``: its number in the file, from 1; of a line that is not there, that of the line in its place. ``stood``: the
    words that differ, as they stand in the file from the character ``start`` on; ``right``: what they are to be. Empty
    where there is no such line, or is to be none.
    """

    line: int
    stood: str
    right: str
    start: int = 0

    def holds(self, claim: Claim) -> bool:
        """Whether some of the digits of a claim are among the words that differ."""
        begin = claim.column - 1
        return self.start < begin + len(claim.number.text) and begin < self.start + len(self.stood)

    def finding(self, document: str, claim: Claim | None = None) -> Finding:
        """The finding for a number of the line that is not to be there, or for the line."""
        stood, right = (f"{text[:LONGEST]} …" if len(text) > LONGEST else text for text in (self.stood, self.right))
        of = claim or Claim(document=document, line=self.line, column=1, number=Number(stood, nan, nan), place=LINE)
        return Finding(of, Ruling.CONTRADICTED, Hit(nan, Means.RENDERED, right))


def altered(stood: str, right: str) -> Iterator[Alteration]:
    """The lines of a file that are not as they are to be.

    Every difference is in one of them, but that of line ends, also at the end of the file, and of a byte order mark.
    """
    texts = (text.replace("\r\n", "\n").rstrip("\n") for text in (stood.removeprefix("\ufeff"), right))
    every, wanted = (text.split("\n") for text in texts)
    lines = every[: 2 * len(wanted) + MORE_LINES]
    for tag, first, last, *between in SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes():
        for at, one in zip_longest(range(first, last), wanted[slice(*between)]) if tag != "equal" else ():
            number = min(last if at is None else at, len(lines) - 1) + 1
            yield Alteration(number, *_differing("" if at is None else lines[at], one or ""))
    yield from (Alteration(number, line, "") for number, line in enumerate(every[len(lines) :], len(lines) + 1))


def _differing(stood: str, right: str) -> tuple[str, str, int]:
    """What differs between two lines, in whole words and numbers, and where it begins in the first."""
    one, other = _WORDS.findall(stood), _WORDS.findall(right)
    start = _alike(one, other)
    behind = _alike(one[start:][::-1], other[start:][::-1])
    stood, right = ("".join(words[start : len(words) - behind]) for words in (one, other))
    return stood, right, len("".join(one[:start]))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def is_own(page: Path) -> bool:
    """Whether ``report`` wrote a page, by the report beside it or by its first line."""
    if report_beside(page):
        return True
    first = data_of(page)[:1000].decode("utf-8", "replace").partition("\n")[0].strip()
    return any(first == f"<!-- {Translator(language).say(GENERATED)} -->" for language in languages())


def of_own_pages(
    root: Path, pages: Iterable[str], logs: Path | None, workers: Workers = ALL_CORES
) -> Iterator[Finding]:
    """A finding for every number of pages that ``report`` wrote, and for every other line that is altered.

    ``pages``: their paths from ``root``. ``logs``: the folder of logs, where it is not the one that the report names.
    Raises ReportError, and ParserError where the workers are gone.
    """
    by_report: dict[Path | None, list[str]] = {}
    for page in pages:
        by_report.setdefault(report_beside(root / page), []).append(page)
    for path, some in by_report.items():
        if path is None:
            why = Message(NO_REPORT)
            yield from (Finding(one, Ruling.NO_DATA, why=why) for page in some for one in claims_of(root, page))
            continue
        unproved = None
        report = read_report(path)
        try:
            made = _made_again(report, path, logs, workers)
            changed = list(altered(_text(path), made.to_json()))
            name = path.relative_to(root).as_posix()
            claims = (
                Claim(document=name, line=one.line, column=one.start + at.start + 1, number=at.number, place=PROSE)
                for one in changed
                for at in numbers_in(one.stood)
            )
            yield from _contradicted(name, changed, claims)
        except (PageError, LogError) as error:
            made, unproved = report, Message(AS_REPORTED, reason=error.message)
        for page in some:
            yield from _of_page(root, page, made, unproved)


def _made_again(report: Report, path: Path, logs: Path | None, workers: Workers) -> Report:
    """The report of a file as its page file and logs give it; raises PageError, LogError where they do not."""
    folder = logs or path.parent / (report.logs_folder or "")
    for log, of in report.logs.items():
        if outside(folder, log) or not (folder / log).is_file():
            raise PageError(NO_LOGS, log=log)
        if of.format not in (None, Path(log).name, *grammars()):
            raise PageError(NO_GRAMMAR, log=log, format=of.format)
    stated = report.page.page_file
    made = build(path.name.removesuffix(SUFFIX), parse(stated, path), stated, LogStore(folder, workers), path.parent)
    # Logs that are named may lie elsewhere than where the links of the page lead; a site names no folder.
    is_elsewhere = made.logs_folder and (logs or not report.logs)
    return replace(made, logs_folder=report.logs_folder) if is_elsewhere else made


def _of_page(root: Path, page: str, report: Report, unproved: Message | None) -> Iterator[Finding]:
    """Each number of a page, and each line without one that is not as its report gives it.

    ``unproved``: why the report was not made again, so that what the page has of it is not proved.
    """
    stood, claims = _text(root / page), claims_of(root, page)
    try:
        changed = list(altered(stood, _rendered(report, root / page, stood)))
    except WordsError as error:
        why = Message(NOT_RENDERED, reason=error.message)
        yield from (Finding(claim, Ruling.NO_DATA, why=why) for claim in claims)
        return
    quoted = [result for result in report.results if result.rests_on_quotes]
    lines = stood.split("\n")
    wrong = list(_contradicted(page, changed, claims))
    named = {one.claim for one in wrong}
    yield from wrong
    for claim in (one for one in claims if one not in named):
        digits, line = claim.number.text, lines[claim.line - 1]
        is_quoted = any(result.digits == digits and result.id in line for result in quoted)
        if is_quoted or unproved:
            yield Finding(claim, Ruling.NO_DATA, why=Message(QUOTED) if is_quoted else unproved)
        else:
            yield Finding(claim, Ruling.PROVED, Hit(claim.number.value, Means.RENDERED))


def _contradicted(document: str, changed: Sequence[Alteration], claims: Iterable[Claim]) -> Iterator[Finding]:
    """The numbers among the words that differ, and the lines that differ in others."""
    of_line = {one.line: one for one in changed[::-1]}
    told: set[int] = set()
    for claim in claims:
        there = of_line.get(claim.line)
        if there and there.holds(claim):
            told.add(claim.line)
            yield there.finding(document, claim)
    yield from (one.finding(document) for one in changed if one.line not in told)


def _rendered(report: Report, page: Path, stood: str) -> str:
    """The text of a page or of its evidence, in the language that its name ends with; ``stood``: what it says.

    A page may lie without its other languages. Raises WordsError for a language without catalogue.
    """
    stem, _, language = page.stem.rpartition(".")
    if page.suffix == ".html":
        name_of, link = page_file, '"{}"'
    else:
        name_of, link = evidence_name if stem.endswith(EVIDENCE) else page_name, "]({})"
    files = {one: name_of(report.page.name, one) for one in languages()}
    linked = [one for one, file in files.items() if one == language or link.format(path_address(file)) in stood]
    made = site_texts([report], linked) if page.suffix == ".html" else texts(report, language, linked)
    return made[name_of(report.page.name, language)]


def _text(path: Path) -> str:
    return data_of(path).decode("utf-8", "replace")
