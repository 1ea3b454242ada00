"""Printing an audit: for the terminal, as Markdown, and as JUnit XML."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from io import StringIO
from xml.etree import ElementTree as Xml

from rich.console import JustifyMethod

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ...wording import markdown
from ...wording.words import Translate, worded
from ..audited_pages import Unlike
from ..finding import ALTERED, GOOD, OF_NO_NUMBER, VERDICTS, Finding
from .aligned_rows import GAP, aligned

Findings = Sequence[tuple[str, Finding]]

SUMMARY = "{count} numbers, {backed} with a log: {verdicts}."
SUMMARY_OF_ONE = "{count} number, {backed} with a log: {verdicts}."
NO_NUMBERS = "No benchmark numbers found."
ALTERED_LINE = "{summary} {count} altered line."
ALTERED_LINES = "{summary} {count} altered lines."
OF_VERDICT = "{count} {verdict}"
SOME_ACCEPTED = "{verdicts} ({count} accepted)"
ACCEPTED_BECAUSE = "{verdict}, accepted: {reason}"
COLOURS = dict.fromkeys(GOOD, "green") | dict.fromkeys(("unexplained", "no evidence", "dead link"), "yellow")
BAD = "red"
HEAD_STYLE = "bold"
WIDTH = 160  # of what is printed into a file or a pipe
HEAD: Mapping[str, JustifyMethod] = {
    "Verdict": "left",
    "Where": "left",
    "Row": "left",
    "Column": "left",
    "Published": "right",
    "Log gives": "right",
    "Reason": "left",
}
VERDICTS_HEAD = ("Verdict", "Numbers", "Meaning")
UNLIKE_HEAD = ("Where", "Row", "Compares unlike with unlike", "By one rule (as published)")


def terminal(findings: Findings, *, everything: bool, colour: bool, translate: Translate) -> str:
    """A table of the findings that leave something to mend, or of all, and a line that sums up."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
    shown = [(page, finding) for page, finding in findings if everything or not finding.is_good]
    if shown:
        rows = [[printable(cell) for cell in _row(page, finding, translate)] for page, finding in shown]
        head = [translate(title) for title in HEAD]
        styles = [HEAD_STYLE, *(COLOURS.get(finding.verdict, BAD) for _, finding in shown)]
        right = [side == "right" for side in HEAD.values()]
        for style, lines in zip(styles, aligned([head, *rows], right, console.width), strict=True):
            for first, *rest in lines:
                told = [_styled(first, style) if colour else first, *rest]
                out.write(f"{GAP.join(told)}\n")
    console.print(Text(worded(summary([finding for _, finding in findings]), translate)))
    return out.getvalue()


@cache
def _styled(text: str, style: str) -> str:
    """A text with the codes of a terminal around it."""
    console = Console(StringIO(), force_terminal=True, width=WIDTH)
    with console.capture() as captured:
        console.print(Text(text, style), end="")
    return captured.get()


def as_markdown(findings: Findings, unlike: Sequence[Unlike], translate: Translate) -> str:
    """The same as Markdown: how many of each verdict, what is to be mended, and what compares unlike with unlike."""
    counts = Counter(finding.verdict for _, finding in findings)
    verdicts = [
        [translate(verdict), str(counts[verdict]), translate(what)]
        for verdict, what in VERDICTS.items()
        if counts[verdict]
    ]
    bad = [_row(page, finding, translate) for page, finding in findings if not finding.is_good]
    rows = [_unlike_row(row, translate) for row in unlike]
    tables: Sequence[tuple[Collection[str], list[list[str]]]] = (
        (VERDICTS_HEAD, verdicts),
        (HEAD, bad),
        (UNLIKE_HEAD, rows),
    )
    return "\n\n".join(markdown.table([*map(translate, head)], body) for head, body in tables if body) + "\n"


def _unlike_row(row: Unlike, translate: Translate) -> list[str]:
    by_one_rule = worded(row.by_one_rule, translate) if row.by_one_rule else "-"
    return [f"{row.page}:{row.line}", row.row, worded(row.said, translate), by_one_rule]


def junit(findings: Findings, translate: Translate, *, strict: bool = False) -> str:
    """The same as JUnit XML: a test case a number, failed where there is something to mend.

    Types of failures are the verdicts as programs know them. What is unexplained is skipped, but not where ``strict``.
    """
    bad = sum(finding.fails(strict=strict) for _, finding in findings)
    suite = Xml.Element("testsuite", name="tachograph audit", tests=str(len(findings)), failures=str(bad))
    for page, finding in findings:
        number = finding.number
        name = clean(f"{number.heading}: {number.row}, {number.column}: {number.digits}")
        case = Xml.SubElement(suite, "testcase", classname=clean(page), name=name, file=clean(page))
        case.set("line", str(number.line))
        said = clean(worded(finding.reason, translate))
        if finding.fails(strict=strict):
            Xml.SubElement(case, "failure", type=finding.verdict, message=said)
        elif finding.accepted:
            accepted = Message(ACCEPTED_BECAUSE, verdict=Message(finding.verdict), reason=finding.accepted)
            Xml.SubElement(case, "skipped", message=clean(worded(accepted, translate)))
        elif not finding.is_good:
            Xml.SubElement(case, "skipped", message=said)
    Xml.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(suite, encoding="unicode")}\n'


def summary(findings: Sequence[Finding]) -> Message:
    """One line: how many numbers, for how many a log was found, and how many have each verdict; lines that changed."""
    numbers = [finding for finding in findings if finding.verdict not in OF_NO_NUMBER]
    if not (changed := sum(finding.verdict == ALTERED for finding in findings)):
        return _of_numbers(numbers)
    key = ALTERED_LINE if changed == 1 else ALTERED_LINES
    return Message(key, summary=_of_numbers(numbers), count=changed)


def _of_numbers(findings: Sequence[Finding]) -> Message:
    if not findings:
        return Message(NO_NUMBERS)
    counts = Counter(finding.verdict for finding in findings)
    backed = sum(finding.log is not None for finding in findings)
    each = [
        Message(OF_VERDICT, count=counts[verdict], verdict=Message(verdict)) for verdict in VERDICTS if counts[verdict]
    ]
    verdicts = joined("{first}, {second}", each)
    if accepted := sum(finding.accepted is not None for finding in findings):
        verdicts = Message(SOME_ACCEPTED, verdicts=verdicts, count=accepted)
    key = SUMMARY_OF_ONE if len(findings) == 1 else SUMMARY
    return Message(key, count=len(findings), backed=backed, verdicts=verdicts)


def _row(page: str, finding: Finding, translate: Translate) -> list[str]:
    """The cells of a finding, as those of ``HEAD``."""
    number, verdict = finding.number, Message(finding.verdict)
    verdict = Message("{verdict} (accepted)", verdict=verdict) if finding.accepted else verdict
    labels = [number.row, number.column, number.digits, finding.computed or "-"]
    return [worded(verdict, translate), f"{page}:{number.line}", *labels, worded(finding.reason, translate)]


def clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)
