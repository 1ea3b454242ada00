"""What a checkout says of itself, how it differs from what a recipe means, and that asking it executes nothing."""

import os
import shutil
from pathlib import Path

import pytest
from checkouts import URL

from launchers.recipes.checkout import Checkout
from tests.commandline import executable, git

UNKNOWN = {"repository": None, "commit": None, "dirty": None}


def described(repo: Path) -> dict[str, object]:
    found = Checkout(repo)
    return {"repository": found.repository, "commit": found.commit, "dirty": found.is_dirty}


def remarks(repo: Path, **other: str) -> list[str]:
    """Those on a recipe that means just this checkout, but for what is `other`."""
    facts = {"repository": URL, "commit": git(repo, "rev-parse", "HEAD"), **other}
    return list(map(str, Checkout(repo).remarks(facts)))


def test_a_checkout_and_a_worktree_of_it_are_described_by_url_and_commit(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../other")
    expected = {"repository": URL, "commit": git(repo, "rev-parse", "HEAD"), "dirty": False}
    assert [described(repo), described(repo.parent / "other")] == [expected] * 2
    assert described(repo / "tools") == UNKNOWN  # a repository around a folder does not count
    git(repo / "tools", "init", "-q")  # and one without commits tells only where it comes from
    git(repo / "tools", "remote", "add", "origin", URL)
    assert described(repo / "tools") == UNKNOWN | {"repository": URL}


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
    assert ["a" * 40 in remark for remark in remarks(repo, commit="a" * 40)] == [True]
    (repo / "tools" / "train.py").write_text("two\n")
    assert (len(remarks(repo)), len(remarks(repo, commit="a" * 40))) == (1, 2)


def trap(repo: Path) -> Path:
    """A program that a hostile checkout wants to run; it makes the file `sprung` beside itself."""
    executable(repo / "trap", f"#!/bin/sh\ntouch '{repo}/sprung'\ncat\n")
    (repo / "tools" / "train.py").write_text("two\n")  # of the same length, so that git has to read it
    return repo / "trap"


def asked(repo: Path) -> bool | None:
    """Whether the checkout is dirty, after all questions, none of which sprang the trap."""
    found = Checkout(repo)
    answers = found.repository, found.commit, found.is_dirty, found.patch
    assert not (repo / "sprung").exists()
    return answers[2]


@pytest.mark.parametrize(
    ("key", "attributes", "dirty"),
    [
        ("core.fsmonitor", "filter=x", True),
        ("core.sshCommand", "filter=x", True),
        ("core.pager", "filter=x", True),
        ("diff.external", "diff=x", True),
        ("diff.x.textconv", "diff=x", True),
        ("filter.x.clean", "filter=x", True),
        ("filter.x.process", "filter=x", True),
        ("filter.a=b.clean", "filter=a=b", None),  # which cannot be switched off
        ("alias.status", "filter=x", True),
    ],
)
def test_a_program_that_a_configuration_names_is_not_executed(
    repo: Path, key: str, attributes: str, dirty: bool | None
) -> None:
    (repo / ".git" / "info" / "attributes").write_text(f"* {attributes}\n")
    git(repo, "config", key, str(trap(repo)))
    assert asked(repo) is dirty
    if key == "filter.x.clean":  # it is one where git is asked without care
        git(repo, "status")
        assert (repo / "sprung").exists()


def test_a_filter_that_an_included_file_names_and_a_hook_are_not_executed(repo: Path) -> None:
    (repo / ".git" / "info" / "attributes").write_text("* filter=X.y\n")
    (repo / ".git" / "more").write_text(f'[Filter "X.y"]\n\tCLEAN = {trap(repo)}\n\trequired = true\n')
    git(repo, "config", "include.path", "more")
    (repo / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(repo / "trap", repo / ".git" / "hooks" / "post-index-change")
    assert asked(repo) is True


def test_the_configuration_of_a_submodule_executes_nothing(repo: Path) -> None:
    inner = repo / "inner"
    shutil.copytree(repo, inner)
    git(repo, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
    git(repo, "commit", "-q", "-m", "b")
    git(inner, "config", "filter.x.clean", str(trap(inner)))
    assert asked(repo) is False
    assert not (inner / "sprung").exists()


def test_a_missing_object_is_not_fetched(repo: Path) -> None:
    options = {"promisor": "true", "partialclonefilter": "blob:none", "uploadpack": str(trap(repo)), "url": str(repo)}
    for key, value in options.items():
        git(repo, "config", f"remote.origin.{key}", value)
    git(repo, "config", "extensions.partialClone", "origin")
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    (repo / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert asked(repo) is None
