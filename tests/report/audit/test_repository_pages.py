"""The pages in this repository: every number on those that `report` wrote comes out of the logs beside them."""

import subprocess
from pathlib import Path

import pytest

from report.audit.whole_page import evidence_beside
from report.evidence.evidence_file import read
from tests.commandline import PROJECT
from tests.report.audit.small_site import audited


def pages() -> list[Path]:
    """All Markdown pages of the repository that have an evidence file beside them."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=PROJECT, capture_output=True, text=True, check=True)
    return [page for name in listed.stdout.split("\0") if name and evidence_beside(page := PROJECT / name)]


def logs_of(page: Path) -> Path | None:
    """The folder of its logs: the one that its evidence file names, or, of a golden page, the one beside it."""
    evidence = evidence_beside(page)
    told = read(evidence).logs if evidence else None
    places = [page.parent / told] if told else []
    return next((place for place in [*places, page.parent / "logs"] if place.is_dir()), None)


def test_there_are_such_pages() -> None:
    assert len([page for page in pages() if logs_of(page)]) >= 4


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_number_comes_out_of_its_log(page: Path) -> None:
    logs = logs_of(page)
    if logs is None:
        pytest.skip("its logs were published by others, and are not in this repository")
    found = audited(page, logs=logs)
    assert found != []
    assert [
        f"line {one.number.line}: {one.number.digits}: {one.reason}" for one in found if one.verdict != "exact"
    ] == []
