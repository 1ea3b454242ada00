"""What words say: labels of their case, by labels.toml, and of what numbers count, by quantities.toml."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.audit import vocabulary
from report.audit.claims import Claim, Context
from report.audit.documents import CELL, Passage, Place
from report.audit.labels import Agreement, case_of, compared
from report.audit.number import numbers_in

LABELS = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))["label"]
EXAMPLES = tomllib.loads(Path(__file__).with_name("quantities.toml").read_text(encoding="utf-8"))["examples"]
DATA = tomllib.loads(Path(vocabulary.__file__).with_name("quantities.toml").read_text(encoding="utf-8"))


def test_labels_say_their_case() -> None:
    wrong = {}
    for entry in LABELS:
        for text in entry["text"]:
            found = {axis: value for axis, value in case_of([text]).items() if axis not in entry.get("besides", [])}
            if found != entry["case"]:
                wrong[text] = (found, entry["case"])
    assert wrong == {}


def test_of_several_labels_the_first_that_states_an_axis_counts() -> None:
    assert case_of(["8 GPUs", "1 GPU, V100"]) == {"cards": 8, "device": "V100"}


def test_nodes_of_one_label_and_cards_per_node_of_another_are_cards() -> None:
    assert case_of(["4 nodes", "8 GPUs per node"])["cards"] == 32


def test_half_precisions_that_are_not_the_same_say_nothing_of_each_other() -> None:
    cases = [{"precision": one} for one in ("fp16", "bf16", "fp32")]
    assert [compared(cases[0], other).agreement for other in cases] == list(Agreement)


@given(st.text())
def test_whatever_a_label_holds_is_read(text: str) -> None:
    assert isinstance(case_of([text]), dict)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: "|".join(example[:6]))
def test_number_counts_what_its_words_say(example: Any) -> None:
    before, text, behind, column, row, heading, quantity, unit = example
    place = Place(place=CELL, table=0, row=0, col=1, row_label=row, col_label=column, heading=heading)
    shown = before + text + behind
    printed = next(one for one in numbers_in(shown) if one.start >= len(before))
    claim = Claim(document="d.md", line=1, column=1, number=printed.number, **vars(place))
    found = Context(claim, Passage(shown, 0, place), printed).classified()
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
