"""Tables that a reader takes along: CSV, JSON and Markdown with the digits of the page, and two columns compared."""

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from report.evidence.cell import Cell
from report.evidence.quotient import unlike
from report.measure.number import printed, quotient
from report.measure.protocol import Protocol
from report.site.build import publish_site
from report.views.publish import PublishedPage
from tests.report.charts.charted_page import PAGE, make, texts
from tests.report.charts.charted_page import parsed as parsed_svg
from tests.report.compared_page import put
from tests.report.published_pages import every_published_page
from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.parsed_page import elements, figures, parsed

TWO = Protocol(decimals=2)


def taken(site: Path, page: str, kind: str) -> list[dict[str, object]]:
    """The rows of all tables of a page, in their order."""
    files = sorted(
        (site / "data").glob(f"{page}.*.{kind}"), key=lambda path: int(path.name.split(".")[1].split("-")[0])
    )
    if kind == "json":
        return [row for path in files for row in json.loads(path.read_text(encoding="utf-8"))]
    return [row for path in files for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]


def test_csv_and_json_have_the_digits_of_the_page(published: list[PublishedPage], site: Path) -> None:
    for page in published:
        digits = [cell.digits for cell in page.cells]
        assert [row["printed"] or None for row in taken(site, page.name, "csv")] == digits
        assert [row["printed"] for row in taken(site, page.name, "json")] == digits


@pytest.mark.slow
@every_published_page
def test_all_outputs_of_a_published_page_have_the_same_digits(page: str, logs: Path, tmp_path: Path) -> None:
    (published,) = publish_site([page], logs, ["en"], tmp_path / "site")
    shown = figures(parsed(next(path for path in published.files if path.suffix == ".html")))
    for kind in ("csv", "json"):
        assert [row["printed"] for row in taken(tmp_path / "site", page, kind) if row["printed"]] == shown != []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_chart_is_taken_along_in_the_language_of_its_page(language: str, site: Path) -> None:
    shown = list(elements(parsed(site / f"toy.{language}.html"), "a", "strong"))
    files = [link.get("href", "") for link in shown if link.get("href", "").endswith(".svg")]
    drawn = [(site / file).read_text(encoding="utf-8") for file in files]
    titles = ["".join(one.itertext()).replace("\u00a0", " ") for one in shown]
    assert [parsed_svg(one)[0].text in titles for one in drawn] == [True] * len(drawn) != []
    assert all("Toy50 <training>" in texts(one)[-1] for one in drawn)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_circumstance_that_no_log_of_a_table_states_is_no_column(kind: str, site: Path, tmp_path: Path) -> None:
    assert {"date", "framework_version", "cuda"} & taken(site, "cpu-demo", kind)[0].keys() == {
        "date",
        "framework_version",
    }
    make(tmp_path)
    list(publish_site([str(tmp_path / "page.toml")], tmp_path / "logs", ["en"], tmp_path / "out"))
    first = taken(tmp_path / "out", "page", kind)[0]
    assert {"framework_version", "cuda", "cudnn", "driver"} & first.keys() == set()
    assert [*first][-1] == "evidence"


def test_a_title_is_no_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    make(tmp_path, {"a1": (1.0,), "b1": (2.0,)}, PAGE.replace('"A"', '"=1+1"'))
    list(publish_site([str(tmp_path / "page.toml")], tmp_path / "logs", ["en"], tmp_path / "out"))
    assert [row["column"] for row in taken(tmp_path / "out", "page", "csv")][:2] == ["'=1+1", "B"]


@pytest.fixture
def compared(tmp_path: Path) -> tuple[Path, PublishedPage]:
    """The site of a page of two columns, one of whose numbers ran with another batch size than its label says."""
    make(tmp_path)
    put(tmp_path, "b32-0", (9000.0,) * 30, cards=32, case={"batch_size": 128})
    (page,) = publish_site([str(tmp_path / "page.toml")], tmp_path / "logs", ["en"], tmp_path / "out")
    return tmp_path / "out", page


def compare(page: Page, of: str, against: str) -> list[str]:
    page.locator("form.compare select[name=of]").first.select_option(label=of)
    page.locator("form.compare select[name=against]").first.select_option(label=against)
    return page.locator("td.compared").all_text_contents()


def expected(of: Cell, against: Cell) -> str:
    if unlike(of, against, ()):
        return "batch size differs"
    return printed(quotient(of.value or 0, against.value or 1), TWO)


@needs_chromium
def test_any_two_columns_are_compared_and_what_is_not_comparable_says_why(
    compared: tuple[Path, PublishedPage], browser: object
) -> None:
    site, published = compared
    page = Reader(browser, site).open("page.en.html")  # type: ignore[arg-type]
    pairs = list(zip(published.cells[::2], published.cells[1::2], strict=True))
    assert compare(page, "A", "B") == [expected(of, against) for of, against in pairs]
    assert compare(page, "B", "A") == [expected(against, of) for of, against in pairs]
    assert expected(*pairs[-1]) == "batch size differs"
    assert compare(page, "A", "–") == []


def pick(page: Page, of: str, against: str) -> tuple[str, list[str]]:
    """What is said of two runs, and of each of them."""
    page.locator("form.compare select[name=of]").first.select_option(of)
    page.locator("form.compare select[name=against]").first.select_option(against)
    picked = page.locator(".picked").first
    rows = picked.locator("tbody tr").all()
    return picked.locator("[role=status]").inner_text(), [row.inner_text().replace("\t", " ") for row in rows]


@needs_chromium
@pytest.mark.parametrize(
    ("language", "run", "said"),
    [("en", "run {} of 3", "Ratio: 1.04 (+3.7%)"), ("zh", "第 {}/3 次运行", "比值：1.04（+3.7%）")],
)
def test_any_two_runs_are_compared(language: str, run: str, said: str, reader: Reader) -> None:
    page = reader.open(f"cpu-demo.{language}.html")
    told, (first, last) = pick(page, "run 0", "run 2")
    assert told == said
    assert run.format(1) in first and "6.639 4 FP32 2026-11-21 2.6.2" in first
    assert run.format(3) in last and "6.404" in last
    page.locator(".picked a").first.click()
    expect(page.locator("dialog[open] #evidence-number")).to_have_text("6.523 samples/s")


@needs_chromium
def test_a_table_is_copied_as_markdown(reader: Reader) -> None:
    page = reader.open("toy.en.html", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".tools details summary").first.click()
    page.locator("[data-copy]").first.click()
    expect(page.locator("[data-copy]").first).to_have_text("Copied")
    head, sides, first, *_ = str(page.evaluate("navigator.clipboard.readText()")).splitlines()
    assert head.count(" | ") == sides.count(" | ") == first.count(" | ") == 3
    assert "399.532" in first
    assert sides == "| :-- | --: | --: | --: |"
