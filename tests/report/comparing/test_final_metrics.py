"""Final metrics against a reference: what a run reaches, and fast but wrong in comparisons and gates."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from report.comparing.metrics import printed_values
from tests.commandline import run
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, log_of, make_side

HEAD = b"top1: 99.0 is wanted\n"
FIRST = 3 + 12 + 1  # the line after a log of 12 steps


def printed(folder: Path, text: str, name: str) -> list[tuple[int, float]]:
    """The lines that print a metric, of a log that ends with a text, and what they print."""
    log = folder / "train.log"
    log.write_bytes(log_of(100.0, steps=12) + text.encode())
    return [(line, value) for line, value, _ in printed_values(log, name)]


def side(folder: Path, values: Sequence[object], time: float = 100.0, model: str = "GPT-2") -> Path:
    """A suite with a run for each value of top1."""
    for number, value in enumerate(values, 1):
        log = HEAD + log_of(time, seed=number, steps=60) + f"Eval: top1: {value}, top5: 90.1\n".encode()
        start = f"2026-01-01T10:{2 * number + (folder.name == 'b'):02}:00+00:00"
        case = {**CASE, "model": model}
        make_run(folder / "GPT-2" / str(number), log, case=case, environment=ENVIRONMENT, start=start)
    return folder


@pytest.mark.parametrize(
    ("text", "name", "value", "line"),
    [
        ("Eval: top1: 70.1, top5: 90\nEval: top1: 76.1%, top5: 92.9\n", "top1", 76.1, FIRST + 1),
        ("Iter(val) [9]\tmIoU: 0.5921  mAcc: 0.7\n", "mIoU", 0.5921, FIRST),
        ("{'eval_loss': 2.1, 'eval_accuracy': 9.1e-1, 'epoch': 3.0}\n", "eval_accuracy", 0.91, FIRST),
        ("BLEU = 27.31, 59.3/33.1\n", "BLEU", 27.31, FIRST),
        (':::MLLOG {"key": "eval_accuracy", "value": 0.7593, "metadata": {}}\n', "eval_accuracy", 0.7593, FIRST),
        ("step 60: train loss 2.5, val loss 2.4\n", "val loss", 2.4, FIRST),
        ("accuracy 0.5 best_accuracy 0.9\n", "accuracy", 0.5, FIRST),
    ],
)
def test_a_metric_is_what_the_last_line_prints_by_its_name(
    text: str, name: str, value: float, line: int, tmp_path: Path
) -> None:
    assert printed(tmp_path, text, name)[-1] == (line, value)


@pytest.mark.parametrize("text", ["", "top15: 3\n", "top1: 3/10\n", "my.top1: 3\n", "top1: none\n"])
def test_what_is_not_that_metric_is_none(text: str, tmp_path: Path) -> None:
    assert printed(tmp_path, text, "top1") == []


def test_a_metric_outside_its_tolerance_is_wrong_however_fast_the_run_is(tmp_path: Path) -> None:
    a, b = side(tmp_path / "a", [76.1, 76.3, 76.2]), side(tmp_path / "b", [73.1, 73.3, 73.2], 90.0)
    done = run("compare", a, b, "--gate", "3%", "--metric", "top1=1%")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 case: 1 faster. Loss or metrics worse: 1.")
    assert re.search(r"76\.2 +73\.2 +top1 +-3\.9% +±1% +- +worse", done.stdout)


def test_json_says_where_each_run_prints_it(tmp_path: Path) -> None:
    a, b = side(tmp_path / "a", [76.1]), side(tmp_path / "b", ["nan"])
    (metric,) = json.loads(run("compare", a, b, "--json", "--metric", "top1=1%").stdout)["metrics"]
    assert metric["verdict"] == "NaN"
    places = [(Path(one["log"]).parts[-4], one["line"], one["value"]) for one in metric["printed"]]
    assert places == [("a", 65, 76.1), ("b", 65, None)]


@pytest.mark.parametrize(
    ("name", "model", "reason"),
    [("mIoU", "GPT-2", "prints no mIoU."), ("top1", "GPT-3", "the models or the data differ (model)")],
)
def test_what_cannot_be_compared_is_unknown_for_the_gate(name: str, model: str, reason: str, tmp_path: Path) -> None:
    a, b = side(tmp_path / "a", [76.1, 76.3, 76.2]), side(tmp_path / "b", [76.1, 76.3, 76.2], model=model)
    done = run("compare", a, b, "--gate", "3%", "--metric", f"{name}=1%")
    assert done.returncode == 3
    assert reason in done.stdout


@pytest.mark.parametrize("option", ["top1=", "top1=200%", "top1=x"])
def test_an_option_that_is_no_metric_with_a_share_is_refused(option: str, tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", (100.0,))
    done = run("compare", a, a, "--metric", option)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
