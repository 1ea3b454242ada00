"""What a checkout says of itself, and how it differs from what a recipe means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_checkout import URL, git, make_checkout
from native_checkout import executable

from launchers.recipes import checkout

UNKNOWN = {"repository": None, "commit": None, "dirty": None}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git checkout with one file."""
    return make_checkout(tmp_path)


def facts(repo: Path) -> dict[str, str]:
    """Those of a recipe that means just this checkout."""
    return {"repository": URL, "commit": git(repo, "rev-parse", "HEAD")}


def remarks(repo: Path, **other: str) -> list[str]:
    return list(map(str, checkout.remarks(checkout.describe(repo), {**facts(repo), **other})))


def test_a_checkout_is_described_by_url_and_commit(repo: Path) -> None:
    assert checkout.describe(repo) == {"repository": URL, "commit": facts(repo)["commit"], "dirty": False}


def test_a_worktree_is_a_checkout(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../other")
    assert checkout.describe(repo.parent / "other") == checkout.describe(repo)


def test_a_folder_within_a_repository_is_no_checkout(repo: Path) -> None:
    assert checkout.describe(repo / "tools") == UNKNOWN


def test_a_repository_without_commits_tells_only_where_it_comes_from(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", URL)
    assert checkout.describe(tmp_path) == {"repository": URL, "commit": None, "dirty": None}


def test_variables_that_point_git_elsewhere_change_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = checkout.describe(repo)
    configures = {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    for name in set(git(repo, "rev-parse", "--local-env-vars").split()) - configures:
        monkeypatch.setenv(name, "/nowhere")
    assert checkout.describe(repo) == expected


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/PaddlePaddle/PaddleClas.git", URL),
        ("https://github.com/PaddlePaddle/PaddleClas/", URL),
        ("https://someone:hunter2@github.com/PaddlePaddle/PaddleClas", URL),
        ("https://hunter2@github.com/PaddlePaddle/PaddleClas.git?token=hunter2#hunter2", URL),
        ("https://someone:hun/ter2@github.com/PaddlePaddle/PaddleClas", None),
        ("ssh://git@example.org:2222/PaddlePaddle/PaddleClas", "ssh://example.org:2222/PaddlePaddle/PaddleClas"),
        ("git@github.com:PaddlePaddle/PaddleClas.git", "ssh://github.com/PaddlePaddle/PaddleClas"),
        ("/home/someone/PaddleClas", None),
        ("../PaddleClas", None),
        ("./a:b", None),
        ("file:///home/someone/PaddleClas", None),
        ("ext::sh -c touch% made", None),
        ("https://[broken", None),
    ],
)
def test_a_remote_is_recorded_without_secrets_and_folders(repo: Path, remote: str, expected: str | None) -> None:
    git(repo, "config", "remote.origin.url", remote)
    assert checkout.describe(repo)["repository"] == expected


@pytest.mark.parametrize("staged", [False, True])
def test_a_changed_file_makes_a_checkout_dirty(repo: Path, staged: bool) -> None:
    (repo / "tools" / "train.py").write_text("two\n")
    if staged:
        git(repo, "add", ".")
    assert checkout.describe(repo)["dirty"] is True


def test_a_touched_file_and_outputs_do_not_make_it_dirty_and_asking_writes_nothing(repo: Path) -> None:
    before = (repo / ".git" / "index").read_bytes()
    os.utime(repo / "tools" / "train.py", (1, 1))
    executable(repo / "output" / "ResNet50" / "latest.pdparams", "weights")
    assert checkout.describe(repo)["dirty"] is False
    assert (repo / ".git" / "index").read_bytes() == before


def test_where_git_is_missing_nothing_is_known(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = facts(repo)
    monkeypatch.setenv("PATH", "/nowhere")
    assert checkout.describe(repo) == UNKNOWN
    [remark] = checkout.remarks(checkout.describe(repo), expected)
    assert "git is missing" in remark.said


def test_where_git_refuses_nothing_is_known(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own way to try that
    assert checkout.describe(repo)["commit"] is None


@pytest.mark.parametrize(
    ("remote", "count"),
    [
        ("git@github.com:paddlepaddle/paddleclas.git", 0),
        ("https://github.com/someone/PaddleClas", 1),
        ("https://github.com/PaddlePaddle/PaddleSeg", 1),
    ],
)
def test_another_repository_causes_a_remark(repo: Path, remote: str, count: int) -> None:
    git(repo, "config", "remote.origin.url", remote)
    assert len(remarks(repo)) == count


def test_another_commit_and_changed_files_cause_remarks(repo: Path) -> None:
    assert remarks(repo) == []
    assert [f"git checkout {'a' * 40}" in remark for remark in remarks(repo, commit="a" * 40)] == [True]
    (repo / "tools" / "train.py").write_text("two\n")
    assert ["git status" in remark for remark in remarks(repo)] == [True]


def test_the_pinned_commit_counts_more_than_an_unknown_remote(repo: Path) -> None:
    git(repo, "remote", "remove", "origin")
    assert remarks(repo) == []
    assert len(remarks(repo, commit="a" * 40)) == 2


def test_a_folder_without_git_causes_one_remark(tmp_path: Path, repo: Path) -> None:
    [remark] = checkout.remarks(checkout.describe(tmp_path), facts(repo))
    assert remark.advice == f"use `git clone {URL}`."


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (URL, True),
        ("https://github.com/someone/paddleclas", True),
        ("https://github.com/PaddlePaddle/PaddleSeg", False),
    ],
)
def test_a_checkout_knows_its_repository(repo: Path, url: str, expected: bool) -> None:
    assert checkout.Checkout(repo).is_of(url) is expected


def test_a_checkout_without_a_remote_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "PaddleClas").mkdir()
    assert checkout.Checkout(tmp_path / "PaddleClas").is_of(URL)
