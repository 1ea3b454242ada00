"""What a checkout says of itself, and how it differs from what a recipe means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_checkout import URL, git, make_checkout
from native_checkout import executable

from launchers.recipes.checkout import Checkout

UNKNOWN = {"repository": None, "commit": None, "dirty": None}


def described(repo: Path) -> dict[str, object]:
    found = Checkout(repo)
    return {"repository": found.repository, "commit": found.commit, "dirty": found.is_dirty}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git checkout with one file."""
    return make_checkout(tmp_path)


def remarks(repo: Path, **other: str) -> list[str]:
    """Those on a recipe that means just this checkout, but for what is `other`."""
    facts = {"repository": URL, "commit": git(repo, "rev-parse", "HEAD"), **other}
    return list(map(str, Checkout(repo).remarks(facts)))


def test_a_checkout_and_a_worktree_of_it_are_described_by_url_and_commit(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../other")
    expected = {"repository": URL, "commit": git(repo, "rev-parse", "HEAD"), "dirty": False}
    assert [described(repo), described(repo.parent / "other")] == [expected] * 2
    assert described(repo / "tools") == UNKNOWN  # a repository around a folder does not count


def test_a_repository_without_commits_tells_only_where_it_comes_from(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", URL)
    assert described(tmp_path) == UNKNOWN | {"repository": URL}


def test_variables_that_point_git_elsewhere_change_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = described(repo)
    configures = {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    for name in set(git(repo, "rev-parse", "--local-env-vars").split()) - configures:
        monkeypatch.setenv(name, "/nowhere")
    assert described(repo) == expected


def test_a_remote_is_recorded_without_secrets_and_folders(repo: Path) -> None:
    expected = {
        "https://github.com/PaddlePaddle/PaddleClas.git": URL,
        "https://github.com/PaddlePaddle/PaddleClas/": URL,
        "https://someone:hunter2@github.com/PaddlePaddle/PaddleClas": URL,
        "https://hunter2@github.com/PaddlePaddle/PaddleClas.git?token=hunter2#hunter2": URL,
        "https://someone:hun/ter2@github.com/PaddlePaddle/PaddleClas": None,
        "ssh://git@example.org:2222/PaddlePaddle/PaddleClas": "ssh://example.org:2222/PaddlePaddle/PaddleClas",
        "git@github.com:PaddlePaddle/PaddleClas.git": "ssh://github.com/PaddlePaddle/PaddleClas",
        **dict.fromkeys(["/home/someone/PaddleClas", "../PaddleClas", "./a:b", "file:///home/someone/PaddleClas"]),
        **dict.fromkeys(["ext::sh -c touch% made", "https://[broken"]),
    }
    found = {}
    for remote in expected:
        git(repo, "config", "remote.origin.url", remote)
        found[remote] = Checkout(repo).repository
    assert found == expected


def test_changed_files_make_a_checkout_dirty_and_outputs_do_not_and_asking_writes_nothing(repo: Path) -> None:
    executable(repo / "output" / "ResNet50" / "latest.pdparams", "weights")
    os.utime(repo / "tools" / "train.py", (1, 1))
    before = (repo / ".git" / "index").read_bytes()
    assert (described(repo)["dirty"], Checkout(repo).patch) == (False, "")
    assert (repo / ".git" / "index").read_bytes() == before
    (repo / "tools" / "train.py").write_text("two\n")
    unstaged = Checkout(repo).patch
    git(repo, "add", "tools")
    assert (described(repo)["dirty"], Checkout(repo).patch) == (True, unstaged)
    assert "\n-one\n+two\n" in unstaged


def test_git_is_asked_three_times_at_most(tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "tools" / "train.py").write_text("two\n")
    executable(
        tmp_path / "bin" / "git", f'#!/bin/sh\necho asked >> "{tmp_path}/times"\nPATH=${{PATH#*:}} exec git "$@"\n'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    found = Checkout(repo)
    assert all([found.repository, found.commit, found.is_dirty, found.patch, found.is_of(URL), found.commit])
    assert (tmp_path / "times").read_text().count("asked") <= 3


@pytest.mark.parametrize(("variable", "value"), [("PATH", "/nowhere"), ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")])
def test_where_git_is_missing_or_refuses_nothing_is_known(
    repo: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert described(repo)["commit"] is None
    assert len(list(Checkout(repo).remarks({"repository": URL, "commit": "a" * 40}))) == 1


@pytest.mark.parametrize(
    ("remote", "is_other"),
    [
        ("git@github.com:paddlepaddle/paddleclas.git", False),
        ("https://github.com/someone/PaddleClas", False),  # a fork
        ("https://github.com/PaddlePaddle/PaddleSeg", True),
        (None, False),  # the pinned commit counts more than an unknown remote
    ],
)
def test_another_repository_causes_a_remark(repo: Path, remote: str | None, is_other: bool) -> None:
    git(repo, *(("config", "remote.origin.url", remote) if remote else ("remote", "remove", "origin")))
    assert len(remarks(repo)) == int(is_other)
    assert Checkout(repo).is_of(URL) is not is_other


def test_another_commit_and_changed_files_cause_remarks(repo: Path) -> None:
    assert [f"git checkout {'a' * 40}" in remark for remark in remarks(repo, commit="a" * 40)] == [True]
    (repo / "tools" / "train.py").write_text("two\n")
    assert ["git status" in remark for remark in remarks(repo)] == [True]
    assert len(remarks(repo, commit="a" * 40)) == 2
