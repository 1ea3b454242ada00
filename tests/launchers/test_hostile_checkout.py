"""Asking a checkout executes nothing that its own configuration names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from git_checkout import git, make_checkout
from native_checkout import executable

from launchers.recipes.checkout import Checkout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git checkout with one file."""
    return make_checkout(tmp_path)


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


def test_the_trap_springs_where_git_is_asked_without_care(repo: Path) -> None:
    (repo / ".git" / "info" / "attributes").write_text("* filter=x\n")
    git(repo, "config", "filter.x.clean", str(trap(repo)))
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
