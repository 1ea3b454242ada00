"""Pages that `report` wrote are held against their evidence files and logs, wherever they print a number."""

import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.io.message import Message
from report.audit.finding import Finding
from report.audit.own_pages import NO_LINK_TO, NOT_IN_EVIDENCE
from report.rendering.publish import publish
from tests.commandline import run
from tests.report.audit.small_site import audited

GOLDEN = Path(__file__).parents[1] / "golden"

every_toy = pytest.mark.parametrize("name", ["toy", "toy_gpu"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden pages beside a copy of their logs."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    pages = [str(GOLDEN / f"{name}.toml") for name in ("toy", "toy_gpu")]
    assert len(list(publish(pages, folder / "logs", (), folder / "pages"))) == len(pages)
    return folder


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Path:
    """A site of its own."""
    shutil.copytree(site, tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def without_page_file(copy: Path) -> Path:
    """A site of its own whose evidence files are as earlier versions wrote them."""
    for path in (copy / "pages").glob("*.evidence.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        del told["page_file"], told["charts"]
        path.write_text(json.dumps(told), encoding="utf-8")
    return copy


def change(path: Path, found: str, put_there: str) -> None:
    """Change the first place of a file in which a text stands."""
    text = path.read_text(encoding="utf-8")
    assert found in text
    path.write_text(text.replace(found, put_there, 1), encoding="utf-8")


def bad(*pages: Path, logs: Path | None = None) -> list[Finding]:
    """The findings that leave something to mend."""
    return [finding for finding in audited(*pages, logs=logs) if not finding.is_good]


def test_what_report_wrote_is_exact(site: Path) -> None:
    assert {finding.verdict for finding in audited(site / "pages")} == {"exact"}


@every_toy
def test_every_number_is_checked_in_both_languages(name: str, site: Path) -> None:
    told = json.loads((site / f"pages/{name}.evidence.json").read_text(encoding="utf-8"))
    printed = {cell["printed"] for cell in told["cells"] if cell["evidence"]}
    for language in ("en", "zh"):
        assert {f.number.digits for f in audited(site / f"pages/{name}.{language}.md")} == printed


@pytest.mark.parametrize(
    ("found", "put_there"),
    [
        ("| [399.532](#e1)†  |", "| [399.533](#e1)†  |"),
        ('<a id="e1"></a>399.532', '<a id="e1"></a>399.533'),
        ("- † [399.532](#e1)", "- † [399.533](#e1)"),
        ("| 1       | Static        | [399.532](#e1)", "| 1       | Static        | [399.533](#e1)"),
    ],
    ids=["table", "list of evidence", "remark", "table by one rule"],
)
def test_a_digit_that_was_changed_is_named(found: str, put_there: str, copy: Path) -> None:
    change(copy / "pages/toy.en.md", found, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == ("differs", "399.533", "399.532")
    assert str(finding.reason) == "The log gives 399.532 by the protocol of the page."


def test_a_link_to_the_evidence_of_another_number_is_named(copy: Path) -> None:
    change(copy / "pages/toy.en.md", "[399.532](#e1)", "[399.532](#e4)")
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == (
        "altered",
        "[399.532](#e4)†",
        "[399.532](#e1)†",
    )


@pytest.mark.parametrize("put_there", ["399.533", "[399.533](#e99)", "[399.533](x)", "[](#e1)"])
def test_a_number_that_is_no_link_to_its_evidence_is_named(put_there: str, copy: Path) -> None:
    change(copy / "pages/toy.en.md", "[399.532](#e1)", put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits) == ("altered", f"{put_there}†")


@pytest.mark.parametrize("put_there", ["399,532", "-"])
def test_a_link_to_evidence_that_is_no_number_is_named(put_there: str, copy: Path) -> None:
    change(copy / "pages/toy.en.md", "[399.532](#e1)", f"[{put_there}](#e1)")
    (finding,) = bad(copy / "pages")
    assert (finding.verdict, finding.number.digits, finding.computed) == ("differs", put_there, "399.532")


@pytest.mark.parametrize(("found", "key"), [("(#e3)", NO_LINK_TO), ('<a id="e3">', NOT_IN_EVIDENCE)])
def test_a_number_that_was_removed_is_named(found: str, key: str, without_page_file: Path) -> None:
    page = without_page_file / "pages/toy.en.md"
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if found not in line), encoding="utf-8")
    gone = [finding for finding in bad(page) if finding.number.digits == "420.5"]
    assert [(finding.verdict, finding.reason) for finding in gone] == [("differs", Message(key, anchor="e3"))]


@pytest.mark.parametrize("put_there", ["399.533", "[399.533](#e99)", "[399.533](x)"])
def test_a_number_without_evidence_is_named(put_there: str, without_page_file: Path) -> None:
    change(without_page_file / "pages/toy.en.md", "[399.532](#e1)", put_there)
    (_, finding) = sorted(bad(without_page_file / "pages/toy.en.md"), key=lambda one: one.number.digits)
    assert (finding.verdict, finding.number.digits) == ("no evidence", "399.533")


def test_of_an_evidence_file_without_page_file_it_is_said_that_only_numbers_were_checked(
    without_page_file: Path,
) -> None:
    (finding,) = bad(without_page_file / "pages/toy.en.md")
    assert str(finding.reason) == (
        "Only the numbers were checked; the page could not be rendered again: toy.evidence.json is of an"
        " earlier version and holds no page file; render the page again, or give --page."
    )


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


@pytest.mark.parametrize(
    ("found", "put_there"),
    [
        ("# Toy50 &lt;training&gt;", "# Toy51 &lt;training&gt;"),
        ("batch size 64 per card", "batch size 65 per card"),
        ("| Cards   | Static ", "| Nodes   | Static "),
        ("| 1       | [399.532]", "| 2       | [399.532]"),
        (
            "(../logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log)",
            "(../logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C8_log)",
        ),
        ("15 to 26, 4 used", "16 to 26, 4 used"),
        ("`records=step estimate=reported skip_records=10", "`records=step estimate=reported skip_records=11"),
        ("(By cards, 8, Flow, summary)", "(By cards, 9, Flow, summary)"),
        ("| 1.000   | 403.067 ", "| 1.000   | 403.068 "),
        ("| By cards | 6          |", "| By cards | 7          |"),
        ("The page file does not name any logs", "The page file does  not name any logs"),
        ("Measured from logs: 6 of 9 cells", "Measured from logs: 8 of 9 cells"),
    ],
    ids=lambda text: text[:20],
)
def test_whatever_is_changed_on_a_page_is_named_with_its_line(found: str, put_there: str, copy: Path) -> None:
    page = copy / "pages/toy.en.md"
    line = page.read_text(encoding="utf-8").partition(found)[0].count("\n") + 1
    change(page, found, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.number.page, finding.number.line, finding.verdict) == (page, line, "altered")
    assert (
        str(finding.reason) == f"Rendered again from its page file and logs, the page says {finding.computed!r} here."
    )


def swapped_columns(text: str) -> str:
    """A page whose table of results has its second and third column in each other's place."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(("| Cards   | Static", "| 1       | [", "| 8       | [")):
            cells = line.split("|")
            cells[2], cells[3] = cells[3], cells[2]
            lines[number] = "|".join(cells)
    return "\n".join(lines)


def swapped_rows(text: str) -> str:
    """A page whose first two rows of results stand in each other's place."""
    lines = text.split("\n")
    first, second = (
        next(n for n, line in enumerate(lines) if line.startswith(f"| {cards}       | [")) for cards in (1, 8)
    )
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def test_swapped_rows_are_named_with_what_should_stand_there(copy: Path) -> None:
    page = copy / "pages/toy.en.md"
    page.write_text(swapped_rows(page.read_text(encoding="utf-8")), encoding="utf-8")
    first, second = bad(page)
    assert (first.number.digits, second.number.digits) == (second.computed, first.computed)


def test_the_evidence_and_pages_of_windows_are_as_they_were_written(copy: Path) -> None:
    for path in (copy / "pages").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert bad(copy / "pages") == []


def test_a_page_file_that_was_changed_is_held_against_the_page_if_it_is_named(copy: Path) -> None:
    text = (GOLDEN / "toy.toml").read_text(encoding="utf-8")
    (copy / "toy.toml").write_text(text.replace("These numbers mean nothing.", "They mean much."), encoding="utf-8")
    done = run("audit", "pages", "--page", "toy.toml", "--json", cwd=copy)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    said = {(one["page"], one["computed"]) for one in found if one["verdict"] == "altered"}
    assert (done.returncode, ("toy.en.md", "They mean much.") in said) == (1, True)


def test_a_log_that_was_changed_is_named(copy: Path) -> None:
    log = next((copy / "logs/A100").glob("*N1C1_log"))
    log.write_bytes(log.read_bytes() + b"\n")
    found = bad(copy / "pages")
    assert {(finding.verdict, finding.number.digits) for finding in found} == {("misfiled", "399.532")}
    assert str(found[0].reason) == f"A100/{log.name} is not the file that the page was made of."


def test_telemetry_that_was_changed_is_named(copy: Path) -> None:
    telemetry = copy / "logs/toy_gpu/Toy50_bs64_amp_N1C4/1/gpu.csv"
    telemetry.write_bytes(telemetry.read_bytes() + b"\n")
    assert {f.number.unit for f in bad(copy / "pages/toy_gpu.en.md")} == {"MiB", "W", "images/J"}


def test_a_log_that_is_gone_is_no_evidence(copy: Path) -> None:
    next((copy / "logs/A100").glob("*N1C1_log")).unlink()
    assert {(f.verdict, f.number.digits) for f in bad(copy / "pages")} == {("no evidence", "399.532")}


def test_the_folder_of_logs_may_be_named(copy: Path) -> None:
    (copy / "logs").rename(copy / "elsewhere")
    assert {finding.verdict for finding in bad(copy / "pages")} == {"no evidence"}
    assert bad(copy / "pages", logs=copy / "elsewhere") == []


def test_a_broken_evidence_file_is_reported_in_one_sentence(copy: Path) -> None:
    (copy / "pages/toy.evidence.json").write_text("{", encoding="utf-8")
    done = run("audit", copy / "pages")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_an_evidence_file_that_leads_out_of_the_folder_of_logs_is_refused(copy: Path) -> None:
    change(copy / "pages/toy.evidence.json", '"path": "A100/', '"path": "../A100/')
    assert "leaves the log folder" in run("audit", copy / "pages").stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_generated_page_without_its_evidence_file_is_one_finding(language: str, copy: Path) -> None:
    (copy / "pages/toy.evidence.json").unlink()
    (finding,) = bad(copy / f"pages/toy.{language}.md")
    assert str(finding.reason) == (
        "Tachograph generated this page, but its evidence file toy.evidence.json is missing: render the page again."
    )


EDITS = "0a|#é \n(…"


def edited(text: str, draw: random.Random) -> str:
    """A text with one character more, less or another one, or two lines, cells or columns in each other's place."""
    at, kind = draw.randrange(len(text)), draw.choice(["put", "cut", "change", "lines", "cells", "columns"])
    other = draw.choice([c for c in EDITS if c != text[at]])
    if kind in ("put", "cut", "change"):
        return text[:at] + ("" if kind == "cut" else other) + text[at + (kind != "put") :]
    if kind == "columns":
        return swapped_columns(text)
    parts = text.split("\n" if kind == "lines" else "|")
    one, two = draw.sample(range(len(parts)), 2)
    parts[one], parts[two] = parts[two], parts[one]
    return ("\n" if kind == "lines" else "|").join(parts)


def is_named(page: Path, text: str, changed: str) -> bool:
    """Whether an audit names the first line that was changed."""
    lines, stood = text.split("\n"), changed.split("\n")
    first = next((n for n, (a, b) in enumerate(zip(lines, stood, strict=False), 1) if a != b), len(stood))
    page.write_text(changed, encoding="utf-8")
    try:
        return min((finding.number.line for finding in bad(page)), default=0) in (first, len(stood))
    finally:
        page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_random_edits_of_pages_are_all_named(count: int, copy: Path) -> None:
    draw, missed = random.Random(19), []  # noqa: S311 - the same edits every time
    pages = sorted((copy / "pages").glob("*.md"))
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for _ in range(count):
        page = draw.choice(pages)
        changed = edited(texts[page], draw)
        if changed != texts[page] and not is_named(page, texts[page], changed):
            missed.append((page.name, changed))
    assert missed == []


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_digit_that_is_changed_in_a_number_of_a_page_is_caught(data: st.DataObject, site: Path) -> None:
    name = data.draw(st.sampled_from(["toy.en.md", "toy.zh.md", "toy_gpu.en.md", "toy_gpu.zh.md"]))
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
