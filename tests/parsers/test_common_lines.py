"""What any program may print: arguments whose meaning does not depend on the program."""

from pathlib import Path

import pytest

from parsers.runs.reading import Reading, survey
from parsers.scanning.detection import common
from tests.parsers.judging import compiled, judged

LINES = {
    "world_size: 8": {"cards": 8},
    "Namespace(lr=0.1, micro_batch_size=4, global_batch_size=128, x='y')": {"batch_size": 4, "job_batch_size": 128},
    "  global_batch_size ............................... 256": {"job_batch_size": 256},
    "python -m torch.distributed.run --nproc_per_node=8 --nnodes 2 train.py": {"cards_per_node": 8, "nodes": 2},
    '  "train_micro_batch_size_per_gpu": 4,': {"batch_size": 4},
    "'--micro-batch-size', '1', '--x'": {"batch_size": 1},
    "export WORLD_SIZE=16": {"cards": 16},
    "gradient_accumulation_steps: 32": {"accumulation": 32},
    "accumulate_grad_batches: 4": {"accumulation": 4},
    "Namespace(batch=8, accum_iter=4)": {"accumulation": 4},
    "Gradient Accumulation steps = 4": {"accumulation": 4},
    "iters_to_accumulate = 4": {"accumulation": 4},
    "--grad-accum 4 --amp": {"accumulation": 4},
    "grad_acc_steps: 4": {"accumulation": 4},
    "{'update_freq': 4}": {"accumulation": 4},
    "backward_passes_per_step=4": {"accumulation": 4},
    "per_device_train_batch_size=8,": {"batch_size": 8},
    "[20350607 10:00:01][rank-1/8][INFO] [trainer.py:7] : begin": {"cards": 8},
    "[rank-0/16] global_batch_size: 64": {"job_batch_size": 64},
}
NOTHING = [
    "world_size: auto",
    "# $ torchrun --standalone --nproc_per_node=8 train.py",
    "  # --nnodes=2 for two of them",
    "my_global_batch_size_x 4.5",
    "batch_size: 32",
    "micro_batch_size=None",
    "nodes: 2",
    "accumulated: 4",
    "accumulate 4 of them",
    "train_acc_steps 0.25",
    "rank-1/8 of the matrix",
    "[frank-1/8] text",
    "[rank-1] text",
]


@pytest.mark.parametrize("line", LINES)
def test_an_argument_that_means_the_same_everywhere_is_a_fact(tmp_path: Path, line: str) -> None:
    log = tmp_path / "a.log"
    log.write_text(f"{line}\n", encoding="utf-8")
    facts = survey(log).facts
    assert {name: facts[name].value for name in LINES[line]} == LINES[line]


@pytest.mark.parametrize("line", NOTHING)
def test_an_argument_that_may_mean_anything_is_no_fact(tmp_path: Path, line: str) -> None:
    log = tmp_path / "a.log"
    log.write_text(f"{line}\n", encoding="utf-8")
    assert survey(log).facts == {}


@pytest.mark.parametrize("line", [*LINES, *NOTHING])
def test_lark_judges_a_common_line_as_the_compiled_form_does(line: str) -> None:
    ours, judge = compiled(common(), line.encode()), judged(common(), line.encode())
    assert (ours is None) == (judge is None)
    assert ours is None or judge is None or ours.agrees(judge)


def test_a_card_has_its_share_of_the_batch_of_the_job(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("world_size: 8\nglobal_batch_size: 128\ngradient_accumulation_steps: 4\n", encoding="utf-8")
    assert survey(log).facts["batch_size"].value == 4


def test_a_line_that_states_the_batch_of_a_card_is_not_contradicted_by_that_of_the_job(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("world_size: 8\nglobal_batch_size: 128\nmicro_batch_size: 4\n", encoding="utf-8")
    assert survey(log).warnings == ()


def told(folder: Path, *lines: str, name: str = "a.log") -> Reading:
    log = folder / name
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return survey(log)


@pytest.mark.parametrize(
    "launched", ["python -m torch.distributed.run --nproc_per_node=8 --nnodes 2", "world_size: 16"]
)
def test_a_world_of_one_that_may_be_a_default_contradicts_nobody(tmp_path: Path, launched: str) -> None:
    found = told(tmp_path, "Namespace(lr=0.1, world_size=1, x=2)", launched)
    assert (found.facts["cards"].value, found.warnings) == (16, ())


def test_a_file_name_is_believed_before_a_world_of_one(tmp_path: Path) -> None:
    found = told(tmp_path, "world_size=1", name="toy_c8_fp16.log")
    assert (found.facts["cards"].value, found.warnings) == (8, ())


def test_a_world_of_one_counts_where_nothing_else_tells_the_cards(tmp_path: Path) -> None:
    assert told(tmp_path, "world_size=1", "global_batch_size: 4").facts["batch_size"].value == 4


def test_a_world_of_one_does_not_settle_lines_that_contradict_each_other(tmp_path: Path) -> None:
    assert "cards" not in told(tmp_path, "world_size: 8", "world_size: 16", "world_size=1").facts
