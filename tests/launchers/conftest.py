"""The fixture that all tests of the launchers share."""

from __future__ import annotations

from pathlib import Path

import pytest
from native_checkout import Native, make_native


@pytest.fixture
def native(tmp_path: Path) -> Native:
    """A checkout whose training program prints one metric line."""
    return make_native(tmp_path)
