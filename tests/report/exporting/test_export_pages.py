"""The documentation of exports names what there is."""

import re

import pytest

from report.rendering.exporting.targets import TARGETS
from tests.commandline import PROJECT


@pytest.mark.parametrize("name", ["exporting.md", "exporting.zh.md"])
def test_the_table_lists_every_target_in_its_order(name: str) -> None:
    text = (PROJECT / "docs" / name).read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == [*TARGETS]
