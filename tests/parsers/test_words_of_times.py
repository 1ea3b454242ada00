"""Times that a log tells in words of its own: what its stamps, its epochs or its processes show them to be."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import drafted
from tests.parsers.timed_logs import read, speed, stamp

VALIDATED = "Date: {stamp}s, Time_Cost: {took}s, Epoch: [{epoch}/100],Val_PSNR: {psnr:.2f}, Val_SSIM: 0.9{epoch:02d}\n"


def validated(line: str = VALIDATED, *, apart: float = 100.0, first: int = 1) -> str:
    """Epochs that tell of an evaluation alone, each about 100 s long, with stamps so far apart."""
    return "".join(
        line.format(stamp=stamp(apart * epoch), took=99 + epoch % 3, epoch=epoch, psnr=20 + epoch / 3)
        for epoch in range(first, first + 12)
    )


def test_a_time_of_numbered_epochs_that_are_as_far_apart_is_of_whole_epochs(tmp_path: Path) -> None:
    found = read(tmp_path, validated())
    assert found.measurement is not None
    assert found.measurement.value == approx(0.01)
    assert found.measurement.unit == "epochs/s"


NOT_WHOLE = {
    "the stamps are twice as far apart": validated(apart=200.0),
    "there are no stamps": validated(VALIDATED.replace("{stamp}", "today")),
    "the last epoch is not told": validated(VALIDATED.replace("/100", "")),
    "the first epochs are not there": validated(first=40),
    "its name tells of a test": validated(VALIDATED.replace("Time_Cost", "Test_Time_Cost")),
}


@pytest.mark.parametrize("text", NOT_WHOLE.values(), ids=NOT_WHOLE)
def test_a_time_beside_results_of_an_evaluation_is_not_taken_for_that_of_an_epoch_where(
    tmp_path: Path, text: str
) -> None:
    assert speed(tmp_path, text) is None


def of_ranks(count: int, *, apart: float = 0.001) -> str:
    """Epochs of 4 s, of which each of some processes tells, so long after one another."""
    return "".join(
        f"{stamp(4 * epoch + apart * rank)},{100 + rank} - INFO - END EPOCH {epoch}: Learning rate = 0.002000, "
        f"Elapsed time = {4 + (epoch + rank) % 3 / 100:.2f}s\n"
        for epoch in range(12)
        for rank in range(count)
    )


@pytest.mark.parametrize("count", [1, 2, 4])
def test_an_epoch_that_several_processes_tell_of_is_one(tmp_path: Path, count: int) -> None:
    found = read(tmp_path, of_ranks(count))
    assert found.measurement is not None
    assert found.measurement.value == approx(0.25, rel=0.01)
    assert found.measurement.unit == "epochs/s"


def test_parts_of_an_epoch_one_after_the_other_are_not_processes(tmp_path: Path) -> None:
    text = of_ranks(2, apart=2.0)
    found = read(tmp_path, text).measurement
    assert found is None or found.estimate.source == "time"


ENDS = "{stamp},{rank}00 - INFO - Epoch {epoch} finished in {took:.2f} seconds.\n"


def in_two(said: str, *, apart: float = 0.01) -> str:
    """Epochs of 4 s, of which two processes tell: first what is said of each, then behind a pause that they took so."""
    return "".join(
        f"{stamp(4 * epoch - 0.5)},100 - INFO - {said}\n" * 2
        + "".join(
            ENDS.format(stamp=stamp(4 * epoch + apart * rank), rank=rank + 1, epoch=epoch, took=4 + rank / 100)
            for rank in range(2)
        )
        for epoch in range(1, 12)
    )


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (in_two("Average Training Loss: 0.9605"), True),
        (in_two("Test Accuracy: 0.9605"), False),
        (in_two("Average Training Loss: 0.9605", apart=2.0), False),
    ],
)
def test_what_several_processes_tell_of_an_epoch_is_of_training_where_a_loss_stands_before_all_of_it(
    tmp_path: Path, text: str, is_read: bool
) -> None:
    found = read(tmp_path, text)
    assert ("duration" in found.reading.records) == is_read


TRAINED = "epoch {epoch} : {what} ({took:.2f} sec): n=215300, loss={loss:.3f} (0.000), acc=0.198 | "
ASIDE = "{what} ({took:.2f} sec): n=5400, loss=1.609 (0.000), acc=0.319\n"


@pytest.mark.parametrize(("what", "expected"), [("train", (1 / 445, "epochs/s")), ("valid", None)])
def test_a_time_in_brackets_behind_its_name_is_of_what_that_says(
    tmp_path: Path, what: str, expected: tuple[float, str] | None
) -> None:
    text = "".join(
        TRAINED.format(epoch=epoch, what=what, took=444 + epoch % 3, loss=2 / epoch)
        + ASIDE.format(what="valid", took=2.03 + epoch % 4 / 100)
        for epoch in range(1, 10)
    )
    found = speed(tmp_path, text)
    assert found == (expected and (approx(expected[0]), expected[1]))


def of_steps(first: float, *, count: int = 50, minutes: str = "0:{minute}:{second}", took: int = 125) -> str:
    """Epochs of 50 steps of 2.5 s, of which every twentieth is shown, and the first takes longer."""
    text = ""
    for epoch in range(8):
        for step in range(0, 41, 20):
            each = first if step == 0 else 2.5 + (epoch + step) % 7 / 100
            text += f"[Epoch: {epoch}] [{step}/{count}] [tps: {each:.2f}s] loss = {7 - epoch / 9:.4f}\n"
        minute, second = divmod(took + epoch % 3, 60)
        length = minutes.format(minute=minute, second=second)
        text += f"[Finish epoch: {epoch}] [Time: {length}] loss = {7 - epoch / 9:.4f}\n"
    return text


def test_a_time_per_step_is_none_of_tokens(tmp_path: Path) -> None:
    assert speed(tmp_path, of_steps(2.53)) == (approx(1 / 2.53, rel=0.01), "steps/s")


def test_steps_that_would_take_longer_than_their_epochs_give_way_to_these(tmp_path: Path) -> None:
    assert speed(tmp_path, of_steps(9.5)) == (approx(1 / 126, rel=0.01), "epochs/s")


def test_epochs_that_neither_these_steps_nor_others_explain_are_of_something_else(tmp_path: Path) -> None:
    found = speed(tmp_path, of_steps(9.5, took=12))
    assert found is None or found[1] == "steps/s"


@pytest.mark.parametrize("written", ["0:{minute}:{second}", "0:{minute:02d}:{second:02d}", "{minute}m {second}s"])
def test_a_length_of_time_is_read_however_its_minutes_are_written(tmp_path: Path, written: str) -> None:
    assert speed(tmp_path, of_steps(9.5, minutes=written)) == (approx(1 / 126, rel=0.01), "epochs/s")


FEW = "{stamp},000 INFO: Iters: {n}/80000 || Lr: 0.019 || Task Loss: 1.{n} || Cost Time: 0:{m:02d}:{s:02d} || "
LEFT = "Estimated Time: 3 days, 20:02:{n}\n"


def few(*passed: int, apart: float = 30.0, line: str = FEW + LEFT) -> str:
    """Every tenth step, with the seconds since the start."""
    return "".join(
        line.format(stamp=stamp(apart * n), n=10 * n, m=seconds // 60, s=seconds % 60)
        for n, seconds in enumerate(passed, 1)
    )


def test_three_lines_are_enough_for_a_clock_that_goes_with_their_stamps(tmp_path: Path) -> None:
    assert speed(tmp_path, few(31, 61, 91)) == (approx(1 / 3, rel=0.01), "steps/s")


@pytest.mark.parametrize(
    "text",
    [few(31, 61, 91, apart=40.0), few(31, 61, 91, line=(FEW + LEFT).replace("{stamp},000 ", "")), few(31, 61)],
    ids=["the stamps differ", "there are none", "there are two lines"],
)
def test_few_lines_of_a_clock_say_too_little_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None


@pytest.mark.parametrize(("own", "is_read"), [((7,), True), ((7, 40), False)], ids=["one", "two"])
def test_a_clock_that_several_processes_print_each_with_its_own_steps_is_none(
    tmp_path: Path, own: tuple[int, ...], *, is_read: bool
) -> None:
    text = "".join(f"t={30 * n}s steps={each * n + n % 2} loss={9 / n:.3f}\n" for n in range(1, 30) for each in own)
    assert (speed(tmp_path, text) is not None) == is_read


def test_what_a_crash_prints_behind_the_last_line_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    text = "".join(
        f"[TRAIN] Epoch[1]({n}/1500); Loss: 0.{n:04d}; Backpropagation: 0.0920 sec; Batch: 0.4{n % 7}34 sec\n"
        for n in range(1, 1200)
    )
    found = drafted(tmp_path, text.removesuffix("\n") + "Traceback (most recent call last):\n")
    assert len(found.reading.records) == 1199
    assert found.reading.records["step_time"].iloc[0] == 0.4134


AGAINST = "{stamp},062 - EPOCH[{epoch}/100] END Taken {minutes:.4f} min{loss}\n"


@pytest.mark.parametrize(
    ("loss", "expected"), [("", None), (" loss: 0.5{epoch}", (1 / 100, "epochs/s"))], ids=["alone", "with a loss"]
)
@pytest.mark.parametrize("name", ["END Taken", "time taken:", "epoch time:"])
def test_a_time_that_the_stamps_contradict_by_far_gives_way_to_them_or_is_silent(
    tmp_path: Path, name: str, loss: str, expected: tuple[float, str] | None
) -> None:
    text = "".join(
        AGAINST.replace("END Taken", name).format(
            stamp=stamp(100 * epoch), epoch=epoch, minutes=0.0025 + epoch / 1e5, loss=loss.format(epoch=epoch)
        )
        for epoch in range(1, 20)
    )
    assert speed(tmp_path, text) == (expected and (approx(expected[0]), expected[1]))


AVERAGE = "Epoch {epoch}: loss {loss:.4f}, {name}: 0.25{digits:02d}s\n"


@pytest.mark.parametrize(("name", "rate"), [("avg time", None), ("avg epoch time", approx(4, rel=0.02))])
def test_a_mean_beside_an_epoch_is_that_of_epochs_only_where_it_says_so(
    tmp_path: Path, name: str, rate: float | None
) -> None:
    found = speed(
        tmp_path, "".join(AVERAGE.format(epoch=n, loss=2 / n, name=name, digits=7 * n % 30) for n in range(1, 30))
    )
    assert found == (None if rate is None else (rate, "epochs/s"))


OF_EPOCHS = {
    "in one line": "[{n}/120][2586] Loss_D: {loss:.2f} Loss_G: 2.5 Time: {time:.2f}s\n",
    "in two lines": "[{n}/120][2586]\n   Loss_D: {loss:.2f} Loss_G: 2.5 Time: {time:.2f}s\n",
    "without steps": "[{n}/120] loss {loss:.2f} time: {time:.2f}s\n",
}


@pytest.mark.parametrize("line", OF_EPOCHS.values(), ids=OF_EPOCHS)
def test_a_time_beside_a_number_that_may_be_of_epochs_is_not_that_of_a_step(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(n=n, loss=9 - n / 3, time=4368 + 7 * n % 5) for n in range(13))
    assert speed(tmp_path, text) is None


@pytest.mark.parametrize("name", ["cpu time", "GPU time", "device time"])
@pytest.mark.parametrize("counter", ["step", "epoch"])
def test_the_time_of_a_processor_is_not_that_of_all_that_a_step_or_an_epoch_takes(
    tmp_path: Path, counter: str, name: str
) -> None:
    text = "".join(f"{counter} {n} loss {9 - n / 3:.2f} {name} {4 + n % 5 / 7:.3f}s\n" for n in range(1, 20))
    assert speed(tmp_path, text) is None
    assert speed(tmp_path, text.replace(name, "time")) is not None
