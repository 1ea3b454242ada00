"""The words of the panel of a number: counts, units and terms as each language says them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report.site.build import publish_site
from report.wording.words import CHINESE

GOLDEN = Path(__file__).parents[1] / "golden"
TERM = re.compile(r"[a-z]{4,} [a-z]{3,}")


@pytest.fixture(scope="module")
def panels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the panels of the page of language models."""
    out = tmp_path_factory.mktemp("panels") / "site"
    list(publish_site([str(GOLDEN / "llm_example.toml")], GOLDEN / "logs", [], out))
    return out / "evidence"


def told(panels: Path, language: str) -> dict[str, dict[str, Any]]:
    """The panels of the page in a language, by the anchors of their numbers."""
    folder = panels / f"llm_example.{language}"
    return {file.relative_to(folder).as_posix().removesuffix(".js"): _data(file) for file in folder.rglob("*.js")}


def _data(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        re.sub(r"^.*?(?=\{)|[^}]*$", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    )
    return found


def sentences(panel: dict[str, Any]) -> Iterator[str]:
    """What a panel says of a number in words, but for its protocol in neutral words and its remarks."""
    yield from (panel["number"], *panel["protocol"], *panel["steps"])
    for file in panel["files"]:
        yield from (*file["steps"], *(left["said"] for left in file["left"]))


def test_each_step_is_in_the_language_of_the_page(panels: Path) -> None:
    english = [said for panel in told(panels, "en").values() for said in sentences(panel)]
    chinese = [said for panel in told(panels, "zh").values() for said in sentences(panel)]
    assert any("tokens per step" in said for said in english)
    formulas = [re.sub(r"（[^）]*）|\(.*\)", "", said) for said in chinese]
    assert [said for said in formulas if TERM.search(said)] == []
    assert not any(CHINESE.search(said) for said in english)


def test_what_a_step_counts_is_what_its_unit_counts(panels: Path) -> None:
    timed = [said for panel in told(panels, "en").values() for said in sentences(panel) if " s = " in said]
    assert timed
    assert all(said.split()[1] == said.rpartition(" ")[2].partition("/")[0] for said in timed)


def test_a_sign_of_percent_stands_at_its_digits(panels: Path) -> None:
    said = [one for panel in told(panels, "en").values() for one in sentences(panel) if "%" in one]
    assert said
    assert not any(" %" in one for one in said)


@pytest.mark.parametrize(("language", "one"), [("en", "1 records"), ("en", "1 cards"), ("zh", "records")])
def test_a_count_agrees_with_its_noun(language: str, one: str, panels: Path) -> None:
    said = [text for panel in told(panels, language).values() for text in sentences(panel)]
    assert not any(re.search(rf"(?<!\d){one}\b", text) for text in said)
