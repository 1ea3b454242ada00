"""Data files as they come: cut, drawn over, in any encoding; every number with its line and the name of its series."""

import gzip
from pathlib import Path

import pytest

from report.audit.checkout import namesakes
from report.audit.evidence import GREATEST, LAST, LEAST, MEAN, DataFile, is_data, read
from tests.report.audit.made_up import file_of

LINES = "step 1 loss 4.5\nstep 2 loss 3.25\n"


def numbers(file: DataFile) -> list[tuple[float, int]]:
    """Each number with its line."""
    return list(zip(file.values.tolist(), file.lines.tolist(), strict=True))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (LINES, [(1, 1), (4.5, 1), (2, 2), (3.25, 2)]),
        (LINES.replace("\n", "\r\n"), [(1, 1), (4.5, 1), (2, 2), (3.25, 2)]),
        ("loss 4.5\nloss 3.2", [(4.5, 1)]),
        ("loss 4.5\nloss 3.", [(4.5, 1)]),
        ("loss 4.5\nloss 3.2e", [(4.5, 1)]),
        ("loss 4.5\nloss 3.25 s", [(4.5, 1), (3.25, 2)]),
        ("bar 1 s\rbar 2 s\rbar 3 s\nloss 4.5\n", [(1, 1), (2, 1), (3, 1), (4.5, 2)]),
        ("bar 1 s\rbar 2", [(1, 1)]),
        (b"\0" * 9000 + b"loss 4.5\n", [(4.5, 1)]),
        ("\x1b[32mloss\x1b[0m 4.5\n", [(4.5, 1)]),
        (LINES.encode("utf-16"), [(1, 1), (4.5, 1), (2, 2), (3.25, 2)]),
        (LINES.encode("utf-16-be"), [(1, 1), (4.5, 1), (2, 2), (3.25, 2)]),
        ("verlust größe 4.5\n".encode("latin-1"), [(4.5, 1)]),
        ("loss 1,234.5\n", [(1234.5, 1)]),
        ("loss 4.5 " + "x" * 5000 + "\nloss 3\n", [(3, 2)]),
    ],
)
def test_every_number_has_its_line(tmp_path: Path, data: bytes | str, expected: list[tuple[float, int]]) -> None:
    assert numbers(file_of(tmp_path, data)) == expected


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.csv", "step,loss\n1,4.5\n2,3.25\n", {"step": 2, "loss": 3.25}),
        ("a.csv", "step,loss\n1,4.5\n2,3.2", {"step": 2, "loss": 4.5}),
        ("a.csv", 'name,loss\n"a, b",4.5\n', {"loss": 4.5}),
        ("a.tsv", "step\tloss\n1\t4.5\n", {"step": 1, "loss": 4.5}),
        ("a.json", '{"loss": 4.5, "of": {"loss": 3}, "all": [1, 2]}', {"loss": 3, "of loss": 3, "all": 2}),
        ("a.json", '{"loss": 4.5,\n', {"loss": 4.5}),
        ("a.log", "step 3: train_loss=2.5, lr: 0.1\n", {"step": 3, "step train_loss": 2.5, "step lr": 0.1}),
        ("a.log", "step:3 loss:2.5\n", {"step": 3, "step loss": 2.5}),
        ("a.log", "user 1min 46s, wall time: 2min 49.5s\n", {"user": 106, "user wall time": 169.5}),
        ("a.log", "x = torch.zeros(3, 4)\n", {}),
    ],
)
def test_series_are_named(tmp_path: Path, path: str, data: str, expected: dict[str, float]) -> None:
    found = {one.name: one.value for one in file_of(tmp_path, data, path).stated().statistics if one.how == LAST}
    assert {name: found.get(name) for name in expected} == expected
    assert expected or not found


def test_the_numbers_of_json_have_their_lines(tmp_path: Path) -> None:
    text = '{\n "says": "3.5 {",\n "loss": 4.5,\n "runs": [{"loss": 1},\n {"loss": NaN}, {"loss": 2}]\n}\n'
    file = file_of(tmp_path, text, "a.json")
    assert numbers(file) == [(4.5, 3), (1, 4), (2, 5)]
    assert len(set(file.records.tolist())) == 3


def test_a_series_has_statistics(tmp_path: Path) -> None:
    file = file_of(tmp_path, "loss: 3.0\nloss: 5.0\nloss: 1.0\nloss: 2.0\n")
    found = {one.how: (one.value, one.line) for one in file.stated().statistics}
    assert found == {LAST: (2, 4), LEAST: (1, 3), GREATEST: (5, 2), MEAN: (2.75, 0)}


def test_what_is_no_text_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "link").symlink_to(tmp_path / "weights")
    assert [read(tmp_path, name) for name in ("weights", "link", "nowhere", ".")] == [None] * 4


@pytest.mark.parametrize(
    ("path", "expected"), [("runs/a.log", True), ("runs/a", True), ("a.json", True), ("a.py", False), ("README", False)]
)
def test_names_say_what_is_no_data(path: str, *, expected: bool) -> None:
    assert is_data(path) is expected


def test_a_document_bears_the_name_of_a_folder() -> None:
    paths = ["results/raw/gpt/a.json", "results/raw/bert/a.json", "results/GPT.json", "results/gpt-2/a.json"]
    assert namesakes("gpt/gpt.md", paths) == ["results/raw/gpt/a.json", "results/GPT.json"]
    assert namesakes("docs/bert.md", paths) == ["results/raw/bert/a.json"]
    assert namesakes("README.md", paths) == []


@pytest.mark.parametrize(
    ("path", "data", "lines"),
    [
        ("train.log.gz", gzip.compress(LINES.encode(), mtime=0), [1, 2]),
        ("a.csv.gz", gzip.compress(b"step,loss\n1,4.5\n2,3.25\n", mtime=0), [2, 3]),
    ],
)
def test_packed_files_are_evidence(path: str, data: bytes, lines: list[int], tmp_path: Path) -> None:
    file = file_of(tmp_path, data, path)
    assert is_data(path)
    assert numbers(file) == [(1, lines[0]), (4.5, lines[0]), (2, lines[1]), (3.25, lines[1])]


def test_a_packed_file_that_is_cut_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(LINES.encode() * 1000)[:-20])
    assert read(tmp_path, "a.log.gz") is None
    assert not is_data("logs.tar.gz")
