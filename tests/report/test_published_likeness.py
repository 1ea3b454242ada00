"""The published pages: what keeps their columns from being compared, and what they are by the rule."""

from functools import cache

import pytest

from parsers.sharing.workers import ALONE
from report.measure.measure import measure
from report.pagefile.page_file import find, load
from report.results.build import rows_of
from report.results.comparability import Difference, Line, Unlike, lines
from report.results.made import Made
from report.results.resolve import resolve
from report.results.store import LogStore
from tests.parsers.corpus_logs import ABSENT, CORPUS

PERF = CORPUS / "PaddlePaddle-Perf"

pytestmark = pytest.mark.skipif(not PERF.is_dir(), reason=ABSENT)


@cache
def perf(name: str) -> list[tuple[list[list[Made]], list[Line]]]:
    """The rows of each table of a page, and what is unlike in it."""
    page = load(find(name))
    store = LogStore(PERF, ALONE)
    made = resolve(page, store)
    rows = [(table, rows_of(table, made)) for table in page.tables]
    return [(of, list(lines(page, table, of, store))) for table, of in rows]


def differences(name: str, row: str) -> list[Difference]:
    """What differs in a row of the first table of a page."""
    rows, unlike = perf(name)[0]
    (found,) = [one for one in unlike if one.is_row and rows[one.at][0].result.row == row]
    return list(found.differences)


@pytest.mark.parametrize(
    ("name", "row", "gain"),
    [
        ("resnet50", "V100 · FP32, 8", "+1.7%"),
        ("resnet50", "A100 · FP32, 8", "+1.8%"),
        ("deeplabv3p", "FP32, 8", "+19.7%"),
    ],
)
def test_the_stalled_last_step_of_a_published_page_is_found(name: str, row: str, gain: str) -> None:
    (stall,) = [d for d in differences(name, row) if d.code == Unlike.SLOW_END]
    assert stall.each == {gain: ("NGC PyTorch",)}


def test_the_batch_size_that_contradicts_its_row_is_found() -> None:
    (sizes,) = [d for d in differences("resnet50", "V100 · FP32, 1") if d.code == "batch_size"]
    assert sizes.each["128"] == ("NGC MXNet",)


@pytest.mark.parametrize("name", ["resnet50", "deeplabv3p"])
def test_every_common_number_is_that_of_its_log_by_the_rule(name: str) -> None:
    found = [
        (one, line.common[one.result.id])
        for rows, unlike in perf(name)
        for line in unlike
        for one in (rows[line.at] if line.is_row else ())
        if one.result.id in line.common
    ]
    again = [measure(one.runs[0].reading) for one, _ in found]
    assert [measured.value for measured in again] == [common for _, common in found] != []
