"""Fast but wrong: whether B trains as A does and reaches what it does, and what forbids to say so."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.runs.reading import read
from report.comparing.comparison import Comparison, compare
from report.comparing.metrics import MetricError, better, printed_values
from report.comparing.target import Target, TimeToTarget
from report.measure.diagnostics import NoMeasurement
from report.results.agreement import LossCurve, loss_agreement, loss_curve
from tests.commandline import run
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, STEADY, log_of, make_side, only, seed_of

STEPS = np.arange(1, 201)
CURVE = 2 + 8 * np.exp(-STEPS / 50)


def compared(a: Mapping[str, Any], b: Mapping[str, Any], folder: Path, tolerance: float | None = None) -> Comparison:
    sides = make_side(folder / "a", STEADY, **a), make_side(folder / "b", STEADY, **b)
    return compare(*sides, metrics={"loss": tolerance} if tolerance else {})


def curves(count: int, factor: float = 1.0, noise: float = 0.01, seed: int = 0) -> list[LossCurve]:
    """The curves of some repeats, of which each is a little higher or lower throughout."""
    heights = factor * np.exp(np.random.default_rng(seed).normal(0, noise, count))
    return [LossCurve(Path(f"{at}.log"), "step", STEPS, CURVE * height) for at, height in enumerate(heights.tolist())]


@pytest.mark.parametrize(
    ("of_a", "of_b", "tolerance", "verdict", "status"),
    [
        ({"loss_noise": 0.01}, {"loss_noise": 0.01}, None, "same", 0),
        ({}, {"loss": 1.05}, None, "worse", 1),
        ({}, {"loss": 0.9}, None, "better", 0),
        ({}, {"loss": 0.9}, 0.02, "better", 0),
        ({}, {"loss": 1.03}, 0.02, "worse", 1),
        ({}, {"nan": (50,), "steps": 80}, None, "NaN", 1),
        ({"nan": (7,)}, {"nan": (9,)}, None, "same", 0),
        ({"nan": (58, 59)}, {}, None, "unknown", 0),
    ],
    ids=[
        *("noise", "higher", "lower", "lower than a tolerance", "higher than a tolerance"),
        *("NaN", "NaN on both sides", "A ends as NaN"),
    ],
)
def test_the_losses_of_logs_come_to_a_verdict_and_a_status(
    of_a: Mapping[str, Any],
    of_b: Mapping[str, Any],
    tolerance: float | None,
    verdict: str,
    status: int,
    tmp_path: Path,
) -> None:
    found = compared(of_a, of_b, tmp_path, tolerance)
    (loss,) = only(found).metrics
    assert (loss.verdict, found.status) == (verdict, status)


@pytest.mark.parametrize(
    ("of_a", "of_b", "tolerance", "verdict"),
    [
        (curves(1), curves(1, 2.0), None, "unknown"),
        (curves(2, noise=0.2), curves(2, noise=0.2, seed=1), None, "unknown"),
        (curves(1), [LossCurve(Path("b.log"), "step", STEPS[::3], 2 * CURVE[::3])], 0.02, "unknown"),
        (curves(1), [LossCurve(Path("b.log"), "step", STEPS + 500, CURVE)], 0.02, "unknown"),
        (curves(1, noise=0), [LossCurve(Path("b.log"), "step", STEPS[:50], 1.1 * CURVE[:50])], 0.02, "worse"),
        (curves(1, noise=0), curves(1, 1.019, noise=0), 0.02, "same"),
        (curves(1, noise=0), curves(1, 1.021, noise=0), 0.02, "worse"),
        (curves(1, noise=0), curves(1, 0.979, noise=0), 0.02, "better"),
    ],
    ids=[
        *("one run a side", "repeats that differ much", "other steps", "later steps", "a shorter run"),
        *("within a tolerance", "above it", "below it"),
    ],
)
def test_curves_come_to_a_verdict(
    of_a: list[LossCurve], of_b: list[LossCurve], tolerance: float | None, verdict: str
) -> None:
    assert loss_agreement(of_a, of_b, tolerance).verdict == verdict


def test_a_tolerance_holds_in_each_tenth_of_the_steps() -> None:
    bump = np.where((STEPS > 100) & (STEPS <= 120), 1.1, 1.0)
    judged = LossCurve(Path("b.log"), "step", STEPS, CURVE * bump)
    found = loss_agreement(curves(1, noise=0), [judged], 0.02)
    assert (found.verdict, found.steps, round(found.change or 0, 3)) == ("worse", (101, 120), 0.1)


def test_repeats_of_one_training_are_called_worse_in_at_most_one_of_a_hundred() -> None:
    found = [loss_agreement(curves(3, seed=seed), curves(3, seed=10000 + seed)).verdict for seed in range(2000)]
    assert found.count("worse") / len(found) <= 0.0075
    assert found.count("worse") + found.count("better") > 0


@pytest.mark.parametrize(
    ("said", "of_log", "named"),
    [
        ({}, {"batch": 24}, "job_batch_tokens"),
        ({"variables": {"DATA": "other"}}, {}, "variables.DATA"),
        ({"variables": {"SEED": "2"}}, {}, "variables.SEED"),
        ({"case": {**CASE, "model": "GPT-3"}}, {}, "model"),
    ],
)
def test_what_makes_losses_incomparable_is_named_and_accuses_nobody(
    said: Mapping[str, Any], of_log: Mapping[str, Any], named: str, tmp_path: Path
) -> None:
    own = {"variables": {"DATA": "one", "SEED": "1"}}
    (found,) = only(compared({"said": own}, {"said": {**own, **said}, "loss": 2.0, **of_log}, tmp_path)).metrics
    assert (found.verdict, f"({named})" in str(found.reason)) == ("unknown", True)


@pytest.mark.parametrize(
    ("name", "stated", "way"),
    [
        *(("val_loss", "", "lower"), ("val_bpb", "", "lower"), ("top1", "", "higher"), ("eval/accuracy", "", "higher")),
        *(("gap", "lower", "lower"), ("loss", "higher", "higher")),
    ],
)
def test_a_metric_says_which_way_it_is_better(name: str, stated: Any, way: str) -> None:
    assert better(name, stated) == way
    with pytest.raises(MetricError, match=r"gap=0\.1%,lower"):
        better("gap")


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("Eval: top1: 70.1, top5: 90\nEval: top1: 76.1%, top5: 92.9\n", "top1", [(13 + 3, 70.1), (13 + 4, 76.1)]),
        ("Iter(val) [9]\tmIoU: 0.5921  mAcc: 0.7\n", "mIoU", [(16, 0.5921)]),
        ("{'eval_loss': 2.1, 'eval_accuracy': 9.1e-1, 'epoch': 3.0}\n", "eval_accuracy", [(16, 0.91)]),
        ("BLEU = 27.31, 59.3/33.1\n", "BLEU", [(16, 27.31)]),
        (':::MLLOG {"key": "eval_accuracy", "value": 0.7593}\n', "eval_accuracy", [(16, 0.7593)]),
        ("accuracy 0.5 best_accuracy 0.9\n", "accuracy", [(16, 0.5)]),
        *((text, "top1", []) for text in ("", "top15: 3\n", "top1: 3/10\n", "my.top1: 3\n", "top1: none\n")),
    ],
)
def test_a_metric_is_what_a_line_prints_by_its_name(
    text: str, name: str, values: list[tuple[int, float]], tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(log_of(100.0, steps=12) + text.encode())
    assert [(line, value) for line, value, _ in printed_values(log, name)] == values


def with_metric(suite: Path, values: Sequence[float], name: str, model: str = "GPT-2") -> Path:
    """A suite whose runs print a metric behind their last step; a line before their first one prints it, too."""
    for number, value in enumerate(values):
        log = log_of(100.0, seed=seed_of(f"{suite.name}/{number}")) + f"{name}: {value}\n".encode()
        make_run(suite / "case" / str(number), f"{name}: 99 is wanted\n".encode() + log, case={**CASE, "model": model})
    return suite


@pytest.mark.parametrize(
    ("name", "value", "verdict", "status"),
    [
        *(("top1", 76.1, "same", 0), ("top1", 78.0, "better", 0), ("top1", 74.0, "worse", 1)),
        *(("val_bpb", 74.0, "better", 0), ("val_bpb", 78.0, "worse", 1), ("top1", float("nan"), "NaN", 1)),
    ],
)
def test_a_better_metric_passes_the_gate_and_a_worse_one_does_not(
    name: str, value: float, verdict: str, status: int, tmp_path: Path
) -> None:
    a, b = with_metric(tmp_path / "a", (76.0, 76.0, 76.0), name), with_metric(tmp_path / "b", (value,) * 3, name)
    done = run("compare", a, b, "--gate", "3%", "--metric", f"{name}=0.5%", "--json")
    metric = json.loads(done.stdout)["metrics"][-1]
    assert (metric["name"], metric["verdict"], done.returncode) == (name, verdict, status)
    first, last = metric["printed"][0], metric["printed"][-1]
    assert (first["log"], first["line"], first["value"]) == (str(a / "case/0/train.log"), 65, 76.0)
    assert last["value"] == (None if verdict == "NaN" else value)


@pytest.mark.parametrize(("name", "model"), [("mIoU", "GPT-2"), ("top1", "GPT-3")])
def test_what_cannot_be_compared_is_unknown_for_the_gate(name: str, model: str, tmp_path: Path) -> None:
    a, b = with_metric(tmp_path / "a", [76.1] * 3, "top1"), with_metric(tmp_path / "b", [76.1] * 3, "top1", model)
    found = compare(a, b, metrics={name: 0.01})
    assert (only(found).metrics[-1].verdict, found.status) == ("unknown", 3)


@pytest.mark.parametrize("option", ["top1", "top1=", "top1=200%", "top1=x", "gap=1%"])
def test_an_option_that_is_no_metric_with_a_share_is_refused(option: str, tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", (100.0,))
    done = run("compare", a, a, "--metric", option)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


GRAMMAR = """// A program
start: epoch_line
epoch_line: "epoch" epoch{"1"} "loss" loss "took" duration{seconds, wall_time{per_epoch}}
%import .vocabulary (epoch, loss, duration, seconds, wall_time, per_epoch, BLANK)
%ignore BLANK
"""


def test_several_losses_of_one_epoch_are_not_taken_for_those_of_several_epochs(tmp_path: Path) -> None:
    grammar, log = tmp_path / "program.lark", tmp_path / "train.log"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    log.write_text("".join(f"epoch {epoch} loss 1.5 took 10\n" for epoch in (1, 1, 2, 2)), encoding="utf-8")
    with pytest.raises(NoMeasurement):
        loss_curve(log, read(log, format=grammar), None)


def speedrun(folder: Path, seeds: Sequence[float], steps: int, milliseconds: float) -> Path:
    """Logs in the form of modded-nanogpt's: a run for each seed, whose last evaluation is so much off 3.28."""
    folder.mkdir()
    for number, off in enumerate(seeds):
        lines = []
        for step in range(steps + 1):
            passed = step * milliseconds * (1 + number / 10_000)
            if step % 100 == 0 or step == steps:
                loss = 3.28 + off + (steps - step) / 1000
                told = f"train_time:{passed:.0f}ms step_avg:{milliseconds:.2f}ms"
                lines.append(f"step:{step}/{steps} val_loss:{loss:.4f} {told}")
            if step < steps:
                told = f"train_time:{passed + milliseconds:.0f}ms step_avg:{milliseconds:.2f}ms"
                lines.append(f"step:{step + 1}/{steps} {told}")
        (folder / f"{number}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def found(a: Path, b: Path, **asked: Any) -> tuple[str, TimeToTarget]:
    case = only(compare(a, b, target=Target("val_loss", 3.28, "lower", **asked)))
    assert case.target is not None
    return case.verdict, case.target


def test_the_times_are_those_of_the_logs_and_the_split_sums(tmp_path: Path) -> None:
    seeds = (-0.002, -0.001, -0.003)
    a, b = speedrun(tmp_path / "a", seeds, 1000, 50.0), speedrun(tmp_path / "b", seeds, 1300, 35.0)
    verdict, told = found(a, b)
    assert verdict == "faster"
    assert [side.step for side in told.sides] == [1000, 1300]
    assert told.sides[0].seconds == pytest.approx((50.0, 50.005, 50.01), abs=0.001)
    assert told.split is not None
    assert sum(told.split) == pytest.approx(told.gap)
    assert told.split[0] > 0 > told.split[1]
    plain = only(compare(a, b))
    assert (plain.verdict, "target" in str(plain.reason)) == ("unknown", True)


@pytest.mark.parametrize(
    ("of_a", "of_b", "asked", "verdict"),
    [
        ((-0.001, -0.002, -0.003), (0.01, 0.011, 0.012), {}, "slower"),
        ((0.01, 0.011, 0.012), (-0.001, -0.002, -0.003), {}, "unknown"),
        ((-0.001, -0.002, -0.003), (-0.001, -0.002, -0.003), {"seeds": 4}, "unknown"),
        ((-0.001, -0.0015, -0.001), (-0.003, 0.003, -0.001), {"p_value": 0.01}, "slower"),
        ((0.1, 0.1, 0.1), (0.1, 0.1, 0.1), {}, "unknown"),
    ],
    ids=["B does not reach it", "A does not", "too few seeds", "B does not prove it", "neither does"],
)
def test_who_does_not_reach_it_takes_longer_than_its_runs_did(
    of_a: Sequence[float], of_b: Sequence[float], asked: dict[str, Any], verdict: str, tmp_path: Path
) -> None:
    a, b = speedrun(tmp_path / "a", of_a, 1000, 50.0), speedrun(tmp_path / "b", of_b, 1100, 50.0)
    assert found(a, b, **asked)[0] == verdict


@pytest.mark.parametrize("text", ["val_loss", "val_loss=low", "gap=3"])
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(MetricError):
        Target.parse(text)
    assert Target.parse("gap=3,lower") == Target("gap", 3.0, "lower")
