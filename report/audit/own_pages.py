"""Pages of our own: the report is made again from its page file and logs, the page from the report, and both compared.

Every number of such a page is proved where its line is as it is rendered again, and contradicted where it is not; so is
a line without a number, of the page or of its report. Where the logs are not here, a page is held against its report
alone: what is as the report has it is not proved then. No log backs what a page quotes.
"""

import posixpath
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
from parsers.sharing.workers import ALL_CORES, Workers

from ..pagefile.page_file import PageError, parse
from ..results.build import build
from ..results.model import SUFFIX, Report, read_report, report_beside
from ..results.store import LogStore, outside
from ..views.markdown import GENERATED, evidence_name, page_name, texts
from ..wording.markdown import path_address
from ..wording.words import Translator, WordsError, languages
from .chance import Hit, Means
from .claims import Claim, claims_of
from .documents import LINE
from .number import Number
from .rulings import Finding, Ruling

EVIDENCE = ".evidence"  # what the name of the evidence of a page ends with, before its language
NO_REPORT = "Tachograph generated this page, but its report {file} is missing: render the page again."
NOT_RENDERED = "The page could not be rendered again: {reason}"
NO_LOGS = "its log {log} is not here; give --logs."
AS_REPORTED = "Its report says the same, but could not be made again: {reason}"
QUOTED = "The page quotes it; no log backs it."
MORE_LINES = 1000  # of a page, beyond twice those that it is to have; of what is longer the first difference is told
LONGEST = 160  # characters that are told of an altered line
_WORDS = re.compile(r"[\w.,%+\u2021-]+|.", re.DOTALL)


class Alteration(NamedTuple):
    """One line that is not as it is to be.

    ``line``: its number in the file, from 1; of a line that is not there, that of the line in its place. ``stood``: the
    words that differ, as they stand in the file, from the character ``start`` on; None where the line is missing.
    ``right``: what they are to be, None where there is to be no such line.
    """

    line: int
    stood: str | None
    right: str | None
    start: int = 0

    def holds(self, claim: Claim) -> bool:
        """Whether some of the digits of a claim are among the words that differ."""
        begin = claim.column - 1
        return self.start < begin + len(claim.number.text) and begin < self.start + len(self.stood or "")

    def hit(self) -> Hit:
        """What the line is to say; nothing where there is to be no such line."""
        return Hit(nan, Means.RENDERED, _shortened(self.right or ""))

    def finding(self, document: str) -> Finding:
        """The finding for a line of a document whose numbers are as they are to be."""
        number = Number(_shortened(self.stood or ""), nan, nan)
        claim = Claim(document=document, line=self.line, column=1, number=number, place=LINE)
        return Finding(claim, Ruling.CONTRADICTED, self.hit())


def altered(stood: str, right: str) -> Iterator[Alteration]:
    """The lines of a file that are not as they are to be.

    Every difference is in one of them, but that of line ends, also at the end of the file, and of a byte order mark.
    """
    lines = stood.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n").split("\n")
    wanted = right.replace("\r\n", "\n").rstrip("\n").split("\n")
    if len(lines) > 2 * len(wanted) + MORE_LINES:  # comparing them would take long
        at = _same(lines, wanted)
        yield _alteration(at + 1, lines[at], wanted[at] if at < len(wanted) else None)
        return
    for tag, first, last, *between in SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes():
        for at, one in zip_longest(range(first, last), wanted[slice(*between)]) if tag != "equal" else ():
            number = min(last if at is None else at, len(lines) - 1) + 1
            yield _alteration(number, None if at is None else lines[at], one)


def _alteration(line: int, stood: str | None, right: str | None) -> Alteration:
    """A line beside what it is to be: what both begin and end with, in whole words and numbers, is left out."""
    if stood is None or right is None:
        return Alteration(line, stood, right)
    parts, wanted = _WORDS.findall(stood), _WORDS.findall(right)
    start = _same(parts, wanted)
    behind = _same(parts[start:][::-1], wanted[start:][::-1])
    stood, right = ("".join(some[start : len(some) - behind]) for some in (parts, wanted))
    return Alteration(line, stood, right, len("".join(parts[:start])))


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal parts both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


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
    by_report: dict[str, list[str]] = {}
    for page in pages:
        name = Path(Path(page).stem).stem.removesuffix(EVIDENCE) + SUFFIX
        by_report.setdefault(posixpath.join(posixpath.dirname(page), name), []).append(page)
    for beside, some in by_report.items():
        path, unproved = root / beside, None
        if not path.exists():
            for page in some:
                yield from _not_ruled_on(root, page, Message(NO_REPORT, file=path.name))
            continue
        report = read_report(path)
        try:
            made = _made_again(report, path, logs, workers)
            yield from (one.finding(beside) for one in altered(_text(path), made.to_json()))
        except (PageError, LogError) as error:
            made, unproved = report, Message(AS_REPORTED, reason=error.message)
        for page in some:
            yield from _of_page(root, page, made, unproved)


def _not_ruled_on(root: Path, page: str, why: Message) -> Iterator[Finding]:
    yield from (Finding(claim, Ruling.NO_DATA, why=why) for claim in claims_of(root, page))


def _made_again(report: Report, path: Path, logs: Path | None, workers: Workers) -> Report:
    """The report of a file as its page file and logs give it; raises PageError, LogError where they do not."""
    folder = logs or path.parent / (report.logs_folder or "")
    for log in report.logs:
        if outside(folder, log) or not (folder / log).is_file():
            raise PageError(NO_LOGS, log=log)
    stated = report.page.page_file
    made = build(path.name.removesuffix(SUFFIX), parse(stated, path), stated, LogStore(folder, workers), path.parent)
    # Logs that are named may lie elsewhere than where the links of the page lead.
    return replace(made, logs_folder=report.logs_folder) if logs and made.logs_folder and report.logs_folder else made


def _of_page(root: Path, page: str, report: Report, unproved: Message | None) -> Iterator[Finding]:
    """Each number of a page, and each line without one that is not as its report gives it.

    ``unproved``: why the report was not made again, so that what the page has of it is not proved.
    """
    stood = _text(root / page)
    try:
        changed = list(altered(stood, _markdown(report, root / page, stood)))
    except WordsError as error:
        yield from _not_ruled_on(root, page, Message(NOT_RENDERED, reason=error.message))
        return
    quoted = [result for result in report.results if result.rests_on_quotes]
    of_line = {one.line: one for one in changed[::-1]}
    told: set[int] = set()
    lines = stood.split("\n")
    for claim in claims_of(root, page):
        there, digits, line = of_line.get(claim.line), claim.number.text, lines[claim.line - 1]
        is_quoted = any(result.digits == digits and result.id in line for result in quoted)
        if there and there.holds(claim):
            told.add(claim.line)
            yield Finding(claim, Ruling.CONTRADICTED, there.hit())
        elif is_quoted or unproved:
            yield Finding(claim, Ruling.NO_DATA, why=Message(QUOTED) if is_quoted else unproved)
        else:
            yield Finding(claim, Ruling.PROVED, Hit(claim.number.value, Means.RENDERED))
    yield from (one.finding(page) for one in changed if one.line not in told)


def _markdown(report: Report, page: Path, stood: str) -> str:
    """The text of a page or of its evidence, in the language that its name ends with; ``stood``: what it says.

    A page may lie without its other languages. Raises WordsError for a language without catalogue.
    """
    language, name = page.stem.rpartition(".")[2], report.page.name
    is_evidence = Path(page.stem).stem.endswith(EVIDENCE)
    files = {one: (evidence_name if is_evidence else page_name)(name, one) for one in languages()}
    linked = [one for one, file in files.items() if one == language or f"]({path_address(file)})" in stood]
    markdown, evidence = texts(report, language, linked).values()
    return evidence if is_evidence else markdown


def _text(path: Path) -> str:
    return data_of(path).decode("utf-8", "replace")
