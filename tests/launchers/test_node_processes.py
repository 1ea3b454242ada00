"""What the processes of a job take on all of its nodes is added up."""

from __future__ import annotations

from pathlib import Path

import pytest

from launchers.run.nodes import add_up

HEAD = "time,processes,load,memory,power\n"


def summed(folder: Path, *nodes: str) -> str | None:
    """What becomes of the samples of some nodes; None for no file."""
    paths = [folder / f"node{number}.cpu.csv" for number in range(len(nodes))]
    for path, rows in zip(paths, nodes, strict=True):
        path.write_text(HEAD + rows, encoding="utf-8")
    add_up(paths, folder / "cpu.csv")
    assert not any(path.exists() for path in paths)
    return (folder / "cpu.csv").read_text() if (folder / "cpu.csv").exists() else None


def test_samples_that_are_next_to_each_other_are_added_up(tmp_path: Path) -> None:
    told = summed(
        tmp_path, "100.500,2,1.5,1000,60.5\n101.500,2,2,1200,61\n", "100.900,3,0.25,2000,39.5\n101.900,1,1,800,40\n"
    )
    assert told == f"{HEAD}100.500,5,1.75,3000,100\n101.500,3,3,2000,101\n"


def test_the_samples_of_a_single_node_stay_what_they_are(tmp_path: Path) -> None:
    rows = "100.500,2,1.5,1234567,\n101.500,2,2,1200,61.125\n"
    assert summed(tmp_path, rows) == HEAD + rows


def test_a_moment_that_a_node_did_not_sample_is_left_out(tmp_path: Path) -> None:
    told = summed(tmp_path, "100.000,1,1,10,\n105.000,1,1,10,\n", "100.100,1,1,10,\n")
    assert told == f"{HEAD}100.000,2,2,20,\n"


def test_what_one_node_does_not_tell_is_not_told_of_all(tmp_path: Path) -> None:
    assert summed(tmp_path, "100.000,1,1,10,50\n", "100.000,1,1,10,\n") == f"{HEAD}100.000,2,2,20,\n"


def test_without_the_samples_of_a_node_there_are_no_sums(tmp_path: Path) -> None:
    assert summed(tmp_path, "100.000,1,1,10,\n", "") is None


@pytest.mark.parametrize("row", ["102.000,1", "nan,1,1,10,", "102.000,1,inf,10,", "x,1,1,10,", ",1,1,10,"])
def test_a_row_that_is_cut_or_no_sample_is_left_out(tmp_path: Path, row: str) -> None:
    assert summed(tmp_path, f"100.000,1,1,10,\n{row}\n103.0") == f"{HEAD}100.000,1,1,10,\n"
