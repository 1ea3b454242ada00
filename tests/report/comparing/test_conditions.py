"""What differs between two sides: one change where one thing changed, with its places."""

import json
from pathlib import Path
from typing import Any

import pytest

from report.comparing.comparison import Comparison, compare
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, STEADY, make_side, only, sides


def names(found: Comparison) -> list[str]:
    return [change.name for change in only(found).changes]


def changed(**of_environment: Any) -> dict[str, Any]:
    return {"environment": {**ENVIRONMENT, **of_environment}}


SOURCE = {"repository": "https://example.org/gpt", "commit": "a" * 40, "dirty": False}
COMMAND = ["python", "train.py", "--lr=0.001", "--workers", "8", "--batch-size", "12"]
NEWER_TORCH = {
    "packages": {"torch": "2.5.0", "numpy": "2.1.0"},
    "frameworks": {"torch": {"version": "2.5.0+cu121", "cuda": "12.1"}},
}
NEWER_NUMPY = {"torch": "2.4.0", "numpy": "2.2.0"}


def with_word(place: int, word: str) -> dict[str, Any]:
    return {"command": [*COMMAND[:place], word, *COMMAND[place + 1 :]]}


@pytest.mark.parametrize(
    ("name", "values", "of_a", "of_b"),
    [
        ("driver", ("550.54", "560.28"), {}, changed(driver="560.28")),
        ("environment.packages.numpy", ("2.1.0", "-"), {}, changed(packages={"torch": "2.4.0"})),
        ("environment.packages.torch", ("2.4.0", "2.5.0"), {}, changed(**NEWER_TORCH)),
        ("environment.variables.NCCL_ALGO", ("Ring", "Tree"), {}, changed(variables={"NCCL_ALGO": "Tree"})),
        ("environment.variables.MORE", ("-", "1"), {}, changed(variables={"NCCL_ALGO": "Ring", "MORE": "1"})),
        ("data", ("-", "synthetic"), {}, {"case": {**CASE, "data": "synthetic"}}),
        ("source.commit", ("a" * 40, "b" * 40), {"source": SOURCE}, {"source": {**SOURCE, "commit": "b" * 40}}),
        ("command", ("--lr=0.001", "--lr=0.002"), {"command": COMMAND}, with_word(2, "--lr=0.002")),
        ("command", ("--workers 8", "--workers 16"), {"command": COMMAND}, with_word(4, "16")),
        ("command", ("train.py", "'my train.py'"), {"command": COMMAND}, with_word(1, "my train.py")),
        ("variables.STEPS", ("60", "80"), {"variables": {"STEPS": "60"}}, {"variables": {"STEPS": "80"}}),
    ],
)
def test_what_differs_is_named_once_with_its_values_and_where_they_stand(
    name: str, values: tuple[str, str], of_a: dict[str, Any], of_b: dict[str, Any], tmp_path: Path
) -> None:
    a = make_side(tmp_path / "a", STEADY, said=of_a)
    b = make_side(tmp_path / "b", STEADY, said=of_b)
    (change,) = only(compare(a, b)).changes
    assert (change.name, change.said) == (name, values)
    assert {Path(one.file).name for side in change.sides for one in side} <= {"run.json"}


def test_another_card_is_no_slowdown(tmp_path: Path) -> None:
    said = {**changed(gpus=["NVIDIA A100"]), "case": {**CASE, "device": "NVIDIA A100"}}
    found = compare(*sides(tmp_path, 2.0, said=said))
    assert (only(found).verdict, found.status, names(found)) == ("unknown", 3, ["device"])


def test_other_nodes_are_other_machines_and_other_jobs_are_not(tmp_path: Path) -> None:
    first, other = ({"scheduler": {"job": job, "nodes": nodes}} for job, nodes in (("1", "node1"), ("2", "node2")))
    a = make_side(tmp_path / "a", STEADY, said=first)
    b = make_side(tmp_path / "b", STEADY, said=other)
    c = make_side(tmp_path / "c", STEADY, said={"scheduler": {"job": "3", "nodes": "node1"}})
    assert (names(compare(a, b)), only(compare(a, b)).verdict) == (["scheduler.nodes"], "unknown")
    assert (names(compare(a, c)), only(compare(a, c)).verdict) == ([], "same")


def test_what_one_side_does_not_record_is_no_difference(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    for path in b.glob("*/*/run.json"):
        run = json.loads(path.read_text())
        del run["environment"]
        path.write_text(json.dumps(run))
    found = compare(a, b)
    assert names(found) == []
