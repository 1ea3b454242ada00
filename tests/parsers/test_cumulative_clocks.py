"""Times since the start in other units than seconds, without a name, behind resumed steps or whole epochs."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import headline, number, of_runs, read

LINES = range(1, 201)
EACH = 15.0  # seconds that ten steps take


def log(line: str, lines: range = LINES, *, each: float = EACH, begin: float = 0.0) -> str:
    """Lines of which each counts ten steps more; the seconds since the start, that number of them in other units."""
    clocks = [begin + each * (n - lines.start + 1) for n in lines]
    return "".join(
        line.format(n=n, step=10 * n, loss=2 / n, s=s, m=s / 60, h=s / 3600, left=2 * each * len(lines) - s) + "\n"
        for n, s in zip(lines, clocks, strict=True)
    )


def rate(tmp_path: Path, text: str) -> float | None:
    """The steps a second that a log shows; None where it shows none."""
    found = headline(read(tmp_path, text))
    assert found is None or found.unit == "steps/s"
    return found.value if found else None


CLOCKS = {
    "minutes behind a time": "[it {step:05d}] loss={loss:.4f} | time={m:.1f}m",
    "minutes behind a sentence": "step {step} loss {loss:.4f} time elapsed: {m:.2f} min",
    "minutes in brackets": "step {step}/9999 | loss {loss:.4f} | elapsed {m:.1f} minutes",
    "hours": "iter {step}, loss: {loss:.4f}, elapsed: {h:.5f}h",
    "hours as a word": "Step: {step}  loss={loss:.4f}  total time: {h:.5f} hours",
    "minutes in brackets behind a loss": "step {step}: loss {loss:.4f} ({m:.1f} min elapsed)",
    "a name that ends in minutes": '{{"step": {step}, "loss": {loss:.4f}, "elapsed_min": {m:.2f}}}',
    "a name that ends in hours": '{{"step": {step}, "loss": {loss:.4f}, "elapsed_hours": {h:.4f}}}',
    "a name that ends in seconds": '{{"step": {step}, "loss": {loss:.4f}, "wall_time_s": {s:.2f}}}',
    "whole seconds in brackets": "  [{step:5d}] loss={loss:.4f} ({s:.0f}s)",
    "whole seconds in square brackets": "step {step}: loss {loss:.4f} [{s:.0f}s]",
    "whole seconds before all": "{s:.0f} s | step: {step} loss: {loss:.4f}",
    "steps without a name": "  [{step:5d}] ep={step}0 r=2.5 steps=99.7 ploss={loss:.4f} ({s:.0f}s)",
}


@pytest.mark.parametrize("line", CLOCKS.values(), ids=CLOCKS)
def test_a_time_since_the_start_shows_how_fast_the_steps_follow_each_other(tmp_path: Path, line: str) -> None:
    assert rate(tmp_path, log(line)) == approx(10 / EACH, rel=0.01)


@pytest.mark.xfail(strict=True, reason="digits that round a few seconds away are taken for pauses and left out")
def test_a_clock_of_few_digits_shows_no_pauses(tmp_path: Path) -> None:
    line = "iter {step}, loss: {loss:.4f}, elapsed: {h:.3f}h"
    assert rate(tmp_path, log(line)) == approx(10 / EACH, rel=0.01)


@pytest.mark.parametrize("line", CLOCKS.values(), ids=CLOCKS)
def test_resumed_steps_do_not_count_those_before(tmp_path: Path, line: str) -> None:
    assert rate(tmp_path, log(line, range(501, 701))) == approx(10 / EACH, rel=0.01)


@pytest.mark.parametrize("line", CLOCKS.values(), ids=CLOCKS)
def test_each_run_that_was_appended_has_its_own_clock(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, log(line) + log(line, each=2 * EACH))
    assert of_runs(found) == [
        approx(10 / EACH, rel=0.01),
        approx(5 / EACH, rel=0.01),
    ]


OTHERS = {
    "the clock of an evaluation": "Eval: step {step} loss={loss:.4f} time={m:.1f}m",
    "the time that is left": "step {step} loss={loss:.4f} eta={m:.1f}m",
    "the time that is left, that falls": "step {step} loss={loss:.4f} time left: {left:.0f} min",
    "the least of times": "step {step} loss={loss:.4f} time_min={m:.1f}",
    "millions of something": "step {step} loss={loss:.4f} tokens={m:.1f}m",
    "metres": "step {step} loss={loss:.4f} distance={m:.1f}m",
    "a clock beside a count of files": "[{step:5d}] file {step}.jpg ({s:.0f}s)",
    "a clock beside what is loaded": "Loading shard {step} ({s:.0f}s)",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_what_is_no_time_since_the_start_of_training_is_refused(tmp_path: Path, line: str) -> None:
    refused(tmp_path, log(line))


def test_so_few_tenths_of_a_minute_say_too_little(tmp_path: Path) -> None:
    refused(tmp_path, log("step {step} loss={loss:.4f} time={m:.1f}m", range(1, 9)))


def test_a_clock_that_begins_anew_with_each_epoch_times_its_steps_alone(tmp_path: Path) -> None:
    epochs = [
        log(f"epoch {epoch} step {{step}} loss {{loss:.4f}} ({{s:.0f}}s)", range(100 * epoch + 1, 100 * epoch + 101))
        for epoch in range(4)
    ]
    assert rate(tmp_path, "".join(epochs)) == approx(10 / EACH, rel=0.02)


def test_lines_that_end_an_epoch_each_tell_all_its_steps(tmp_path: Path) -> None:
    text = log("{s:.0f} s | epoch: {n} step: 1335 total_loss: {loss:.4f}", range(1, 21), each=373)
    records = drafted(tmp_path, text).reading.records
    assert (set(records["step"]), records["elapsed"].iloc[-1]) == ({1335}, 20 * 373)


@pytest.mark.parametrize("step", ["10", "100", "99", "32", "150/938"])
def test_lines_amid_each_epoch_do_not_tell_how_many_steps_it_has(tmp_path: Path, step: str) -> None:
    refused(tmp_path, log(f"{{s:.0f}} s | epoch: {{n}} step: {step} total_loss: {{loss:.4f}}", range(1, 21), each=373))


def test_times_of_few_epochs_that_rise_may_be_their_own(tmp_path: Path) -> None:
    refused(tmp_path, log("{s:.0f} s | epoch: {n} step: 1335 total_loss: {loss:.4f}", range(1, 5), each=9, begin=300))


def test_of_two_counters_it_is_said_which_counts_the_steps(tmp_path: Path) -> None:
    text = "".join(f"[it {n:04d}] step={1024 * n} loss={2 / n:.4f} | time={n / 4:.1f}m\n" for n in LINES)
    said = "; ".join(map(str, drafted(tmp_path, text).assumed))
    assert '"it" counts the steps; "step", a counter beside it, rises by 1024 for each' in said


def test_so_it_is_of_steps_without_a_name_beside_episodes(tmp_path: Path) -> None:
    text = log("  [{step:5d}] ep={step}0 r=2.5 steps=99.7 ploss={loss:.4f} ({s:.0f}s)")
    said = "; ".join(map(str, drafted(tmp_path, text).assumed))
    assert 'the first number of each line counts the steps; "ep", a counter beside it, rises by 10 for each' in said


WITHOUT_UNIT = "[{step:8d} Epoch:[ 0/25] [{step:4d}/20018] time: {s:.4f}, d_loss: {loss:.8f}"


def test_a_clock_without_a_unit_is_taken_for_seconds_where_it_shows_parts_of_them(tmp_path: Path) -> None:
    found = read(tmp_path, log(WITHOUT_UNIT, each=37.3125))
    assert number(found) == (approx(10 / 37.3125), "steps/s")


def test_a_clock_of_whole_numbers_without_a_unit_may_be_in_milliseconds(tmp_path: Path) -> None:
    refused(tmp_path, log('{{"epoch": 0, "step": {step}, "loss": {loss:.4f}, "time": {s:.0f}}}', each=37))


def test_so_few_times_without_a_unit_may_rise_by_chance(tmp_path: Path) -> None:
    refused(tmp_path, log(WITHOUT_UNIT, range(501, 515), each=37.3125, begin=512.5))


def test_whole_seconds_go_on_over_epochs_where_the_steps_do(tmp_path: Path) -> None:
    text = "".join(
        f'{{"epoch": {n // 10}, "step": {5 * n}, "loss": {2 / (n + 1):.4f}, "time": {4 + 2 * n}}}\n' for n in range(60)
    )
    assert rate(tmp_path, text) == approx(2.5)


HEADINGS = (
    "Running on dev set",
    "--- val ---",
    "Valid",
    "Inference on test set",
    "Loading the best model for evaluation",
    "Predicting labels for 516 test sentences...",
)


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_clock_below_the_heading_of_an_evaluation_is_none_of_training(tmp_path: Path, heading: str) -> None:
    line = "batch {step}/2000 loss {loss:.4f} elapsed {m:.2f} min"
    assert "follow an evaluation heading" in refused(tmp_path, f"{heading}\n{log(line)}")


@pytest.mark.parametrize("heading", ["Loading validation data", "Training with validation", "Validation dataset ready"])
def test_data_of_an_evaluation_that_are_got_ready_stand_before_training_as_well(tmp_path: Path, heading: str) -> None:
    text = f"{heading}\n" + log("batch {step}/2000 loss {loss:.4f} elapsed {m:.2f} min")
    assert rate(tmp_path, text) == approx(10 / EACH, rel=0.01)


def test_two_loops_in_turns_in_one_form_are_not_told_apart(tmp_path: Path) -> None:
    loops = (("{step}/100", range(1, 11), EACH), ("{step}/300", range(1, 31), EACH / 9))
    text = "".join(
        log(f"Epoch {epoch} batch {steps} loss {{loss:.4f}} elapsed {{m:.3f}} min", lines, each=each)
        for epoch in range(8)
        for steps, lines, each in loops
    )
    refused(tmp_path, text)


TRAINED = "batch {step} of 2,000 loss {loss:.4f} elapsed {m:.2f} min"
OTHER = "batch {step} of 4,190 loss {loss:.4f} elapsed {m:.2f} min"


@pytest.mark.parametrize("title", ["Training...", "=== Epoch 1 / 1 ===", "Start training epoch 1", "Epoch 1 of 1"])
def test_a_loop_of_another_length_without_the_title_of_training_may_be_of_other_work(
    tmp_path: Path, title: str
) -> None:
    text = f"{title}\n{log(TRAINED)}Training complete!\n{log(OTHER, each=EACH / 3)}"
    assert "follow an evaluation heading" in refused(tmp_path, text)


@pytest.mark.parametrize("title", ["", "Resumed\n"])
def test_a_loop_of_the_same_length_needs_no_title_of_its_own(tmp_path: Path, title: str) -> None:
    text = f"Training...\n{log(TRAINED)}{title}{log(TRAINED, each=EACH / 3)}"
    found = read(tmp_path, text)
    assert found.status == "contradicted"
    assert of_runs(found) == [approx(10 / EACH, rel=0.01), approx(30 / EACH, rel=0.01)]


def test_trainings_of_several_lengths_stand_below_a_title_each(tmp_path: Path) -> None:
    text = f"Training...\n{log(TRAINED)}Training...\n{log(OTHER, each=EACH / 3)}"
    assert of_runs(read(tmp_path, text)) == [approx(10 / EACH, rel=0.01), approx(30 / EACH, rel=0.01)]


def test_loops_of_several_totals_behind_of_are_not_told_apart(tmp_path: Path) -> None:
    text = (log(TRAINED) + log(OTHER, each=EACH / 3)) * 3
    refused(tmp_path, text)


def test_clocks_of_several_processes_that_differ_are_not_taken_for_one(tmp_path: Path) -> None:
    lines = (
        log(f"[rank{rank}] step {{step}} loss {{loss:.4f}} elapsed {{m:.2f}} min", begin=7 * rank) for rank in (1, 0)
    )
    both = zip(*(text.splitlines(keepends=True) for text in lines), strict=True)
    refused(tmp_path, "".join(line for pair in both for line in pair))


@pytest.mark.parametrize("name", ["gpu elapsed {m:.2f} min", "elapsed (cpu) {m:.2f} min", '"cpu_elapsed_s": {s:.1f}'])
def test_the_time_of_all_processors_is_not_that_since_the_start(tmp_path: Path, name: str) -> None:
    refused(tmp_path, log(f"step {{step}} loss {{loss:.4f}} {name}"))


def test_a_tag_of_an_evaluation_may_end_a_line(tmp_path: Path) -> None:
    refused(tmp_path, log("step {step}/2000 loss {loss:.4f} elapsed {m:.2f} min [eval]"))


@pytest.mark.parametrize("name", ["elapsed", "time elapsed:"])
def test_millions_of_tokens_are_no_minutes(tmp_path: Path, name: str) -> None:
    refused(tmp_path, log(f"step {{step}} loss {{loss:.4f}} {name} {{m:.2f}}m tokens"))


def test_minutes_before_the_name_of_a_counter_are_no_millions(tmp_path: Path) -> None:
    text = log("step {step} loss {loss:.4f} elapsed {m:.2f}m tokens {step}00")
    assert rate(tmp_path, text) == approx(10 / EACH, rel=0.01)
