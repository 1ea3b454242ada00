"""What any program may print: arguments whose meaning does not depend on the program."""

from pathlib import Path

import pytest

from parsers.runs.reading import Reading, survey
from parsers.scanning.detection import common
from tests.parsers.judging import agree

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


def told(folder: Path, *lines: str, name: str = "a.log") -> Reading:
    log = folder / name
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return survey(log)


@pytest.mark.parametrize("line", [*LINES, *NOTHING])
def test_an_argument_that_means_the_same_everywhere_is_a_fact_and_one_that_may_mean_anything_is_none(
    tmp_path: Path, line: str
) -> None:
    facts = told(tmp_path, line).facts
    assert {name: facts[name].value for name in LINES.get(line, facts)} == LINES.get(line, {})


@pytest.mark.parametrize("line", [*LINES, *NOTHING])
def test_lark_judges_a_common_line_as_the_compiled_form_does(line: str) -> None:
    assert agree(common(), line.encode())


WORLD = ("world_size: 8", "global_batch_size: 128")
LAUNCH = "python -m torch.distributed.run --nproc_per_node=8 --nnodes 2"
# Lines of a log, its name, and what is believed: a world of one may be a default, which contradicts nobody.
BELIEVED: list[tuple[tuple[str, ...], str, str, int | None]] = [
    ((*WORLD, "gradient_accumulation_steps: 4"), "a.log", "batch_size", 4),
    ((*WORLD, "micro_batch_size: 4"), "a.log", "batch_size", 4),
    (("Namespace(lr=0.1, world_size=1, x=2)", LAUNCH), "a.log", "cards", 16),
    (("Namespace(lr=0.1, world_size=1, x=2)", "world_size: 16"), "a.log", "cards", 16),
    (("world_size=1",), "toy_c8_fp16.log", "cards", 8),
    (("world_size=1", "global_batch_size: 4"), "a.log", "batch_size", 4),
    (("world_size: 8", "world_size: 16", "world_size=1"), "a.log", "cards", None),
]


@pytest.mark.parametrize(("lines", "name", "fact", "value"), BELIEVED)
def test_of_several_lines_the_one_that_says_more_is_believed(
    tmp_path: Path, lines: tuple[str, ...], name: str, fact: str, value: int | None
) -> None:
    found = told(tmp_path, *lines, name=name)
    assert (fact in found.facts and found.facts[fact].value) == (value or False)
    assert (found.warnings == ()) == (value is not None)
