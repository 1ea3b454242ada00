"""A throughput that is one over the time of a step counts steps, unless the batch size is one."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.report.summaries import summary

LINE = "[01/02 03:04:{n:02}] ppgan.engine.trainer INFO: Epoch: 1/9, iter: {n}/500 lr: 1.000e-04 D_A: 0.448 {times}\n"


def warned(at: Path, rates: Sequence[float], size: int = 1) -> bool:
    lines = [
        LINE.format(n=n, times=f"batch_cost: {1 / rate:.5f} sec reader_cost: 0.1 sec ips: {size * rate:.5f} images/s")
        for n, rate in enumerate(rates, 1)
    ]
    found = summary(at, "".join(lines))
    assert found.measurement is not None
    return any("1 ÷ its step time" in str(said) for said in found.warnings)


def test_it_is_told_where_each_throughput_is_one_over_the_time_beside_it(tmp_path: Path) -> None:
    assert warned(tmp_path, [0.85 + n / 100 for n in range(10)])


@pytest.mark.parametrize("size", [2, 8])
def test_nothing_is_said_of_a_batch_of_several(tmp_path: Path, size: int) -> None:
    assert not warned(tmp_path, [0.85 + n / 100 for n in range(10)], size)


def test_nothing_is_said_of_times_that_are_all_the_same(tmp_path: Path) -> None:
    assert not warned(tmp_path, [1.0] * 10)
