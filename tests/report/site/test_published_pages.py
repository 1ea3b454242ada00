"""The pages of this project as a site: the figures of both languages, and the same bytes every time."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from report.site.build import publish_site
from tests.report.published_pages import every_published_page
from tests.report.site.parsed_page import elements, figures, parsed

# They call the program.
pytestmark = pytest.mark.slow


@every_published_page
def test_a_published_page_has_its_figures_and_links_in_both_languages_and_the_same_bytes_every_time(
    page: str, logs: Path, tmp_path: Path
) -> None:
    (published,) = publish_site([page], logs, ["zh", "en"], tmp_path / "site")
    pages = [path for path in published.files if path.suffix == ".html"]
    printed = [cell.digits for cell in published.cells if cell.digits]
    assert [figures(parsed(path)) for path in pages] == [printed, printed] != [[], []]
    assert dead_links(pages) == [set(), set()]
    list(publish_site([page], logs, ["zh", "en"], tmp_path / "again"))
    assert _bytes(tmp_path / "again") == _bytes(tmp_path / "site")


def _bytes(site: Path) -> dict[Path, bytes]:
    return {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def dead_links(pages: Sequence[Path]) -> list[set[str]]:
    """Of each page, the places on itself that a link leads to and that are not there."""
    roots = [parsed(path) for path in pages]
    links = [{urlsplit(link.get("href") or "") for link in elements(root, "a")} for root in roots]
    ids = [{element.get("id") for element in root.iter()} for root in roots]
    return [
        {unquote(one.fragment) for one in found if not one.path} - known - {""}
        for found, known in zip(links, ids, strict=True)
    ]
