"""Pages and what lies beside them hold no character that no eye sees, whatever names and values they tell."""

from pathlib import Path

import pytest

from report.results.model import read_report
from report.views.publish import publish
from report.views.site import publish_site
from tests.hostile_text import Hostile, unseen, write_hostile


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return write_hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def files(hostile: Hostile) -> list[Path]:
    """The pages of a hostile page file, and the file of their evidence."""
    (published,) = publish([str(hostile.page)], hostile.top, [], hostile.top / "pages")
    return list(published.files)


def test_markdown_and_the_report_hold_only_what_is_seen(files: list[Path]) -> None:
    assert {path.suffix: unseen(path.read_text(encoding="utf-8")) for path in files} == {".md": set(), ".json": set()}


def test_the_report_names_the_true_log(files: list[Path], hostile: Hostile) -> None:
    (report,) = (read_report(path) for path in files if path.suffix == ".json")
    assert [*report.logs] == [hostile.log.relative_to(hostile.top).as_posix()]


def test_a_site_holds_only_what_is_seen(hostile: Hostile) -> None:
    (published,) = publish_site([str(hostile.page)], hostile.top, ["en"], hostile.top / "site")
    texts = {path.name: path.read_text(encoding="utf-8") for path in published.files if path.suffix in (".html", ".js")}
    assert {name: found for name, text in texts.items() if (found := unseen(text))} == {}
