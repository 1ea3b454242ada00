"""Fast but wrong: whether B trains as A does, by the losses of their logs, and what forbids to say so."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.runs.reading import read
from report.comparing.sides import ComparedSides, compared_sides
from report.measuring.protocol import NoMeasurement
from report.measuring.quality.loss_agreement import LossAgreement, loss_agreement
from report.measuring.quality.loss_curve import LossCurve, loss_curve
from tests.commandline import run
from tests.report.comparing.made_sides import CASE, STEADY, make_side, only

STEPS = np.arange(1, 201)
CURVE = 2 + 8 * np.exp(-STEPS / 50)


def loss_of(a: Mapping[str, Any], b: Mapping[str, Any], folder: Path, tolerance: float | None = None) -> LossAgreement:
    """Whether the losses of B agree; the times of both sides are alike."""
    sides = make_side(folder / "a", STEADY, **a), make_side(folder / "b", STEADY, **b)
    found = only(compared_sides(*sides, loss_tolerance=tolerance)).loss
    assert found is not None
    return found


def compared(a: Mapping[str, Any], b: Mapping[str, Any], folder: Path, tolerance: float | None = None) -> ComparedSides:
    sides = make_side(folder / "a", STEADY, **a), make_side(folder / "b", STEADY, **b)
    return compared_sides(*sides, loss_tolerance=tolerance)


def curves(count: int, factor: float = 1.0, noise: float = 0.01, seed: int = 0) -> list[LossCurve]:
    """The curves of some repeats, of which each is a little higher or lower throughout."""
    heights = factor * np.exp(np.random.default_rng(seed).normal(0, noise, count))
    return [LossCurve(Path(f"{at}.log"), "step", STEPS, CURVE * height) for at, height in enumerate(heights.tolist())]


def test_a_loss_that_is_higher_than_noise_is_wrong_however_fast_the_run_is(tmp_path: Path) -> None:
    a, b = make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", [time * 0.9 for time in STEADY], loss=1.05)
    done = run("compare", a, b, "--gate", "3%")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 case: 1 faster. Loss differs: 1.")
    assert "faster; loss higher" in done.stdout
    assert "loss: higher, +5.0% at steps 55 to 60 (99% interval" in done.stdout


def test_a_loss_that_differs_by_less_than_the_noise_passes(tmp_path: Path) -> None:
    assert loss_of({"loss_noise": 0.01}, {"loss_noise": 0.01}, tmp_path).verdict == "same"


def test_a_loss_that_is_lower_is_told_and_passes(tmp_path: Path) -> None:
    found = compared({}, {"loss": 0.9}, tmp_path)
    assert (found.cases[0].loss.verdict if found.cases[0].loss else "", found.status) == ("lower", 0)


def test_a_lower_loss_is_outside_a_stated_tolerance(tmp_path: Path) -> None:
    found = compared({}, {"loss": 0.9}, tmp_path, 0.02)
    assert (found.cases[0].is_wrong, found.status) == (True, 1)


@pytest.mark.parametrize(("factor", "verdict"), [(1.019, "same"), (1.021, "higher"), (0.979, "lower")])
def test_a_stated_tolerance_decides_also_for_one_run_a_side(factor: float, verdict: str) -> None:
    assert loss_agreement(curves(1, noise=0), curves(1, factor, noise=0), 0.02).verdict == verdict


def test_a_tolerance_holds_in_each_tenth_of_the_steps() -> None:
    bump = np.where((STEPS > 100) & (STEPS <= 120), 1.1, 1.0)
    judged = LossCurve(Path("b.log"), "step", STEPS, CURVE * bump)
    found = loss_agreement(curves(1, noise=0), [judged], 0.02)
    assert (found.verdict, found.steps, round(found.change or 0, 3)) == ("higher", (101, 120), 0.1)


def test_one_run_a_side_says_nothing_without_a_tolerance() -> None:
    assert loss_agreement(curves(1), curves(1, 2.0)).verdict == "unknown"


def test_repeats_that_differ_much_answer_nothing() -> None:
    assert loss_agreement(curves(2, noise=0.2), curves(2, noise=0.2, seed=1)).verdict == "unknown"


def test_repeats_of_one_training_are_called_higher_in_at_most_one_of_a_hundred() -> None:
    found = [loss_agreement(curves(3, seed=seed), curves(3, seed=10000 + seed)).verdict for seed in range(2000)]
    assert found.count("higher") / len(found) <= 0.0075
    assert found.count("higher") + found.count("lower") > 0


def test_a_loss_that_is_not_a_number_is_wrong(tmp_path: Path) -> None:
    found = compared({}, {"nan": (50,), "steps": 80}, tmp_path)
    loss = found.cases[0].loss
    assert loss is not None
    assert (loss.verdict, found.status) == ("NaN", 1)
    assert str(loss.reason).endswith(
        "b/GPT-2_bs12_N1C1/1/train.log prints a loss that is NaN or infinite, "
        "first at line 54, and the reference does not"
    )


def test_losses_that_are_no_numbers_on_both_sides_are_not_held_against_one(tmp_path: Path) -> None:
    assert loss_of({"nan": (7,)}, {"nan": (9,)}, tmp_path).verdict == "same"


def test_a_reference_that_ends_as_not_a_number_says_nothing(tmp_path: Path) -> None:
    assert loss_of({"nan": (58, 59)}, {}, tmp_path).verdict == "unknown"


@pytest.mark.parametrize(
    ("said", "of_log", "reason"),
    [
        ({}, {"batch": 24}, "the batch sizes differ (job_batch_tokens), so a step trains on other data"),
        ({"variables": {"DATA": "other"}}, {}, "the data differ (variables.DATA)"),
        (
            {"variables": {"SEED": "2"}},
            {},
            "the seeds differ (variables.SEED), and the repeats of a side all have the same",
        ),
        ({"case": {**CASE, "model": "GPT-3"}}, {}, "the models differ (model)"),
    ],
)
def test_what_makes_losses_incomparable_is_named_and_accuses_nobody(
    said: Mapping[str, Any], of_log: Mapping[str, Any], reason: str, tmp_path: Path
) -> None:
    own = {"variables": {"DATA": "one", "SEED": "1"}}
    found = loss_of({"said": own}, {"said": {**own, **said}, "loss": 2.0, **of_log}, tmp_path)
    assert (found.verdict, str(found.reason)) == ("unknown", reason)


def test_losses_at_other_steps_are_not_compared() -> None:
    sparse = [LossCurve(Path("b.log"), "step", STEPS[::3], 2 * CURVE[::3])]
    assert str(loss_agreement(curves(1), sparse, 0.02).reason) == "the runs print their losses at different steps"
    later = [LossCurve(Path("b.log"), "step", STEPS + 500, CURVE)]
    assert str(loss_agreement(curves(1), later, 0.02).reason).startswith("the runs print no loss at a step")


def test_a_shorter_run_is_compared_over_the_steps_that_it_has() -> None:
    short = [LossCurve(Path("b.log"), "step", STEPS[:50], 1.1 * CURVE[:50])]
    assert loss_agreement(curves(1, noise=0), short, 0.02).verdict == "higher"


def test_a_tolerance_that_cannot_be_held_against_anything_fails_the_gate_as_unknown(tmp_path: Path) -> None:
    a, b = make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", STEADY, batch=24)
    done = run("compare", a, b, "--gate", "3%", "--loss-tolerance", "2%", "--json", "--junit", tmp_path / "c.xml")
    assert done.returncode in (1, 3)
    assert json.loads(done.stdout)["loss"]["verdict"] == "unknown"


def test_junit_fails_a_case_whose_loss_is_wrong_with_its_reason(tmp_path: Path) -> None:
    a, b = make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", STEADY, loss=1.1)
    run("compare", a, b, "--junit", tmp_path / "c.xml")
    said = (tmp_path / "c.xml").read_text(encoding="utf-8")
    assert '<failure message="loss: higher, +10.0% at steps 55 to 60' in said


@pytest.mark.parametrize("tolerance", ["0", "100%", "-2%", "two", "nan"])
def test_a_tolerance_that_is_no_share_is_refused(tolerance: str, tmp_path: Path) -> None:
    side = make_side(tmp_path / "a", STEADY)
    done = run("compare", side, side, f"--loss-tolerance={tolerance}")
    assert (done.returncode, "expected a share of the loss such as 2% or 0.02" in done.stderr) == (2, True)


def test_it_speaks_chinese(tmp_path: Path) -> None:
    a, b = make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", STEADY, loss=1.1)
    said = run("compare", a, b, "--lang", "zh").stdout
    assert "loss：偏高，step 55 至 60 相差 +10.0%" in said
    assert said.splitlines()[-1] == "共 1 个测试项：无变化 1 个。loss 不符：1 个。"


GRAMMAR = """// A program
start: epoch_line
epoch_line: "epoch" epoch{"1"} "loss" loss "took" duration{seconds}
%import .vocabulary (epoch, loss, duration, seconds, BLANK)
%ignore BLANK
"""


def curve_of_epochs(folder: Path, *epochs: int) -> LossCurve | None:
    """The curve of a log that prints a loss for each of some epochs."""
    grammar, log = folder / "program.lark", folder / "train.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(f"epoch {epoch} loss 1.5 took 10\n" for epoch in epochs), encoding="utf-8")
    return loss_curve(log, read(log, format=grammar).parts, None)


def test_the_losses_of_epochs_stand_at_their_numbers(tmp_path: Path) -> None:
    found = curve_of_epochs(tmp_path, 2, 4, 6)
    assert found is not None
    assert found.steps.tolist() == [2, 4, 6]


def test_several_losses_of_one_epoch_are_not_taken_for_those_of_several_epochs(tmp_path: Path) -> None:
    with pytest.raises(NoMeasurement):
        curve_of_epochs(tmp_path, 1, 1, 2, 2)
