"""A throughput is held against what else its records tell of the same steps or epochs."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from report.evidence.log_summary import summarise
from report.measure.protocol import Protocol
from report.measuring.checking.own_figures import MEANS, OWN
from report.measuring.checking.running_means import LAST_MEANS
from report.measuring.crosscheck import BY_ELAPSED, OF_EPOCHS
from tests.report.summaries import summary

START = datetime(2031, 6, 15, 13, 0)


def ratios(tmp_path: Path, text: str, key: str) -> list[str]:
    """By how much what a warning tells of is another throughput."""
    return [str(said.values["ratio"]) for said in summary(tmp_path, text).warnings if said.key == key]


def checked(tmp_path: Path, text: str) -> list[float]:
    """How many times the throughput of a log each check of it is."""
    found = summary(tmp_path, text)
    return [check.ratio for check in (*found.checks, *found.own)]


def steps(between: float, first: float = 0.4) -> str:
    """Lines of two epochs of 100 steps, of which every tenth is printed and takes 0.4 s; the others ``between``."""
    lines = []
    for epoch in (0, 1):
        times = [first, *(0.4 if n % 10 == 0 else between for n in range(1, 100))]
        means = [(n, sum(times[: n + 1]) / (n + 1)) for n in range(0, 100, 10)]
        lines += [
            f"Epoch: [{epoch}][{n:>3}/100]\tTime {times[n]:6.3f} ({mean:6.3f})\tData 0.001 (0.001)\tLoss 2.5 (2.5)\n"
            for n, mean in means
        ]
    return "".join(lines)


def test_running_means_tell_how_long_the_steps_took_that_were_not_printed(tmp_path: Path) -> None:
    (told,) = ratios(tmp_path, steps(between=0.6), MEANS)
    assert float(told) == pytest.approx(0.4 / 0.58, abs=0.01)


def test_running_means_that_say_the_same_as_the_steps_are_a_check_without_a_warning(tmp_path: Path) -> None:
    assert checked(tmp_path, steps(between=0.4)) == [pytest.approx(1, abs=0.01)]
    assert ratios(tmp_path, steps(between=0.4), MEANS) == []


def test_the_first_step_of_a_run_is_no_reason_to_doubt_the_others(tmp_path: Path) -> None:
    assert ratios(tmp_path, steps(between=0.4, first=9.0).split("Epoch: [1]")[0], MEANS) == []


def epochs(apart: float) -> str:
    ends = (START + timedelta(seconds=apart * number) for number in range(1, 7))
    return "".join(
        f"[{end:%Y-%m-%d %H:%M:%S},000] INFO - epoch {number} | loss 0.{number} | "
        f"epoch time: {100 + number % 2 / 5:.1f}s\n"
        for number, end in enumerate(ends, 1)
    )


@pytest.mark.parametrize(("apart", "told"), [(125, ["0.801"]), (101, [])], ids=["with an evaluation", "alone"])
def test_the_stamps_of_epochs_are_held_against_their_times(tmp_path: Path, apart: float, told: list[str]) -> None:
    text = epochs(apart)
    assert len(checked(tmp_path, text)) == 1
    assert ratios(tmp_path, text, OF_EPOCHS) == told


def opennmt(seconds_of_50: float) -> str:
    stamps = ((START + timedelta(seconds=10 * number)) for number in range(1, 9))
    return "".join(
        f"[{stamp:%Y-%m-%d %H:%M:%S},000 INFO] Step {50 * number}/100000; acc:  98.1; ppl:  1.0; xent: 0.1; "
        f"lr: 1.00000; 13000/10000 tok/s; {seconds_of_50 * number:6.0f} sec\n"
        for number, stamp in enumerate(stamps, 1)
    )


@pytest.mark.parametrize(("seconds", "told"), [(10, []), (20, ["0.500"])], ids=["alike", "twice"])
def test_two_clocks_of_the_same_records_are_held_against_each_other(
    tmp_path: Path, seconds: float, told: list[str]
) -> None:
    lines = opennmt(seconds).replace("13000/10000 tok/s; ", "0/0 tok/s; ")
    assert ratios(tmp_path, lines, BY_ELAPSED) == told


def paddlevit(duration: float) -> str:
    lines, at = ["BASE: ['']\n", "NGPUS: -1\n"], START
    for epoch in (1, 2, 3):
        for step in (0, 50, 100):
            stamp = at + timedelta(seconds=step / 5)
            lines.append(
                f"{stamp:%Y-%m-%d %H:%M:%S},500 Epoch[{epoch:03}/003], Step[{step:04}/0120], Avg Loss: 6.0, "
                "Avg Acc: 0.01\n"
            )
        at += timedelta(seconds=24)
        lines.append(
            f"{at:%Y-%m-%d %H:%M:%S},000 ----- Epoch[{epoch:03}/003], Train Loss: 5.3, Train Acc: 0.05, "
            f"time: {duration}\n"
        )
    return "".join(lines)


@pytest.mark.parametrize(("duration", "told"), [(24.0, []), (40.0, ["0.600"])], ids=["alike", "longer"])
def test_the_times_of_epochs_are_held_against_the_clock_by_the_steps_that_an_epoch_has(
    tmp_path: Path, duration: float, told: list[str]
) -> None:
    assert ratios(tmp_path, paddlevit(duration), OWN) == told


def lightning(later: float) -> str:
    """A bar of 200 steps of half a second, the second half of which takes longer."""
    seconds = [0.5 * n + max(n - 100, 0) * (later - 0.5) for n in range(201)]
    bars = (
        f"Epoch 0: {n // 2:3}%|###| {n}/200 [{int(at) // 60:02}:{int(at) % 60:02}<01:00, {at / n:.2f}s/it]\n"
        for n, at in enumerate(seconds)
        if n and n % 4 == 0 and n < 200
    )
    return "".join(bar.replace("0.50s/it", "2.00it/s") if later == 0.5 else bar for bar in bars)


@pytest.mark.parametrize(("later", "told"), [(0.5, False), (4.5, True)], ids=["even", "slower"])
def test_a_mean_of_running_means_is_held_against_all_the_steps_that_they_cover(
    tmp_path: Path, later: float, told: bool
) -> None:
    log = tmp_path / "train.log"
    log.write_text(lightning(later), encoding="utf-8")
    warnings = summarise(log, Protocol.parse("records=step estimate=steps"), ()).warnings
    assert any(said.key == LAST_MEANS for said in warnings) == told


@pytest.mark.parametrize(("later", "epochs", "estimate"), [(0.5, 2, "steps"), (4.5, 1, "steps"), (4.5, 2, "instant")])
def test_it_gives_way_to_them_where_several_epochs_say_so(
    tmp_path: Path, later: float, epochs: int, estimate: str
) -> None:
    text = "".join(lightning(later).replace("Epoch 0", f"Epoch {number}") for number in range(epochs))
    found = summary(tmp_path, text).measurement
    assert found is not None and found.protocol.estimate == estimate
