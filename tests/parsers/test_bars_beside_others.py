"""Bars without a name or a loss beside others, or beside lines of losses; the lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.bars import EPOCHS, bar, nameless
from tests.parsers.drafting import drafted, refused

pytestmark = pytest.mark.slow


def epochs(first: str, second: str, title: str = "Epoch {n}/4\n----------\n") -> str:
    """Epochs with two bars each, and one line that tells the losses of both."""
    return "".join(f"{title.format(n=n)}{first}{second}train loss 1.{n} val loss 1.{n}5\n" for n in EPOCHS)


def test_the_first_bar_of_an_epoch_is_that_of_training_where_it_is_longest_and_slowest(tmp_path: Path) -> None:
    found = drafted(tmp_path, epochs(nameless(100, 0.25), nameless(40, 0.05)))
    assert set(found.reading.records["step_rate"]) == {4.0}
    assert "much slower steps than the others and comes first in each epoch" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ((40, 0.05), (200, 0.25), "Epoch {n}/4\n"),
        ((100, 0.25), (200, 0.05), "Epoch {n}/4\n"),
        ((200, 0.05), (100, 0.25), "Epoch {n}/4\n"),
        ((100, 0.25), (40, 0.3), "Epoch {n}/4\n"),
        ((100, 0.25), (40, 0.05), "Next\n"),
        ((100, 0.25), (40, 0.05), "Epoch 1[1/50]: loss: 2.{n}, lr: 0.1\n"),
    ],
    ids=[
        "longer evaluation",
        "more steps of it",
        "evaluation first",
        "slower evaluation",
        "no number",
        "loss before",
    ],
)
def test_of_two_bars_that_take_turns_none_is_read_else(
    tmp_path: Path, first: tuple[int, float], second: tuple[int, float], title: str
) -> None:
    said = refused(tmp_path, epochs(nameless(*first), nameless(*second), title))
    assert "alternates with another one" in said


def test_the_longest_and_slowest_bar_below_the_title_of_an_evaluation_is_not_read(tmp_path: Path) -> None:
    said = refused(tmp_path, epochs(nameless(100, 0.25), nameless(40, 0.05), "Test on Epoch {n}\n"))
    assert "follow an evaluation heading" in said


def test_a_bar_behind_the_loss_of_an_epoch_may_be_that_of_its_evaluation(tmp_path: Path) -> None:
    text = "".join(f"Epoch {n} train loss 1.{n}\n{nameless(200, 0.25)}accuracy: 0.{n}\n" for n in EPOCHS)
    assert "the loss of an epoch comes before the progress bar" in refused(tmp_path, text)


def loaded(behind: str) -> str:
    """A bar of a preparation, and one of each epoch."""
    return nameless(5000, 0.005) + "".join(f"{nameless(100, 0.25)}{behind.format(n=n)}\n" for n in EPOCHS)


@pytest.mark.parametrize("behind", ["train loss: 2.{n}", "epoch {n}, loss 2.{n}"])
def test_a_bar_that_ended_before_is_that_of_a_preparation(tmp_path: Path, behind: str) -> None:
    found = drafted(tmp_path, loaded(behind))
    assert set(found.reading.records["step_rate"]) == {4.0}
    assert "the other bars ended before the first" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize("behind", ["accuracy: 0.{n}", "test loss: 2.{n}", "loss of the text: 2.{n}"])
def test_bars_behind_another_that_tell_no_loss_of_training_may_be_those_of_evaluations(
    tmp_path: Path, behind: str
) -> None:
    assert refused(tmp_path, loaded(behind))


def within(passes: int) -> str:
    """A bar that goes on by one with so many passes of another, which runs within it; a loss follows each."""
    text = "  0%|  | 0/4 [00:00<?, ?it/s]\n"
    for n in EPOCHS:
        text += nameless(100, 0.25) * passes + f"loss: 2.{n}\n"
        text += f"{25 * n:3d}%|##| {n}/4 [00:{14 * n * passes}<00:09, {25 * passes}.00s/it]\n"
    return text


def test_a_bar_that_counts_the_passes_of_another_takes_no_turns_with_it(tmp_path: Path) -> None:
    assert set(drafted(tmp_path, within(1)).reading.records["step_rate"]) == {4.0}


def test_a_bar_that_goes_on_with_several_passes_of_another_may_be_of_anything(tmp_path: Path) -> None:
    assert "with each pass of a bar inside it" in refused(tmp_path, within(2))


@pytest.mark.parametrize("name", ["", "T: ", "Batch: "])
def test_of_two_bars_that_show_losses_in_turns_the_longer_one_is_not_that_of_training(
    tmp_path: Path, name: str
) -> None:
    text = "".join(f"{bar(name, 60, 0.5)}\n{bar(name.replace('T', 'V'), 300, 0.1)}\n" for _ in EPOCHS)
    assert "alternates with another one" in refused(tmp_path, text)


@pytest.mark.parametrize("names", [("train", "dev"), ("学習", "検証"), ("训练", "验证"), ("학습", "검증")])
def test_a_bar_that_is_called_that_of_training_is_read_though_that_of_an_evaluation_is_longer(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    train, evaluation = names
    text = "".join(f"{bar(f'{train}: ', 60, 0.5)}\n{bar(f'{evaluation}: ', 300, 0.2)}\n" for _ in EPOCHS)
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {2.0}


@pytest.mark.parametrize("title", ["Epoch {n}/4\n{bars}loss: 2.{n}\n", "{bars}epoch {n} loss: 2.{n}\n"])
def test_a_bar_that_runs_several_times_in_each_epoch_may_be_of_something_else(tmp_path: Path, title: str) -> None:
    text = "".join(title.format(n=n, bars=nameless(50, 0.2) * 3) for n in EPOCHS)
    assert "runs several times in each epoch" in refused(tmp_path, text)


def test_of_two_bars_that_show_losses_the_first_is_read_where_it_is_longest_and_slowest(tmp_path: Path) -> None:
    text = "".join(f"{bar('', 100, 0.25)}\n{bar('', 40, 0.05)}\n" for _ in EPOCHS)
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {4.0}


def test_the_bar_of_a_log_that_tells_only_of_an_evaluation_is_not_read(tmp_path: Path) -> None:
    text = bar("", 100, 0.5) + "\nTest perplexity: 5.5\n"
    assert "mentions an evaluation and no training" in refused(tmp_path, text)
    assert drafted(tmp_path, "lr: 0.1\n" + text)


def test_a_bar_before_each_pass_of_which_a_checkpoint_is_loaded_may_be_that_of_an_evaluation(tmp_path: Path) -> None:
    text = "".join(f"epoch_{n}.pth loaded\n{nameless(100, 0.5)}loss 0.{n}\n" for n in EPOCHS)
    assert "a checkpoint is loaded before each pass" in refused(tmp_path, text)


def test_a_longer_bar_without_a_loss_that_alternates_with_one_that_shows_it_may_be_that_of_training(
    tmp_path: Path,
) -> None:
    text = "".join(
        f"Epoch {n}/5\n100%|##| 200/200 [00:40<00:00,  4.9{n}it/s]\n"
        f"100%|##| 50/50 [00:08<00:00,  6.1{n}it/s, loss=0.8{n}0, acc=0.7]\n"
        for n in range(1, 6)
    )
    assert "alternates with another one" in refused(tmp_path, text)


@pytest.mark.parametrize("title", ["検証", "验证", "开始评估", "Evaluation"])
def test_a_bar_below_the_title_of_an_evaluation_is_not_that_of_training(tmp_path: Path, title: str) -> None:
    text = f"training done, lr: 0.1\n{title}\n100%|##| 200/200 [00:50<00:00,  4.00it/s, loss=0.512]\n"
    assert refused(tmp_path, text)


@pytest.mark.parametrize("told", ["reward 3.{n}", "Collected 4000 episodes", "PPO update", "mean rollout length 20"])
def test_the_longest_and_slowest_bar_of_agents_may_be_that_of_rollouts(tmp_path: Path, told: str) -> None:
    text = epochs(nameless(100, 0.25), nameless(40, 0.05), "Epoch {n}/4\n" + told + "\n")
    assert "alternates with another one" in refused(tmp_path, text)


def with_loss(total: int, seconds: float) -> str:
    return bar("", total, seconds) + "\n"


def test_a_bar_with_losses_behind_a_slower_one_may_be_that_of_an_evaluation(tmp_path: Path) -> None:
    text = "".join(f"{nameless(100, 0.25)}{with_loss(200, 0.1)}accuracy 0.{n}\n" for n in EPOCHS)
    assert "alternates with another one" in refused(tmp_path, text)


def test_a_bar_with_losses_behind_a_fast_one_is_that_of_training(tmp_path: Path) -> None:
    text = "".join(f"{nameless(100, 0.05)}{with_loss(200, 0.1)}accuracy 0.{n}\n" for n in EPOCHS)
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {10.0}
