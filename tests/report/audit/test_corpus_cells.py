"""Audits of pages that are made of the published cells of the corpus."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from report.audit.audited_pages import audit
from report.audit.backing_logs import Library
from report.audit.claim import Claim, claims, explain
from report.audit.finding import GOOD, Finding
from report.audit.judge import Judge
from tests.parsers.corpus_logs import ABSENT
from tests.report.audit.corpus_pages import STYLES, Cells, CorpusCell, corpus_cells, long, site

CELLS = corpus_cells()
LIBRARY = Library()

pytestmark = pytest.mark.skipif(not CELLS, reason=ABSENT)


def of_cell(cell: CorpusCell, findings: list[Finding]) -> list[Finding]:
    """The findings of a cell, by page, digits and case."""
    return [
        finding
        for finding in findings
        if finding.number.digits == cell.published
        and str(finding.number.page).endswith(f"PaddlePaddle-Perf/{cell.page}")
        and finding.number.case.get("cards") == cell.cards
    ]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_every_published_cell_is_found_with_its_case_and_judged_as_the_corpus_says(
    style: Callable[[Cells], str],
) -> None:
    findings = audit(site(style, CELLS), library=LIBRARY).findings
    assert len(findings) == len(CELLS)
    wrong = {(cell.page, cell.published): found for cell in CELLS if (found := list(_disagreeing(cell, findings)))}
    assert wrong == {}


def _disagreeing(cell: CorpusCell, findings: list[Finding]) -> Iterator[str]:
    found = of_cell(cell, findings)
    assert found
    for finding in found:
        case = finding.number.case
        if (case["cards"], case["batch_size"]) != (cell.cards, cell.batch_size):
            yield f"is read as {case}"
        if finding.verdict not in cell.possible:
            yield f"{finding.verdict}: {finding.reason}"
        if cell.log and finding.log != cell.log:
            yield f"is held against {finding.log} instead of {cell.log}"


@cache
def judged() -> list[Claim]:
    return claims(site(long, CELLS), (), LIBRARY)


# Its log gives this by the rule that other logs of its study share: skip 8 records, not 9.
OF_ANOTHER_RULE = {("1449.65", "1449.62")}


@pytest.mark.slow
def test_every_changed_digit_of_an_exact_cell_is_caught_but_what_a_shared_rule_gives() -> None:
    passed = [(old.number.digits, new) for old, new in changes() if verdict(old, new, judged()).verdict in GOOD]
    assert set(passed) == OF_ANOTHER_RULE


def changes() -> Iterator[tuple[Claim, str]]:
    """Every exact number with each of its digits changed into some others, all nine over all digits."""
    for claim in judged():
        digits = claim.number.digits if claim.recovered else ""
        for place, old in enumerate(digits):
            others = [str((int(old) + step + place % 3) % 10) for step in (1, 4, 7)] if old.isdigit() else []
            yield from ((claim, digits[:place] + new + digits[place + 1 :]) for new in others)


def verdict(changed: Claim, digits: str, site: list[Claim]) -> Finding:
    """The finding for one number of a site when it has other digits."""
    column = [claim for claim in site if claim.best.format == changed.best.format]
    new = [Claim(claim.number, claim.match, claim.evidence) for claim in column]
    place = next(number for number, claim in enumerate(column) if claim is changed)
    new[place].number = replace(changed.number, digits=digits)
    explain(new)
    return Judge(new, 0.0).finding(new[place])
