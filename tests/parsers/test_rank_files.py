"""Which files of a folder are the logs of the ranks of one run is known by their names, and by nothing less."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from parsers.io.errors import LogError
from parsers.runs.ranks import rank_files


def folder(tmp_path: Path, names: Sequence[str]) -> Path:
    """A folder with empty files of these names."""
    (tmp_path / "run").mkdir()
    for name in names:
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_text("text\n")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["rank_0.log", "rank_1.log"], "job"),
        (["rank0.log", "rank1.log"], "job"),
        (["20350101_rank_0.log", "20350101_rank_1.log"], "job"),
        (["train.rank-0.out.gz", "train.rank-1.out.gz"], "job"),
        (["log.txt.rank0", "log.txt.rank1"], "job"),
        (["workerlog.0", "workerlog.1"], "node"),
        (["default.abcdef.workerlog.0", "default.abcdef.workerlog.1"], "node"),
        (["worker_0.log", "worker_1.log"], "job"),
        (["1/rank.0/stdout", "1/rank.1/stdout"], "job"),
        (["id_x/attempt_0/0/stdout.log", "id_x/attempt_0/1/stdout.log"], "node"),
        (["0/stderr.log", "1/stderr.log"], "node"),
        (["rank_0/info.log", "rank_1/info.log"], "job"),
        (["slurm-123_0.out", "slurm-123_1.out"], "unknown"),
        (["train-123.0.log", "train-123.1.log"], "unknown"),
    ],
)
def test_launchers_call_the_logs_of_ranks_in_these_ways(tmp_path: Path, names: list[str], counts: str) -> None:
    found = rank_files(folder(tmp_path, names))
    assert [(file.rank, file.path.relative_to(found.folder).as_posix()) for file in found.files] == [*enumerate(names)]
    assert found.counts == counts


def test_empty_logs_of_ranks_are_none_that_is_read_but_count(tmp_path: Path) -> None:
    path = folder(tmp_path, [f"attempt_0/{rank}/{stream}.log" for rank in (0, 1) for stream in ("stderr", "stdout")])
    for empty in ("0/stdout.log", "1/stdout.log", "1/stderr.log"):
        (path / "attempt_0" / empty).write_text("")
    found = rank_files(path)
    assert (found.ranks, {name: len(files) for name, files in found.streams.items()}) == ([0, 1], {"stderr": 1})


def test_a_folder_of_nothing_but_empty_logs_is_refused(tmp_path: Path) -> None:
    path = folder(tmp_path, ["rank_0.log", "rank_1.log"])
    for rank in (0, 1):
        (path / f"rank_{rank}.log").write_text("")
    with pytest.raises(LogError, match="holds only empty logs of ranks"):
        rank_files(path)


def test_ranks_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    found = rank_files(folder(tmp_path, [f"rank_{rank}.log" for rank in (10, 9, 0, 2, 1)]))
    assert found.ranks == [file.rank for file in found.files] == [0, 1, 2, 9, 10]
    assert not found.are_complete


def test_two_streams_of_a_rank_stand_side_by_side(tmp_path: Path) -> None:
    names = [f"attempt_0/{rank}/{stream}.log" for rank in (0, 1) for stream in ("stderr", "stdout")]
    found = rank_files(folder(tmp_path, names))
    assert {stream: [file.rank for file in files] for stream, files in found.streams.items()} == {
        "stderr": [0, 1],
        "stdout": [0, 1],
    }


def test_other_logs_are_named_and_others_files_are_not(tmp_path: Path) -> None:
    found = rank_files(folder(tmp_path, ["rank_0.log", "rank_1.log", "launcher.log", "model.bin", ".rank_2.log"]))
    assert [path.name for path in found.unread] == ["launcher.log"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "is a folder without logs of several ranks"),
        (["train.log"], "is a folder without logs of several ranks"),
        (["rank_0.log"], "is a folder without logs of several ranks"),
        (["a/rank_0.log", "a/rank_1.log", "b/rank_0.log", "b/rank_1.log"], "holds the logs of ranks of 2 runs"),
        (["rank_1.log", "rank_01.log", "rank_2.log"], "holds two logs of rank 1, rank_01.log and rank_1.log"),
    ],
)
def test_a_folder_that_is_not_of_the_ranks_of_one_run_is_refused(tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(LogError, match=said):
        rank_files(folder(tmp_path, [*names, "readme"]))


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = folder(tmp_path, ["rank_0.log", "rank_1.log"])
    (tmp_path / "secret").touch()
    (path / "rank_2.log").symlink_to(tmp_path / "secret")
    assert rank_files(path).ranks == [0, 1]
