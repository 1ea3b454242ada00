"""What a number leaves out, combines or takes one of is told, or there is none; the logs are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.runs.evaluation_bars import LEFT_OUT
from parsers.runs.reading import read
from tests.commandline import run


def shown(folder: Path, text: str, name: str = "train.log") -> dict[str, Any]:
    log = folder / name
    log.write_text(text, encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", str(log), "--json").stdout)
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [one["code"] for one in found["diagnostics"]]


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
    assert "pauses" in codes(found)


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
def test_steps_that_begin_anew_for_no_known_reason_are_no_other_run(tmp_path: Path, second: float, fall: float) -> None:
    found = shown(tmp_path, steps(100, 4.0, 3.0 if second == 1 else 0.1) + steps(101, second, fall))
    assert found["runs"] == []


SUMMARY = (
    "{{'train_runtime': 100.0, 'train_samples_per_second': {rate}, 'train_steps_per_second': 0.5, 'epoch': 1.0}}\n"
)


def test_of_several_summaries_the_last_is_used(tmp_path: Path) -> None:
    found = shown(tmp_path, "".join(SUMMARY.format(rate=rate) for rate in (14.5, 29.0, 28.75)))
    assert found["throughput"]["value"] == 28.75
    assert "total_of_run" in codes(found)


def test_of_means_since_the_start_the_last_is_used_and_said_to_be_one(tmp_path: Path) -> None:
    found = shown(tmp_path, "".join(f"SPS: {rate}\n" for rate in (1000, 1500, 1600)))
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (1600, "environment steps/s")
    assert "total_of_run" in codes(found)


OF_THE_JOB = "global_batch_size: 8\n"


def bar(name: str, total: int, seconds: float, steps: int | None = None, more: str = "") -> list[str]:
    """A bar of tqdm as it is drawn again and again."""
    shown = f"{seconds:.2f}s/it" if seconds >= 1 else f"{1 / seconds:.2f}it/s"
    return [
        f"{name}{100 * n // total:3d}%|{'#' * (10 * n // total):10}| {n}/{total} "
        f"[{int(n * seconds) // 60:02d}:{int(n * seconds) % 60:02d}<09:59, {shown}{more}]"
        for n in range(1, (steps or total) + 1)
    ]


def test_a_bar_that_begins_anew_counts_batches(tmp_path: Path) -> None:
    found = shown(tmp_path, OF_THE_JOB + "\n".join(bar("", 50, 0.5, more=", loss=1.5") * 3) + "\n")
    assert (found["throughput"]["value"], found["throughput"]["unit"]) == (pytest.approx(16, rel=0.03), "samples/s")


def passes(*each: tuple[int, int, float]) -> str:
    """Progress bars of one name: of each the epoch, its total, and the seconds of a step, which vary by 6%."""
    lines = []
    for epoch, total, second in each:
        passed = 0.0
        for n in range(1, total + 1):
            passed += second * (1 + 0.03 * (n * 7 % 5 - 2))
            bar = f"{100 * n // total:3}%|###| {n}/{total} [00:{int(passed):02}<00:01, {n / passed:.2f}it/s]"
            lines.append(f"Epoch {epoch}: {bar}\n")
    return "".join(lines)


@pytest.mark.parametrize(
    "each",
    [((20, 0.5), (30, 0.1)), ((30, 0.5), (20, 0.4)), ((20, 0.1), (30, 0.5))],
    ids=["the first one shorter", "hardly slower", "the second one longer and slower"],
)
def test_a_bar_that_is_drawn_twice_in_each_epoch_gives_no_one_number(
    tmp_path: Path, each: tuple[tuple[int, float], ...]
) -> None:
    found = shown(tmp_path, passes(*((epoch, *bar) for epoch in range(8) for bar in each)))
    assert (found["status"], found["throughput"]) == ("contradicted", None)


@pytest.mark.parametrize("other", [30, 40], ids=["longer", "as long"])
def test_of_two_bars_in_each_epoch_the_first_is_of_training_if_it_is_slower_and_not_shorter(
    other: int, tmp_path: Path
) -> None:
    found = shown(tmp_path, passes(*((epoch, *bar) for epoch in range(8) for bar in ((40, 0.5), (other, 0.1)))))
    assert found["throughput"]["value"] == 2
    left_out = {"rate": "2.05263", "count": str(8 * other), "line": "41"}  # 39 steps in 19 whole seconds
    (message,) = (one for one in read(tmp_path / "train.log").warnings if one.key == LEFT_OUT)
    assert left_out.items() <= message.values.items()


def test_runs_that_were_begun_again_in_other_batches_each_give_a_number(tmp_path: Path) -> None:
    found = shown(tmp_path, passes((0, 20, 0.5), (0, 30, 0.5), (0, 40, 0.25), (1, 40, 0.25)))
    assert [each["throughput"]["value"] for each in found["runs"]] == pytest.approx([2, 2, 4], rel=0.01)


def test_a_time_in_few_whole_milliseconds_is_what_is_said_and_no_size_of_a_batch_is_asked_for(tmp_path: Path) -> None:
    line = "188/188 - 0s - {ms}ms/step - accuracy: 0.9940 - loss: 0.0175\n"
    found = shown(tmp_path, "".join(f"Epoch {n}/40\n{line.format(ms=1 + n % 2)}" for n in range(1, 11)))
    assert (found["throughput"], codes(found)) == (None, ["coarse_digits"])
