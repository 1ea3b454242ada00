"""The findings of an audit in both languages: as golden texts, and on the command line."""

import shutil
from pathlib import Path

import pytest

from report.audit.audited_pages import Audited, audit_files, markdown_files
from report.audit.finding import VERDICTS
from report.audit.findings.printing import as_markdown, terminal
from report.wording.words import Translator, worded
from tests.commandline import run
from tests.conftest import Compare
from tests.report.audit.small_site import EIGHT, ONE, PAGE, add_tensorflow, change, make, write

GOLDEN = Path(__file__).parent / "golden"
LINKS = f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})"
SIDE_BY_SIDE = (
    PAGE.replace("(BS=64) |", "(BS=64) | TensorFlow FP32 (BS=64) |")
    .replace("|--:|", "|--:|--:|")
    .replace("399.532 |", "399.532 | 420.5 |")
    .replace("| 3119.765 |", "| 3500.125 | 3282.0 |\n| 2 | 700.5 | |\n| 16 | 5000.5 | |")
    .replace(LINKS, f"{LINKS}, [2 cards](logs/gone_log)")
)
SPEED_UPS = """# Speed-up

| Cards | Images/s, FP32 | Images/s, AMP | Speed-up (FP32 to AMP) |
|--:|--:|--:|--:|
| 1 | 201.5 | 403.1 | 2.00 |
| 2 | 399.9 | 759.7 | 1.90 |
| 4 | 780.1 | 1404.2 | 1.80 |
| 8 | 1501.5 | 2552.6 | 2.70 |
"""
every_language = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, site: Path) -> Audited:
    """What is found on pages that have a number of every verdict."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(site / "logs", folder / "logs")
    (folder / "own").mkdir()
    for name in ("toy.en.md", "toy.evidence.json"):
        shutil.copy(site / "pages" / name, folder / "own")
    change(folder / "own/toy.en.md", "| Static |", "| Dynamic |")
    make(folder / "side", page=SIDE_BY_SIDE)
    add_tensorflow(folder / "side")
    make(folder / "labels", ("BS=64", "BS=32"))
    make(folder / "links", (f"[8 cards](logs/{EIGHT})", f"[8 cards](logs/{ONE})"))
    make(folder / "near", ("3119.765", "3120.5"))
    make(folder / "other", ("3119.765", "3100.5"))
    write(make(folder / "elsewhere").parent, ("399.532", "388.1"), (LINKS, ""), name="overview.md")
    (folder / "speed-ups").mkdir()
    write(folder / "speed-ups", page=SPEED_UPS)
    return audit_files(markdown_files([folder]), None, [], 0.003)


def test_the_golden_audit_has_every_verdict_on_pages_of_others_without_page_files(found: Audited) -> None:
    left = {"quoted", "contradicted", "no numbers"}
    assert {finding.verdict for _, finding in found.findings} == set(VERDICTS) - left


@every_language
def test_an_audit_as_markdown_reads_as_the_golden_text(language: str, found: Audited, compare: Compare) -> None:
    said = as_markdown(found.findings, found.unlike, Translator(language).translate)
    compare(GOLDEN / f"audit.{language}.md", said)


@every_language
def test_an_audit_in_the_terminal_reads_as_the_golden_text(language: str, found: Audited, compare: Compare) -> None:
    translate = Translator(language).translate
    table = terminal(found.findings, everything=True, colour=False, translate=translate)
    warnings = "".join(f"{worded(row.told, translate)}\n" for row in found.unlike)
    compare(GOLDEN / f"audit.{language}.txt", table + warnings)


def test_a_language_without_a_catalogue_is_reported(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path), "--lang", "fr")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: No translation for 'fr'; available: en, zh.\n"
