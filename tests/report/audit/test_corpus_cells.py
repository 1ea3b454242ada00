"""Audits of pages that are made of the published cells of the corpus."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from report.audit.audit import audit
from report.audit.claim import Claim, claims, explain
from report.audit.evidence import Library
from report.audit.finding import GOOD, Finding
from report.audit.judge import Judge
from report.audit.recovery import Pair, recover
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


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_changed_digit_of_an_exact_cell_is_always_caught(data: st.DataObject) -> None:
    exact = [number for number, claim in enumerate(judged()) if claim.recovered]
    place = data.draw(st.sampled_from(exact))
    digits = judged()[place].number.digits
    at = data.draw(st.sampled_from([i for i, digit in enumerate(digits) if digit.isdigit()]))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != digits[at]]))
    assert not set(verdicts_on(place, digits[:at] + other + digits[at + 1 :])) <= set(GOOD)


def verdicts_on(place: int, digits: str) -> list[str]:
    """The verdicts on one number of the site when it has other digits, and on those of its log that were exact.

    1449.65 has a neighbour, 1449.62, which another protocol of its column gives: then it is the other page with the
    number that is found to contradict the log.
    """
    changed = [
        Claim(replace(claim.number, digits=digits) if number == place else claim.number, claim.match, claim.evidence)
        for number, claim in enumerate(judged())
    ]
    explain([claim for claim in changed if claim.best.format == changed[place].best.format])
    judge, log = Judge(changed, 0.0), changed[place].log
    exact = [new for old, new in zip(judged(), changed, strict=True) if old.recovered and new.log == log]
    return [judge.finding(claim).verdict for claim in exact]


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
