"""Bars without a name, of which only the lines around them tell which is that of training; the lines are made up."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from parsers.general.gathered import Gathered, once_a_log
from tests.parsers.drafting import drafted, refused

pytestmark = pytest.mark.slow

EPOCHS = range(1, 5)


def bar(total: int, seconds: float = 1.0) -> str:
    """A whole pass of a bar, which takes so many seconds a step."""
    shown = f"{1 / seconds:.2f}it/s" if seconds <= 1 else f"{seconds:.2f}s/it"
    lines = (f"{100 * n // total:3d}%|##| {n}/{total} [{clock(n * seconds)}<00:09, {shown}]" for n in range(total + 1))
    return "\r".join(lines) + "\n"


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def log(epoch: Callable[[int], str], first: str = "") -> str:
    return first + "".join(map(epoch, EPOCHS))


RESULTS = {
    "brackets": (
        "[ Train | {n:03d}/004 ] loss = 1.{n}5, acc = 0.4",
        "[ Valid | {n:03d}/004 ] loss = 1.{n}9, acc = 0.3",
    ),
    "words": ("Train epoch {n} loss: 1.{n}5 lr: 0.001", "Validation epoch {n} loss: 1.{n}9"),
    "names": ("epoch {n} train_loss 1.{n}5", "epoch {n} val_loss 1.{n}9"),
}


@pytest.mark.parametrize("lines", RESULTS.values(), ids=RESULTS)
def test_a_bar_that_a_loss_of_training_follows_is_that_of_training(tmp_path: Path, lines: tuple[str, str]) -> None:
    train, valid = lines
    found = drafted(
        tmp_path, log(lambda n: f"{bar(40)}{train.format(n=n)}\n\n{bar(30, 0.9)}{valid.format(n=n)}\n-----\n")
    )
    assert set(found.reading.records["step_rate"]) == {1.0}


def test_of_two_bars_that_losses_of_training_follow_none_is_read(tmp_path: Path) -> None:
    train, _ = RESULTS["brackets"]
    text = log(lambda n: f"{bar(40)}{train.format(n=n)}\n{bar(30, 0.9)}{train.format(n=n)}\n")
    assert "progress bar" in refused(tmp_path, text)


def test_a_loss_told_behind_the_evaluation_does_not_make_its_bar_that_of_training(tmp_path: Path) -> None:
    train, _ = RESULTS["words"]
    text = log(lambda n: f"{bar(40)}{bar(30, 0.9)}{train.format(n=n)}\n")
    assert "bar" in refused(tmp_path, text)


def test_a_loss_of_training_and_one_of_an_evaluation_in_one_line_tell_no_bar_from_another(tmp_path: Path) -> None:
    text = log(lambda n: f"{bar(40)}{bar(30, 0.9)}train loss 1.{n}5 val loss 1.{n}9\n")
    assert "bar" in refused(tmp_path, text)


def test_a_loss_that_other_words_stand_before_does_not_follow_a_bar(tmp_path: Path) -> None:
    train, valid = RESULTS["words"]
    text = log(lambda n: f"{bar(40)}Now the model learns.\n{train.format(n=n)}\n{bar(30, 0.9)}{valid.format(n=n)}\n")
    assert "bar" in refused(tmp_path, text)


ANNOUNCED = {
    "English": ("Size of the training set: {count} samples\n", "--- Epoch {n}: training starts ---"),
    "Chinese": ("训练数据集的长度为：{count}\n", "-------第 {n} 轮训练开始-------"),
}


@pytest.mark.parametrize("lines", ANNOUNCED.values(), ids=ANNOUNCED)
def test_an_announced_bar_of_as_many_steps_as_the_samples_make_batches_is_that_of_training(
    tmp_path: Path, lines: tuple[str, str]
) -> None:
    first, begin = lines
    text = log(
        lambda n: f"{begin.format(n=n)}\n{bar(40)}\n{bar(700, 0.04)}\nloss 0.{n}5\n", first.format(count=40 * 32 - 5)
    )
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {1.0}


@pytest.mark.parametrize("count", [None, 2800, 1111111], ids=["no count", "batches for both", "for both again"])
def test_an_announced_bar_alone_is_not_read_where_the_samples_do_not_tell_it_from_others(
    tmp_path: Path, count: int | None
) -> None:
    first, begin = ANNOUNCED["English"]
    text = log(
        lambda n: f"{begin.format(n=n)}\n{bar(40)}\n{bar(700, 0.04)}\nloss 0.{n}5\n",
        first.format(count=count) if count else "",
    )
    assert "alternates with another one" in refused(tmp_path, text)


def with_losses(total: int, seconds: float, n: int, line: str) -> str:
    """A whole pass of a bar with a line behind each tenth drawing."""
    drawn = bar(total, seconds).rstrip("\n").split("\r")
    parts = ["\r".join(drawn[at : at + 10]) for at in range(0, len(drawn), 10)]
    return "".join(f"{part}{line.format(n=n, at=at)}\n" for at, part in enumerate(parts, 1))


WITHIN = {
    "epochs": "Epoch [{n}/4], Batch Loss: 1.{at}5",
    "steps": "epoch {n} step {at}0 loss 2.{at}5 lr 0.001",
}


@pytest.mark.parametrize("line", WITHIN.values(), ids=WITHIN)
def test_the_longest_bar_is_that_of_training_where_it_alone_holds_losses(tmp_path: Path, line: str) -> None:
    found = drafted(tmp_path, log(lambda n: f"{with_losses(40, 1.0, n, line)}{bar(30, 0.9)}"))
    assert set(found.reading.records["step_rate"]) == {1.0}


def test_a_shorter_bar_that_holds_losses_is_not_read(tmp_path: Path) -> None:
    text = log(lambda n: f"{bar(40)}{with_losses(30, 0.9, n, WITHIN['epochs'])}")
    assert "alternates with another one" in refused(tmp_path, text)


def test_where_all_bars_hold_losses_none_is_read(tmp_path: Path) -> None:
    line = WITHIN["epochs"]
    text = log(lambda n: f"{with_losses(40, 1.0, n, line)}{with_losses(30, 0.9, n, line)}")
    assert "alternates with another one" in refused(tmp_path, text)


def test_a_bar_that_is_drawn_more_often_than_is_examined_is_read_whole(tmp_path: Path) -> None:
    text = with_losses(4000, 1.0, 1, WITHIN["epochs"]) + bar(30, 0.9)
    assert len(drafted(tmp_path, text).reading.records) == 4001


def ends(total: int, seconds: float) -> str:
    """A bar that was drawn at its end alone."""
    return bar(total, seconds).rstrip("\n").rpartition("\r")[2] + "\n"


def test_a_bar_that_was_drawn_only_at_its_ends_is_read_where_a_loss_follows_each(tmp_path: Path) -> None:
    train, valid = "#Train# Epoch: {n}, G_Loss: 1.{n}", "#Valid# Epoch: {n}, loss: 1.{n}"
    text = log(lambda n: f"{ends(40, 2 + n % 2)}{train.format(n=n)}\n{ends(30, 0.9)}{valid.format(n=n)}\n")
    assert drafted(tmp_path, text).reading.records["step_time"].tolist() == [3, 2, 3, 2]


def test_a_bar_that_was_drawn_only_at_its_ends_is_read_by_nothing_else(tmp_path: Path) -> None:
    text = log(lambda n: f"Epoch {n}[16/640] loss: 2.{n}\nEpoch {n}[32/640] loss: 2.{n}\n{ends(40, 0.8 + n / 100)}")
    assert "bar" in refused(tmp_path, text)


def in_epochs(title: str, *, number: int = 1) -> str:
    return log(lambda n: f"[INFO] epoch {number * n}\n{bar(40)}{title}\n{bar(30, 0.9)}Error: 0.{n} mm\n")


def test_a_bar_below_numbered_epochs_is_that_of_training_where_titles_of_an_evaluation_stand_above_all_others(
    tmp_path: Path,
) -> None:
    found = drafted(tmp_path, in_epochs("[INFO] Evaluation"))
    assert set(found.reading.records["step_rate"]) == {1.0}


@pytest.mark.parametrize(
    "text", [in_epochs("[INFO] Refinement"), in_epochs("[INFO] Evaluation", number=2)], ids=["no title", "no epochs"]
)
def test_other_bars_below_numbers_of_epochs_are_not_read(tmp_path: Path, text: str) -> None:
    assert "bar" in refused(tmp_path, text) or "training" in refused(tmp_path, text)


def with_results(result: str, *, own: int = 40) -> str:
    """A bar, and a shorter one with the results of an evaluation amid it."""
    half, end = bar(70 - own, 0.9).split("15/")[0].rpartition("\r")[0], ends(70 - own, 0.9)
    return log(lambda n: f"{bar(own)}\n\n{half}\n{result.format(n=n)}\n{end}")


def test_the_longer_bar_is_that_of_training_where_numbered_results_stand_beside_the_other(tmp_path: Path) -> None:
    found = drafted(tmp_path, with_results("[ Valid | {n:03d}/004 ] loss = 1.{n}9, acc = 0.3"))
    assert set(found.reading.records["step_rate"]) == {1.0}


@pytest.mark.parametrize(
    "result",
    ["[ Valid | 001/004 ] loss = 1.{n}9, acc = 0.3", "Valid loss = 1.{n}9, acc = 0.3", "[ {n:03d}/004 ] loss = 1.{n}9"],
    ids=["one number", "no number", "no evaluation"],
)
def test_other_results_beside_a_bar_tell_it_from_no_other(tmp_path: Path, result: str) -> None:
    assert "bar" in refused(tmp_path, with_results(result)) or "training" in refused(tmp_path, with_results(result))


def test_a_bar_with_a_learning_rate_is_that_of_training_whatever_stands_before_it(tmp_path: Path) -> None:
    steps = bar(40).replace("it/s]", "it/s, loss=2.5, lr=1e-5]")
    found = drafted(tmp_path, f"Evaluation\n{steps}")
    assert set(found.reading.records["step_rate"]) == {1.0}
    assert "evaluation" in refused(tmp_path, f"Evaluation\n{steps.replace(', lr=1e-5', '')}")


def at_end(total: int, seconds: float) -> str:
    """A bar that was drawn only at its end, and the loss that it shows."""
    return f"100%|####| {total}/{total} [{clock(total * seconds)}<00:00, {seconds:.2f}s/it, loss=0.25]\n"


def test_the_longer_bar_with_losses_that_is_first_below_each_number_of_an_epoch_is_that_of_training(
    tmp_path: Path,
) -> None:
    found = drafted(
        tmp_path, log(lambda n: f"Epoch [{n}/4]\n{at_end(30, 20 + n / 10)}{at_end(8, 6.0)}loss 0.{n} - val_loss 0.3\n")
    )
    assert found.reading.records["step_time"].tolist() == [20.1, 20.2, 20.3, 20.4]
    assert "elapsed" not in found.reading.records  # one drawing of a pass tells no time between two


@pytest.mark.parametrize("steps", [(8, 30), (30, 30)])
def test_the_first_bar_below_each_number_of_an_epoch_is_not_read_where_it_is_not_longer(
    tmp_path: Path, steps: tuple[int, int]
) -> None:
    first, second = steps
    text = log(lambda n: f"Epoch [{n}/4]\n{at_end(first, 20 + n / 10)}{at_end(second, 6.0)}loss 0.{n} - val_loss 0.3\n")
    assert refused(tmp_path, text)


TRACEBACK = """\
  File "train.py", line 83, in <module>
    trainer.train()
  File "trainer.py", line 9, in inner_training_loop
"""


def broken_off(end: int, behind: str) -> str:
    """A bar of 200 steps as far as it came, and what stands behind it."""
    drawn = bar(200, 0.5).split("\r")[: end + 1]
    return "\r".join(drawn) + f"\n{behind}ValueError: shapes differ\n"


def test_the_bar_in_which_a_training_failed_is_that_of_training(tmp_path: Path) -> None:
    found = drafted(tmp_path, broken_off(120, TRACEBACK))
    assert set(found.reading.records["step_rate"]) == {2.0}
    assert "as the traceback shows" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize(
    ("end", "behind"),
    [(200, TRACEBACK), (120, TRACEBACK.replace("train", "eval")), (120, "")],
    ids=["a bar that ended before", "a failed evaluation", "no traceback"],
)
def test_the_bar_of_a_run_that_failed_elsewhere_is_not_read(tmp_path: Path, end: int, behind: str) -> None:
    assert refused(tmp_path, broken_off(end, behind))


def test_what_each_bar_of_a_log_asks_for_is_computed_once() -> None:
    counted = count(1)
    number = once_a_log(lambda _: next(counted))
    logs = [Gathered(), Gathered()]
    assert [number(log) for log in (*logs, *logs)] == [1, 2, 1, 2]


def test_of_a_hundred_bars_of_other_totals_none_is_read(tmp_path: Path) -> None:
    text = "".join(f"{bar(total, 0.3)}epoch {total} loss 2.{total}\n" for total in range(3, 103))
    assert refused(tmp_path, text)


def behind_the_next(losses: tuple[str, str]) -> str:
    """Bars of which the loss is printed behind the next one, once that is drawn without a step done."""
    text = ""
    for n in EPOCHS:
        for drawn, line in ((bar(40), losses[1].format(n=n - 1)), (bar(30, 0.9), losses[0].format(n=n))):
            begun, rest = drawn.split("\r", 1)
            text += f"{begun.split(', ')[0]}, ?it/s]{line if text else ''}\r{rest}"
    return f"{text}{losses[1].format(n=4)}\n"


def test_a_loss_that_is_printed_behind_the_next_bar_follows_a_pass(tmp_path: Path) -> None:
    text = behind_the_next(("epoch-{n} train set: mean loss : 1.{n}94", "epoch-{n} test set: mean loss : 1.{n}34"))
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {1.0}


@pytest.mark.parametrize("second", ["epoch-{n} train set: mean loss : 1.{n}34", "epoch-{n} mean loss : 1.{n}34"])
def test_losses_behind_bars_tell_none_from_another_unless_they_name_an_evaluation(tmp_path: Path, second: str) -> None:
    text = behind_the_next(("epoch-{n} train set: mean loss : 1.{n}94", second))
    assert "alternates with another one" in refused(tmp_path, text)
