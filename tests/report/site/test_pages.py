"""The files of a site: well-formed and inert, all numbers in every language, and the same bytes every time."""

import os
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.results.model import read_report
from report.views.html import copy_of
from report.views.publish import PublishedPage
from report.views.site import publish_site
from report.wording.words import languages
from tests.report.site.parsed_page import assert_inert, elements, figures, parsed


def html_files(site: Path) -> list[Path]:
    return sorted(site.glob("*.html"))


def test_every_page_is_well_formed_and_brings_nothing_from_elsewhere(site: Path, hostile_site: Path) -> None:
    pages = [*html_files(site), *html_files(hostile_site)]
    assert len(pages) == (4 + 1 + 1 + 1) * len(languages())
    for page in pages:
        assert_inert(parsed(page))


def test_every_link_leads_to_a_file_and_an_anchor_of_the_site(site: Path, hostile_site: Path) -> None:
    for folder in (site, hostile_site):
        ids = {path.name: {element.get("id") for element in parsed(path).iter()} for path in html_files(folder)}
        broken = []
        for path in html_files(folder):
            for element in elements(parsed(path), "a", "link", "script"):
                found = urlsplit(element.get("href") or element.get("src") or "")
                name = unquote(found.path) or path.name
                known = not found.fragment or unquote(found.fragment) in ids.get(name, set())
                if not found.scheme and not ((folder / name).is_file() and known):
                    broken.append((path.name, found.geturl()))
        assert broken == []


@pytest.mark.parametrize("language", languages())
def test_every_number_of_a_page_is_there_in_every_language_and_has_a_dialog_of_its_own(
    language: str, published: list[PublishedPage]
) -> None:
    for page in published:
        html = parsed(next(path for path in page.files if path.name.endswith(f".{language}.html")))
        printed = [cell.digits for cell in page.report.results if cell.digits]
        assert figures(html) == printed != []
        assert len({dialog.get("id") for dialog in elements(html, "dialog")}) == len(printed)


def test_the_same_logs_give_the_same_bytes(pages: list[str], logs: Path, site: Path) -> None:
    again = logs.parent / "again"
    publish_site(pages, logs, [], again)
    files = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert [name for name in files if (site / name).read_bytes() != (again / name).read_bytes()] == []


def test_each_page_has_its_report_beside_it(site: Path, published: list[PublishedPage]) -> None:
    for page in published:
        report = read_report(site / f"data/{page.name}.report.json")
        assert [one.digits for one in report.results] == [one.digits for one in page.report.results]
        assert report.logs_folder is None


def test_a_raw_log_is_copied_byte_for_byte_as_text(site: Path, logs: Path) -> None:
    copies = [path for path in (site / "logs").rglob("*") if path.is_file()]
    raw = {site / copy_of(path.relative_to(logs).as_posix()): path for path in logs.rglob("*") if path.is_file()}
    assert {copy.suffix for copy in copies} == {".txt"}
    assert [copy for copy in copies if copy.read_bytes() != raw[copy].read_bytes()] == []


def test_a_copy_of_a_log_is_called_text_whatever_the_log_is_called(hostile_site: Path) -> None:
    (copy,) = [path for path in (hostile_site / "logs").rglob("*") if path.is_file()]
    assert (copy.suffixes, "shtml" in copy.name) == ([".txt"], True)


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=100)
PATHS = st.lists(NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=3).map("/".join)


@given(
    st.lists(PATHS | st.sampled_from(["a.txt", "a,txt", "a.txt/b", "a", "a/b", "a.txt_/b"]), max_size=5, unique=True)
)
def test_names_of_copies_are_inert_and_no_two_logs_share_one(paths: list[str]) -> None:
    copies = [copy_of(path) for path in paths]
    assert len(set(copies)) == len(paths)
    # A folder of one log is not the copy of another.
    assert not {str(folder) for copy in copies for folder in Path(copy).parents} & set(copies)
    for copy in copies:
        *_, name = Path(copy).parts
        assert (Path(name).suffix, name.count(".")) == (".txt", 1)
        assert len(os.fsencode(name)) <= 255


def test_headings_leave_out_no_level_and_tables_say_what_they_are(site: Path) -> None:
    for path in html_files(site):
        page = parsed(path)
        levels = [int(element.tag[-1]) for element in elements(page, "h1", "h2", "h3", "h4")]
        assert levels[0] == 1
        assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []
        for head in elements(page, "th"):
            assert head.get("scope") in ("col", "row", "rowgroup")


@pytest.mark.parametrize("language", ["zh"])
def test_one_language_alone_is_the_index(language: str, logs: Path, tmp_path: Path) -> None:
    publish_site(["cpu-demo"], logs, [language], tmp_path)
    assert {path.name for path in html_files(tmp_path)} == {f"cpu-demo.{language}.html", "index.html"}
