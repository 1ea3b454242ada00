"""How many epochs a run had whose time one line tells."""

from pathlib import Path

import pytest
from pytest import approx

from parsers.io.message import Message
from report.evidence.log_summary import Summary, summarise
from report.measuring.protocol import Protocol, ProtocolError
from report.measuring.windows.epochs_of_run import NOT_ONE_BY_ONE, OF_WHOLE_RUN, SEVERAL_TOTALS
from tests.parsers.toy_logs import write

GRAMMAR = """// Toy format
//
// For tests.

start: epoch_line | summary_line

epoch_line: "epoch" epoch{"1"}
summary_line: "all" "in" duration{seconds}

%import .vocabulary (epoch, duration, seconds, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""
WHOLE_RUN = Protocol.parse("records=summary,estimate=duration,counts=epochs,statistic=last")


def read(at: Path, text: str, protocol: Protocol | None = None) -> Summary:
    grammar = at / "toy.lark"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    return summarise(write(at, text.encode()), protocol, (), str(grammar))


def epochs(*numbers: int) -> str:
    return "".join(f"epoch {number}\n" for number in numbers)


def test_all_epochs_over_the_time_of_the_run_are_the_speed_where_nothing_else_is_timed(tmp_path: Path) -> None:
    found = read(tmp_path, epochs(1, 2, 3, 4) + "all in 50.0\n").measurement
    assert found is not None
    assert found.value == approx(4 / 50)
    assert (found.unit, found.lines) == ("epochs/s", (5,))
    assert Message(OF_WHOLE_RUN, epochs=4, line=5) in found.warnings


def test_a_number_may_stand_in_several_lines_of_its_epoch(tmp_path: Path) -> None:
    found = read(tmp_path, epochs(1, 1, 2, 2, 3, 3) + "all in 50.0\n", WHOLE_RUN).measurement
    assert found is not None
    assert found.value == approx(3 / 50)


UNKNOWN = {
    "one is missing": epochs(1, 2, 4) + "all in 50.0\n",
    "the first is missing": epochs(2, 3, 4) + "all in 50.0\n",
    "the first is not that of the format": epochs(0, 1, 2) + "all in 50.0\n",
    "another one follows": epochs(1, 2, 3) + "all in 50.0\n" + epochs(4),
    "they are few": epochs(1, 2) + "all in 50.0\n",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_epochs_that_are_not_numbered_one_by_one_up_to_the_time_are_not_counted(tmp_path: Path, text: str) -> None:
    reason = read(tmp_path, text, WHOLE_RUN).reason
    assert reason is not None
    assert reason.key == NOT_ONE_BY_ONE


def test_several_times_are_not_that_of_one_run(tmp_path: Path) -> None:
    reason = read(tmp_path, epochs(1, 2, 3) + "all in 50.0\nall in 60.0\n", WHOLE_RUN).reason
    assert reason is not None
    assert reason.key == SEVERAL_TOTALS


def test_summaries_have_no_clock_that_counts_epochs() -> None:
    with pytest.raises(ProtocolError, match="records=summary"):
        Protocol.parse("records=summary,estimate=clock,counts=epochs")
