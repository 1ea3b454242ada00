"""How fast the lines of a log say by themselves that its steps follow each other."""

import pytest

from tests.corpus.second_computations import named_batch, step_rates, tokens_of_a_step

STEPS = range(0, 500, 25)


def rates(lines: list[str], *, is_clock: bool = False) -> dict[str, float]:
    used = range(1, len(lines) + 1)
    return {name: float(f"{rate:.2g}") for name, rate in step_rates("\n".join(lines), used, is_clock=is_clock)}


def bar(done: int, seconds: int, total: int = 500, name: str = "") -> str:
    passed = f"{seconds // 60:02}:{seconds % 60:02}"
    return f"{name}{100 * done // total:3}%|##  | {done}/{total} [{passed}<00:10,  9.99it/s]"


def test_a_bar_is_read_by_its_own_clock_and_not_by_the_rate_beside_it() -> None:
    assert rates([bar(done, done // 5) for done in range(0, 500, 50)]) == {"bars": 5.0}


def test_a_bar_that_is_drawn_again_for_the_same_step_counts_once() -> None:
    lines = [line for done in range(0, 500, 50) for line in (bar(done, done // 5), bar(done, done // 5 + 9))]
    assert rates(lines) == {"bars": 5.0}


def test_only_bars_that_are_at_their_end_tell_of_their_whole_pass() -> None:
    assert rates([bar(500, 100) for _ in range(3)]) == {"bars": 5.0}


def test_whole_passes_that_take_different_times_all_count() -> None:
    assert rates([bar(500, seconds) for seconds in (100, 101, 400, 399)]) == {"bars": 2.0}


def test_whole_passes_with_other_lines_between_all_count_though_they_take_about_as_long() -> None:
    passes = ([bar(500, seconds), *["saved"] * 5] for seconds in (100, 101, 400))
    assert rates([line for one in passes for line in one]) == {"bars": 2.5}


def test_a_clock_that_goes_on_from_pass_to_pass_is_read_up_to_the_end_of_each() -> None:
    drawn = [(done, 200 * epoch + done // 5) for epoch in range(3) for done in (100, 200, 300, 400)]
    lines = [bar(*one) + (bar(500, one[1] + 90) if one[0] == 400 else "") for one in drawn]
    assert rates(lines) == {"bars": 5.0}


def test_bars_without_a_loss_between_those_that_show_one_are_of_another_loop() -> None:
    loops = ((", loss=0.5]", 5), ("]", 20), (", loss=0.4]", 5))
    lines = [f"{bar(done, done // speed)[:-1]}{end}" for end, speed in loops for done in STEPS]
    used = [number for number, line in enumerate(lines, 1) if "loss" in line]
    assert [f"{rate:.1f}" for _, rate in step_rates("\n".join(lines), used, is_clock=False)] == ["5.0"]


def test_bars_of_several_totals_and_short_ones_tell_nothing() -> None:
    assert rates([bar(500, 100), bar(50, 10, total=50)]) == {}
    assert rates([bar(done, done // 5, total=50) for _ in range(5) for done in range(0, 51, 10)]) == {}


def remaining(done: int, slow: float = 1.0) -> str:
    seconds = round((1000 - done) * slow / 4)
    return f"Epoch: [1]  [{done}/1000]  eta: 0:{seconds // 60:02}:{seconds % 60:02}  loss: 0.5"


def test_the_steps_that_remain_are_done_in_the_time_that_remains() -> None:
    assert rates([remaining(done) for done in range(500, 760, 40)]) == {"remaining time": 4.0}


def test_remaining_times_that_contradict_each_other_tell_nothing() -> None:
    assert rates([remaining(done, 1 + (done - 500) / 400) for done in range(500, 760, 40)]) == {}


def stamped(step: int, minutes: float, before: str = "") -> str:
    return f"2031-06-15 {10 + int(minutes) // 60}:{int(minutes) % 60:02}:00,500 INFO {before}iter {step:,} loss 0.5"


def test_stamps_are_held_against_the_number_that_is_called_a_step() -> None:
    lines = [stamped(100 * number, number, f"epoch {number} ") for number in range(1, 9)]
    assert rates(lines) == {"stamps": 1.7}


def test_the_clocks_of_a_bar_are_no_stamps() -> None:
    lines = [f"{done}/9000 [0{done}:00<36:0{done}:00, 60s/it] iter {done} loss 0.5" for done in range(1, 9)]
    assert "stamps" not in rates(lines)


def test_the_stamps_say_nothing_new_of_a_clock() -> None:
    assert rates([stamped(100 * number, number) for number in range(1, 9)], is_clock=True) == {}


def test_a_pause_between_two_stamps_is_left_out() -> None:
    lines = [stamped(100 * number, number + 30 * (number > 4)) for number in range(1, 9)]
    assert rates(lines) == {"stamps": 1.7}


def test_a_total_time_in_minutes_is_held_against_the_steps() -> None:
    lines = [f"step {number:05} | dt: 9.00ms | total time: {number * 0.05:.2f}m" for number in range(0, 90, 10)]
    assert rates(lines) == {"total time": 0.33}


def test_the_tokens_of_a_step_are_those_that_were_trained_between_two() -> None:
    lines = [f"Iter {number}: Tokens/sec 900.1, Trained Tokens {number * 200}" for number in range(10, 90, 10)]
    assert tokens_of_a_step("\n".join(lines), range(1, 9)) == 200


@pytest.mark.parametrize(("near", "size"), [(63.6, 64), (48, None)])
def test_a_batch_is_one_that_the_text_names(near: float, size: int | None) -> None:
    assert named_batch("lr: 0.1\nbatch_size: 64\nval_batch: 8\n", near) == size
