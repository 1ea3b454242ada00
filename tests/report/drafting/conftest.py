"""Fixtures of drafts."""

from pathlib import Path

import pytest

from tests.report.drafting.drafted import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder in which a page is drafted."""
    return Desk(tmp_path)
