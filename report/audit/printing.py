"""Printing an audit: for the terminal, as Markdown, and as JUnit XML."""

from collections import Counter
from collections.abc import Sequence
from io import StringIO
from xml.etree import ElementTree as Xml

from rich.table import Table
from tabulate import tabulate

from parsers.io.console import Console, Text

from ..wording import markdown
from .favoured import Unlike
from .finding import VERDICTS, Finding

Findings = Sequence[tuple[str, Finding]]

COLOURS = {"exact": "green", "near": "green", "no evidence": "yellow", "dead link": "yellow"}
BAD = "red"
WIDTH = 160  # of what is printed into a file or a pipe
HEAD = ("Verdict", "Where", "Row", "Column", "Published", "Log gives", "Reason")
UNLIKE_HEAD = ("Where", "Row", "Compares unlike with unlike", "By one rule (as published)")


def terminal(findings: Findings, *, everything: bool, colour: bool) -> str:
    """A table of the findings that leave something to mend, or of all, and a line that sums up."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
    shown = [(page, finding) for page, finding in findings if everything or not finding.is_good]
    if shown:
        table = Table(box=None, pad_edge=False)
        for title in HEAD:
            table.add_column(title, overflow="fold", justify="right" if title in ("Published", "Log gives") else "left")
        for page, finding in shown:
            table.add_row(Text(_verdict(finding), COLOURS.get(finding.verdict, BAD)), *map(Text, _row(page, finding)))
        console.print(table)
    console.print(Text(summary([finding for _, finding in findings])))
    return out.getvalue()


def as_markdown(findings: Findings, unlike: Sequence[Unlike] = ()) -> str:
    """The same as Markdown: how many of each verdict, what is to be mended, and what compares unlike with unlike."""
    counts = Counter(finding.verdict for _, finding in findings)
    verdicts = [[verdict, str(counts[verdict]), what] for verdict, what in VERDICTS.items() if counts[verdict]]
    bad = [[_verdict(finding), *_row(page, finding)] for page, finding in findings if not finding.is_good]
    rows = [[f"{row.page}:{row.line}", row.row, row.said, row.by_one_rule or "-"] for row in unlike]
    tables = (_table(("Verdict", "Numbers", "Meaning"), verdicts), _table(HEAD, bad), _table(UNLIKE_HEAD, rows))
    return "\n\n".join(filter(None, tables)) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = [[markdown.text(cell) for cell in row] for row in rows]
    return tabulate(shown, head, tablefmt="pipe", disable_numparse=True) if rows else ""


def junit(findings: Findings) -> str:
    """The same as JUnit XML: a test case a number, failed where there is something to mend."""
    bad = sum(not finding.is_good for _, finding in findings)
    suite = Xml.Element("testsuite", name="tachograph audit", tests=str(len(findings)), failures=str(bad))
    for page, finding in findings:
        number = finding.number
        name = _clean(f"{number.heading}: {number.row}, {number.column}: {number.digits}")
        case = Xml.SubElement(suite, "testcase", classname=_clean(page), name=name, file=_clean(page))
        case.set("line", str(number.line))
        if not finding.is_good:
            Xml.SubElement(case, "failure", type=finding.verdict, message=_clean(finding.reason))
        elif finding.accepted:
            Xml.SubElement(case, "skipped", message=_clean(f"{finding.verdict}, accepted: {finding.accepted}"))
    Xml.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(suite, encoding="unicode")}\n'


def summary(findings: Sequence[Finding]) -> str:
    """One line: how many numbers, for how many a log was found, and how many have each verdict."""
    counts = Counter(finding.verdict for finding in findings)
    backed = sum(finding.log is not None for finding in findings)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    accepted = sum(finding.accepted is not None for finding in findings)
    known = f" ({accepted} accepted)" if accepted else ""
    return f"{len(findings)} numbers, {backed} with a log: {verdicts or 'none'}{known}."


def _verdict(finding: Finding) -> str:
    return f"{finding.verdict} (accepted)" if finding.accepted else finding.verdict


def _row(page: str, finding: Finding) -> list[str]:
    number = finding.number
    where = f"{page}:{number.line}"
    return [where, number.row, number.column, number.digits, finding.computed or "-", finding.reason]


def _clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)
