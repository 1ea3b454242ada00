"""Pages that `report` wrote are rendered again, and every character that was changed on them is named."""

import json
import random
from pathlib import Path

import pytest

from tests.commandline import run
from tests.report.audit.small_site import GOLDEN, bad, change

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "found", "put_there"),
    [
        ("toy", "# Toy50 &lt;training&gt;", "# Toy51 &lt;training&gt;"),
        ("toy", "| 8 | [3119", "| 9 | [3119"),
        ("toy", "1. Protocols differ", "1. Programs differ"),
        (
            "toy.evidence",
            "A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log)",
            "A100/PaddleClas_Toy50_bs64_fp32_DP_N1C8_log)",
        ),
        ("toy.evidence", "15 to 26, 4 used", "16 to 26, 4 used"),
        ("toy.evidence", "| 1.000   | 403.067 ", "| 1.000   | 403.068 "),
    ],
    ids=lambda text: text[:20],
)
def test_whatever_is_changed_on_a_page_is_named_with_its_line(
    name: str, found: str, put_there: str, copy: Path
) -> None:
    page = copy / f"pages/{name}.en.md"
    line = page.read_text(encoding="utf-8").partition(found)[0].count("\n") + 1
    change(page, found, put_there)
    (finding,) = bad(copy / "pages")
    assert (finding.number.page, finding.number.line, finding.verdict) == (page, line, "altered")


def swapped_columns(text: str) -> str:
    """A page whose table of results has its second and third column in each other's place."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(("| Cards", "| 1 |", "| 8 (")):
            cells = line.split("|")
            cells[2], cells[3] = cells[3], cells[2]
            lines[number] = "|".join(cells)
    return "\n".join(lines)


def test_the_evidence_and_pages_of_windows_are_as_they_were_written(copy: Path) -> None:
    for path in (copy / "pages").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert bad(copy / "pages") == []


@pytest.mark.parametrize("end", [b"", b"\n\n"])
def test_the_line_ends_at_the_end_of_a_file_are_of_the_editor(end: bytes, copy: Path) -> None:
    page = copy / "pages/toy.en.md"
    page.write_bytes(page.read_bytes().rstrip(b"\n") + end)
    assert bad(copy / "pages") == []


def test_a_page_file_that_was_changed_is_held_against_the_page_if_it_is_named(copy: Path) -> None:
    text = (GOLDEN / "toy.toml").read_text(encoding="utf-8")
    (copy / "toy.toml").write_text(text.replace("These numbers mean nothing.", "They mean much."), encoding="utf-8")
    done = run("audit", "pages", "--page", "toy.toml", "--json", cwd=copy)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    said = {(one["page"], one["computed"]) for one in found if one["verdict"] == "altered"}
    assert (done.returncode, ("toy.en.md", "They mean much.") in said) == (1, True)


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
