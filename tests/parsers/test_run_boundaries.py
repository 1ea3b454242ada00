"""Runs appended to one log are told apart; epochs, ranks in turns and skipped steps are not taken for runs."""

from pathlib import Path

import numpy as np
import pytest

from parsers.grammar.format import METRICS
from parsers.runs.boundaries import as_one, beginnings
from parsers.runs.events import NEVER, Event
from parsers.runs.facts import FIRST_USED, NEITHER_USED
from parsers.runs.reading import survey
from parsers.scanning.record_table import RecordTable
from tests.parsers.toy_logs import megatron, write


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
    "another speed from the same first step on": (
        steps([1, 2, 3] * 3, throughput=[2.0, 9.0, 9.1, 9.0, 9.2, 9.1, 4.0, 4.2, 4.1]),
        [],
        [70],
    ),
    "other batches from the same first step on": (steps([1, 2, 3] * 2, token_count=[64.0] * 3 + [32.0] * 3), [], [40]),
    "another speed behind an evaluation": (
        steps([1, 2, 3] * 2, step_time=[0.1, 0.1, 0.1, 0.3, 0.3, 0.3]),
        [banner(31, "evaluation")],
        [],
    ),
    "a slower first epoch": (steps([1, 2, 3] * 2, step_time=[1.2, 1.2, 1.2, 1.0, 1.0, 1.0]), [], []),
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
AGAIN = [(STEP, 1.0), (SUMMARY, 1.0), (SUMMARY, 1.0), (STEP, 1.5), (SUMMARY, 2.0)]
KILLED = [(STEP, 0.5), (STEP, 0.75), (STEP, 0.5), (STEP, 0.75)]
IN_TURNS = [(STEP, float(done)) for pair in zip(range(1, 9), range(5, 13), strict=True) for done in pair]
NUMBERED_BY_NONE: dict[str, tuple[list[tuple[str, float]], list[int], list[int]]] = {
    "epochs fall back behind a summary": ([*TRAINED, *TRAINED], [], [60]),
    "epochs of short runs": ([*TRAINED[2:], *TRAINED[2:]], [], [40]),
    "numbers go on behind a summary": (AGAIN, [], []),
    "a banner behind a summary": (AGAIN, [32], [32]),
    "a banner between summaries": ([(SUMMARY, 1.0)] * 3, [5, 25], [25]),
    "a banner before epochs that fall back, though no run ended": (KILLED, [21], [21]),
    "epochs that fall back alone": (KILLED, [], []),
    "a rank that ends later": ([*TRAINED[:3], *TRAINED[1:5], (STEP, 0.9), TRAINED[4]], [], []),
    "summaries of ranks": ([(SUMMARY, 1.0)] * 4, [1, 2], []),
    "two trainings that print in turns": (IN_TURNS, [], []),
}


@pytest.mark.parametrize(("told", "banners", "lines"), NUMBERED_BY_NONE.values(), ids=NUMBERED_BY_NONE)
def test_a_run_without_steps_begins_where_its_epochs_its_summary_or_its_banner_show_it(
    told: list[tuple[str, float]], banners: list[int], lines: list[int]
) -> None:
    assert beginnings(numbered_by_none(*told), [banner(line) for line in banners]) == lines


def test_records_say_of_which_run_they_are_only_where_there_are_several(tmp_path: Path) -> None:
    assert "run" not in survey(write(tmp_path, MEGATRON)).records
    twice = survey(write(tmp_path, MEGATRON, MEGATRON))
    assert twice.records["run"].tolist() == [1, 1, 1, 2, 2, 2]
    assert "run" not in as_one(twice.parts[0]).table  # which an audit reads


def yolox(size: int, *steps: int) -> str:
    head = "2031-05-17 09:30:00.000 | INFO     | yolox.core.trainer:"
    rows = (
        f"{head}after_iter:246 - epoch: 1/9, iter: {step}/90, mem: 900Mb, iter_time: 0.500s, data_time: 0.001s, "
        "total_loss: 2.5, lr: 1.000e-04, size: 640, ETA: 0:01:00\n"
        for step in steps
    )
    return f"{head}before_train:126 - args: Namespace(batch_size={size}, devices=1, num_machines=1)\n{''.join(rows)}"


EIGHT, FOUR = b"using world size: 8\n", b"using world size: 4\n"
MEGATRON = megatron((1, 500, 32), (2, 500, 32), (3, 500, 32)).encode()
MORE, LENGTH = megatron((4, 500, 32)).encode(), b"  seq_length ................. 1024\n"
NO_SIZE = yolox(60, 10, 20, 30).replace("batch_size=60, ", "")
# The text of a log, and a fact of each of its runs; None where it is not known.
OF_RUNS: dict[str, tuple[list[str | bytes], str, list[int | None]]] = {
    "another in each run": ([EIGHT, LENGTH, MEGATRON, FOUR, LENGTH, MEGATRON], "cards", [8, 4]),
    "the same in each run": ([EIGHT, LENGTH, MEGATRON, FOUR, LENGTH, MEGATRON], "sequence_length", [1024, 1024]),
    "a run that does not tell what others dispute": (
        [EIGHT, MEGATRON, FOUR, MEGATRON, MEGATRON],
        "cards",
        [8, 4, None],
    ),
    "stated amid a run": ([EIGHT, MEGATRON, MEGATRON, FOUR, MORE], "cards", [8, None]),
    "one run": ([EIGHT, MEGATRON], "cards", [8]),
    "starts that failed before": ([yolox(64), yolox(32), yolox(8, 10, 20, 30), yolox(16)], "job_batch_size", [8]),
    "its own start": (
        [yolox(60, 10, 20, 30), yolox(50), yolox(50, 10, 20, 30), yolox(90), yolox(60, 10, 20, 30)],
        "job_batch_size",
        [60, 50, 60],
    ),
    "a start that does not state it": ([yolox(60, 10, 20, 30), NO_SIZE], "job_batch_size", [60, None]),
    "starts without records": ([yolox(64), yolox(32)], "job_batch_size", [None]),
}


@pytest.mark.parametrize(("text", "name", "values"), OF_RUNS.values(), ids=OF_RUNS)
def test_a_fact_of_a_run_is_what_its_own_start_stated(
    tmp_path: Path, text: list[str | bytes], name: str, values: list[int | None]
) -> None:
    lines = (part if isinstance(part, bytes) else part.encode() for part in text)
    found = survey(write(tmp_path, *lines, name="train_log.txt"))
    facts = [found.of_run(run).facts for run in range(1, len(values) + 1)]
    assert [name in one and one[name].value for one in facts] == [value or False for value in values]
    assert len({*values} - {None}) == 1 or name not in found.facts
    assert [said for said in found.warnings if said.key in (NEITHER_USED, FIRST_USED)] == []


BOTH, CARDS = "Namespace(world_size=2, micro_batch_size=8)\n", "Namespace(world_size=2, lr=0.1)\n"
# What stands before each run, what stands behind all of them, and the batch size of a card of each run.
OF_CONFIGURATIONS: list[tuple[tuple[str, ...], str, list[int | None]]] = [
    ((BOTH, CARDS, BOTH, CARDS), "", [8, None, 8, None]),
    ((CARDS, BOTH), "", [None, 8]),
    ((BOTH, "", ""), "", [8, 8, 8]),
    ((CARDS, CARDS), "micro_batch_size: 8\n", [8, 8]),
]


@pytest.mark.parametrize(("before", "behind", "sizes"), OF_CONFIGURATIONS)
def test_a_count_is_that_of_a_run_unless_its_own_configuration_does_not_state_it(
    tmp_path: Path, before: tuple[str, ...], behind: str, sizes: list[int | None]
) -> None:
    run = "".join(f"Epoch 0:  {n}%|#  | {n}/100 [00:{n // 2:02d}<00:30,  2.00it/s, loss=1.5]\n" for n in range(10, 60))
    found = survey(write(tmp_path, *((head + run).encode() for head in before), behind.encode())).facts_of_runs
    assert [facts["cards"].value for facts in found] == [2] * len(sizes)
    assert [facts["batch_size"].value if "batch_size" in facts else None for facts in found] == sizes
