"""The one line that tells how long a run took and what it did a second is of that run, and says so."""

from pathlib import Path

from parsers.general.proofs.assumption import OF_A_RUN
from tests.parsers.drafting import drafted, found_in

STEPS = "{'loss': 1.5, 'learning_rate': 2.5e-05, 'epoch': 0.5}\n{'loss': 1.2, 'learning_rate': 1.5e-05, 'epoch': 1.0}\n"
LAST = "{'train_runtime': 200.0, 'train_samples_per_second': 48.0, 'train_steps_per_second': 1.5, 'epoch': 1.0}\n"


def test_it_is_read_as_a_summary_with_what_is_assumed(tmp_path: Path) -> None:
    found = drafted(tmp_path, STEPS + LAST)
    assert found.reading.records[["record", "throughput"]].to_numpy().tolist() == [["summary", 48.0]]
    assert OF_A_RUN in [said.key for said in found.assumed]


def test_without_the_steps_a_second_what_is_called_samples_may_be_steps(tmp_path: Path) -> None:
    assert not found_in(tmp_path, STEPS + LAST.replace("'train_steps_per_second': 1.5, ", "")).is_found


def test_that_of_an_evaluation_is_not_read(tmp_path: Path) -> None:
    assert not found_in(tmp_path, STEPS + LAST.replace("train_", "eval_")).is_found


def test_one_with_a_learning_rate_is_of_the_run_so_far(tmp_path: Path) -> None:
    assert not found_in(tmp_path, LAST.replace("'epoch'", "'learning_rate': 1e-05, 'epoch'")).is_found
