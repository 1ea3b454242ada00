"""The references in docs/ are what the models and the commands say now, and their examples are right."""

import re
import tomllib
from collections.abc import Callable

import pytest

from report.measuring.protocol import Protocol, named
from report.pagefile.page_file import load
from report.wording.markdown import anchor
from tests.conftest import Compare
from tests.reference import architecture, command_line, page_file
from tests.reference.templates import DOCS

REFERENCES: dict[str, Callable[[], str]] = {
    "page-file.md": page_file.page,
    "cli.md": command_line.page,
    "architecture.md": architecture.page,
}
every_reference = pytest.mark.parametrize("name", REFERENCES)


@every_reference
def test_a_reference_is_what_the_program_says_now(name: str, compare: Compare) -> None:
    compare(DOCS / name, REFERENCES[name]())


@every_reference
def test_the_links_of_a_reference_lead_somewhere(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    headings = {anchor(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    links = re.findall(r"\]\(([^)]+)\)", text)
    lost = [link for link in links if link.removeprefix("#") not in headings and not (DOCS / link).exists()]
    assert links
    assert lost == []


def test_the_example_of_the_page_file_is_a_valid_page() -> None:
    assert load(page_file.EXAMPLE).tables


def test_every_part_of_the_example_is_shown() -> None:
    shown = [section.title for section in page_file.sections("Page", ())]
    assert set(page_file.examples()) == {"Page", *shown}


def test_a_named_protocol_is_stated_as_the_reference_says() -> None:
    assert set(named()) == set(tomllib.loads(page_file.NAMED.read_text(encoding="utf-8")))
    assert Protocol.parse("tipc,decimals=2").decimals == 2


@pytest.mark.parametrize("model", ["Page", *page_file.SCHEMA["$defs"]])
def test_every_key_of_a_page_file_has_a_meaning(model: str) -> None:
    found = page_file.SCHEMA if model == "Page" else page_file.SCHEMA["$defs"][model]
    assert [key for key, told in found["properties"].items() if "description" not in told] == []


@pytest.mark.parametrize("entry", command_line.entries(), ids=lambda entry: str(entry.name))
def test_every_option_of_a_command_has_a_meaning(entry: command_line.Entry) -> None:
    assert [names for names, meaning in entry.options if not re.sub(r"\[.*\]", "", meaning).strip()] == []
