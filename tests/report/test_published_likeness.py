"""The published pages: what keeps their columns from being compared, and what they are by one rule."""

from collections.abc import Iterator
from functools import cache

import pytest

from report.evidence.case_evidence import by_protocol, cells
from report.evidence.cell import Cell
from report.evidence.comparability import Difference, Unlike
from report.evidence.comparison import UnlikeNumbers, comparisons
from report.measure.protocol import Protocol
from report.pagefile.page import Page
from report.pagefile.page_file import find, load
from tests.parsers.corpus_logs import ABSENT, CORPUS

PERF = CORPUS / "PaddlePaddle-Perf"

pytestmark = pytest.mark.skipif(not PERF.is_dir(), reason=ABSENT)


@cache
def perf(name: str) -> tuple[Page, list[Cell], list[UnlikeNumbers]]:
    page = load(find(name))
    found = list(cells(page, PERF))
    return page, found, list(comparisons(page, found))


def differences(name: str, table: str, row: str) -> list[Difference]:
    (found,) = [one for one in perf(name)[2] if (one.table, one.title) == (table, row)]
    return list(found.differences)


@pytest.mark.parametrize(
    ("name", "table", "row", "gain"),
    [
        ("resnet50", "main", "V100 · FP32, 8", "+1.7%"),
        ("resnet50", "main", "A100 · FP32, 8", "+1.8%"),
        ("deeplabv3p", "main", "FP32, 8", "+19.7%"),
    ],
)
def test_the_stalled_last_step_of_a_published_page_is_found(name: str, table: str, row: str, gain: str) -> None:
    (stall,) = [d for d in differences(name, table, row) if d.code == Unlike.SLOW_END]
    assert stall.each == {gain: ("NGC PyTorch",)}


def test_the_batch_size_that_contradicts_its_row_is_found() -> None:
    (sizes,) = [d for d in differences("resnet50", "main", "V100 · FP32, 1") if d.code == Unlike.BATCH_SIZE]
    assert sizes.each["128"] == ("NGC MXNet",)


def lines_of(name: str) -> Iterator[tuple[Page, Cell, Protocol, float]]:
    page, _, found = perf(name)
    yield from ((page, one.cell, one.protocol, one.number) for comparison in found for one in comparison.common)


@pytest.mark.parametrize("name", ["resnet50", "deeplabv3p"])
def test_every_number_by_the_common_rule_comes_out_of_its_log_by_the_protocol_beside_it(name: str) -> None:
    lines = list(lines_of(name))
    again = [
        by_protocol(page.unit, cell, cell.proofs[0], Protocol.parse(rule.words())) for page, cell, rule, _ in lines
    ]
    assert [found.value for found in again] == [number for *_, number in lines] != []
