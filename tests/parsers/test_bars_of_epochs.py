"""Progress bars that count epochs: the lines of numbered epochs beside them show that; the lines are made up."""

from pathlib import Path

import pytest

from report.evidence.measured_log import measured_log
from tests.parsers.bars import bar, clock
from tests.parsers.drafting import drafted, found_in, refused
from tests.parsers.timed_logs import of_runs

EPOCHS = range(12)
WRITTEN_LATE = "".join(f"epoch: {n}, loss: 0.{n + 10}\n" for n in EPOCHS)


def drawn(seconds: float) -> str:
    return bar("", len(EPOCHS), seconds, loss=False) + "\n"


def test_a_bar_with_as_many_steps_as_other_lines_number_epochs_counts_these(tmp_path: Path) -> None:
    found = drafted(tmp_path, drawn(30) + WRITTEN_LATE)
    assert found.reading.records["epoch"].tolist()[:3] == [1, 2, 3]
    assert "other lines number as many epochs as it has steps" in " ".join(map(str, found.assumed))


def test_each_pass_of_a_bar_of_epochs_is_a_run(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(drawn(seconds) + WRITTEN_LATE for seconds in (30, 20)), encoding="utf-8")
    found = measured_log(log)
    assert of_runs(found) == pytest.approx([1 / 30, 1 / 20], rel=0.01)


def test_a_bar_whose_steps_go_with_the_epochs_of_other_lines_counts_these(tmp_path: Path) -> None:
    text = "".join(
        f"{100 * n // 90:3d}%|##| {n}/90 [{clock(30 * n)}<00:09, 30.00s/it]\nEpoch {n}: Validation Accuracy: 0.9{n}\n"
        for n in range(1, 20)
    )
    assert drafted(tmp_path, text).reading.records["epoch"].tolist() == [*range(1, 20)]


def test_a_bar_of_each_epoch_with_as_many_steps_as_there_are_epochs_counts_steps(tmp_path: Path) -> None:
    text = "".join(bar("", len(EPOCHS), 2.5) + f"\nepoch: {n}, loss: 0.{n + 10}\n" for n in EPOCHS)
    assert set(drafted(tmp_path, text).reading.records["step_time"]) == {2.5}


def test_a_bar_of_whatever_goes_by_is_not_that_of_training(tmp_path: Path) -> None:
    text = "".join(f"step {n} loss: 2.5\n" for n in range(9))
    text += "".join(f"{n}it [{clock(30 * n)}, {30 + n % 3}.00s/it]\n" for n in range(1, 30))
    assert refused(tmp_path, text)


OWN = {
    "behind it": "{p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, epoch={n}, loss=0.{n}]\n",
    "one behind": "{p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, loss=0.{n}, epoch={m}]\n",
    "in its name": "epoch {n}: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, loss=0.{n}]\n",
}


def ticks(line: str, seconds: int = 40) -> str:
    return "".join(line.format(n=n, m=n - 1, p=2 * n, clock=clock(seconds * n)) for n in range(1, 31))


@pytest.mark.parametrize("line", OWN.values(), ids=OWN)
def test_a_bar_whose_own_number_of_the_epoch_moves_with_it_counts_epochs(tmp_path: Path, line: str) -> None:
    found = drafted(tmp_path, ticks(line))
    assert found.reading.records["epoch"].tolist() == [*range(1, 31)]
    assert "the epoch number in the same lines" in " ".join(map(str, found.assumed))


def test_such_a_bar_that_ran_for_a_few_seconds_counts_no_steps(tmp_path: Path) -> None:
    assert "epoch number in the same lines" in refused(
        tmp_path, "".join(ticks(OWN["behind it"]).splitlines(keepends=True)[:4])
    )


def test_a_bar_in_whose_lines_the_epoch_stays_counts_steps(tmp_path: Path) -> None:
    text = "".join(ticks(OWN["behind it"].replace("epoch={n}", f"epoch={epoch}")) for epoch in range(3))
    assert set(drafted(tmp_path, text).reading.records["step_time"]) == {40.0}


def test_a_bar_that_tells_other_results_of_an_evaluation_with_each_step_is_refused(tmp_path: Path) -> None:
    line = "Training: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, train_loss=0.{n}, val_loss=0.4{n}]\n"
    assert "so a step may be an epoch" in refused(tmp_path, ticks(line))


def test_results_that_a_bar_shows_once_its_step_was_drawn_are_those_of_the_step(tmp_path: Path) -> None:
    line = "Training: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, train_loss=0.{m}, val_loss=0.4{m}]\n"
    text = "".join(line.format(n=n, m=m, p=2 * n, clock=clock(40 * n)) for n in range(10, 31) for m in (n - 1, n))
    assert "so a step may be an epoch" in refused(tmp_path, text)


def test_results_of_the_last_evaluation_that_stand_beside_all_steps_tell_of_no_epoch(tmp_path: Path) -> None:
    line = "Training: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, train_loss=0.{n}, val_loss=0.45]\n"
    assert set(drafted(tmp_path, ticks(line)).reading.records["step_time"]) == {40.0}


def test_results_that_are_rounded_to_the_same_now_and_then_are_other_ones(tmp_path: Path) -> None:
    line = "Training: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, train_loss=0.{n}, val_loss=0.{m}]\n"
    text = "".join(line.format(n=n, m=n - n % 4 // 3, p=2 * n, clock=clock(40 * n)) for n in range(10, 31))
    assert "so a step may be an epoch" in refused(tmp_path, text)


def test_a_bar_that_goes_on_as_another_comes_to_its_end_counts_no_steps(tmp_path: Path) -> None:
    text = "".join(
        f"100%|##| 500/500 [00:49<00:00, 10.0{n % 3}it/s]\n"
        f"{n:3d}%|##| {n}/100 [{clock(50 * n)}<09:00, 50.0{n % 3}s/it, loss=0.{n}]\n"
        for n in range(1, 31)
    )
    assert "each pass of a bar inside it" in refused(tmp_path, text)


@pytest.mark.parametrize("name", ["Folds", "Clients", "seeds", "Communication rounds", "Layers"])
def test_a_bar_called_that_of_what_has_many_steps_counts_none(tmp_path: Path, name: str) -> None:
    line = f"{name}: {{p:3d}}%|##| {{n}}/50 [{{clock}}<09:00, 40.00s/it, loss=0.{{n}}]\n"
    assert "each count covers many steps" in refused(tmp_path, ticks(line))


def test_a_bar_that_numbers_one_of_them_counts_its_steps(tmp_path: Path) -> None:
    line = "Fold 3: {p:3d}%|##| {n}/50 [{clock}<09:00, 40.00s/it, loss=0.{n}]\n"
    assert set(drafted(tmp_path, ticks(line)).reading.records["step_time"]) == {40.0}


STATED = ["epochs=12 lr=0.1", "Training for 12 epochs", '"num_epochs": 12,', "train.py --epochs 12", "Epochs: 12"]


def run(stated: str, name: str = "train: ", *, last: int = len(EPOCHS), behind: str = "") -> str:
    """A run of a bar below a line; each step is drawn twice, as its results are set before it is counted."""
    line = f"{name}{{p:3d}}%|##| {{n}}/12 [{{clock}}<09:00, 30.00s/it, loss=0.{{m}}{behind}]\r"
    drawn = ((n, m) for m in range(1, last + 1) for n in (m - 1, m))
    first = f"{stated}\n{name}  0%|  | 0/12 [00:00<?, ?it/s]\r"
    return first + "".join(line.format(p=8 * n, n=n, m=m, clock=clock(30 * m)) for n, m in drawn) + "\nSaved\n"


@pytest.mark.parametrize("stated", STATED)
def test_a_bar_of_losses_with_as_many_steps_as_a_line_above_states_epochs_counts_these(
    tmp_path: Path, stated: str
) -> None:
    found = drafted(tmp_path, run(stated))
    assert found.columns == ["epoch", "elapsed"]
    assert "the log states as many epochs as it has steps" in " ".join(map(str, found.assumed))


def test_each_of_several_such_runs_has_its_own_speed_though_all_steps_are_drawn_twice(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(run(f"seed={seed} epochs=12") for seed in range(3)), encoding="utf-8")
    found = measured_log(log)
    assert of_runs(found) == pytest.approx([1 / 30] * 3, rel=0.01)


def test_the_best_epoch_of_a_run_before_does_not_number_the_next(tmp_path: Path) -> None:
    found = drafted(tmp_path, "".join(run(f"Best epoch=7\nseed={seed} epochs=12") for seed in range(3)))
    assert found.columns == ["epoch", "elapsed"]


def test_a_run_that_goes_on_counts_epochs_where_each_step_tells_its_own_results(tmp_path: Path) -> None:
    found = drafted(tmp_path, run("epochs=12", last=8, behind=", val_acc=0.{m}7"))
    assert found.columns == ["epoch", "elapsed"]


@pytest.mark.parametrize(
    "text",
    [
        run("epochs=12", last=8),
        run("warmup_epochs=12"),
        run("local-epochs: 12"),
        run("Epoch: 12"),
        run("Training: 400 examples x 3 epochs = 12 steps"),
        run("3 epochs: 12"),
        run("epochs: 12 batches"),
        run("epochs=12", "Folds: "),
        run("epochs=12", "Iteration: "),
        run("epochs=12") + run("seed=2"),
        run("Epoch 3: epochs=12"),
        "".join(run(f"Epoch {n}/12, epochs=12") for n in range(1, 5)),
        run("epochs=12").replace("loss", "size"),
        run("epochs=12").replace("s/it", "s/batch"),
        run("epochs=12").replace("loss", "step=7, loss"),
        run("epochs=12\nEvaluating the model", ""),
    ],
    ids=[
        "unfinished",
        "warm-up",
        "local",
        "an epoch",
        "steps",
        "of a product",
        "batches",
        "folds",
        "iterations",
        "not above each",
        "of one epoch",
        "of each epoch",
        "no losses",
        "of batches",
        "of numbered steps",
        "of an evaluation",
    ],
)
def test_a_bar_that_may_have_as_many_steps_by_chance_counts_no_epochs(tmp_path: Path, text: str) -> None:
    found = found_in(tmp_path, text)
    assert not found.is_found or "epoch" not in found.columns
