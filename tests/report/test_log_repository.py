"""Logs that others published: brought by git as the pages name them, only their folders, and nothing of them runs."""

from pathlib import Path

import pytest

from report.pagefile.log_repository import FetchError, fetched
from report.pagefile.page import Page
from report.pagefile.page_file import load
from tests.commandline import PROJECT, git, run
from tests.report.page_text import HEAD, column

# They call the program.
pytestmark = pytest.mark.slow

TABLE = """
[[tables]]
name = "t"
title = "T"
case = { device = "A100", precision = "fp32", batch_size = 64, cards = 1 }
columns = [{ column = "a" }]
rows = [{ title = "{cards}" }]
"""
LOG = "PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a log where the page looks for it, a link beside it, and a file elsewhere."""
    folder = tmp_path / "others"
    (folder / "toy/A100").mkdir(parents=True)
    (folder / "toy/A100" / LOG).write_bytes((PROJECT / "tests/report/golden/logs/A100" / LOG).read_bytes())
    (folder / "toy/A100/link").symlink_to("/etc/passwd")
    (folder / "large").write_text("not wanted")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "--message", "logs")
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(folder, "config", key, "true")
    return folder


@pytest.fixture
def page(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page file that names the repository; the cache is a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = f"""
[source]
repository = "file://{repository}"
commit = "{git(repository, "rev-parse", "HEAD")}"
licence = "Apache-2.0"
url = "https://example.org/{{commit}}/{{path}}"
"""
    logs = "toy/{device}/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C{cards}_log"
    (tmp_path / "page.toml").write_text(HEAD + source + column("a", logs) + TABLE, encoding="utf-8")
    return tmp_path / "page.toml"


def changed(page: Path, was: str, put: str) -> dict[str, Page]:
    page.write_text(page.read_text(encoding="utf-8").replace(was, put), encoding="utf-8")
    return {"page": load(page)}


def test_one_command_fetches_the_logs_and_renders_the_page(page: Path) -> None:
    done = run("report", page, "--fetch", "--lang", "en", cwd=page.parent)
    assert (done.returncode, done.stdout) == (
        0,
        "page: 1 of 1 cells measured; wrote pages/page.en.md, pages/page.evidence.en.md, pages/page.report.json.\n",
    )


def test_only_the_folders_of_the_logs_are_there_and_a_link_is_a_file(page: Path) -> None:
    folder = fetched({"page": load(page)})
    assert sorted(path.name for path in folder.rglob("*")) == ["A100", LOG, "link", "toy"]
    assert not (folder / "toy/A100/link").is_symlink()


def test_what_was_fetched_is_not_fetched_again(page: Path, repository: Path) -> None:
    first = fetched({"page": load(page)})
    repository.rename(repository.with_name("gone"))
    assert fetched({"page": load(page)}) == first


@pytest.mark.parametrize(
    ("was", "put", "said"),
    [
        ("file://", "ext::sh -c touch% x ", "only https://, http:// and file://"),
        ("file://", "--upload-pack=touch x;", "only https://, http:// and file://"),
        ('commit = "', 'commit = "-', "the whole commit"),
        ("others", "nobodys", "git could not fetch file://"),
        ("[source]", "[columns.other]", "No page names a repository"),
    ],
)
def test_what_cannot_be_fetched_is_told_in_one_sentence(was: str, put: str, said: str, page: Path) -> None:
    if put.startswith("[columns"):
        of_page = load(page).model_copy(update={"source": None})
        pages = {"page": of_page}
    else:
        pages = changed(page, was, put)
    with pytest.raises(FetchError) as raised:
        fetched(pages)
    assert said in str(raised.value)
    assert str(raised.value).count("\n") == 0
    assert not list(page.parent.rglob(".fetching-*"))


@pytest.mark.parametrize("how", [[], ["--html"]])
def test_a_page_that_is_asked_for_without_its_logs_is_not_written_but_told_what_fetches_them(
    how: list[str], tmp_path: Path
) -> None:
    done = run("report", "resnet50", "--out", tmp_path / "pages", *how)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "resnet50: skipped because no number is measured; its logs are in https://github.com/PaddlePaddle/Perf: "
        "tachograph report resnet50 --fetch fetches them.\n",
        "",
    )
    assert not (tmp_path / "pages").exists()


def test_what_was_rendered_with_the_logs_stays_when_they_are_gone(page: Path) -> None:
    for how in ([], ["--html"]):
        assert run("report", page, "--fetch", *how, cwd=page.parent).returncode == 0
        before = {path: path.read_bytes() for path in (page.parent / "pages").rglob("*") if path.is_file()}
        gone = run("report", page, *how, cwd=page.parent)
        assert (gone.returncode, f"tachograph report {page} --fetch fetches them" in gone.stdout) == (1, True)
        assert {path: path.read_bytes() for path in before} == before


def test_a_page_with_some_of_its_logs_is_written_and_says_which_are_missing(page: Path) -> None:
    page.write_text(page.read_text(encoding="utf-8") + "rows = { cards = [1, 8] }\n", encoding="utf-8")
    text = (
        page.read_text(encoding="utf-8").replace('rows = [{ title = "{cards}" }]\n', "").replace(", cards = 1 }", " }")
    )
    page.write_text(text, encoding="utf-8")
    done = run("report", page, "--fetch", cwd=page.parent)
    assert (done.returncode, "page: 1 of 2 cells measured;" in done.stdout) == (0, True)
    assert "page: t/8/a is empty: " in done.stderr
