"""Launching and ingesting both ask git where a checkout comes from; neither may know better than the other."""

from __future__ import annotations

import ast
import inspect
import subprocess
from pathlib import Path

import pytest

from launchers.native import checkout
from parsers.ingesting import git_origin
from parsers.runs import git_files

URLS = [
    "https://example.org/lab/perf.git",
    "https://example.org/lab/perf/",
    "https://me:made-up@example.org/lab/perf",
    "https://me:made/up@example.org/lab/perf",
    "https://example.org/lab/perf?token=made-up#part",
    "http://example.org:8080/lab/perf.git",
    "HTTPS://Example.org/lab/perf",
    "ssh://git@example.org:22/lab/perf.git",
    "git@example.org:lab/perf.git",
    "example.org:/lab/perf.git",
    "git://example.org/lab/perf",
    "file:///srv/perf.git",
    "/srv/perf.git",
    "../perf",
    "https://[example.org/lab",
    "ext::sh -c true",
    "https://example.org/lab/per f",
    "",
]


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", "-C", folder, *who, *words], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "perf"
    folder.mkdir()
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a")
    return folder


def told(repo: Path) -> tuple[str | None, str]:
    """Repository and commit, which both rooms tell alike."""
    found, launched = git_origin.checkout(repo), checkout.describe(repo)
    assert found is not None
    assert (launched["repository"], launched["commit"]) == (found.repository, found.commit)
    return found.repository, found.commit


def test_both_rooms_tell_the_same_repository(repo: Path) -> None:
    for url in URLS:
        git(repo, "config", "remote.origin.url", url)
        told(repo)


def test_of_several_urls_of_a_remote_both_rooms_tell_the_first(repo: Path) -> None:
    git(repo, "config", "--add", "remote.origin.url", "https://example.org/lab/one")
    git(repo, "config", "--add", "remote.origin.url", "https://example.org/lab/two")
    assert told(repo)[0] == "https://example.org/lab/one"


def test_what_the_shell_tells_git_leads_neither_room_elsewhere(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = told(repo)
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path))
    monkeypatch.setenv("GIT_NAMESPACE", "another")
    monkeypatch.setenv("GIT_SHALLOW_FILE", str(tmp_path / "none"))
    assert told(repo) == before


def test_every_variable_that_git_calls_local_to_a_repository_is_kept_from_it() -> None:
    local = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True).stdout
    configures = {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    assert set(local.split()) - configures <= checkout._MISLEADING


def test_both_rooms_ask_git_in_the_same_way() -> None:
    asked = [ast.parse(inspect.getsource(one)).body[0] for one in (checkout._git, git_files.git)]
    assert all(isinstance(function, ast.FunctionDef) for function in asked)
    first, second = (ast.dump(ast.Module(function.body[1:], [])) for function in asked if hasattr(function, "body"))
    assert first == second
    assert (checkout._HARMLESS, checkout._QUIET) == (git_files._HARMLESS, git_files._QUIET)
    assert (checkout._LONGEST, checkout._MISLEADING) == (git_files._LONGEST, git_files._MISLEADING)
