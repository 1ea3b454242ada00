"""Which logs back a number: those that contradict it nowhere, by links, names and folders."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from parsers.io.limits import Allowance
from parsers.io.message import Message
from report.published import site_logs
from report.published.document import read_document
from report.published.published_site import PublishedSite
from tests.report.audit.small_site import EIGHT, LOGS, ONE, audited, change, make, write


def site(folder: Path) -> PublishedSite:
    return PublishedSite([read_document(page) for page in sorted(folder.rglob("*.md"))], folder, folder)


def logs(folder: Path) -> list[str | None]:
    """The log of each number of the pages below a folder."""
    return [finding.log for finding in audited(folder)]


def test_a_log_is_found_by_its_name(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    assert logs(page.parent) == [f"logs/{ONE}", f"logs/{EIGHT}"]


def test_a_log_is_found_by_the_name_of_its_folder(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    for name, folder in ((ONE, "1card"), (EIGHT, "8cards")):
        (tmp_path / "logs" / folder).mkdir()
        (tmp_path / "logs" / name).rename(tmp_path / "logs" / folder / "train.log")
    assert logs(page.parent) == ["logs/1card/train.log", "logs/8cards/train.log"]


def test_a_column_that_links_to_a_folder_has_its_logs_there(tmp_path: Path) -> None:
    make(tmp_path / "a")
    make(tmp_path / "b")
    page = write(tmp_path, ("PaddlePaddle FP32", "[PaddlePaddle](b) FP32"), ("logs/", "x/"))
    assert [f.log for f in audited(tmp_path) if f.number.page == page] == [f"b/logs/{ONE}", f"b/logs/{EIGHT}"]


def test_logs_may_lie_in_another_folder(tmp_path: Path) -> None:
    page = make(tmp_path / "a", (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    (page.parent / "logs").rename(tmp_path / "elsewhere")
    found = audited(page, logs=tmp_path / "elsewhere")
    assert [finding.log for finding in found] == [ONE, EIGHT]


@pytest.mark.parametrize("address", ["../../x_log", "/etc/x_log", "%2e%2e/%2e%2e/x_log", "logs/../../../x_log"])
def test_an_address_that_leaves_the_folder_leads_to_no_log(address: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    shutil.copy(LOGS / EIGHT, tmp_path / "x_log")
    page = make(tmp_path / "a/b", (f"logs/{EIGHT}", address))
    assert site(page.parent).target(page, address) is None


def test_a_pipe_that_is_named_like_a_log_is_none(tmp_path: Path) -> None:
    page = make(tmp_path)
    (tmp_path / "logs" / EIGHT).unlink()
    os.mkfifo(tmp_path / "logs" / EIGHT)
    assert logs(page.parent) == [f"logs/{ONE}", None]


REPOSITORY = "https://github.com/someone/speeds"
COMMIT = ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all"]


def checkout(folder: Path) -> None:
    """Make a folder a checkout of a repository."""
    for command in (["init", "-q"], ["remote", "add", "origin", f"{REPOSITORY}.git"], ["add", "-A"], COMMIT):
        subprocess.run(["git", "-C", str(folder), *command], check=True, capture_output=True)


@pytest.mark.parametrize(
    "address",
    [
        f"{REPOSITORY}/blob/main/logs/{{}}",
        f"{REPOSITORY}/raw/a/branch/logs/{{}}?raw=true",
        "https://raw.githubusercontent.com/Someone/Speeds/refs/heads/main/logs/{}",
    ],
)
def test_a_link_to_a_file_of_the_own_repository_leads_to_that_of_the_checkout(address: str, tmp_path: Path) -> None:
    make(tmp_path, (f"(logs/{EIGHT})", f"({address.format('second.txt')})"))
    (tmp_path / "logs" / EIGHT).rename(tmp_path / "logs/second.txt")
    checkout(tmp_path)
    assert logs(tmp_path) == [f"logs/{ONE}", "logs/second.txt"]


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/someone/else/blob/main/logs/second.txt",
        "https://example.org/someone/speeds/blob/main/logs/second.txt",
        f"{REPOSITORY}/blob/main/../../../logs/second.txt",
        f"{REPOSITORY}/issues/main/logs/second.txt",
        f"{REPOSITORY}/blob/0123456789abcdef0123456789abcdef01234567/logs/second.txt",
    ],
)
def test_a_link_to_another_repository_or_to_a_commit_that_is_not_there_leads_nowhere(
    address: str, tmp_path: Path
) -> None:
    make(tmp_path, (f"(logs/{EIGHT})", f"({address})"))
    (tmp_path / "logs" / EIGHT).rename(tmp_path / "logs/second.txt")
    checkout(tmp_path)
    assert logs(tmp_path) == [f"logs/{ONE}", None]


def test_a_link_to_a_commit_leads_to_a_file_only_while_it_is_the_same(tmp_path: Path) -> None:
    page = make(tmp_path)
    checkout(tmp_path)
    head = subprocess.run(["git", "-C", str(tmp_path), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    address = f"{REPOSITORY}/blob/{head.stdout.strip()}/logs/{EIGHT}"
    assert site(tmp_path).target(page, address) == f"logs/{EIGHT}"
    change(tmp_path / "logs" / EIGHT, "INFO", "info")
    assert site(tmp_path).target(page, address) is None


@pytest.mark.parametrize("name", ["logs.zip", "logs.tar.gz"])
def test_logs_are_found_in_an_archive_by_their_names(name: str, tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    shutil.make_archive(str(tmp_path / "logs"), "zip" if name.endswith("zip") else "gztar", tmp_path / "logs")
    shutil.rmtree(tmp_path / "logs")
    found = audited(page)
    assert [(one.verdict, one.log) for one in found] == [("exact", f"{name}/{ONE}"), ("exact", f"{name}/{EIGHT}")]


def test_archives_that_unpack_to_too_much_together_have_no_more_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("a_log.zip", 600), ("b_log.zip", 600), ("c_log.zip", 100)):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(EIGHT, b"0" * size)
    monkeypatch.setattr(site_logs, "unpacking_many", lambda: Allowance(1000, Message("too much")))
    assert list(site(tmp_path).logs) == [f"a_log.zip/{EIGHT}"]
