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
from report.recovery.recovery import Pair, recover
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
# Published once, these are given by rules with other roundings or windows of the same log.
ALONE = OF_ANOTHER_RULE | {("96.03", "96.04"), ("96.03", "96.06")}


@pytest.mark.slow
def test_every_changed_digit_of_an_exact_cell_is_caught_but_what_a_shared_rule_gives() -> None:
    passed = [(old.number.digits, new) for old, new in changes() if verdict(old, new, judged()).verdict in GOOD]
    assert set(passed) == OF_ANOTHER_RULE


@pytest.mark.slow
def test_of_a_number_that_is_published_once_few_changed_digits_pass_but_as_truncated_by_its_own_protocol() -> None:
    passed = []
    for old, new in changes():
        alone = [c for c in judged() if c is old or (c.number.digits, c.log) != (old.number.digits, old.log)]
        found = verdict(old, new, alone)
        if found.verdict in GOOD and found.protocol != truncated(old):
            passed.append((old.number.digits, new))
    assert set(passed) == ALONE


def changes() -> Iterator[tuple[Claim, str]]:
    """Every exact number with each of its digits changed into each other one."""
    for claim in judged():
        digits = claim.number.digits if claim.recovered else ""
        for place, old in enumerate(digits):
            others = set("0123456789") - {old} if old.isdigit() else set()
            yield from ((claim, digits[:place] + new + digits[place + 1 :]) for new in sorted(others))


def verdict(changed: Claim, digits: str, site: list[Claim]) -> Finding:
    """The finding for one number of a site when it has other digits."""
    column = [claim for claim in site if claim.best.format == changed.best.format]
    new = [Claim(claim.number, claim.match, claim.evidence) for claim in column]
    place = next(number for number, claim in enumerate(column) if claim is changed)
    new[place].number = replace(changed.number, digits=digits)
    explain(new)
    return Judge(new, 0.0).finding(new[place])


def truncated(claim: Claim) -> str:
    """The protocol of an exact number, when it truncates."""
    assert claim.recovered
    return claim.recovered.protocol.printing(claim.number.digits).overridden("rounding=truncate").words()


NAMED = {
    "Paddle benchmark tool, trimmed": "skip_records=10 trim=0.05 trim_min=5 statistic=mean",
    "Paddle benchmark tool, older": "estimate=reported skip_records=10 statistic=mean",
    "harmonic mean of the epoch-level": "records=epoch estimate=reported skip_records=1 statistic=harmonic_mean",
    "arithmetic mean of 'total_ips'": "estimate=reported skip_records=5 statistic=mean",
    "after dropping the first 9 ": "estimate=reported skip_records=9 statistic=mean",
    "after dropping the first 8 ": "estimate=reported skip_records=8 statistic=mean",
    "value of the final": "records=summary estimate=reported statistic=last",
    "value of train.total_ips on the 'Summary:'": "records=summary estimate=reported statistic=last",
    "mean of ips over all [TRAIN] lines": "estimate=reported skip_records=5 statistic=mean rounding=truncate",
    'arithmetic mean of "time:"': "estimate=step_time skip_records=2 statistic=mean",
}


def test_recovery_finds_the_reduction_that_the_corpus_names_for_every_cell_that_comes_out() -> None:
    wrong = []
    for claim in judged():
        named = reduction_of(claim)
        if named and not (claim.recovered and claim.recovered.protocol.words().endswith(named)):
            wrong.append((claim.number.digits, named, claim.recovered))
    assert wrong == []


def reduction_of(claim: Claim) -> str | None:
    cell = next(c for c in CELLS if c.published == claim.number.digits and c.cards == claim.number.case["cards"])
    known = [words for text, words in NAMED.items() if text in cell.reduction]
    return known[0] if known and cell.comes_out and not cell.remark.startswith("FITTED") else None


@pytest.mark.parametrize("digits", ["1438.518", "10936.815"])
def test_recovery_finds_nothing_for_a_cell_that_no_reduction_explains(digits: str) -> None:
    claim = next(claim for claim in judged() if claim.number.digits == digits)
    pairs = [Pair(digits, evidence.reading.sha256, evidence.searched) for evidence in claim.evidence]
    assert recover(pairs) == [None] * len(pairs)
