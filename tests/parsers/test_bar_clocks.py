"""Progress bars that show their clock: what is read of it, in whatever way they show their speed; lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.bars import bar, clock
from tests.parsers.drafting import drafted, found_in, refused


def test_the_clock_of_a_bar_is_read_with_its_speed(tmp_path: Path) -> None:
    records = drafted(tmp_path, bar("train: ", 40, 1.5)).reading.records
    assert records["elapsed"].tolist()[:3] == [1, 3, 4]
    assert set(records["step_time"]) == {1.5}


def test_drawings_of_one_line_that_show_the_speed_in_two_ways_are_read_in_their_order(tmp_path: Path) -> None:
    text = "".join(
        f"\rtrain: {n}%|# | {n}/100 [{clock(n)}<00:50,  {'1.01it/s' if n % 2 else '1.01s/it'}, loss=2.5]"
        for n in range(1, 100)
    )
    assert drafted(tmp_path, text).reading.records["step"].tolist() == [*range(1, 100)]


def test_a_bar_with_numbers_in_its_name_is_read(tmp_path: Path) -> None:
    text = "".join(
        f"\rEpoch [0][{n}/40] Time 1.50 (1.5{n % 3}) Loss 2.{n} : {n}%|# | {n}/40 [{clock(1.5 * n)}<00:50, 1.50s/it]"
        for n in range(1, 40)
    )
    assert drafted(tmp_path, text).reading.records["step"].tolist() == [*range(1, 40)]


def test_passes_of_a_bar_are_no_runs_though_it_is_not_drawn_at_each_step(tmp_path: Path) -> None:
    text = "".join(bar("train: ", 200, 0.5).replace(f" {n}/200", f" {n + 1}/200") + "\n" for n in (1, 2, 1, 2))
    assert "run" not in drafted(tmp_path, text).reading.records


def test_a_bar_of_short_passes_that_is_called_training_is_read(tmp_path: Path) -> None:
    text = "".join(bar("training: ", 11, 0.5, loss=False) + "\n" for _ in range(40))
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {2.0}


def test_a_few_short_passes_of_a_bar_prove_nothing(tmp_path: Path) -> None:
    text = "".join(bar("training: ", 11, 0.5, loss=False) + "\n" for _ in range(2))
    assert "too short" in refused(tmp_path, text)


def within(total: int, evaluated: int, line: str) -> str:
    """A bar that goes on with the losses that lines tell, and an evaluation with a bar of the same name within."""
    text = ""
    for n in range(1, total + 1):
        text += f"\rIteration: {n}%|# | {n}/100 [{clock(4.0 * n)}<00:50, 4.00s/it]"
        text += line.format(n=n) if n % 10 == 0 else ""
        text += "\n" + bar("Iteration: ", 20, 2.0, loss=False) + "\n" if n == evaluated else ""
    return text


def test_a_bar_whose_steps_go_with_those_of_the_losses_is_that_of_training(tmp_path: Path) -> None:
    found = drafted(tmp_path, within(60, 50, "INFO:acme:global step {n} | loss 2.{n}\n"))
    assert set(found.reading.records["step_time"]) == {4.0}
    assert "its steps match those of the loss lines" in " ".join(map(str, found.assumed))


def test_a_bar_whose_steps_are_others_than_those_of_the_losses_is_not_read_for_them(tmp_path: Path) -> None:
    assert refused(tmp_path, within(60, 50, "INFO:acme:global step 7{n} | loss 2.{n}\n"))


def stages(second: float) -> str:
    """Two stages of a training, each with a bar of its own steps, which a line that tells the loss follows."""
    return "".join(
        f"{bar(f'Ep {n}: ', steps, seconds, loss=False)}\nEp {n}: Loss:2.{n} | F1:0.5\n"
        for steps, seconds in ((50, 0.5), (40, second))
        for n in range(1, 8)
    )


def test_a_bar_whose_name_and_number_lines_of_losses_bear_is_that_of_training(tmp_path: Path) -> None:
    found = drafted(tmp_path, stages(0.5))
    assert set(found.reading.records["step_rate"]) == {2.0}
    assert "carry the name and number of its passes" in " ".join(map(str, found.assumed))


def test_of_two_bars_of_training_that_run_at_different_speeds_none_is_read(tmp_path: Path) -> None:
    assert "at different speeds" in refused(tmp_path, stages(0.7).replace("Ep ", "Part "))


def test_bars_of_one_name_that_have_different_totals_in_an_epoch_are_refused(tmp_path: Path) -> None:
    said = "bars of one name have different totals in the same epoch, and run at different speeds"
    assert said in refused(tmp_path, stages(0.7))


def test_bars_of_one_name_of_which_only_some_show_a_loss_are_not_taken_together(tmp_path: Path) -> None:
    passes = (bar("", 100, 0.5, loss=n < 2) + "\n" + bar("", 100, 0.1, loss=n == 2) + "\n" for n in range(4))
    assert refused(tmp_path, "".join(passes))


def test_numbers_of_a_bar_that_no_program_counts_to_are_none(tmp_path: Path) -> None:
    digits = "9" * 4500
    text = "".join(
        f"\rEp {n}: 3%|##| 1/{digits} [00:0{n}<00:09, 2.00it/s]\rEp {digits}: 3%|##| 1/9\n" for n in range(9)
    )
    assert refused(tmp_path, text)


@pytest.mark.parametrize("width", [32, 40, 44])
def test_bars_that_a_terminal_cut_are_refused_with_the_reason(tmp_path: Path, width: int) -> None:
    drawn = bar("training of a model: ", 100, 0.5).split("\r")[1:]
    text = "".join(f"{line[start : start + width]}\n" for line in drawn for start in range(0, len(line), width))
    assert "are wrapped onto the next line, first at line 1" in refused(tmp_path, text)


def test_lines_that_other_programs_print_between_the_drawings_of_a_bar_do_not_matter(tmp_path: Path) -> None:
    drawn = bar("train: ", 100, 0.5).replace("\r", "\n").splitlines(keepends=True)
    drawn[9::7] = [f"step {n}: saved\n{line}the mean is 1.5\n" for n, line in enumerate(drawn[9::7])]
    assert set(drafted(tmp_path, "".join(drawn)).reading.records["step_rate"]) == {2.0}


def test_a_bar_that_shows_a_loss_only_after_a_slow_start_is_read_as_a_whole(tmp_path: Path) -> None:
    slow, usual = (
        "".join(
            f"\rSteps: {n}%|# | {n}/100 [{clock(12 * n + 90)}<50:00, {seconds:.2f}s/it{behind}]" for n in range(*steps)
        )
        for steps, seconds, behind in (((2, 10), 40.0, ""), ((10, 30), 12.0, ", loss=2.5, lr=1e-05"))
    )
    found = drafted(tmp_path, slow + usual)
    assert found.reading.records["step"].tolist() == [*range(2, 30)]


@pytest.mark.parametrize(("seconds", "column"), [(0.5, "step_rate"), (1.5, "step_time")])
def test_a_unit_that_begins_with_a_blank_is_read(tmp_path: Path, seconds: float, column: str) -> None:
    text = bar("train: ", 60, seconds).replace("it/s", " batch/s").replace("s/it", "s/ batch")
    assert set(drafted(tmp_path, text).reading.records[column]) == {1.5 if seconds > 1 else 2.0}


def state(steps: int, seconds: float, rate: float, behind: str = ", loss=2.5") -> str:
    """What a terminal leaves of a bar: its last state."""
    return f"lr: 0.1\n{steps // 10:3d}%|##| {steps}/1000 [{clock(seconds)}<00:09, {rate:.2f}it/s{behind}]\ndone\n"


def test_the_only_state_that_is_left_of_a_bar_is_a_measure_and_said_to_be_one(tmp_path: Path) -> None:
    found = drafted(tmp_path, state(639, 131.2, 4.87))
    assert found.reading.records["step_rate"].tolist() == [4.87]
    assert "only one state of it is logged, 639 steps in 131 s" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize(
    "text",
    [state(639, 131.2, 5.5), state(19, 38.0, 0.5), state(60, 12.0, 5.0), state(639, 131.2, 4.87, "")],
    ids=["does not match its own clock", "few steps", "few seconds", "no loss"],
)
def test_the_only_state_that_is_left_of_a_bar_may_be_of_anything(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text)


@pytest.mark.parametrize(("before", "is_read"), [("", False), ("training of a model\n", False), ("lr=0.1, ", True)])
def test_a_loss_in_the_only_state_of_a_bar_at_its_end_may_be_that_of_an_evaluation(
    tmp_path: Path, before: str, is_read: bool
) -> None:
    text = state(1000, 200.0, 5.0).replace("lr: 0.1\n", before if "\n" in before else "")
    text = text if "\n" in before else text.replace("loss=", f"{before}loss=")
    assert found_in(tmp_path, text).is_found is is_read


def test_of_two_states_that_show_a_loss_none_is_read(tmp_path: Path) -> None:
    assert refused(tmp_path, state(639, 131.2, 4.87) + state(500, 50.0, 10.0).replace("/1000", "/500"))


def test_the_only_state_of_a_bar_that_counts_the_epochs_of_a_log_is_not_read(tmp_path: Path) -> None:
    assert refused(tmp_path, "epochs: 1000\n" + state(639, 131.2, 4.87))


@pytest.mark.parametrize(
    ("name", "unit", "is_said"), [("", "it", True), ("steps: ", "it", False), ("", "batch", False)]
)
def test_a_bar_that_goes_on_by_several_at_once_may_count_samples(
    tmp_path: Path, name: str, unit: str, is_said: bool
) -> None:
    text = "".join(f"\r{name}{n}%|##| {32 * n}/3200 [{clock(n)}<00:09, 32.00{unit}/s, loss=2.5]" for n in range(1, 100))
    said = "advances by multiples of 32" in " ".join(map(str, drafted(tmp_path, text).assumed))
    assert said is is_said


OF_OTHERS = {
    "no word of training": state(639, 131.2, 4.87).replace("lr: 0.1", "model loaded"),
    "the best loss of trials": state(639, 131.2, 4.87, ", best loss=2.5"),
    "results of a test behind": state(639, 131.2, 4.87).replace("done", "Test accuracy: 0.93"),
}


@pytest.mark.parametrize("text", OF_OTHERS.values(), ids=OF_OTHERS)
def test_the_only_state_of_a_bar_with_a_loss_may_be_of_an_evaluation(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text)


@pytest.mark.parametrize("behind", [", loss=2.5, lr=0.1", ", epoch=3, loss=2.5"])
def test_the_only_state_of_a_bar_that_tells_more_than_a_loss_is_read(tmp_path: Path, behind: str) -> None:
    text = state(639, 131.2, 4.87, behind).replace("done", "Test accuracy: 0.93")
    assert drafted(tmp_path, text).reading.records["step_rate"].tolist() == [4.87]
