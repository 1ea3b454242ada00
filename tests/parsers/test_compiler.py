"""What the compiler makes of a grammar: fields with their meaning, and literals to find a line by."""

from pathlib import Path

import pytest

from parsers.grammar.field import Field
from parsers.grammar.format import Format, load
from parsers.scanning.prefix import line_pattern

HEAD = "start: step_line\n\n"
TAIL = """

%import .vocabulary (step, throughput, samples, card, running_mean, per_epoch, model, BLANK)
%ignore BLANK
"""


def grammar(folder: Path, step_line: str) -> Format:
    path = folder / "toy.lark"
    path.write_text(f"{HEAD}step_line: {step_line}{TAIL}", encoding="utf-8")
    return load(path)


def test_a_field_means_what_its_parameters_say(tmp_path: Path) -> None:
    fmt = grammar(tmp_path, '"speed" throughput{samples, card, running_mean{per_epoch, "4"}}')
    meaning = Field("throughput", "NUMBER", "samples", "card", "running_mean", since=4, per="epoch")
    assert fmt.fields == {("step", "throughput"): meaning}


def test_a_repeat_with_bounds_matches_within_them(tmp_path: Path) -> None:
    (variant,) = grammar(tmp_path, '"step" step{"0"} "x"~1..2').variants
    matched = [bool(line_pattern(variant).fullmatch(b"step 1" + b"x" * times)) for times in range(4)]
    assert matched == [False, True, True, False]


def test_a_spelling_is_a_field_of_its_own_text(tmp_path: Path) -> None:
    (variant,) = grammar(tmp_path, '"step" model{"resnet 50"}').variants
    found = line_pattern(variant).fullmatch(b"step resnet 50")
    assert found
    assert found.groups()[-1] == b"resnet 50"


def test_a_terminal_is_taken_in_one_way_only_as_by_a_lexer(tmp_path: Path) -> None:
    (variant,) = grammar(tmp_path, '"step" /a|ab/ "c"').variants
    matched = [bool(line_pattern(variant).fullmatch(line)) for line in (b"step ac", b"step abc")]
    assert matched == [True, False]


@pytest.mark.parametrize("length", [1_000, 100_000])
def test_a_hostile_line_is_refused_without_backtracking(tmp_path: Path, length: int) -> None:
    (variant,) = grammar(tmp_path, '"step" (/[a-z]+/ | /[a-z0-9]+/)* "end"').variants
    assert line_pattern(variant).fullmatch(b"step " + b"a" * length) is None


def test_a_field_that_is_begun_once_more_and_not_ended_keeps_what_it_held(tmp_path: Path) -> None:
    (variant,) = grammar(tmp_path, '"step" (_pair ","?)* "end"\n_pair: "at=" step{"1"} | /[a-z]+=[a-z]+/').variants
    found = line_pattern(variant).fullmatch(b"step at=1,at=x,b=c end")
    assert found
    assert found.groups() == (b"1",)
