"""Formulas of models: arithmetic on numbers and facts, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.validation import Mistake
from parsers.runs.facts import Fact
from parsers.runs.provenance import line
from report.measure.diagnostics import NoMeasurement
from report.measure.operations import Formula, evaluate

FACTS = {"parameters": Fact("parameters", 8_000_000_000, line(1)), "model": Fact("model", "toy", line(2))}


def formula(text: str, **numbers: float) -> Formula:
    return Formula(text, "token", "https://example.org", numbers)


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("6*parameters", 4.8e10),
        ("6*parameters + 12*layers*2**3", 4.8e10 + 3072),
        ("-(-parameters)/4", 2e9),
        ("1e9", 1e9),
    ],
)
def test_a_formula_is_arithmetic_on_facts_and_numbers(text: str, operations: float) -> None:
    assert formula(text, layers=32).operations(FACTS) == operations


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "parameters.real",
        "f(1)",
        "[1][0]",
        "1 if 2 else 3",
        "lambda: 1",
        "1 // 2",
        "1 % 2",
        "1 < 2",
        "'a' * 9",
        "True",
        "1j",
        "(x := 1)",
        "1; 2",
        "",
        "6*",
        "1" * 501,
        "\0",
    ],
)
def test_what_is_not_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(Mistake):
        evaluate(text, lambda _: 1.0)


@pytest.mark.parametrize("text", ["9**9**9**9", "1/0", "0", "-1", "parameters - parameters", "(-8)**0.5", "1e400"])
def test_a_result_that_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(NoMeasurement):
        formula(text).operations(FACTS)


@pytest.mark.parametrize("text", ["open", "6*layers", "__builtins__", "6*model"])
def test_a_name_that_nobody_states_as_a_number_is_refused(text: str) -> None:
    with pytest.raises(NoMeasurement):
        formula(text).operations(FACTS)


@given(st.text(max_size=40))
def test_any_text_is_arithmetic_or_a_mistake(text: str) -> None:
    try:
        evaluate(text, lambda _: 1.0)
    except Mistake as error:
        assert str(error)
