"""Pages that `report` wrote are held against their evidence files and logs, wherever they print a number."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.io.message import Message
from report.audit.own_pages import NO_LINK_TO, NOT_IN_EVIDENCE
from tests.commandline import run
from tests.report.audit.small_site import audited, bad, change

pytestmark = pytest.mark.slow

OF_ONE = "[399.532](toy.evidence.en.md#cards/1/a)"
every_toy = pytest.mark.parametrize("name", ["toy", "toy_gpu"])


def test_what_report_wrote_is_exact(site: Path) -> None:
    assert {finding.verdict for finding in audited(site / "pages")} == {"exact"}


@every_toy
def test_every_number_is_checked_in_both_languages(name: str, site: Path) -> None:
    told = json.loads((site / f"pages/{name}.evidence.json").read_text(encoding="utf-8"))
    printed = {cell["printed"] for cell in told["cells"] if cell["evidence"]}
    for language in ("en", "zh", "evidence.en", "evidence.zh"):
        assert {f.number.digits for f in audited(site / f"pages/{name}.{language}.md")} == printed


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("toy.en.md", "[399.532](toy.evidence.en.md#cards/1/a)"),
        ("toy.evidence.en.md", '<a id="cards/1/a"></a><a id="e1"></a>399.532'),
        ("toy.evidence.en.md", "- [399.532](#cards/1/a)"),
        ("toy.evidence.en.md", "| 1       | Static        | [399.532](#cards/1/a)"),
    ],
    ids=["table", "list of evidence", "remark", "table by one rule"],
)
def test_a_digit_that_was_changed_is_named(page: str, found: str, copy: Path) -> None:
    change(copy / "pages" / page, found, found.replace("399.532", "399.533"))
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == ("contradicted", "399.533", "399.532")


def test_a_link_to_the_evidence_of_another_number_is_named(copy: Path) -> None:
    was, put_there = (f"[399.532](toy.evidence.en.md#{anchor})" for anchor in ("cards/1/a", "cards/8/a"))
    change(copy / "pages/toy.en.md", was, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == ("altered", put_there, was)


@pytest.mark.parametrize(
    "put_there", ["399.533", "[399.533](#e99)", "[399.533](x)", "[](toy.evidence.en.md#cards/1/a)"]
)
def test_a_number_that_is_no_link_to_its_evidence_is_named(put_there: str, copy: Path) -> None:
    change(copy / "pages/toy.en.md", OF_ONE, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits) == ("altered", put_there)


@pytest.mark.parametrize("put_there", ["399,532", "-"])
def test_a_link_to_evidence_that_is_no_number_is_named(put_there: str, copy: Path) -> None:
    change(copy / "pages/toy.en.md", OF_ONE, OF_ONE.replace("399.532", put_there))
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == ("contradicted", put_there, "399.532")


@pytest.mark.parametrize(
    ("name", "found", "key"),
    [("toy.en.md", "#cards/1/b.2)", NO_LINK_TO), ("toy.evidence.en.md", '<a id="cards/1/b.2">', NOT_IN_EVIDENCE)],
)
def test_a_number_that_was_removed_is_named(name: str, found: str, key: str, without_page_file: Path) -> None:
    page = without_page_file / "pages" / name
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if found not in line), encoding="utf-8")
    gone = [finding for finding in bad(page) if finding.number.digits == "420.5"]
    assert [(finding.verdict, finding.reason) for finding in gone] == [
        ("contradicted", Message(key, anchor="cards/1/b.2"))
    ]


@pytest.mark.parametrize(
    ("found", "put_there", "named"),
    [
        ('"device": "A100"', '"device": "B200"', ('"B200",', '"A100",')),
        ("skip_records=10 trim", "skip_records=9 trim", ("skip_records=9", "skip_records=10")),
    ],
)
def test_what_was_changed_in_an_evidence_file_is_named(
    found: str, put_there: str, named: tuple[str, str], copy: Path
) -> None:
    change(copy / "pages/toy.evidence.json", found, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.number.page.name, finding.verdict) == ("toy.evidence.json", "altered")
    assert (finding.number.digits, finding.computed) == named


def test_a_log_that_was_changed_is_named(copy: Path) -> None:
    log = next((copy / "logs/A100").glob("*N1C1_log"))
    log.write_bytes(log.read_bytes() + b"\n")
    found = bad(copy / "pages")
    assert {(finding.verdict, finding.number.digits) for finding in found} == {("no evidence", "399.532")}


def test_telemetry_that_was_changed_is_named(copy: Path) -> None:
    telemetry = copy / "logs/toy_gpu/Toy50_bs64_amp_N1C4/1/gpu.csv"
    telemetry.write_bytes(telemetry.read_bytes() + b"\n")
    assert {f.number.unit for f in bad(copy / "pages/toy_gpu.en.md")} == {"MiB", "W", "images/J"}


def test_the_folder_of_logs_may_be_named(copy: Path) -> None:
    (copy / "logs").rename(copy / "elsewhere")
    assert {finding.verdict for finding in bad(copy / "pages")} == {"no evidence"}
    assert bad(copy / "pages", logs=copy / "elsewhere") == []


def test_an_evidence_file_that_leads_out_of_the_folder_of_logs_is_refused(copy: Path) -> None:
    change(copy / "pages/toy.evidence.json", '"path": "A100/', '"path": "../A100/')
    assert "leaves the log folder" in run("audit", copy / "pages").stderr


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_digit_that_is_changed_in_a_number_of_a_page_is_caught(data: st.DataObject, site: Path) -> None:
    name = data.draw(st.sampled_from(["toy.en.md", "toy.evidence.zh.md", "toy_gpu.evidence.en.md", "toy_gpu.zh.md"]))
    page = site / "pages" / name
    text = page.read_text(encoding="utf-8")
    number = data.draw(st.sampled_from(audited(page))).number
    line = text.splitlines()[number.line - 1]
    at = data.draw(st.sampled_from([i for i, digit in enumerate(number.digits) if digit.isdigit()]))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != number.digits[at]]))
    changed = number.digits[:at] + other + number.digits[at + 1 :]
    try:
        page.write_text(text.replace(line, line.replace(number.digits, changed, 1), 1), encoding="utf-8")
        assert bad(page) != []
    finally:
        page.write_text(text, encoding="utf-8")
