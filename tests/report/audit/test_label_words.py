"""What the words of a label say of a case, in Chinese and English; labels.toml is the table."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from report.audit.labels import Agreement, case_of, compared

TABLE = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))["label"]


def test_labels_say_their_case() -> None:
    wrong = {}
    for entry in TABLE:
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
