"""Public logs are fetched at their commits, byte for byte, and none that differs is taken."""

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.corpus.fetch import FetchError, Source, fetch

LOG = b"step 1\r\nstep 2\n"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A log of the first commit of a repository whose second one changed it."""
    place = tmp_path / "host/acme/runs"
    place.mkdir(parents=True)
    commits = []
    for content in (LOG, b"another"):
        (place / "a.log").write_bytes(content)
        git(place, "init", "--quiet")
        git(place, "add", "a.log")
        git(place, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "a")
        commits.append(git(place, "rev-parse", "HEAD"))
    for setting in ("uploadpack.allowAnySHA1InWant", "uploadpack.allowFilter"):
        git(place, "config", setting, "true")
    return Source("acme/runs", commits[0], "a.log", sha256(LOG).hexdigest(), "acme", "10.5")


def git(place: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", place, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def taken(source: Source, tmp_path: Path) -> list[str]:
    return list(fetch([source], tmp_path / "corpus", f"file://{tmp_path}/host/"))


def test_a_log_is_that_of_its_commit_byte_for_byte(source: Source, tmp_path: Path) -> None:
    taken(source, tmp_path)
    assert (tmp_path / "corpus/acme-runs/a.log").read_bytes() == LOG


def test_the_index_names_each_log(source: Source, tmp_path: Path) -> None:
    taken(source, tmp_path)
    index = (tmp_path / "corpus/INDEX.csv").read_text(encoding="utf-8")
    assert index.splitlines() == ["path,family,published", "acme-runs/a.log,acme,10.5"]


def test_what_is_there_is_not_fetched_again(source: Source, tmp_path: Path) -> None:
    taken(source, tmp_path)
    assert taken(source, tmp_path) == [f"{tmp_path}/corpus: 1 logs, 0 of them fetched."]


def test_a_log_that_is_another_is_not_taken(source: Source, tmp_path: Path) -> None:
    other = Source(source.repository, source.commit, source.path, "0" * 64, source.family, source.published)
    with pytest.raises(FetchError, match=r"acme/runs: a.log is not the log"):
        taken(other, tmp_path)
    assert not (tmp_path / "corpus/acme-runs/a.log").exists()


def test_a_repository_that_is_not_there_is_reported(source: Source, tmp_path: Path) -> None:
    other = Source("acme/gone", source.commit, source.path, source.sha256, source.family, source.published)
    with pytest.raises(FetchError, match="git fetch: "):
        taken(other, tmp_path)
