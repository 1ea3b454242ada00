"""What is no log of a training gives no throughput, whatever numbers it holds: a file in ``non_logs`` is a test."""

from pathlib import Path

import pytest

from report.results.measured_log import measured_log

NON_LOGS = sorted((Path(__file__).parent / "non_logs").glob("*.txt"))


@pytest.mark.parametrize("path", NON_LOGS, ids=lambda path: path.stem)
def test_what_is_no_log_gives_no_throughput(path: Path) -> None:
    found = measured_log(path)
    assert found.status == "refused"
    assert found.diagnostics


def test_there_are_forty_of_them() -> None:
    assert len(NON_LOGS) >= 40
