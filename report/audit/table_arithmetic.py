"""The arithmetic of tables: what other numbers of its table say of a published number, where no log does."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from parsers.io.message import Message

from ..published.arithmetic import Recomputed, recomputed
from ..published.document import Document
from ..published.published_numbers import number_at
from .finding import Finding, Verdict

Place = tuple[Path, int, tuple[int, int]]

GIVE_IT = "Other numbers of its table give it: {operation}."
GIVE_ANOTHER = "Other numbers of its table give {digits}: {operation}."
OTHER_QUANTITY = "No log of this case prints the number, and its quantity is not computed from logs."
CONSISTENT: Verdict = "consistent"
INCONSISTENT: Verdict = "inconsistent"
OPEN: tuple[Verdict, ...] = ("no evidence", "dead link")


def with_arithmetic(findings: Sequence[Finding], documents: Sequence[Document]) -> list[Finding]:
    """The findings, and those on the numbers that others of their tables give or contradict, in the order of the pages.

    What a log says of a number counts before what other numbers do.
    """
    found = {_place(finding): finding for document in documents for finding in document.once(of_arithmetic)}
    judged = {_place(finding) for finding in findings}
    kept = [_contradicted(finding, found.get(_place(finding))) for finding in findings]
    more = [finding for place, finding in found.items() if place not in judged]
    order = {document.path: number for number, document in enumerate(documents)}
    return sorted([*kept, *more], key=lambda one: (order[one.number.page], *_place(one)[1:]))


def _contradicted(judged: Finding, by_others: Finding | None) -> Finding:
    """What is said of a number without a log: that others of its table contradict it, or that it sums them up.

    Where no log gives its quantity, that they give it is said, too.
    """
    if by_others is None or judged.verdict not in OPEN:
        return judged
    is_theirs = judged.number.sums_up or judged.number.rate == "tflops" or judged.reason.key == OTHER_QUANTITY
    return by_others if by_others.verdict == INCONSISTENT or is_theirs else judged


def _place(finding: Finding) -> Place:
    return finding.number.page, finding.number.table, finding.number.place


def of_arithmetic(document: Document) -> Iterator[Finding]:
    """A finding on each number of a page that others of its table give or contradict."""
    for one in recomputed(document):
        yield _finding(document, one)


def _finding(document: Document, check: Recomputed) -> Finding:
    printed, derived = check.printed, check.derived
    digits = printed.with_value(derived.value)
    key = GIVE_IT if check.is_consistent else GIVE_ANOTHER
    return Finding(
        number=number_at(document, check.table, check.place, printed.digits),
        verdict=CONSISTENT if check.is_consistent else INCONSISTENT,
        reason=Message(key, operation=derived.operation, digits=digits),
        computed=printed.digits if check.is_consistent else digits,
        ratio=printed.value / derived.value if derived.value else None,
    )
