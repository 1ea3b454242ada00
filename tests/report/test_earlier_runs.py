"""A file that polls a program begins with rows of the run before: they are no part of this one."""

from pathlib import Path

import pytest

from report.evidence.log_summary import Summary, summarise
from report.measuring.caveats import EARLIER_RUN


def summary(folder: Path, *rates: float) -> Summary:
    """Of rows as a poll of tf_cnn_benchmarks writes them: the time, the mean so far, the temperature of each card."""
    rows = (f"{2064571200 + second}, {rate}, 60, 58, \n" for second, rate in enumerate(rates))
    (folder / "1").write_text("".join(rows))
    return summarise(folder / "1", None, ())


def test_rows_of_an_earlier_run_are_left_out(tmp_path: Path) -> None:
    found = summary(tmp_path, 175.5, 175.5, 175.5, 875.0, 876.0, 874.0).measurement
    assert found is not None
    assert (found.value, found.lines, found.left_out["earlier_run"]) == (875.0, (4, 5, 6), (1, 2, 3))


def test_rows_of_an_earlier_run_are_reported_with_their_lines(tmp_path: Path) -> None:
    (said,) = [said for said in summary(tmp_path, 175.5, 175.5, 875.0, 876.0).warnings if said.key == EARLIER_RUN]
    assert said.values == {"first": "1", "last": "2", "count": "2", "value": "175.5", "next": "875"}


@pytest.mark.parametrize(
    "rates",
    [(875.0, 875.0, 876.0, 874.0), (800.0, 875.0, 876.0), (875.0, 875.0, 875.0)],
    ids=["near", "once", "steady"],
)
def test_a_mean_that_does_not_stand_still_and_jump_is_of_this_run(rates: tuple[float, ...], tmp_path: Path) -> None:
    found = summary(tmp_path, *rates).measurement
    assert found is not None
    assert (found.records_used, dict(found.left_out)) == (len(rates), {})
