"""Boards: what a record folder says of each rule. All records are made up."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from report.audit.board import Board, BoardError, Kind, Status, board_of, judged, records_of

BOARD = """
records = ["records/*"]
claims = ["README.md"]
files = ["README.md", "result*.json"]
logs = ["*.log"]
baselines = ["*baseline*"]
metric = { series = ["val_loss"] }
seeds = 3
target = 3.3
p_value = 0.01
[caps.training]
series = ["train_time"]
most = 90
leeway = 0.5
[caps.bytes]
series = ["total *"]
most = 16000
"""
MET, FAILED, CANNOT_SAY = Status.MET, Status.FAILED, Status.CANNOT_SAY


@pytest.fixture
def board(tmp_path: Path) -> Board:
    (tmp_path / "board.toml").write_text(BOARD, encoding="utf-8")
    return board_of(str(tmp_path / "board.toml"))


def run(folder: Path, name: str, loss: float, milliseconds: int, size: int = 15_000) -> None:
    """Write the log of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    last = f"step:2000/2000 val_loss:{loss} train_time:{milliseconds}ms"
    text = f"step:1000/2000 val_loss:9.9 train_time:1000ms\n{last}\nTotal size: {size} bytes\n"
    (folder / f"{name}.log").write_text(text, encoding="utf-8")


def verdicts(board: Board, root: Path) -> dict[tuple[str, str], Status]:
    """What the record says of each rule, by kind and subject."""
    return {(one.kind, one.subject): one.status for one in judged(board, root, "records/new", {})}


def record(
    root: Path,
    losses: Sequence[float] = (3.2911, 3.2903, 3.2921, 3.2899),
    milliseconds: int = 88_000,
    size: int = 15_000,
    files: Sequence[str] = ("README.md", "result.json"),
) -> None:
    """Write a record, and runs of what it is compared with."""
    folder = root / "records" / "new"
    for seed, loss in enumerate(losses):
        run(folder / "this", f"seed{seed}", loss, milliseconds - seed, size)
        run(folder / "my_Baseline", f"seed{seed}", loss + 1, milliseconds)
    for name in files:
        (folder / name).write_text("{}", encoding="utf-8")


def test_a_record_that_meets_all_rules(board: Board, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    record(tmp_path)
    found = list(judged(board, tmp_path, "records/new", {}))
    assert records_of(board, tmp_path) == ["records/new"]
    assert {one.status for one in found} == {MET}
    assert {one.runs for one in found if one.kind is not Kind.FILE} == {"records/new/this"}
    (target,) = (one for one in found if one.kind is Kind.TARGET)
    assert (target.count, target.bound) == (4, 3.3)
    assert target.value == pytest.approx(3.29085)


@pytest.mark.parametrize(
    ("changed", "failed"),
    [
        pytest.param({"files": ["README.md"]}, {("file", "result*.json")}, id="a file is missing"),
        pytest.param({"losses": (3.2901, 3.2902, 3.2903)}, set(), id="three runs are enough"),
        pytest.param({"losses": (3.2901, 3.2902)}, {("seeds", "")}, id="two are not"),
        pytest.param({"losses": (3.308, 3.309, 3.31)}, {("target", ""), ("p value", "")}, id="too high a loss"),
        pytest.param({"losses": (3.27, 3.30, 3.32)}, {("p value", "")}, id="too wide a spread"),
        pytest.param({"milliseconds": 90_400}, set(), id="within the leeway"),
        pytest.param({"milliseconds": 90_600}, {("cap", "training")}, id="too long"),
        pytest.param({"size": 16_001}, {("cap", "bytes")}, id="too large"),
    ],
)
def test_what_is_wrong_fails_alone(
    board: Board, tmp_path: Path, changed: dict[str, Any], failed: set[tuple[str, str]]
) -> None:
    pytest.importorskip("scipy")
    record(tmp_path, **changed)
    found = verdicts(board, tmp_path)
    assert {rule for rule, status in found.items() if status is FAILED} == failed


def test_what_no_log_states_nobody_can_say(board: Board, tmp_path: Path) -> None:
    (tmp_path / "records" / "new").mkdir(parents=True)
    found = verdicts(board, tmp_path)
    assert found["seeds", ""] is FAILED
    assert {found[rule] for rule in (("target", ""), ("p value", ""), ("cap", "bytes"))} == {CANNOT_SAY}


def test_copies_of_a_log_are_one_run(board: Board, tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        run(tmp_path / "records" / "new", name, 3.29, 88_000)
    assert verdicts(board, tmp_path)["seeds", ""] is FAILED


@pytest.mark.parametrize("name", ["modded-nanogpt", "parameter-golf"])
def test_shipped_boards_are_read(name: str) -> None:
    assert board_of(name).records


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seeds = 3", "seeds = 0"),
        ("seeds = 3", "seed = 3"),
        ("seeds = 3", "seeds ="),
        ('records = ["records/*"]', ""),
        ("p_value = 0.01", "p_value = 1.5"),
        ("most = 90", "most = -1"),
    ],
)
def test_a_mistake_is_one_error(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "board.toml").write_text(BOARD.replace(old, new), encoding="utf-8")
    with pytest.raises(BoardError):
        board_of(str(tmp_path / "board.toml"))
    with pytest.raises(BoardError):
        board_of(str(tmp_path / "none.toml"))
