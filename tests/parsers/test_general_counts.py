"""Counts that a log states once, for the general reader: batch sizes and cards, and what shows whose they are."""

from pathlib import Path
from time import process_time

import pytest

from parsers.general.drafting import Draft
from parsers.general.proofs.assumption import MAY_BE_SAMPLES
from parsers.runs.facts import SCALING
from tests.parsers.drafting import drafted, found_in, refused

pytestmark = pytest.mark.slow

STEP_TIME = "".join(
    f"2031-02-03 04:{n // 60:02d}:{n % 60:02d} Epoch 0 | Step {n}/65 | loss: 2.5 time: {1 + n % 3 / 100}s\n"
    for n in range(20)
)


def facts(tmp_path: Path, head: str, steps: str = STEP_TIME) -> dict[str, object]:
    """The counts that are read of a log that begins so and goes on with some steps."""
    told = drafted(tmp_path, head + steps).reading.facts
    return {name: told[name].value for name in SCALING if name in told}


SHOWN = {
    "prose": "Dataset loaded with 520 samples\nDataLoader created with batch size 8 and 4 workers.\n",
    "the last step is cut": "Number of train images: 517\nbatch_size: 8\n",
    "the last step is left out": "train dataset size: 527\nNamespace(arch='toy', batch_size=8, lr=0.1)\n",
    "Chinese": "训练数据集的长度为：520\nbatch size: 8\n",
    "batches that a line counts": "training samples: 520\nbatch_size = 8\n",
}


@pytest.mark.parametrize("head", SHOWN.values(), ids=SHOWN)
def test_the_samples_of_an_epoch_show_that_a_batch_is_that_of_the_job(tmp_path: Path, head: str) -> None:
    assert facts(tmp_path, head) == {"job_batch_size": 8}


def test_what_shows_it_is_told(tmp_path: Path) -> None:
    told = [str(said) for said in drafted(tmp_path, SHOWN["prose"] + STEP_TIME).assumed]
    assert "a step has 8 samples: 520 samples make 65 steps" in told


def test_the_samples_of_an_epoch_show_that_a_batch_is_that_of_one_of_some_cards(tmp_path: Path) -> None:
    head = "Number of train images: 1040\nbatch_size: 4\nWorld size (gpu number): 4\n"
    assert facts(tmp_path, head) == {"batch_size": 4, "cards": 4}


def test_the_samples_of_an_epoch_are_more_than_a_name(tmp_path: Path) -> None:
    head = "Number of train images: 1040\nnum_gpu: 2\nbatch_size_per_gpu: 4\nworld_size: 4\n"
    assert facts(tmp_path, head) == {"batch_size": 4, "cards": 4}


UNKNOWN = {
    "no samples of an epoch": "batch_size: 8\n",
    "samples of another epoch": "Number of train images: 999\nbatch_size: 8\n",
    "samples of the validation": "Number of val images: 520\nbatch_size: 8\n",
    "a batch size of the evaluation": "Number of train images: 520\neval_batch_size: 8\n",
    "stages of several": "Number of train images: 520\nbatch_size: 8\nmini_batch_sizes: [8, 5, 4]\n",
    "batches of words": "effective batch size: 4096\nNamespace(batch_type='word', batch_size=2048)\n",
    "two that would do": "Number of train images: 520\nbatch_size: 8\nother: 1040 training samples\nbatch size 16\n",
    "several cards": "batch_size: 8\nnum_gpus: 4\n",
    "tokens behind it": "Global batch size: 524288 tokens\n",
    "tokens in brackets": "effective batch size (tokens): 524288\n",
    "tokens of a card before": "per-GPU tokens per step: 4096\n",
    "tokens of a card in brackets": "tokens per step (per GPU): 4096\n",
    "tokens of a card behind": "total batch tokens = 524,288 per gpu\n",
    "tokens of the validation": "val tokens per step: 262144\n",
    "several nodes": "number of nodes: 16\nnum_gpus: 1\nbatch_size: 8\n",
    "several nodes by a key": "num_nodes=4\nnum_gpus: 1\nbatch_size: 8\n",
    "another rank": "local_rank: 1\nnum_gpus: 1\nbatch_size: 8\n",
    "batches that are accumulated": "accumulate_grad_batches: 4\nnum_gpus: 1\nbatch_size: 8\n",
    "the batches of an update": "update_freq: 4\nnum_gpus: 1\nbatch_size: 8\n",
    "several processes without their number": "torchrun train.py\nNumber of train images: 520\nbatch_size: 8\n",
    "several cards that may each go through all samples": "Number of train images: 520\nbatch_size: 8\nworld_size: 4\n",
    "one card of each process": "device: cuda n_gpu: 1, distributed training: True\nbatch_size: 8\n",
    "one card of each of several": "num_gpus: 1\ndevice: cuda:1\nbatch_size: 8\n",
    "one card of two nodes": "nodes=2 devices=1\nbatch_size: 8\n",
    "parameters": "Trainable: 520 samples of params\nbatch_size: 8\n",
    "passes of a step": "Number of train images: 520\nbatch_size: 8\naccum_steps: 2\n",
    "a total, which may be of tokens": "Number of train images: 520\ntotal batch size: 8\n",
}


@pytest.mark.parametrize("head", UNKNOWN.values(), ids=UNKNOWN)
def test_a_batch_size_of_which_nothing_shows_whose_it_is_is_not_used(tmp_path: Path, head: str) -> None:
    assert not {"batch_size", "job_batch_size"} & facts(tmp_path, head).keys()


def test_the_steps_of_a_bar_that_are_those_of_an_epoch_show_it_too(tmp_path: Path) -> None:
    bar = "".join(
        f"train: {n:3d}%|##   | {n}/100 [00:{n // 2:02d}<00:50,  2.0{n % 10}it/s, loss=2.5]\n"
        for n in range(10, 100, 5)
    )
    assert facts(tmp_path, "train dataset size: 6390\nbatch_size=64\n", bar) == {"job_batch_size": 64}


NAMED = {
    "batch_size_per_gpu: 16": {"batch_size": 16},
    "Batch size per gpu: 16": {"batch_size": 16},
    "device batch size: 16": {"batch_size": 16},
    "effective batch size = 16": {"job_batch_size": 16},
    "num_gpus: 1, batch size 16": {"job_batch_size": 16},
    "train_batch_tokens:524288 train_seq_len:1024": {"job_batch_tokens": 524288},
    "tokens per iteration will be: 245,760": {"job_batch_tokens": 245760},
}


@pytest.mark.parametrize(("head", "told"), NAMED.items(), ids=NAMED)
def test_a_batch_size_that_its_name_or_one_card_tells_of_is_used(
    tmp_path: Path, head: str, told: dict[str, int]
) -> None:
    assert facts(tmp_path, head + "\n") == told


def test_of_a_step_that_may_be_a_pass_only_the_passes_are_told(tmp_path: Path) -> None:
    assert facts(tmp_path, "global_batch_tokens=65536, grad_accum_steps: 4\n") == {"accumulation": 4}


def test_each_of_several_runs_has_the_batch_size_that_stands_before_it(tmp_path: Path) -> None:
    text = "batch_size_per_gpu: 16\nworld_size: 8\n" + STEP_TIME + "batch_size_per_gpu: 4\nworld_size: 2\n" + STEP_TIME
    found = drafted(tmp_path, text).reading.facts_of_runs
    assert [(run["batch_size"].value, run["cards"].value) for run in found] == [(16, 8), (4, 2)]


EPOCHS = "Epoch 0 completed in 70.5s | avg loss 2.1\nEpoch 1 completed in 71.5s | avg loss 2.0\n"
EVERY_TENTH = "".join(f"Epoch 0 | Step {n}/65 | loss: 2.5 | time: {1 + n % 3 / 100}s\n" for n in range(0, 60, 10))


def test_a_time_is_that_of_a_step_where_all_steps_of_an_epoch_take_as_long_as_it(tmp_path: Path) -> None:
    found = drafted(tmp_path, EVERY_TENTH + EPOCHS)
    assert "step_time" in found.columns
    assert [str(said) for said in found.assumed] == ["time is the time of one step, as the epoch time shows"]


OTHER_EPOCHS = {
    "of ten steps": EPOCHS.replace("70.5", "7.1").replace("71.5", "7.2"),
    "that differ": EPOCHS.replace("71.5", "270.5"),
    "of an evaluation": EPOCHS.replace("Epoch", "Eval epoch"),
    "none": "",
}


@pytest.mark.parametrize("epochs", OTHER_EPOCHS.values(), ids=OTHER_EPOCHS)
def test_a_time_that_the_time_of_epochs_does_not_show_is_refused(tmp_path: Path, epochs: str) -> None:
    assert "nothing shows" in refused(tmp_path, EVERY_TENTH + epochs)


def test_steps_with_thousands_set_apart_are_counted_whole(tmp_path: Path) -> None:
    text = "".join(f"[iter:{n * 100:8,}, lr:(0.1,)] loss: 2.5, images/s: {100 + n % 3}.0\n" for n in range(8, 14))
    found = found_in(tmp_path, text)
    assert isinstance(found, Draft)
    assert found.reading.records["step"].tolist() == [800, 900, 1000, 1100, 1200, 1300]


HOSTILE = {
    "blanks": "batch size" + " " * 5900,
    "brackets": "batch size (" * 490,
    "digits": "batch size: " + "9" * 5900,
    "one word": "accum" * 1190,
    "words": "train images " * 450,
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_lines_that_are_made_to_be_slow_are_read_in_time(tmp_path: Path, line: str) -> None:
    before = process_time()
    assert facts(tmp_path, f"{line}\n" * 50) == {}
    assert process_time() - before < 10


def test_a_batch_size_of_the_evaluation_is_not_that_of_training(tmp_path: Path) -> None:
    head = "Evaluating with batch size 256\nTraining with batch size 32\nnum_gpus: 1\n"
    assert facts(tmp_path, head)["job_batch_size"] == 32


def test_a_fraction_that_is_called_something_else_counts_no_steps_beside_a_counter(tmp_path: Path) -> None:
    text = "".join(f"[train][1] progress: 1/1 step: {100 * n}, speed: {16 + n % 3}.5 steps/s\n" for n in range(1, 9))
    assert drafted(tmp_path, text).reading.records["step"].tolist() == [100 * n for n in range(1, 9)]


def test_a_batch_size_on_the_lines_is_not_overridden_by_another_that_is_stated_once(tmp_path: Path) -> None:
    lines = "".join(f"step {n}: loss 2.{n:02d} t={250 + n % 3}ms bs=64\n" for n in range(1, 20))
    found = drafted(tmp_path, "world_size = 1\nbatch_size = 16\n" + lines)
    assert not {"batch_size", "job_batch_size"} & {fact.name for fact in found.reading.facts.values()}
    assert "the lines print a batch size of 64" in " ".join(map(str, found.assumed))


def of_counter(tmp_path: Path, counter: str, *, by: int = 640) -> set[str]:
    lines = (f"Epoch: 1 [{counter.format(n=by * n)}] Loss: 2.5 Time: {n}.5s\n" for n in range(1, 19))
    return {one.key for one in drafted(tmp_path, "".join(lines)).assumed}


def test_a_count_without_a_name_that_grows_by_several_may_be_of_samples(tmp_path: Path) -> None:
    assert MAY_BE_SAMPLES in of_counter(tmp_path, "{n}/60000")


@pytest.mark.parametrize(("counter", "by"), [("{n}/60000", 1), ("step {n}/60000", 640)], ids=["by one", "of steps"])
def test_a_count_of_steps_that_is_known_by_its_name_or_by_its_growth_is_not(
    tmp_path: Path, counter: str, by: int
) -> None:
    assert MAY_BE_SAMPLES not in of_counter(tmp_path, counter, by=by)
