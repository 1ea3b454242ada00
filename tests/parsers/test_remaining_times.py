"""Remaining times in a grammar: what each line predicts is computed of the fields of that line alone."""

from pathlib import Path

import numpy as np
import pytest

from parsers.runs.reading import Reading, survey
from report.measure.diagnostics import Code
from report.results.measured_log import measured_log

GRAMMAR = r"""
start: step_line | epoch_line

step_line: "[step" step{"1"} "/" steps "] time" TIME "eta" remaining{seconds}
epoch_line: "epoch" epoch{"1"} "/" epochs "left" remaining{minutes}

TIME: /[0-9.]+/

%import .vocabulary (step, steps, epoch, epochs, remaining, seconds, minutes)
%import .vocabulary (NUMBER, INTEGER, BLANK)
%ignore BLANK
"""
PRINTED = GRAMMAR.replace("TIME ", "step_time{seconds, instant} ").replace(
    "remaining, s", "remaining, step_time, instant, s"
)
STEPS = [f"[step {n}/1000] time 0.7{n % 3} eta {(1000 - n) * 0.5}" for n in range(10, 500, 10)]
EPOCHS = [f"epoch {n}/40 left {(40 - n) * 2}" for n in range(1, 15)]


def read(folder: Path, lines: list[str], grammar: str = GRAMMAR) -> Reading:
    log, own = folder / "train.log", folder / "own.lark"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    own.write_text(grammar, encoding="utf-8")
    return survey(log, format=str(own))


@pytest.mark.parametrize("lines", [[*STEPS, *EPOCHS], [*EPOCHS, *STEPS]], ids=["steps first", "epochs first"])
def test_lines_with_remaining_times_in_two_units_are_computed_each_by_its_own(tmp_path: Path, lines: list[str]) -> None:
    records = read(tmp_path, lines).records
    assert set(records["step_time"].dropna()) == {0.5}
    assert set(records["duration"].dropna()) == {120.0}


def test_a_line_of_steps_has_no_duration_of_an_epoch(tmp_path: Path) -> None:
    records = read(tmp_path, [*STEPS, *EPOCHS]).records
    assert np.isnan(records["duration"][records["record"] == "step"]).all()


@pytest.mark.parametrize(("grammar", "is_told"), [(GRAMMAR, True), (PRINTED, False)], ids=["predicted", "printed"])
def test_a_throughput_is_called_an_estimate_of_the_program_only_if_it_is_predicted(
    tmp_path: Path, grammar: str, is_told: bool
) -> None:
    found = measured_log(read(tmp_path, STEPS, grammar).path, format=str(tmp_path / "own.lark"))
    assert (Code.EXPECTED in {one.code for one in found.diagnostics}) == is_told
