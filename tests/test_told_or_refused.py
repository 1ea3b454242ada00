"""What a number leaves out, combines or takes one of is told, or there is none; the logs are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run


def shown(folder: Path, text: str, name: str = "train.log") -> dict[str, Any]:
    log = folder / name
    log.write_text(text, encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", str(log), "--json").stdout)
    return found


def said(found: dict[str, Any], text: str) -> bool:
    return any(text in warning for warning in found["warnings"])


def table(seconds: dict[int, float], rows: int = 60, every: float = 5.0) -> str:
    """A table of a step in ten with its moment; before some rows, by their number, so many seconds pass besides."""
    clock, lines = 1_950_000_000.0, ["step,_timestamp,loss"]
    for row in range(1, rows + 1):
        clock += every + seconds.get(row, 0)
        lines.append(f"{10 * row},{clock:.2f},2.{row:03d}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("pauses", [{30: 40_000.0}, {20: 120.0, 40: 120.0}, dict.fromkeys(range(5, 60, 5), 60.0)])
def test_a_clock_leaves_pauses_out_and_says_so(tmp_path: Path, pauses: dict[int, float]) -> None:
    found = shown(tmp_path, table(pauses), "metrics.csv")
    assert found["throughput"]["value"] == 2
    assert said(
        found, "the longest stretch without a pause, such as an evaluation or a restart; with pauses, from line 2"
    )


def test_a_protocol_that_asks_for_a_clock_gets_it_with_a_word_about_the_pause(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text(table({30: 40_000.0}), encoding="utf-8")
    shown = run("show", str(tmp_path / "metrics.csv"), "--protocol", "estimate=clock,counts=steps").stdout
    assert "0.015 steps/s" in shown
    assert "The time between lines 30 and 31 (40005 s) is several times that of as many other steps" in shown


def steps(milliseconds: float, loss: float, fall: float, count: int = 40) -> str:
    """The lines of one run that counts steps alone: its loss falls by so much."""
    lines = (loss - fall * n / count for n in range(count))
    return "".join(
        f"iter {10 * n}: loss {now:.4f}, time {milliseconds + n % 3:.2f}ms, mfu 10.00%\n" for n, now in enumerate(lines)
    )


@pytest.mark.parametrize("count", [40, 20])
def test_two_runs_whose_steps_are_the_same_are_told_apart_by_their_losses(tmp_path: Path, count: int) -> None:
    found = shown(tmp_path, steps(100, 4.0, 3.0) + steps(200, 4.1, 3.0, count))
    assert [round(each["throughput"]["value"]) for each in found["runs"]] == [10, 5]


@pytest.mark.parametrize(("second", "fall"), [(1.0, 0.5), (4.0, 0.1)])
def test_steps_that_begin_anew_for_no_known_reason_are_told(tmp_path: Path, second: float, fall: float) -> None:
    found = shown(tmp_path, steps(100, 4.0, 3.0 if second == 1 else 0.1) + steps(101, second, fall))
    assert "runs" not in found
    assert said(
        found, "Step numbers begin anew, first at line 41 (1 in total), and nothing shows whether epochs, ranks or"
    )


SUMMARY = (
    "{{'train_runtime': 100.0, 'train_samples_per_second': {rate}, 'train_steps_per_second': 0.5, 'epoch': 1.0}}\n"
)


def test_of_several_summaries_all_are_told_with_their_lines(tmp_path: Path) -> None:
    found = shown(tmp_path, "".join(SUMMARY.format(rate=rate) for rate in (14.5, 29.0, 28.75)))
    assert found["throughput"]["value"] == 28.75
    assert said(found, "The log has 3 summaries, which give 14.5 to 29 samples/s, at lines 1, 2, 3; the last is used.")


def test_of_means_since_the_start_the_last_is_used_and_said_to_be_one(tmp_path: Path) -> None:
    found = shown(tmp_path, "".join(f"SPS: {rate}\n" for rate in (1000, 1500, 1600)))
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (1600, "environment steps/s")
    assert said(
        found, "Each of the 3 numbers (line 1 to 3) is the mean since the start of the run, its warm-up, pauses"
    )
    assert not said(found, "summaries")


def test_a_summary_that_is_printed_twice_is_one(tmp_path: Path) -> None:
    found = shown(tmp_path, "".join(SUMMARY.format(rate=rate) for rate in (14.503, 14.5)))
    assert not said(found, "summaries")


ONE_CARD = "batch_size: 8\nworld_size: 1\n"


def bar(name: str, total: int, seconds: float, steps: int | None = None, more: str = "") -> list[str]:
    """A bar of tqdm as it is drawn again and again."""
    shown = f"{seconds:.2f}s/it" if seconds >= 1 else f"{1 / seconds:.2f}it/s"
    return [
        f"{name}{100 * n // total:3d}%|{'#' * (10 * n // total):10}| {n}/{total} "
        f"[{int(n * seconds) // 60:02d}:{int(n * seconds) % 60:02d}<09:59, {shown}{more}]"
        for n in range(1, (steps or total) + 1)
    ]


def refused(folder: Path, lines: list[str]) -> str:
    """Why a log gives no number."""
    found = shown(folder, ONE_CARD + "\n".join(lines) + "\n")
    assert found["throughput"] is None
    reason: str = found["reason"]
    return reason


@pytest.mark.parametrize("name", ["Train | epoch: ", "训练轮次: "])
def test_a_bar_named_by_epochs_is_none_of_steps(tmp_path: Path, name: str) -> None:
    assert "named for epochs" in refused(tmp_path, bar(name, 50, 12, 30, ", loss=1.5"))


@pytest.mark.parametrize("name", ["Training epochs: ", "Epochs: "])
def test_a_bar_named_by_epochs_counts_them(tmp_path: Path, name: str) -> None:
    found = shown(tmp_path, ONE_CARD + "\n".join(bar(name, 50, 12, 30, ", loss=1.5")) + "\n")
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (pytest.approx(1 / 12), "epochs/s")


@pytest.mark.parametrize("name", ["Training: ", ""])
def test_a_bar_that_goes_on_with_the_epochs_counts_them(tmp_path: Path, name: str) -> None:
    drawn = bar(name, 50, 12, 30)
    lines = [line for n, row in enumerate(drawn, 1) for line in (row, f"epoch {n} loss 1.{n:03d} acc 0.5")]
    found = shown(tmp_path, ONE_CARD + "\n".join(lines) + "\n")
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (pytest.approx(1 / 12), "epochs/s")


def test_a_bar_of_as_many_steps_as_there_are_epochs_is_none_of_steps(tmp_path: Path) -> None:
    assert "follows the epochs" in refused(tmp_path, ["num_epochs: 50", *bar("Training: ", 50, 12, 30, ", loss=1.5")])


def test_bars_of_an_evaluation_of_as_many_steps_are_told_by_their_speed(tmp_path: Path) -> None:
    both = [*bar("", 100, 0.5), "epoch 1 loss 1.5", *bar("", 100, 0.25), "epoch 1 val_loss 1.5"]
    assert "speeds as different as training and evaluation" in refused(tmp_path, both * 3)


def test_a_bar_behind_a_line_about_an_evaluation_is_not_read(tmp_path: Path) -> None:
    lines = ["Evaluating the model", "loading weights", *bar("", 100, 0.5, more=", loss=1.5")]
    assert "follow an evaluation heading" in refused(tmp_path, lines)


def test_a_bar_that_may_count_anything_is_not_multiplied_by_a_batch_size(tmp_path: Path) -> None:
    drawn = "\n".join(bar("Training: ", 500, 2, 30, ", loss=1.5"))
    found = shown(tmp_path, f"{ONE_CARD}{drawn}\n")
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (0.5, "steps/s")
    assert said(found, "nothing names its unit, so no batch size is applied")


def test_a_bar_that_begins_anew_counts_batches(tmp_path: Path) -> None:
    found = shown(tmp_path, ONE_CARD + "\n".join(bar("", 50, 0.5, more=", loss=1.5") * 3) + "\n")
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (16, "samples/s")


def test_a_bar_of_steps_within_a_bar_of_epochs_is_that_of_training(tmp_path: Path) -> None:
    drawn = [*bar("Epoch: ", 3, 300, 1), *bar("Iteration: ", 500, 0.5, 200)]
    drawn[50::50] = [f"{line}10/11/2031 12:13:14 - INFO - Step 9: Loss 1.5" for line in drawn[50::50]]
    assert shown(tmp_path, "\n".join(drawn) + "\n")["throughput"]["value"] == 2
    assert shown(tmp_path, "\n".join(drawn[1:]) + "\n")["throughput"] is None


def passes(*each: tuple[int, int, float]) -> str:
    """Progress bars of one name: of each the epoch, its total, and the seconds of a step."""
    return "".join(
        f"Epoch {epoch}: {100 * n // total:3}%|###| {n}/{total} [00:{int(n * second):02}<00:01, {1 / second:.2f}it/s]\n"
        for epoch, total, second in each
        for n in range(1, total + 1)
    )


@pytest.mark.parametrize(
    "each",
    [((20, 0.5), (20, 0.1)), ((20, 0.5), (30, 0.1)), ((30, 0.5), (20, 0.4)), ((20, 0.1), (30, 0.5))],
    ids=["of as many steps", "the first one shorter", "hardly slower", "the second one longer and slower"],
)
def test_a_bar_that_is_drawn_twice_in_each_epoch_gives_no_number(
    tmp_path: Path, each: tuple[tuple[int, float], ...]
) -> None:
    found = shown(tmp_path, passes(*((epoch, *bar) for epoch in range(8) for bar in each)))
    assert found["throughput"] is None
    assert "is drawn twice, first at lines" in found["reason"]


def test_of_two_bars_in_each_epoch_the_first_is_of_training_if_it_is_longer_and_slower(
    tmp_path: Path,
) -> None:
    found = shown(tmp_path, passes(*((epoch, *bar) for epoch in range(8) for bar in ((40, 0.5), (30, 0.1)))))
    assert found["throughput"]["value"] == 2
    assert said(found, "that of 40 steps is taken for training")
    assert said(found, "its own clock gives 2.05263 steps/s in all")  # 39 steps in 19 whole seconds
    assert said(found, "The 240 records of that of 30 steps, first at line 41, are left out")


def test_a_longer_bar_without_losses_is_not_taken_for_training_before_one_that_shows_them(tmp_path: Path) -> None:
    each = [(epoch, *bar) for epoch in range(8) for bar in ((40, 0.5), (30, 0.1))]
    text = "".join(passes(one).replace("it/s]", "it/s, loss=1.5]") if one[1] == 30 else passes(one) for one in each)
    assert shown(tmp_path, text)["throughput"] is None


def test_a_longer_bar_that_is_first_in_a_few_epochs_only_is_not_taken_for_training(tmp_path: Path) -> None:
    each = [((40, 0.5), (30, 0.1)) if epoch < 6 else ((30, 0.1), (40, 0.5)) for epoch in range(12)]
    found = shown(tmp_path, passes(*((epoch, *bar) for epoch, bars in enumerate(each) for bar in bars)))
    assert found["throughput"] is None


def test_a_bar_that_ends_twice_in_each_epoch_and_at_once_faster_gives_no_number(tmp_path: Path) -> None:
    bars = (passes(bar).splitlines(True)[-1] for epoch in range(8) for bar in ((epoch, 20, 0.5), (epoch, 20, 0.1)))
    assert "is drawn twice, first at lines 1 and 2" in shown(tmp_path, "".join(bars))["reason"]


def test_a_bar_that_is_drawn_again_at_its_end_after_an_evaluation_is_read(tmp_path: Path) -> None:
    bars = (passes(bar).splitlines(True)[-1] for epoch in range(8) for bar in ((epoch, 20, 0.5), (epoch, 20, 0.6)))
    assert shown(tmp_path, "".join(bars))["throughput"] is not None


def test_a_bar_whose_name_tells_the_epoch_that_each_of_its_steps_is_gives_no_steps(tmp_path: Path) -> None:
    drawn = (f"Epoch {n}: {2 * n:3}%|###| {n}/50 [{n:02}:00<09:00, 60.00s/it, loss=2.5]\n" for n in range(1, 30))
    found = shown(tmp_path, "".join(drawn))
    assert (found["throughput"], "counts epochs, not steps" in found["reason"]) == (None, True)


def test_a_bar_of_an_evaluation_within_each_epoch_makes_no_runs(tmp_path: Path) -> None:
    drawn = passes(*(bar for epoch in range(4) for bar in ((epoch, 20, 0.5), (epoch, 20, 0.1)))).splitlines(True)
    halves = (drawn[n : n + 40] for n in range(0, 160, 40))
    text = "".join("".join([*half[:10], *half[20:], *half[10:20]]) for half in halves)
    assert "is drawn twice, first at lines 10 and 11" in shown(tmp_path, text)["reason"]


def test_runs_that_were_begun_again_in_other_batches_each_give_a_number(tmp_path: Path) -> None:
    found = shown(tmp_path, passes((0, 20, 0.5), (0, 30, 0.5), (0, 40, 0.25), (1, 40, 0.25)))
    assert [each["throughput"]["value"] for each in found["runs"]] == [2, 2, 4]


def test_an_end_that_is_drawn_again_in_its_own_line_is_that_of_the_same_bar(tmp_path: Path) -> None:
    ends = "Epoch {n}: 100%|##| 300/300 [00:30<00:00, {rate}it/s, loss=2.5]"
    text = "".join(f"{ends.format(n=n, rate='9.00')}\r{ends.format(n=n, rate='10.00')}\n" for n in range(5))
    assert shown(tmp_path, text)["throughput"] is not None


def test_a_time_in_few_whole_milliseconds_is_what_is_said_and_no_size_of_a_batch_is_asked_for(tmp_path: Path) -> None:
    line = "188/188 - 0s - {ms}ms/step - accuracy: 0.9940 - loss: 0.0175\n"
    found = shown(tmp_path, "".join(f"Epoch {n}/40\n{line.format(ms=1 + n % 2)}" for n in range(1, 11)))
    assert (found["throughput"], "rounded to whole milliseconds" in found["reason"]) == (None, True)
