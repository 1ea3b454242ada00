"""Links of a page to logs that lie in the folder of --logs: by their place, or by the end of their address."""

import shutil
from pathlib import Path

import pytest

from report.audit.finding import Finding
from tests.report.audit.small_site import LOGS, ONE, audited

PAGE = "# Toy50 on A100\n\n| Cards | PaddlePaddle FP32 (images/s) |\n|:--|--:|\n| 1 | [399.532]({address}) |\n"


def linked(page: Path, address: str, log: Path, logs: Path | None) -> Finding:
    """The finding of a page whose number links to an address; a log whose name says nothing lies somewhere."""
    for folder in (page.parent, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(LOGS / ONE, log)
    page.write_text(PAGE.format(address=address), encoding="utf-8")
    return audited(page, logs=logs)[0]


@pytest.mark.parametrize(
    ("page", "address", "log", "logs"),
    [
        ("README.md", "logs/u/7.txt", "logs/u/7.txt", "logs"),
        ("docs/README.md", "../logs/u/7.txt", "logs/u/7.txt", "logs"),
        ("docs/README.md", "../logs/u/7.txt", "logs/u/7.txt", "."),
        ("docs/README.md", "../logs/u/7.txt", "logs/u/7.txt", "logs/u"),
        ("README.md", "results/u/7.txt", "elsewhere/u/7.txt", "elsewhere"),
        ("README.md", "logs/7.txt", "far/logs/7.txt", "far/logs"),
        ("README.md", "logs/u/7.txt", "far/logs/u/7.txt", "far"),
        ("README.md", "u/7.txt", "logs/u/7.txt", "logs"),
    ],
)
def test_a_link_leads_into_the_folder_of_logs(page: str, address: str, log: str, logs: str, tmp_path: Path) -> None:
    found = linked(tmp_path / page, address, tmp_path / log, tmp_path / logs)
    assert (found.log, found.verdict) == (str((tmp_path / log).relative_to(tmp_path / logs)), "exact")


def test_a_name_alone_is_not_enough_of_an_address(tmp_path: Path) -> None:
    found = linked(tmp_path / "README.md", "old/7.txt", tmp_path / "logs/7.txt", tmp_path / "logs")
    assert found.log is None


def test_a_link_to_a_log_outside_of_the_folder_of_pages_is_not_followed_and_said_to_lead_out(tmp_path: Path) -> None:
    found = linked(tmp_path / "docs/README.md", "../logs/u/7.txt", tmp_path / "logs/u/7.txt", None)
    assert (found.verdict, "../logs/u/7.txt" in str(found.reason)) == ("no evidence", True)
