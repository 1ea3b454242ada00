"""What the words of a label say of a case, in Chinese and English; labels.toml is the table."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from report.published.labels import Label, merged, read_label

TABLE = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))["label"]


def test_labels_say_their_case_and_which_axes_and_quantities_they_name() -> None:
    wrong = {}
    for entry in TABLE:
        for text in entry["text"]:
            found, besides = read_label(text), entry.get("besides", [])
            case = {axis: value for axis, value in found.case.items() if axis not in besides}
            said = (case, list(found.axes), sorted(found.quantities), found.unit)
            expected = (entry.get("case", {}), entry.get("axes", []), entry.get("quantities", []), entry.get("unit"))
            if said != expected:
                wrong[text] = (said, expected)
    assert wrong == {}


def test_of_several_labels_the_first_that_states_an_axis_counts() -> None:
    assert merged([Label({"cards": 8}), Label({"cards": 1, "device": "V100"})]) == {"cards": 8, "device": "V100"}


def test_nodes_of_one_label_and_cards_per_node_of_another_are_cards() -> None:
    assert merged([Label({"nodes": 4}), Label({"cards_per_node": 8})])["cards"] == 32


@given(st.text())
def test_whatever_a_label_holds_is_read(text: str) -> None:
    assert isinstance(read_label(text), Label)
