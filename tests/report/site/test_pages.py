"""The files of a site: well-formed, the same figures as the Markdown, and the same bytes every time."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from report.site.web_page import copy_of

from report.site.build import publish_site
from report.views.publish import PublishedPage
from report.wording.words import languages, words
from tests.commandline import PROJECT
from tests.report.site.parsed_page import elements, figures, parsed, text
from tests.report.site.served_site import asked, served

TEMPLATES = PROJECT / "report/templates/site"
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def html_files(site: Path) -> list[Path]:
    return sorted(site.glob("*.html"))


def test_every_page_is_well_formed(site: Path, hostile_site: Path) -> None:
    pages = [*html_files(site), *html_files(hostile_site)]
    assert len([parsed(page) for page in pages]) >= 3 * 2 + 2 + 2 + 2


def test_every_link_leads_to_a_file_and_an_anchor_of_the_site(site: Path) -> None:
    ids = {path.name: {element.get("id") for element in parsed(path).iter()} for path in html_files(site)}
    broken = []
    for path in html_files(site):
        for element in elements(parsed(path), "a", "link", "script", "img"):
            found = urlsplit(element.get("href") or element.get("src") or "")
            name = unquote(found.path) or path.name
            if found.scheme or (not found.path and not found.fragment):
                continue
            known = not found.fragment or unquote(found.fragment) in ids[name]
            if not ((site / name).is_file() and known):
                broken.append((path.name, found.geturl()))
    assert broken == []


@pytest.mark.parametrize("language", languages())
def test_the_figures_are_those_of_the_markdown(language: str, published: list[PublishedPage], tmp_path: Path) -> None:
    for page in published:
        html = next(path for path in page.files if path.name.endswith(f".{language}.html"))
        printed = [cell.digits for cell in page.cells if cell.digits]
        assert figures(parsed(html)) == printed != []


def test_the_same_logs_give_the_same_bytes(site: Path, logs: Path, tmp_path: Path) -> None:
    golden = PROJECT / "tests/report/golden"
    list(publish_site([str(golden / "toy.toml"), str(golden / "toy_gpu.toml"), "cpu-demo"], logs, [], tmp_path))
    files = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [name for name in files if (site / name).read_bytes() != (tmp_path / name).read_bytes()] == []


def test_a_raw_log_is_copied_byte_for_byte(site: Path, logs: Path) -> None:
    copies = [path for path in (site / "logs").rglob("*") if path.is_file()]
    raw = {site / copy_of(path.relative_to(logs).as_posix()): path for path in logs.rglob("*") if path.is_file()}
    assert [copy for copy in copies if copy.read_bytes() != raw[copy].read_bytes()] == []
    assert copies


def test_a_log_is_served_as_a_text_whatever_it_is_called(hostile_site: Path) -> None:
    (copy,) = [path for path in (hostile_site / "logs").rglob("*") if path.is_file()]
    assert "shtml" in copy.name
    assert copy.suffixes == [".txt"]
    with served(hostile_site) as port:
        status, headers, body = asked(port, "GET", f"/{quote(str(copy.relative_to(hostile_site)))}")
    assert (status, headers.get_content_type(), body) == (200, "text/plain", copy.read_text(encoding="utf-8"))


def test_nothing_is_styled_or_scripted_in_a_page(site: Path, hostile_site: Path) -> None:
    inline = [
        (path.name, element.tag)
        for path in (*html_files(site), *html_files(hostile_site))
        for element in parsed(path).iter()
        if "style" in element.attrib or any(name.startswith("on") for name in element.attrib)
    ]
    assert inline == []


def test_headings_leave_out_no_level(site: Path) -> None:
    for path in html_files(site):
        levels = [int(element.tag[-1]) for element in elements(parsed(path), "h1", "h2", "h3", "h4")]
        assert levels[0] == 1
        assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


def test_every_table_has_a_caption_and_scopes(site: Path) -> None:
    for path in html_files(site):
        for table in elements(parsed(path), "table"):
            assert text(next(elements(table, "caption")))
            assert [head for head in elements(table, "th") if head.get("scope") not in ("col", "row")] == []


def test_one_language_is_the_index(logs: Path, tmp_path: Path) -> None:
    list(publish_site(["cpu-demo"], logs, ["zh"], tmp_path))
    assert {path.name for path in html_files(tmp_path)} >= {"cpu-demo.zh.html", "index.html"}
    assert list(tmp_path.glob("*en.html")) == []


def test_a_page_without_evidence_becomes_a_new_site(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    list(publish_site(["cpu-demo"], tmp_path / "logs", ["en"], tmp_path / "out"))
    names = {path.name for path in html_files(tmp_path / "out")}
    assert names == {"cpu-demo.en.html", "cpu-demo.evidence.en.html", "index.html"}


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.jinja")), ids=lambda path: path.name)
def test_every_word_of_a_template_is_in_the_catalogues(template: Path) -> None:
    messages = [unescape(found) for found in re.findall(r'\bsay\("([^"]+)"', template.read_text(encoding="utf-8"))]
    known = dict(words("zh")._catalog)
    assert [message for message in messages if message not in known] == []
