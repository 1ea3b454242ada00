"""Runs appended to one log are told apart; epochs, ranks in turns and skipped steps are not taken for runs."""

from pathlib import Path

import numpy as np
import pytest

from parsers.grammar.format import METRICS
from parsers.runs.appended import as_one, beginnings
from parsers.runs.events import NEVER, Event
from parsers.runs.facts import FIRST_USED, NEITHER_USED, Value
from parsers.runs.reading import survey
from parsers.scanning.record_table import RecordTable
from tests.parsers.toy_logs import megatron


def steps(numbers: list[int], **columns: list[float]) -> RecordTable:
    """Records of steps at lines 10, 20, 30 and so on."""
    lines = np.arange(1, len(numbers) + 1) * 10
    told = {name: np.array(column, dtype=np.float64) for name, column in columns.items()}
    return RecordTable(
        {"line": lines, "record": np.zeros(len(numbers), np.int8), "step": np.array(numbers, float), **told}
    )


def banner(line: int, name: str = "run_start") -> Event:
    return Event(line, name, "a new run", NEVER)


BEGINNINGS: dict[str, tuple[RecordTable, list[Event], list[int]]] = {
    "a step falls back to the first": (steps([1, 2, 3, 4, 1, 2, 3, 4, 5, 6]), [], [50]),
    "an earlier checkpoint": (steps([10, 20, 30, 40, 50, 30, 40, 50, 60]), [], [60]),
    "the last banner before it": (steps([1, 2, 3, 4, 1, 2, 3, 4, 5]), [banner(3), banner(44), banner(47)], [44]),
    "banners of short runs": (steps([1, 1, 1]), [banner(2), banner(12), banner(22)], [12, 22]),
    "a banner before a step that goes on": (steps([1, 2, 3, 4, 5, 6]), [banner(35, "restart")], []),
    "steps counted in each epoch": (steps([1, 2, 3, 1, 2, 3], epoch=[1, 1, 1, 2, 2, 2]), [], []),
    "steps counted in epochs without a number": (steps([10, 20, 30, 10, 20, 30, 10, 20]), [], []),
    "steps beyond those of the first epoch": (steps([10, 20, 30, 10, 20, 30, 40, 50]), [], [40]),
    "steps that never rise": (steps([100, 100, 100, 100, 100, 7]), [], []),
    "an epoch falls back with its steps": (steps([1, 2, 1, 2, 1, 2], epoch=[1, 1, 2, 2, 1, 1]), [], [50]),
    "another length of an epoch": (
        steps([0, 0, 200, 0], epoch=[0, 0, 0, 0], steps_per_epoch=[134, 268, 268, 536]),
        [],
        [20, 40],
    ),
    "ranks in turns": (steps([1, 1, 2, 2, 3, 3, 4, 5, 4, 5, 6, 6], steps=[9.0] * 12), [], []),
    "skipped steps": (steps([0, 1, 1, 1, 0, 0, 0, 1, 2, 3], epoch=[0] * 10), [], []),
    "another rank": (steps([1, 2, 1, 3, 2, 4], rank=[0, 0, 1, 0, 1, 0]), [], []),
    "a single record": (steps([7]), [banner(1)], []),
    "no records": (steps([]), [], []),
}


@pytest.mark.parametrize(("records", "banners", "lines"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_a_run_begins_where_its_steps_or_its_banner_show_it(
    records: RecordTable, banners: list[Event], lines: list[int]
) -> None:
    assert beginnings(records, banners) == lines


STEP, SUMMARY = "step", "summary"


def numbered_by_none(*told: tuple[str, float]) -> RecordTable:
    """Records of a kind, with the part of the epochs that is done, at lines 10, 20, 30 and so on."""
    kinds, done = zip(*told, strict=True)
    lines = np.arange(1, len(told) + 1) * 10
    kind = np.array([METRICS.index(one) for one in kinds], np.int8)
    return RecordTable({"line": lines, "record": kind, "epochs_done": np.array(done, float)})


TRAINED = [(STEP, 0.25), (STEP, 0.5), (STEP, 0.75), (STEP, 1.0), (SUMMARY, 1.0)]


def test_epochs_that_fall_back_behind_a_summary_are_of_another_run() -> None:
    assert beginnings(numbered_by_none(*TRAINED, *TRAINED), []) == [60]
    assert beginnings(numbered_by_none(*TRAINED[2:], *TRAINED[2:]), []) == [40]


def test_a_banner_behind_a_summary_begins_a_run_that_numbers_nothing() -> None:
    again = numbered_by_none((STEP, 1.0), (SUMMARY, 1.0), (SUMMARY, 1.0), (STEP, 1.5), (SUMMARY, 2.0))
    assert (beginnings(again, []), beginnings(again, [banner(32)])) == ([], [32])
    assert beginnings(numbered_by_none(*[(SUMMARY, 1.0)] * 3), [banner(5), banner(25)]) == [25]


def test_a_banner_before_epochs_that_fall_back_begins_a_run_though_none_ended() -> None:
    killed = numbered_by_none((STEP, 0.5), (STEP, 0.75), (STEP, 0.5), (STEP, 0.75))
    assert (beginnings(killed, [banner(21)]), beginnings(killed, [])) == ([21], [])


def test_a_rank_that_ends_later_begins_no_run() -> None:
    ranks = numbered_by_none(*TRAINED[:3], *TRAINED[1:5], (STEP, 0.9), TRAINED[4])
    assert beginnings(ranks, []) == []
    assert beginnings(numbered_by_none(*[(SUMMARY, 1.0)] * 4), [banner(1), banner(2)]) == []


def test_epochs_of_two_trainings_that_print_in_turns_are_not_told_apart() -> None:
    in_turns = [(STEP, float(done)) for pair in zip(range(1, 9), range(5, 13), strict=True) for done in pair]
    assert beginnings(numbered_by_none(*in_turns), []) == []


def test_records_say_of_which_run_they_are_only_where_there_are_several(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.log", tmp_path / "twice.log"
    run = megatron((1, 500, 32), (2, 500, 32), (3, 500, 32))
    once.write_text(run, encoding="utf-8")
    twice.write_text(run + run, encoding="utf-8")
    assert "run" not in survey(once).records
    assert survey(twice).records["run"].tolist() == [1, 1, 1, 2, 2, 2]


def test_an_audit_reads_all_runs_of_a_log_as_one(tmp_path: Path) -> None:
    twice = tmp_path / "twice.log"
    twice.write_text(megatron((1, 500, 32), (2, 500, 32), (3, 500, 32)) * 2, encoding="utf-8")
    part = survey(twice).parts[0]
    assert ("run" in part.table, "run" in as_one(part).table) == (True, False)


def test_a_fact_that_differs_between_runs_is_that_of_the_run_after_it(tmp_path: Path) -> None:
    run = "  seq_length ................. 1024\n" + megatron((1, 500, 32), (2, 500, 32), (3, 500, 32))
    log = tmp_path / "elastic.log"
    log.write_text(f"using world size: 8\n{run}using world size: 4\n{run}", encoding="utf-8")
    found = survey(log)
    assert [found.of_run(run).facts["cards"].value for run in (1, 2, "last")] == [8, 4, 4]
    assert [found.of_run(run).facts["sequence_length"].value for run in (1, 2)] == [1024, 1024]
    assert "cards" not in found.facts
    assert [said for said in found.warnings if said.key in (NEITHER_USED, FIRST_USED)] == []


def test_a_fact_that_a_later_run_does_not_tell_and_others_dispute_is_not_known_of_it(tmp_path: Path) -> None:
    run = megatron((1, 500, 32), (2, 500, 32), (3, 500, 32))
    log = tmp_path / "thrice.log"
    log.write_text(f"using world size: 8\n{run}using world size: 4\n{run}{run}", encoding="utf-8")
    assert ["cards" in survey(log).of_run(number).facts for number in (1, 2, 3)] == [True, True, False]


def test_a_fact_stated_amid_a_run_is_not_that_of_its_start(tmp_path: Path) -> None:
    run, more = megatron((1, 500, 32), (2, 500, 32), (3, 500, 32)), megatron((4, 500, 32))
    log = tmp_path / "twice.log"
    log.write_text(f"using world size: 8\n{run}{run}using world size: 4\n{more}", encoding="utf-8")
    assert ["cards" in survey(log).of_run(number).facts for number in (1, 2)] == [True, False]


def test_a_log_of_one_run_has_its_facts_whatever_run_is_named(tmp_path: Path) -> None:
    log = tmp_path / "once.log"
    log.write_text("using world size: 8\n" + megatron((1, 500, 32)), encoding="utf-8")
    assert survey(log).of_run(1).facts["cards"].value == 8


def yolox(size: int, *steps: int) -> str:
    head = "2031-05-17 09:30:00.000 | INFO     | yolox.core.trainer:"
    rows = (
        f"{head}after_iter:246 - epoch: 1/9, iter: {step}/90, mem: 900Mb, iter_time: 0.500s, data_time: 0.001s, "
        "total_loss: 2.5, lr: 1.000e-04, size: 640, ETA: 0:01:00\n"
        for step in steps
    )
    return f"{head}before_train:126 - args: Namespace(batch_size={size}, devices=1, num_machines=1)\n{''.join(rows)}"


def test_a_start_that_failed_before_its_first_record_says_nothing_of_the_run_after_it(tmp_path: Path) -> None:
    log = tmp_path / "train_log.txt"
    log.write_text(yolox(64) + yolox(32) + yolox(8, 10, 20, 30) + yolox(16), encoding="utf-8")
    found = survey(log)
    assert found.facts["job_batch_size"].value == 8
    assert found.warnings == ()


def test_each_run_has_what_its_own_start_stated_though_another_stated_the_same_before(tmp_path: Path) -> None:
    log = tmp_path / "train_log.txt"
    runs = yolox(60, 10, 20, 30) + yolox(50) + yolox(50, 10, 20, 30) + yolox(90) + yolox(60, 10, 20, 30)
    log.write_text(runs, encoding="utf-8")
    found = survey(log)
    assert [found.of_run(run).facts["job_batch_size"].value for run in (1, 2, 3)] == [60, 50, 60]
    assert found.warnings == ()


def test_starts_that_have_no_records_at_all_dispute_the_batch_size(tmp_path: Path) -> None:
    log = tmp_path / "train_log.txt"
    log.write_text(yolox(64) + yolox(32), encoding="utf-8")
    assert "job_batch_size" not in survey(log, format="yolox").facts


def cards_and_sizes(tmp_path: Path, *heads: str) -> list[tuple[Value | None, ...]]:
    log = tmp_path / "appended.log"
    run = "".join(f"Epoch 0:  {n}%|#  | {n}/100 [00:{n // 2:02d}<00:30,  2.00it/s, loss=1.5]\n" for n in range(10, 60))
    log.write_text("".join(head + run for head in heads), encoding="utf-8")
    found = survey(log)
    assert len(found.facts_of_runs) == len(heads)
    return [tuple(f[n].value if n in f else None for n in ("cards", "batch_size")) for f in found.facts_of_runs]


BOTH, CARDS = "Namespace(world_size=2, micro_batch_size=8)\n", "Namespace(world_size=2, lr=0.1)\n"


def test_a_count_is_not_that_of_a_run_whose_own_configuration_does_not_state_it(tmp_path: Path) -> None:
    assert cards_and_sizes(tmp_path, BOTH, CARDS, BOTH, CARDS) == [(2, 8), (2, None), (2, 8), (2, None)]
    assert cards_and_sizes(tmp_path, CARDS, BOTH) == [(2, None), (2, 8)]


def test_a_count_is_that_of_all_runs_where_the_others_have_no_configuration(tmp_path: Path) -> None:
    assert cards_and_sizes(tmp_path, BOTH, "", "") == [(2, 8)] * 3


def test_a_count_that_is_stated_behind_all_runs_is_that_of_each(tmp_path: Path) -> None:
    cards_and_sizes(tmp_path, CARDS, CARDS)
    log = tmp_path / "appended.log"
    log.write_text(log.read_text(encoding="utf-8") + "micro_batch_size: 8\n", encoding="utf-8")
    assert [facts["batch_size"].value for facts in survey(log).facts_of_runs] == [8, 8]


def test_a_batch_size_that_the_start_of_a_run_does_not_state_is_not_that_of_another_start(tmp_path: Path) -> None:
    log = tmp_path / "train_log.txt"
    log.write_text(yolox(60, 10, 20, 30) + yolox(60, 10, 20, 30).replace("batch_size=60, ", ""), encoding="utf-8")
    found = survey(log)
    assert ["job_batch_size" in found.of_run(run).facts for run in (1, 2)] == [True, False]
