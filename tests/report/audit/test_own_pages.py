"""Pages that `report` wrote are made again, and whatever was changed on them, their report or logs is contradicted."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from report.audit.rulings import Ruling
from report.results.model import read_report, report_beside
from report.views.site import publish_site
from tests.commandline import PROJECT, run
from tests.report.audit.small_site import audited, bad, change
from tests.report.quoted_page import make, published

OF_ONE = "[399.532](toy.evidence.en.md#cards/1/a)"


def tracked_pages() -> list[Path]:
    """All Markdown pages of the repository that have a report beside them."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=PROJECT, capture_output=True, text=True, check=True)
    return [page for name in listed.stdout.split("\0") if name and report_beside(page := PROJECT / name)]


def logs_of(page: Path) -> Path | None:
    """The folder of its logs: the one that its report names, or, of a golden page, the one beside it."""
    report = report_beside(page)
    told = read_report(report).logs_folder if report else None
    places = [page.parent / told] if told else []
    return next((place for place in [*places, page.parent / "logs"] if place.is_dir()), None)


def test_there_are_such_pages() -> None:
    assert len([page for page in tracked_pages() if logs_of(page)]) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("page", tracked_pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_measurement_of_a_page_here_is_proved(page: Path) -> None:
    logs = logs_of(page)
    if logs is None:
        pytest.skip("its logs were published by others, and are not in this repository")
    assert {finding.ruling for finding in audited(page, logs=logs)} == {Ruling.PROVED}


def test_what_report_wrote_is_proved(site: Path) -> None:
    assert {finding.ruling for finding in audited(site / "pages")} == {Ruling.PROVED}


@pytest.mark.parametrize(
    ("name", "found", "put_there"),
    [
        ("toy.en.md", OF_ONE, OF_ONE.replace("399.532", "399.533")),
        ("toy.en.md", OF_ONE, OF_ONE.replace("cards/1/a", "cards/8/a")),
        ("toy.en.md", OF_ONE, "399.532"),
        ("toy.en.md", OF_ONE, "-"),
        ("toy.en.md", "# Toy50 &lt;training&gt;", "# Toy51 &lt;training&gt;"),
        ("toy.en.md", "| 8 | [3119", "| 9 | [3119"),
        ("toy.en.md", "1. Protocols differ", "1. Programs differ"),
        ("toy.evidence.en.md", '<a id="cards/1/a"></a>399.532', "399.532"),
        ("toy.evidence.en.md", "- [399.532](#cards/1/a)", "- [399.533](#cards/1/a)"),
        ("toy.evidence.en.md", "DP_N1C1_log)", "DP_N1C8_log)"),
        ("toy.evidence.en.md", "15 to 26, 4 used", "16 to 26, 4 used"),
        ("toy.evidence.en.md", "| 1.000 | 398.738 ", "| 1.000 | 398.739 "),
        ("toy.report.json", '"digits": "399.532"', '"digits": "399.533"'),
        ("toy.report.json", '"device": {"value": "A100"', '"device": {"value": "B200"'),
        ("toy.report.json", '"lines": 26', '"lines": 27'),
    ],
    ids=lambda text: text[:24],
)
def test_whatever_is_changed_is_contradicted_in_its_line(name: str, found: str, put_there: str, copy: Path) -> None:
    page = copy / "pages" / name
    line = page.read_text(encoding="utf-8").partition(found)[0].count("\n") + 1
    change(page, found, put_there)
    assert {(one.claim.document, one.claim.line) for one in bad(copy / "pages")} == {(name, line)}


def test_a_log_that_was_changed_contradicts_its_page(copy: Path) -> None:
    log = next((copy / "logs/A100").glob("*N1C1_log"))
    log.write_bytes(log.read_bytes() + b"\n")
    assert {one.ruling for one in bad(copy / "pages")} == {Ruling.CONTRADICTED}


def test_the_folder_of_logs_may_be_named_and_without_it_nothing_is_proved(copy: Path) -> None:
    (copy / "logs").rename(copy / "elsewhere")
    assert {finding.ruling for finding in audited(copy / "pages")} == {Ruling.NO_DATA}
    assert {finding.ruling for finding in audited(copy / "pages", logs=copy / "elsewhere")} == {Ruling.PROVED}


def test_what_cannot_be_read_again_is_told_and_not_accused(copy: Path) -> None:
    change(copy / "pages/toy.report.json", '"format": "paddleclas_static"', '"format": "of_my_own"')
    done = run("audit", copy / "pages/toy.en.md")
    assert (done.returncode, "of_my_own" in done.stdout, "proved" in done.stdout) == (0, True, False)


def test_a_page_of_a_site_is_made_again(copy: Path) -> None:
    publish_site([str(PROJECT / "tests/report/golden/toy.toml")], copy / "logs", ["en", "zh"], copy / "html")
    page = copy / "html/toy.en.html"
    assert {finding.ruling for finding in audited(page, logs=copy / "logs")} == {Ruling.PROVED}
    assert {finding.ruling for finding in audited(page)} == {Ruling.NO_DATA}
    change(page, ">399.532<", ">399.533<")
    assert {finding.claim.number.text for finding in bad(page)} == {"399.533"}


def test_without_logs_a_page_is_held_against_its_report(copy: Path) -> None:
    shutil.rmtree(copy / "logs")
    change(copy / "pages/toy.en.md", OF_ONE, OF_ONE.replace("399.532", "399.533"))
    change(copy / "pages/toy_gpu.report.json", '"digits": "', '"digits": "9')
    assert {one.claim.document for one in bad(copy / "pages")} == {
        "toy.en.md",
        *(f"toy_gpu.{kind}.md" for kind in ("en", "zh", "evidence.en", "evidence.zh")),
    }


def test_a_number_that_is_changed_in_page_and_report_alike_is_contradicted_by_the_logs(copy: Path) -> None:
    for path in (copy / "pages").glob("toy.*"):
        path.write_text(path.read_text(encoding="utf-8").replace("399.532", "399.533"), encoding="utf-8")
    assert {one.claim.document for one in bad(copy / "pages")} == {path.name for path in (copy / "pages").glob("toy.*")}


def test_a_report_that_leads_out_of_the_folder_of_logs_is_not_followed(copy: Path) -> None:
    for link in ("../A100/", "/A100/"):
        change(copy / "pages/toy.report.json", '"log": "A100/', f'"log": "{link}')
        done = run("audit", copy / "pages/toy.en.md")
        assert (done.returncode, done.stderr.count("\n"), "proved" in done.stdout) == (2, 1, False)
        change(copy / "pages/toy.report.json", f'"log": "{link}', '"log": "A100/')
    outside = copy / "logs/A100"
    outside.rename(copy / "A100")
    outside.symlink_to(copy / "A100")
    assert {finding.ruling for finding in audited(copy / "pages/toy.en.md")} == {Ruling.NO_DATA}


def test_a_page_without_its_report_is_not_ruled_on(copy: Path) -> None:
    (copy / "pages/toy.report.json").unlink()
    assert {finding.ruling for finding in audited(copy / "pages/toy.en.md")} == {Ruling.NO_DATA}


def test_quotes_and_what_is_computed_from_them_are_not_proved(tmp_path: Path) -> None:
    make(tmp_path)
    published(tmp_path, "en")
    page = tmp_path / "pages/page.en.md"
    quoted = [one for one in audited(page) if one.claim.number.text in ("640.00", "100.0", "80.0")]
    assert {finding.ruling for finding in quoted} == {Ruling.NO_DATA}
    change(page, "[640.00](page.evidence.en.md#t/8/a)", "[640.01](page.evidence.en.md#t/8/a)")
    assert "640.01" in {finding.claim.number.text for finding in bad(page)}


@pytest.mark.parametrize("end", [b"", b"\n\n"])
def test_line_ends_are_of_the_editor(end: bytes, copy: Path) -> None:
    for path in (copy / "pages").iterdir():
        path.write_bytes(path.read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n") + end)
    assert bad(copy / "pages") == []


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_digit_that_is_changed_in_a_report_is_caught(data: st.DataObject, site: Path) -> None:
    page = site / "pages" / data.draw(st.sampled_from(["toy.en.md", "toy_gpu.zh.md"]))
    report = report_beside(page)
    assert report
    text = report.read_text(encoding="utf-8")
    # What the page file states is what everything is made of: other text there may be that of another page.
    digits = [found.start() for found in re.finditer("[0-9]", text.partition('"page_file":')[0])]
    digits += [found.start() for found in re.finditer("[0-9]", text) if found.start() > text.index('"results": [')]
    at = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from([digit for digit in "123456789" if digit != text[at]]))
    try:
        report.write_text(text[:at] + other + text[at + 1 :], encoding="utf-8")
        assert run("audit", page).returncode != 0
    finally:
        report.write_text(text, encoding="utf-8")


EDITS = "0a|#é \n(…"


def edited(text: str, draw: random.Random) -> str:
    """A text with one character more, less or another one, or two lines or cells in each other's place."""
    at, kind = draw.randrange(len(text)), draw.choice(["put", "cut", "change", "lines", "cells"])
    other = draw.choice([c for c in EDITS if c != text[at]])
    if kind in ("put", "cut", "change"):
        return text[:at] + ("" if kind == "cut" else other) + text[at + (kind != "put") :]
    mark = "\n" if kind == "lines" else "|"
    parts = text.split(mark)
    one, two = draw.sample(range(len(parts)), 2)
    parts[one], parts[two] = parts[two], parts[one]
    return mark.join(parts)


def is_named(page: Path, text: str, changed: str) -> bool:
    """Whether an audit names the first line that was changed."""
    lines, stood = text.split("\n"), changed.split("\n")
    first = next((n for n, (a, b) in enumerate(zip(lines, stood, strict=False), 1) if a != b), len(stood))
    page.write_text(changed, encoding="utf-8")
    try:
        return min((finding.claim.line for finding in bad(page)), default=0) in (first, len(stood))
    finally:
        page.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_random_edits_of_pages_are_all_named(copy: Path) -> None:
    draw, missed = random.Random(19), []  # noqa: S311 - the same edits every time
    pages = sorted((copy / "pages").glob("*.md"))
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for _ in range(60):
        page = draw.choice(pages)
        changed = edited(texts[page], draw)
        if changed != texts[page] and not is_named(page, texts[page], changed):
            missed.append((page.name, changed))
    assert missed == []


def test_json_counts_what_is_altered(copy: Path) -> None:
    change(copy / "pages/toy.en.md", "&lt;training&gt;", "training")
    change(copy / "pages/toy.report.json", '"digits": "399.532"', '"digits": "399.533"')
    done = run("audit", copy / "pages/toy.en.md", "--json")
    told = {one["document"]: one for one in map(json.loads, done.stdout.splitlines()) if "account" in one}
    assert (done.returncode, told["toy.en.md"]["altered_lines"]) == (1, 1)
    assert told["toy.report.json"]["account"] == {"contradicted": 1}
