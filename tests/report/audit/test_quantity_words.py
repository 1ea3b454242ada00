"""What numbers count, by their units and labels."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from report.audit import vocabulary
from report.audit.claims import CELL, Claim, Context
from report.audit.number import numbers_in

EXAMPLES = tomllib.loads(Path(__file__).with_name("quantities.toml").read_text(encoding="utf-8"))["examples"]
DATA = tomllib.loads(Path(vocabulary.__file__).with_name("quantities.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: "|".join(example[:6]))
def test_number_counts_what_its_words_say(example: Any) -> None:
    before, text, behind, column, row, heading, quantity, unit = example
    (printed,) = numbers_in(text)
    claim = Claim("d.md", 1, 1, printed.number, CELL, 0, 0, 1, row, column, heading=heading)
    found = Context(claim, before, behind, printed.form).classified()
    assert (found.quantity, found.unit) == (quantity, unit)
    assert found.is_measured == (quantity in DATA["measured"])


def test_each_quantity_is_either_measured_or_not() -> None:
    measured, unmeasured = set(DATA["measured"]), set(DATA["unmeasured"])
    assert not measured & unmeasured
    assert {one["quantity"] for one in [*DATA["units"], *DATA["labels"]]} <= measured | unmeasured


@pytest.mark.parametrize(
    ("texts", "seconds"),
    [
        ((" ms/iter",), 1e-3),
        (("", "Time (min)"), 60.0),
        (("总时间（小时）",), 3600.0),
        (("step_ms",), 1e-3),
        (("loss",), None),
    ],
)
def test_first_text_that_names_a_unit_of_time_tells_its_seconds(texts: Any, seconds: Any) -> None:
    assert vocabulary.seconds_of(*texts) == seconds
