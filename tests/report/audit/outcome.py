"""The outcome of auditing published pages of others: how many numbers, logs and verdicts, and what was found.

`make audit-docs PERF=<checkout> EXAMPLES=<checkout>` writes it into docs/audit.md. The pages never enter the project.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from parsers.io.message import Message
from report.audit.audited_pages import Named, audit_files, markdown_files
from report.audit.finding import VERDICTS, Finding, Verdict
from report.audit.findings.printing import summary
from report.audit.table_arithmetic import INCONSISTENT
from report.wording import markdown

DOCUMENT = Path(__file__).parents[3] / "docs" / "audit.md"
TEXT = Path(__file__).with_name("outcome.md")
EXAMPLES_SHOWN = 3


@dataclass(frozen=True)
class Outcome:
    """What an audit of a checkout found, in how many seconds of all processors."""

    commit: str
    found: Sequence[Named]
    seconds: float

    @property
    def findings(self) -> list[Finding]:
        """The findings without the names of their pages."""
        return [finding for _, finding in self.found]


def outcome(checkout: Path) -> Outcome:
    """Audit all pages of a git checkout."""
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    start = sum(os.times()[:4])
    found = audit_files(markdown_files([checkout]), None, [], 0.0).findings
    return Outcome(commit, found, sum(os.times()[:4]) - start)


def document(perf: Outcome, examples: Outcome) -> str:
    """The page of two outcomes."""
    return TEXT.read_text(encoding="utf-8").format(
        meanings=_table(("Verdict", "Meaning"), [[verdict, said] for verdict, said in VERDICTS.items()]),
        perf=perf.commit,
        perf_summary=str(summary(perf.findings)),
        perf_pages=by_page(perf.found),
        perf_seconds=f"{perf.seconds:.0f}",
        perf_findings=grouped(perf.found),
        examples=examples.commit,
        examples_numbers=str(len(examples.findings)),
        examples_consistent=str(_count(examples.findings, "consistent")),
        examples_inconsistent=str(_count(examples.findings, INCONSISTENT)),
        examples_summary=str(summary(examples.findings)),
        examples_pages=by_page(examples.found),
        examples_findings=grouped([one for one in examples.found if one[1].verdict == INCONSISTENT]),
    )


def _count(findings: Sequence[Finding], verdict: Verdict) -> int:
    return sum(finding.verdict == verdict for finding in findings)


def by_page(found: Sequence[Named]) -> str:
    """A row a page: its numbers, how many have a log, and how many have each verdict; the last one sums up."""
    verdicts = [verdict for verdict in VERDICTS if any(finding.verdict == verdict for _, finding in found)]
    pages = {page: [f for name, f in found if name == page] for page, _ in found}
    rows = [_counted(page, some, verdicts) for page, some in pages.items()]
    total = _counted("all", [finding for _, finding in found], verdicts)
    return _table(("Page", "Numbers", "With a log", *verdicts), [*rows, total])


def _counted(name: str, findings: Sequence[Finding], verdicts: Sequence[Verdict]) -> list[str]:
    counts = Counter(finding.verdict for finding in findings)
    backed = sum(finding.log is not None for finding in findings)
    return [name, *map(str, (len(findings), backed, *(counts[verdict] for verdict in verdicts)))]


def grouped(found: Sequence[Named]) -> str:
    """What is to be mended: a row a verdict, page and kind of reason, with how many numbers and some of them."""
    groups: dict[tuple[Verdict, str, tuple[str, ...]], list[Finding]] = {}
    for page, finding in found:
        if not finding.is_good:
            groups.setdefault((finding.verdict, page, keys(finding.reason)), []).append(finding)
    order = sorted(groups, key=lambda group: (list(VERDICTS).index(group[0]), group[1]))
    rows = [[verdict, page, *_shown(groups[verdict, page, kind])] for verdict, page, kind in order]
    return _table(("Verdict", "Page", "Numbers", "Such as", "Reason of the first"), rows)


def _shown(findings: Sequence[Finding]) -> tuple[str, ...]:
    first = [f"{f.number.digits} (line {f.number.line})" for f in findings[:EXAMPLES_SHOWN]]
    more = ["…"] if len(findings) > EXAMPLES_SHOWN else []
    return str(len(findings)), ", ".join([*first, *more]), str(findings[0].reason)


def keys(reason: Message) -> tuple[str, ...]:
    """What kind of reason it is: the keys of its message and of all messages in it."""
    inner = (value for value in reason.values.values() if isinstance(value, Message))
    return reason.key, *(key for message in inner for key in keys(message))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = [[markdown.text(cell) for cell in row] for row in rows]
    return tabulate(shown, head, "pipe", disable_numparse=True)


def tables(text: str) -> Iterator[Mapping[str, list[str]]]:
    """The tables by page of a written document: page -> its counts, and the head under an empty name."""
    for block in re.findall(r"(?:^\| Page.*\n)(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        yield {"": rows[0][1:], **{row[0]: row[1:] for row in rows[2:]}}


if __name__ == "__main__":
    DOCUMENT.write_text(document(*(outcome(Path(checkout)) for checkout in sys.argv[1:3])), encoding="utf-8")
