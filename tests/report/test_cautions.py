"""Cautions: what a page says of a run that no log does stands beside its numbers, and no finding compares them."""

from pathlib import Path

import pytest

from report.views.publish import publish
from report.views.site import publish_site
from tests.report.compared_page import PAGE, put
from tests.report.page_text import table

CAUTION = 'cautions = [{ column = "b", case = { cards = 1 }, text = { en = "waited for data", zh = "等待数据" } }]\n'
FINDING = "fastest = [{ cards = 1 }]\n"
B_OVER_A = '{ column = "b", title = "b over a", quantity = "speed_up", against = { column = "a" } }'
RATIO = table(B_OVER_A, 'batch_size = 64, precision = "fp32"', '{ title = "{cards}", case = { cards = 1 } }', name="r")


def page(folder: Path, stated: str, slow: tuple[float, ...] = (200.0,) * 30) -> Path:
    """The page with what it states before its tables, and its two logs."""
    (folder / "page.toml").write_text(stated + PAGE + RATIO, encoding="utf-8")
    put(folder, "a1")
    put(folder, "b1", slow)
    return folder / "page.toml"


def text(path: Path, language: str = "en") -> str:
    (made,) = publish([str(path)], path.parent / "logs", [language], path.parent / "pages")
    return made.files[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("slow", [200.0, 900.0])
def test_a_finding_compares_no_run_with_a_caution(tmp_path: Path, slow: float) -> None:
    assert "is fastest" in text(page(tmp_path, FINDING, (slow,) * 30))
    said = text(page(tmp_path, CAUTION + FINDING, (slow,) * 30))
    assert "is fastest" not in said
    assert f"B: [{slow:.3f}](page.evidence.en.md#t/1/b) (waited for data).\n" in said


def test_a_caution_is_text_in_a_table_whatever_it_holds(tmp_path: Path) -> None:
    hostile = CAUTION.replace("waited for data", "<b>a</b> | [d](x)")
    assert "<b>" not in text(page(tmp_path, hostile))
    assert "[d](x)" not in text(tmp_path / "page.toml")


def test_a_caution_stands_beside_each_number_of_its_run_and_beside_what_is_computed_from_it(tmp_path: Path) -> None:
    said = text(page(tmp_path, CAUTION))
    assert "[200.000](page.evidence.en.md#t/1/b)<br>(waited for data)" in said
    assert "<br>(waited for data)" in said[said.index("### R\n") :]
    assert "等待数据" in text(tmp_path / "page.toml", "zh")


def test_a_caution_stands_in_panel_chart_and_index(tmp_path: Path) -> None:
    publish_site([str(page(tmp_path, CAUTION))], tmp_path / "logs", ["en"], tmp_path / "out")
    assert "waited for data" in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    html = (tmp_path / "out/page.en.html").read_text(encoding="utf-8")
    assert "(waited for data)" in html[html.index("<figure") : html.index("</figure>")]
    assert "waited for data" in html[html.index('<dialog id="t/1/b"') :].partition("</dialog>")[0]
