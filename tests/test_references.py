"""docs/page-file.md and docs/audit.md explain what there is: keys, quantities and rulings; their example is a page."""

import re
from itertools import chain
from pathlib import Path

from report.audit.rulings import Ruling
from report.measure.quantity import QUANTITIES
from report.pagefile.launch_file import LaunchFile
from report.pagefile.page import PageFile
from report.pagefile.page_file import load
from tests.commandline import PROJECT

TEXT = (PROJECT / "docs/page-file.md").read_text(encoding="utf-8")
SCHEMAS = [PageFile.model_json_schema(), LaunchFile.model_json_schema()]
MODELS = [model for schema in SCHEMAS for model in (schema, *schema["$defs"].values())]
KEYS = set(chain(*(model["properties"] for model in MODELS if "properties" in model)))


def first_cells(head: str) -> set[str]:
    """The names in the first column of the tables under a head such as ``Key``."""
    tables = re.findall(rf"^\| {head}.*\n\|:.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return {
        name for table in tables for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }


def test_the_example_is_a_valid_page(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    path = tmp_path / "example.toml"
    path.write_text(example, encoding="utf-8")
    assert load(path).tables


def test_every_key_is_named() -> None:
    assert {"title", "columns", "protocol", "quantity"} <= KEYS
    named = re.findall(r"`(\w+)`", TEXT) + re.findall(r"[`{,] *(\w+) = ", TEXT)
    assert KEYS - set(named) == set()


def test_every_key_that_is_explained_exists() -> None:
    assert first_cells("Key") - KEYS == set()


def test_every_quantity_is_explained_and_no_other() -> None:
    assert first_cells("`quantity`") == set(QUANTITIES)


def test_every_ruling_is_explained_and_no_other() -> None:
    text = (PROJECT / "docs/audit.md").read_text(encoding="utf-8")
    table = text.partition("| Ruling ")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE) == list(Ruling)
