"""The throughput by every estimate that a log allows, and the choice of one where none is stated."""

from dataclasses import replace
from pathlib import Path

import pytest

from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import Reading, survey
from report.evidence.log_summary import summarise
from report.measuring.crosscheck import DIFFERS, HAPPENED, RESUMED, caveats, checks, chosen

GRAMMAR = """// Toy with everything
//
// For tests.

start: step_line | epoch_line | summary_line | event_line

step_line: "at" time{STAMP} "step" step{"1"} _took? _speed? _seen?
_took: "took" step_time{seconds, instant}
_seen: "samples" consumed_samples "tokens" consumed_tokens
_speed: "speed" throughput{images, job, instant}
epoch_line: "epoch" epoch{"1"} "of" steps_per_epoch "steps took" duration{seconds, training_time{per_epoch}}
summary_line: "in all" throughput{images, job, total}
event_line: "saved" checkpoint{"model"}

%import .vocabulary (time, step, step_time, throughput, epoch, steps_per_epoch, duration, checkpoint)
%import .vocabulary (consumed_samples, consumed_tokens)
%import .vocabulary (images, seconds, job, instant, total, training_time, per_epoch, STAMP, BLANK)
%ignore BLANK
"""
FACTS = [Fact("batch_size", 8, option("batch-size")), Fact("cards", 4, option("cards"))]


def step(number: int, took: float | None = None, speed: float | None = None) -> str:
    said = "" if took is None else f" took {took}"
    said += "" if speed is None else f" speed {speed}"
    return f"at 2031-05-17 09:30:{number:02d} step {number}{said}\n"


def reading(folder: Path, *lines: str, facts: list[Fact] = FACTS) -> Reading:
    grammar, log = folder / "toy.lark", folder / "a.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(lines), encoding="utf-8")
    return survey(log, format=grammar, facts=facts)


def choose(found: Reading) -> tuple[str, float]:
    measured = chosen(found.parts[0], found.facts)
    return f"{measured.protocol.records} {measured.protocol.estimate}", measured.value


@pytest.mark.parametrize(
    ("lines", "choice"),
    [
        ([step(1, 1.0, 30), step(2, 1.0, 32), "in all 33\n"], ("step reported", 31)),
        ([step(1, 1.0), step(2, 1.0), "in all 33\n"], ("summary reported", 33)),
        ([step(1, 0.5), step(2, 0.5)], ("step step_time", 64)),
        (["epoch 1 of 10 steps took 5\n", "epoch 2 of 10 steps took 4\n"], ("epoch duration", 72)),  # mean of 64, 80
        ([step(1), step(5)], ("step clock", 32)),
    ],
)
def test_what_is_printed_comes_before_what_is_computed(
    lines: list[str], choice: tuple[str, float], tmp_path: Path
) -> None:
    assert choose(reading(tmp_path, *lines)) == choice


def test_the_other_estimates_are_shown_with_their_ratio(tmp_path: Path) -> None:
    found = reading(tmp_path, *(step(number, 1.0, 32) for number in range(1, 6)))
    others = checks(found.parts[0], found.facts, chosen(found.parts[0], found.facts))
    assert [(check.measurement.protocol.estimate, check.ratio) for check in others] == [("step_time", 1), ("clock", 1)]


def test_estimates_that_are_far_apart_are_a_warning(tmp_path: Path) -> None:
    found = reading(tmp_path, *(step(number, 0.5, 64) for number in range(1, 6)))
    measured = chosen(found.parts[0], found.facts)
    (said,) = caveats(checks(found.parts[0], found.facts, measured), found.happened, measured)
    assert (said.key, said.values["ratio"]) == (DIFFERS, "0.500")


def test_a_checkpoint_among_the_records_that_are_used_is_a_warning(tmp_path: Path) -> None:
    found = reading(tmp_path, step(1, speed=32), "saved model\n", step(2, speed=32), "saved model\n")
    (said,) = caveats((), found.happened, chosen(found.parts[0], found.facts))
    assert said.key == HAPPENED


START = "***** Running training *****\n"
GOES_ON = "  Continuing training from checkpoint, will skip to saved global_step\n"
END = "{'train_runtime': 9.0, 'train_samples_per_second': 8.0, 'train_steps_per_second': 0.5, 'epoch': 3.0}\n"


@pytest.mark.parametrize(
    ("lines", "keys"), [([START, GOES_ON, END], [RESUMED]), ([START, GOES_ON, END, START, END], [])]
)
def test_a_summary_of_a_run_that_went_on_from_a_checkpoint_is_a_warning(
    lines: list[str], keys: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(lines), encoding="utf-8")
    found = survey(log)
    assert [said.key for said in caveats((), found.happened, chosen(found.parts[0], found.facts))] == keys


@pytest.mark.parametrize(
    ("epochs", "is_told"), [((2.7, 2.8, 2.9, 3.0), True), ((0.1, 0.2, 0.3, 0.4), False), ((2.7, 2.8, 0.1, 0.2), False)]
)
def test_a_summary_of_a_run_whose_first_record_is_far_from_its_start_is_a_warning(
    epochs: tuple[float, ...], is_told: bool, tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    steps = "".join(f"{{'loss': 2.5, 'learning_rate': 0.1, 'epoch': {epoch}}}\n" for epoch in epochs)
    log.write_text(steps + END, encoding="utf-8")
    found = survey(log)
    said = map(str, chosen(found.parts[0], found.facts).warnings)
    assert any("at epoch 2.7" in text for text in said) == is_told


def test_tokens_and_samples_are_compared_by_the_counts_of_the_log(tmp_path: Path) -> None:
    lines = [step(n, speed=32).rstrip() + f" samples {32 * n} tokens {32 * 100 * n}\n" for n in range(1, 6)]
    found = reading(tmp_path, *lines, facts=[])
    by_samples = chosen(found.parts[0], found.facts)
    by_tokens = replace(by_samples, value=6400, unit="tokens/s")
    (check,) = checks(found.parts[0], found.facts, by_tokens)
    assert (check.measurement.unit, check.ratio) == ("samples/s", 0.5)


def resumed(begins: float, rate: float) -> str:
    """A bar of 400 steps of two seconds, of which the first 200 were done before it was drawn, losses and a total."""
    lines = []
    for n in range(10, 201, 10):
        at = f"{2 * n // 60:02}:{2 * n % 60:02}"
        lines.append(f"\r{(200 + n) // 4:3}%|##| {200 + n}/400 [{at}<09:00,  2.00s/it]\n")
        lines.append(f"{{'loss': 2.5, 'learning_rate': 0.1, 'epoch': {begins + n / 100:.1f}}}\n")
    total = f"'train_runtime': 400.0, 'train_samples_per_second': 8.0, 'train_steps_per_second': {rate}, 'epoch': 4.0"
    return f"{''.join(lines)}{{{total}}}\n"


@pytest.mark.parametrize(("begins", "rate", "value"), [(2.0, 1.0, 0.5), (0.0, 0.5, 8.0)], ids=["resumed", "whole"])
def test_the_bar_is_used_where_a_total_counts_steps_before_a_checkpoint(
    tmp_path: Path, begins: float, rate: float, value: float
) -> None:
    log = tmp_path / "train.log"
    log.write_text(resumed(begins, rate), encoding="utf-8")
    found = summarise(log, None, ())
    assert found.measurement is not None and found.measurement.value == pytest.approx(value, rel=0.01)
    is_told = any("may include steps before a checkpoint (line 2)" in str(said) for said in found.warnings)
    assert is_told == (begins > 1)
