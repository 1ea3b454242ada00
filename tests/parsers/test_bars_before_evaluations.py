"""Bars without a name, each pass of them followed by a bar that is named for an evaluation; the lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.bars import EPOCHS, bar, nameless
from tests.parsers.drafting import drafted, refused

STATED = "Train loader: 1605\nVal loader: 640\nBatch size: 16\n"


def evaluated(name: str, total: int = 40) -> str:
    return bar(name, total, 0.1, loss=False) + "\n"


def epochs(evaluation: str, stated: str = STATED, training: str = nameless(100, 0.25)) -> str:
    """Epochs that print no loss and no number of their own."""
    return stated + "".join(f"{training}[0] {n}0 4.{n}\n{evaluation}mIOU: 0.3{n}\n" for n in EPOCHS)


@pytest.mark.parametrize("name", ["Running validation: ", "Validating: ", "Evaluating: ", "Test: ", "eval "])
@pytest.mark.parametrize(
    "stated",
    [
        STATED,
        "train=1600 val=640\nbatch_size=16\n",
        "Training batches: 100\n",
        "len(train_loader) = 100\n",
        "Number of training samples: 1600, batch size: 16\n",
        "Loaded 1600 training images\nbatch-size 16\n",
        "训练集样本数：1600\nbatch_size：16\n",
    ],
)
def test_it_is_that_of_training_where_the_log_states_as_much_to_train_on(
    tmp_path: Path, name: str, stated: str
) -> None:
    assert set(drafted(tmp_path, epochs(evaluated(name), stated)).reading.records["step_rate"]) == {4.0}


@pytest.mark.parametrize(
    "stated",
    ["", "Train loader: 9999\nBatch size: 16\n", "Train loader: 1600\n", "Training loss: 1600\nBatch size: 16\n"],
    ids=["nothing", "another number", "no batch size", "no number of samples"],
)
def test_it_may_be_that_of_rollouts_where_the_log_states_no_such_number(tmp_path: Path, stated: str) -> None:
    assert "nothing shows that its lines are from training" in refused(
        tmp_path, epochs(evaluated("Evaluating: "), stated)
    )


@pytest.mark.parametrize(
    "text",
    [
        STATED + nameless(100, 0.25) + evaluated("Evaluating: "),
        STATED + "".join(nameless(100, 0.25) for _ in EPOCHS) + evaluated("Evaluating: "),
        epochs(evaluated("Evaluating: ") + nameless(300, 0.1)),
        epochs(evaluated("Encoding: ")),
        epochs(evaluated("Evaluating: "), training="=== Generating samples ===\n" + nameless(100, 0.25)),
        epochs(evaluated("Evaluating: "), training=nameless(100, 0.25) + "reward: 1.5\n"),
        epochs(evaluated("Evaluating: "), "Training images: 100\nbatch size: 4\n"),
        epochs("step 7 loss 2.5\nstep 8 loss 2.4\n" + evaluated("Evaluating: ")),
        epochs("", training=nameless(100, 0.25)),
    ],
    ids=[
        "one pass",
        "an evaluation at the end",
        "another bar",
        "another name",
        "generation",
        "agents",
        "samples",
        "steps elsewhere",
        "no evaluation",
    ],
)
def test_it_is_not_read_where_no_evaluation_takes_turns_with_it_alone(tmp_path: Path, text: str) -> None:
    assert "bar" in refused(tmp_path, text) or "nothing shows" in refused(tmp_path, text)
