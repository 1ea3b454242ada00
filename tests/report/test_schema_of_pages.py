"""The JSON Schemas of page files and launch files: as published and as in the code and its documentation."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.commandline import PROJECT
from tests.conftest import Compare
from tests.report.page_schemas import launch_schema, page_schema
from tests.report.test_mistakes_of_authors import PAGE

PUBLISHED = PROJECT / "report"
GOLDEN = PROJECT / "tests/report/golden"
FILES = sorted({*(PROJECT / "report/pages").glob("*.toml"), *GOLDEN.glob("*.toml")})


def schema(path: Path) -> dict[str, Any]:
    return launch_schema() if path.name.endswith(".launch.toml") else page_schema()


def mistakes(text: str) -> list[str]:
    return [error.json_path for error in Draft202012Validator(page_schema()).iter_errors(tomllib.loads(text))]


def test_the_published_schemas_are_those_of_the_code_in_the_words_of_its_documentation(compare: Compare) -> None:
    for name, made in (("page", page_schema()), ("launch", launch_schema())):
        compare(PUBLISHED / f"{name}.schema.json", json.dumps(made, indent=1, ensure_ascii=False) + "\n")
        Draft202012Validator.check_schema(made)


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_page_file_and_a_launch_file_are_as_their_schemas_say(path: Path) -> None:
    Draft202012Validator(schema(path)).validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("found", "put", "at"),
    [
        ('unit = "images', 'units = "images', "$"),
        ("cards = [1, 2, 8] }\ncolumns", "card = [1, 2, 8] }\ncolumns", "$.tables[0].rows"),
        ('"scaling_efficiency"', '"scaling"', "$.tables[0].columns[1]"),
        ('{ en = "Throughput", zh', '{ en = "Throughput", chinese', "$.tables[0].title"),
        ('title = "Acme"\n', "", "$.columns.acme"),
    ],
)
def test_an_editor_marks_a_mistake(found: str, put: str, at: str) -> None:
    assert mistakes(PAGE) == []
    assert found in PAGE
    assert at in mistakes(PAGE.replace(found, put, 1))
