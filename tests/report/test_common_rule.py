"""The common rule: what the numbers of a row are when one protocol makes them all, and how that is shown."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.measure.protocol import Protocol
from report.results.model import Common
from tests.report.compared_page import STEADY, edit, make, put, rendered, unlike


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside two logs that are alike."""
    return make(tmp_path)


def common(folder: Path) -> list[Common]:
    """The numbers of the only row by one rule."""
    (only,) = unlike(folder)
    return list(only.common.values())


def test_the_common_rule_counts_neither_a_slow_start_nor_a_stalled_end(folder: Path) -> None:
    put(folder, "b1", (4.0, 40.0, *STEADY, 40.0))
    a, b = common(folder)
    assert a.value == 401.0
    assert b.value == pytest.approx(401.0, abs=1)
    assert b.own_ratio == pytest.approx(0.91, abs=0.01)
    assert b.ratio == pytest.approx(1.0, abs=0.005)


@given(
    start=st.lists(st.floats(1, 1000), min_size=10, max_size=10),
    end=st.lists(st.floats(1, 1000), min_size=1, max_size=9),
)
@settings(max_examples=20)
def test_the_common_rule_is_the_same_whatever_the_first_ten_and_a_few_other_records_are(
    start: list[float], end: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = make(tmp_path_factory.mktemp("any"))
    edit(folder, '{ column = "b" }', '{ column = "b", protocol = "skip_records=1" }')
    put(folder, "b1", (*start, *[400.0] * 20, *end))
    assert common(folder)[1].value == 400.0


def test_a_short_log_skips_the_first_half_of_its_records(folder: Path) -> None:
    put(folder, "b1", (4.0, *STEADY[:4]))
    assert [Protocol.parse(one.protocol).skip_records for one in common(folder)] == [10, 2]


def test_repeats_are_put_together_by_their_median(folder: Path) -> None:
    edit(folder, 'protocol = "plain"', 'protocol = "estimate=reported,repeats=mean"')
    put(folder, "b1", (*STEADY, 40.0))
    text = (folder / "logs/b1/train.log").read_text(encoding="utf-8")
    (folder / "logs/b1/more.log").write_text(text.replace("ips : 40", "ips : 60"), encoding="utf-8")
    assert common(folder)[1].value == 500.0
    assert "`records=step estimate=instant skip_records=10 statistic=median repeats=median`" in rendered(folder, "en")
