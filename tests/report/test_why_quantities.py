"""Explanations of what a log gives beside its throughput, and their arithmetic."""

import json
from functools import cache
from pathlib import Path

import pytest

from report.evidence.case_evidence import cells
from report.evidence.cell import Cell
from report.pagefile.page_file import load
from report.why.explanation import Explanation, as_json, of_cell

GOLDEN = Path(__file__).parent / "golden"
PAGE, LOGS = GOLDEN / "llm_example.toml", GOLDEN / "logs"


@cache
def explainable() -> dict[str, Cell]:
    """The cells of the golden page of language models that are read from records, by their addresses."""
    found = {cell.slug: cell for cell in cells(load(PAGE), LOGS) if cell.printed}
    return {
        slug: cell
        for slug, cell in found.items()
        if all(p.figure is None or len(p.measurement.series) for p in cell.proofs)
    }


@cache
def explained(slug: str) -> Explanation:
    return of_cell(str(PAGE), slug, LOGS)


@pytest.mark.parametrize("slug", sorted(explainable()))
def test_an_explanation_is_of_the_number_of_the_cell(slug: str) -> None:
    assert (explained(slug).number, explained(slug).printed) == (
        explainable()[slug].number,
        explainable()[slug].printed,
    )


def test_the_arithmetic_stands_in_json_as_well() -> None:
    (log,) = json.loads(json.dumps(as_json(explained("torchtitan/h100-sxm-8-gbs16/torchtitan-mfu"))))["logs"]
    assert [step.rpartition(" = ")[2] for step in log["operations"]] == ["0.4026730672", "40.26730672"]
