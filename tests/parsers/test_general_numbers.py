"""Numbers of the general reader: thousands, numbers in objects, names in brackets, units as a word behind."""

from pathlib import Path

import pytest

from parsers.general.drafting import draft
from parsers.scanning.columns import numbers
from tests.parsers.drafting import drafted, found_columns, found_in, lines, refused

THOUSANDS = {
    "K before the unit": ("step {n} loss {x:.3f}, throughput {y}.5K tok/s", 1e3),
    "k behind the unit's name": ("step {n} loss {x:.3f} tokens/s: {y}.5k", 1e3),
    "millions": ("step {n} loss {x:.3f} tokens/s: {y}.5M", 1e6),
    "a word as the unit": ("[Epoch 0 Batch {n}/90] avg loss {x:.3f}, throughput {y}.5K wps", 1e3),
}


@pytest.mark.parametrize(("line", "scale"), THOUSANDS.values(), ids=THOUSANDS)
def test_thousands_and_millions_of_a_rate_are_read_whole(tmp_path: Path, line: str, scale: float) -> None:
    found = drafted(tmp_path, lines(line)).reading.records["throughput"].tolist()
    assert found == [(100.5 + n % 3) * scale for n in range(1, 9)]


def test_words_a_second_are_words(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines(THOUSANDS["a word as the unit"][0])).reading.fields["step", "throughput"]
    assert (found.unit, found.scope) == ("words", "unknown")


def test_a_billion_may_be_bytes_and_is_not_read(tmp_path: Path) -> None:
    assert "throughput" not in found_columns(found_in(tmp_path, lines("step {n} loss {x:.3f} throughput: {y}.5B")))


def test_steps_that_are_rounded_to_thousands_are_no_steps(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines("step:{n}K loss:{x:.3f} images/s: {y}.0"))
    assert "step" not in found.columns


@pytest.mark.parametrize(
    ("text", "number"), [(b"2.5K", 2500.0), (b"2.5k", 2500.0), (b"1,234.5", 1234.5), (b"1M", 1e6), (b"12", 12.0)]
)
def test_a_column_takes_thousands_set_apart_or_left_out(text: bytes, number: float) -> None:
    assert numbers([text, b""])[0] == number


def test_counters_whose_numbers_are_glued_to_their_names_are_read(tmp_path: Path) -> None:
    text = "".join(
        f"time: Mon Feb  3 04:05:{n:02d} 2031   epoch0; batch{n}; d_loss: 2.5; "
        f"Batch_time_cost: {0.9 + n % 3 / 100:.2f}\n"
        for n in range(1, 12)
    )
    found = drafted(tmp_path, text).reading.records
    assert found["step"].tolist() == list(range(1, 12))
    assert found["step_time"].tolist() == [0.9 + n % 3 / 100 for n in range(1, 12)]


GLUED = {"a file": "save step{n}.pth", "another word": "substep{n}", "a name": "step{n}_loss"}


@pytest.mark.parametrize("text", GLUED.values(), ids=GLUED)
def test_a_number_in_a_name_counts_nothing(tmp_path: Path, text: str) -> None:
    found = found_in(tmp_path, lines(f"{text} loss: {{x:.3f}} images/s: {{y}}.0"))
    assert "step" not in found_columns(found)


OBJECTS = {
    "numpy": "step:{n} - actor/grad_norm:np.float64(0.5) - perf/tokens_per_sec:np.float64({y}.0)",
    "torch": "step {n} lr: 0.1 tokens/s: tensor({y}.0)",
}


@pytest.mark.parametrize("line", OBJECTS.values(), ids=OBJECTS)
def test_numbers_in_objects_are_read(tmp_path: Path, line: str) -> None:
    found = drafted(tmp_path, lines(line))
    assert found.reading.records["throughput"].tolist() == [100 + n % 3 for n in range(1, 9)]


def test_of_a_name_in_brackets_before_two_numbers_the_second_is_meant(tmp_path: Path) -> None:
    text = "".join(
        f"2031-02-03 04:05:{2 * n:02d} [epoch: 1, iter: {n}] [time (data): {2 + n % 3 / 100} (0.51)] loss: 2.5\n"
        for n in range(1, 12)
    )
    assert drafted(tmp_path, text).reading.records["step_time"].tolist() == [2 + n % 3 / 100 for n in range(1, 12)]


def test_a_name_in_brackets_before_one_number_is_its_own(tmp_path: Path) -> None:
    text = "".join(
        f"2031-02-03 04:05:{2 * n:02d} [epoch: 1, iter: {n}] [time (data): {2 + n % 3 / 100}] loss: 2.5\n"
        for n in range(1, 12)
    )
    assert "step_time" not in drafted(tmp_path, text).columns


def test_a_log_that_is_drafted_twice_reads_the_same(tmp_path: Path) -> None:
    first = drafted(tmp_path, lines("step {n} loss {x:.3f} images/s: {y}.0"))
    again = draft(tmp_path / "train.log")
    assert again.is_found
    assert again.reading.records.equals(first.reading.records)


def test_a_rate_in_brackets_is_no_mean_of_the_loss_before_it(tmp_path: Path) -> None:
    text = "".join(f"Global Step: {n}0, loss = 2.5 ({600 + n}.0 examples/sec, 0.21 sec/batch)\n" for n in range(1, 12))
    assert drafted(tmp_path, text).reading.records["throughput"].tolist() == [600 + n for n in range(1, 12)]


def test_thousands_of_a_time_in_a_known_unit_are_read_whole(tmp_path: Path) -> None:
    line = "step {n} | time_per_step_ms: {y}.5 | loss: {x:.3f}"
    text = line.format(n=0, y="4.71K", x=3).replace("K.5", "K") + "\n" + lines(line)
    found = drafted(tmp_path, text).reading.records["step_time"].tolist()
    assert found == [4710.0, *(100.5 + n % 3 for n in range(1, 9))]


def test_a_time_in_millions_of_nobody_knows_what_is_not_read(tmp_path: Path) -> None:
    assert "step_time" not in found_columns(found_in(tmp_path, lines("step {n} loss: {x:.3f} step_time: {y}M")))


def test_steps_that_are_rounded_in_some_lines_are_left_out_of_all(tmp_path: Path) -> None:
    line = "step:{step} loss:2.5 images/s: {y}.0\n"
    steps = ["800", "900", "1K", "1K", "1K", "1K"]
    found = drafted(tmp_path, "".join(line.format(step=step, y=100 + n) for n, step in enumerate(steps)))
    assert "step" not in found.columns
    assert found.reading.records["throughput"].tolist() == [100 + n for n in range(6)]


def test_the_name_of_a_logger_is_none_of_the_number_behind_it(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines("INFO:acme.train:step {n}, loss = 2.5\nINFO:acme.train:images/sec: {y}.0"))
    assert found.reading.records["throughput"].tolist() == [100 + n % 3 for n in range(1, 9)]


def test_seconds_a_step_in_brackets_are_no_mean_of_the_loss_before_them(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines("global step {n}: loss = {x:.3f} ({t:.3f} sec/step)"))
    assert found.reading.records["step_time"].tolist() == [0.5 + n % 3 / 100 for n in range(1, 9)]


NO_RATES = {
    "thousands, glued to what is counted": "step {n} loss {x:.3f} throughput {y}.5 Ktokens/s",
    "something else a second": "step {n} loss {x:.3f} throughput: {y}.5 TFLOP/s",
    "tokens in all, below a name of a rate": "step {n} loss {x:.3f}\n  throughput/total tokens={n}{y}",
    "the time of the work without that of its data": "step:{n} loss:{x:.3f} updt_s:{t:.3f} data_s:0.010",
}


@pytest.mark.parametrize("line", NO_RATES.values(), ids=NO_RATES)
def test_what_is_no_speed_of_a_step_is_not_read(tmp_path: Path, line: str) -> None:
    assert not {"throughput", "step_time"} & found_columns(found_in(tmp_path, lines(line)))


def test_a_unit_that_is_glued_to_a_quoted_number_is_no_part_of_the_next_name(tmp_path: Path) -> None:
    line = '{{"images/s": {y}.0, "iter": {n}, "gpu_mem": "1{n}.84G", "loss": {x:.3f}}}'
    assert "loss" in drafted(tmp_path, lines(line)).columns


@pytest.mark.parametrize(("name", "factor"), [("step_s", 1.0), ("step_sec", 1.0), ("iter_ms", 1e-3)])
def test_a_step_in_seconds_is_the_time_of_one(tmp_path: Path, name: str, factor: float) -> None:
    found = drafted(tmp_path, lines(f"step {{n}} loss {{x:.3f}} {name}={{y}}.5")).reading
    assert found.fields["step", "step_time"].unit == {1.0: "seconds", 1e-3: "milliseconds"}[factor]


def test_so_many_time_steps_are_no_time(tmp_path: Path) -> None:
    assert not found_in(tmp_path, lines("step {n} loss {x:.3f} time_steps={y}")).is_found


def test_steps_a_second_of_a_program_that_does_not_say_of_what_are_of_an_unknown_unit(tmp_path: Path) -> None:
    found = drafted(tmp_path, lines("{n} SPS={y} pi_loss={x:.3f}")).reading
    assert found.fields["step", "throughput"].unit == "unknown"


def rounded(*times: float, count: int = 60) -> str:
    """Lines of epochs whose times, in turns, are printed to a tenth of a second."""
    return "".join(f"Epoch {n} train loss {2 - n / 100:.4f} time {times[n % len(times)]:.1f}s\n" for n in range(count))


def test_many_rounded_times_that_are_spread_have_a_mean_and_how_far_it_may_be_off_is_said(tmp_path: Path) -> None:
    found = drafted(tmp_path, rounded(0.4, 0.4, 0.5, 0.4, 0.6, 0.3))
    assert "duration" in found.columns
    assert any(
        "printed to 0.1 only, which may put the mean of its 60 values off by up to 12%" in str(one)
        for one in found.assumed
    )


@pytest.mark.parametrize(
    "text",
    [
        rounded(0.4),
        rounded(*[0.4] * 9, 0.5),
        rounded(0.4, 0.5),
        rounded(0.4, 0.4, 0.5, 0.4, 0.6, 0.3, count=20),
        rounded(0.2, 0.2, 0.1, 0.3),
        rounded(0.4, 0.4, 0.5, 0.0, 0.6, 0.3),
    ],
    ids=["all alike", "nearly all alike", "of two numbers", "few", "of two digits", "some of which are 0"],
)
def test_rounded_times_of_which_half_a_digit_is_much_are_refused(tmp_path: Path, text: str) -> None:
    assert "too few digits" in refused(tmp_path, text)


def test_the_lines_of_a_development_set_are_no_training(tmp_path: Path) -> None:
    text = "".join(
        f"[Epoch {n:03d}] {part} | loss={2 - n / 100:.4f} | {took:.2f}s\n"
        for n in range(1, 30)
        for part, took in (("TRAIN", 4.25 + n % 3 / 10), ("DEV  ", 0.55 + n % 2 / 10))
    )
    found = drafted(tmp_path, text)
    assert found.reading.records["duration"].min() > 4
