"""Audits of pages of our own that quote figures and compute from them."""

from pathlib import Path

import pytest

from report.audit.audited_pages import audit_files
from report.audit.finding import Finding
from tests.report.quoted_page import make, published

KINDS = {
    "quoted": (0, "[640.00](page.evidence.en.md#t/8/a)"),
    "computed": (0, "[80.0](page.evidence.en.md#t/8/a-scaling-efficiency)"),
    "in the list": (1, '<a id="t/8/a"></a><a id="q3"></a>640.00'),
}


def audited(page: Path) -> list[Finding]:
    return [finding for _, finding in audit_files([page], None, (), 0.0).findings]


def page_of(folder: Path, number: int = 0) -> Path:
    """The page, or that of its evidence."""
    make(folder)
    return published(folder, "en").files[number]


def test_quotes_and_what_is_computed_from_them_alone_are_quoted(tmp_path: Path) -> None:
    assert {finding.verdict for finding in audited(page_of(tmp_path))} == {"quoted"}


@pytest.mark.parametrize(("number", "printed"), KINDS.values(), ids=KINDS)
def test_a_changed_digit_is_contradicted(number: int, printed: str, tmp_path: Path) -> None:
    page = page_of(tmp_path, number)
    text = page.read_text(encoding="utf-8")
    assert printed in text
    changed = printed.replace("80.0]", "80.1]").replace("640.00", "640.01")
    page.write_text(text.replace(printed, changed, 1), encoding="utf-8")
    assert sorted({finding.verdict for finding in audited(page)}) == ["contradicted", "quoted"]


def test_a_quote_that_is_gone_from_the_page_is_contradicted(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if "#t/8/a)" not in line), encoding="utf-8")
    gone = [str(finding.reason) for finding in audited(page) if finding.verdict == "altered"]
    assert any("[640.00](page.evidence.en.md#t/8/a)" in reason for reason in gone)
