"""An audit in both languages, as golden texts: documents of which the numbers have nearly every ruling."""

import shutil
from pathlib import Path

import pytest

from report.audit.audited import Audit
from report.audit.output import terminal
from report.audit.rulings import Ruling
from report.wording.words import Translator
from tests.conftest import Compare
from tests.report.audit.small_site import PAGE, SPEED_UPS, audit, change, make, write

GOLDEN = Path(__file__).parent / "golden"
MORE_ROWS = ("| 8 | 3119.765 |", "| 8 | 3500.125 |\n| 8 | 3000 |\n| 32 | 77123.5 |")
QUOTES = PAGE.partition("[1 card]")[0].replace("399.532", "401.532").replace("# Toy50", "# Quotes of Toy50")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, site: Path) -> Audit:
    """What is found on pages of our own and of others."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(site / "logs", folder / "logs")
    (folder / "own").mkdir()
    for name in ("toy.en.md", "toy.report.json"):
        shutil.copy(site / "pages" / name, folder / "own")
    change(folder / "own/toy.en.md", "| Static |", "| Dynamic |")
    make(folder / "rows", MORE_ROWS)
    make(folder / "proved")
    link = ("| 1 | 399.532 |", "| [1](../proved/README.md) | 399.532 |")
    write(folder / "links", link, page=QUOTES.replace("401.532", "399.532"))
    write(folder / "speed-ups", page=SPEED_UPS)
    write(folder / "dead", ("| 1 |", "| [1](gone.log) |"), page=PAGE)
    return audit(folder)


def test_the_golden_audit_has_nearly_every_ruling(found: Audit) -> None:
    assert {finding.ruling for finding in found.findings} >= set(Ruling) - {Ruling.AGREES, Ruling.DERIVED}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_audit_on_a_terminal(language: str, found: Audit, compare: Compare) -> None:
    text = terminal(found, everything=False, strict=True, translate=Translator(language).translate)
    compare(GOLDEN / f"audit.{language}.txt", text)
