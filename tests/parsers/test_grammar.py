"""Grammars: what is wrong with one is told with its line, and what one compiles to is what Lark would read."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.grammar.expression import GOES_BACK, compiled
from parsers.grammar.field import Field
from parsers.grammar.format import Format, load
from parsers.io.errors import GrammarError
from parsers.runs.facts import NEITHER_USED
from parsers.runs.reading import survey
from parsers.scanning.detection import formats
from parsers.scanning.prefix import line_pattern
from tests.commandline import PROJECT
from tests.parsers.golden_logs import LOGS
from tests.parsers.judging import lines_of

BAD = sorted((Path(__file__).parent / "bad_grammars").glob("*.lark"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_in_a_grammar_is_named_with_its_file(path: Path) -> None:
    message = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("// ")
    with pytest.raises(GrammarError) as raised:
        load(path)
    assert re.match(message, str(raised.value)), str(raised.value)


@pytest.mark.parametrize("content", ['X: "q"\n', 'X: "q\n', ""])
def test_a_file_beside_a_grammar_that_is_imported_without_a_dot_is_reported(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.lark").write_text(content)
    (tmp_path / "mine.lark").write_text('%import beside.X\nstart: step_line\nstep_line: "a" X\n')
    told = r"^mine\.lark: line 1: 'beside' is a file in the same folder; import it with a dot: %import \.beside$"
    with pytest.raises(GrammarError, match=told):
        load(tmp_path / "mine.lark")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Lark leaves the file open
def test_a_file_in_the_working_directory_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/other.lark").write_text('X: "q"\n')
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "mine.lark").write_text('%import other.X\nstart: step_line\nstep_line: "a" X\n')
    told = r"^mine\.lark: line 1: imported file other\.lark not found\.$"
    with pytest.raises(GrammarError, match=told):
        load(tmp_path / "mine.lark")


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


OLD = shutil.which("python3", path="/usr/bin")


def regs(pattern: re.Pattern[bytes], line: bytes) -> object:
    found = pattern.fullmatch(line)
    return found and found.regs


@pytest.mark.skipif(not GOES_BACK, reason="this Python repeats groups wrongly; one from 3.11.5 on does not")
def test_an_expression_without_possessive_groups_matches_what_it_did_with_them() -> None:
    differing = []
    for fmt in formats():
        lines = {line for log in LOGS if log.parent.name == fmt.name for line in lines_of(log)}
        for variant in fmt.variants:
            one, other = (compiled(variant.source.encode(), goes_back=way) for way in (True, False))
            differing += [(fmt.name, line) for line in lines if regs(one, line) != regs(other, line)]
    assert differing == []


def _version(python: str | None) -> list[int]:
    """The version of a Python of the system; nothing without one."""
    if python is None:
        return []
    asked = [python, "-c", "import sys; print(*sys.version_info[:3])"]
    return [int(part) for part in subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(
    not [3, 11, 0] <= _version(OLD) < [3, 11, 5] or sys.version_info[:2] != (3, 11),
    reason="no Python before 3.11.5 at /usr/bin/python3, as Debian 12 has it, or this one is not of the same ABI",
)
def test_the_python_of_debian_12_reads_golden_logs_alike_and_redacts_alike() -> None:
    tests = ["tests/parsers/test_golden_logs.py", "tests/launchers/test_secrets.py"]
    asked = [str(OLD), "-m", "pytest", "-q", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(Path(np.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*asked, "-k", "json_says or secret", *tests],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


RANK = " > number of parameters on (tensor, pipeline) model parallel rank ({}, {}): {}"
SHARING = "using world size: 8, data-parallel size: {}, context-parallel size: 1, tensor-model-parallel size: {}, "
PIPELINE = "pipeline-model-parallel size: {}"


def facts(folder: Path, format_: str, *lines: str) -> dict[str, Any]:
    """The parameters that a log states which begins with these lines; the rest is a golden log of a format."""
    golden = next(log for log in LOGS if log.parent.name == format_).read_text(encoding="utf-8")
    log = folder / "train.log"
    log.write_text("".join(f"{line}\n" for line in lines) + golden, encoding="utf-8")
    reading = survey(log)
    assert reading.format is not None and reading.format.name == format_
    assert not [said for said in reading.warnings if said.key == NEITHER_USED]
    return {name: fact.value for name, fact in reading.facts.items() if "parameters" in name}


@pytest.mark.parametrize(
    ("format_", "line", "count"),
    [
        (
            "torchtitan",
            "[titan] 2035-01-02 03:04:05,678 - root - INFO - \x1b[34mModel llama3 8B \x1b[31msize: 8,030,261,248 total "
            "parameters\x1b[39m",
            8030261248,
        ),
        ("torchtitan", "INFO Model toy size: 999 total parameters", 999),
        ("nanochat", "Number of parameters: 560,988,160", 560988160),
        ("nanochat_old", "Number of parameters: 560,988,160", 560988160),
        ("llm_c", "| num_parameters        | 124475904                                          |", 124475904),
        ("timm", "Model toy_net created, param count:25557032", 25557032),
        ("olmo", "Total number of parameters: 1,176,764,416", 1176764416),
        (
            "fairseq",
            "2035-01-02 03:04:05 | INFO | fairseq_cli.train | num. model params: 60526080 (num. trained: 60526080)",
            60526080,
        ),
    ],
)
def test_a_program_prints_the_parameters_of_its_whole_model(
    tmp_path: Path, format_: str, line: str, count: int
) -> None:
    assert facts(tmp_path, format_, line)["parameters"] == count


def test_the_parameters_that_are_trained_are_not_those_of_the_model(tmp_path: Path) -> None:
    found = facts(tmp_path, "hf_trainer", "[INFO|trainer.py:2137] >>   Number of trainable parameters = 4,194,304")
    assert found == {"trainable_parameters": 4194304}


def test_an_adapter_states_the_parameters_of_the_model_beside_its_own(tmp_path: Path) -> None:
    line = "trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622"
    assert facts(tmp_path, "hf_trainer", line) == {"trainable_parameters": 4194304, "parameters": 6742609920}


@pytest.mark.parametrize("format_", ["megatron_lm", "megatron_deepspeed"])
def test_the_parameters_of_a_rank_are_marked_as_such(tmp_path: Path, format_: str) -> None:
    assert facts(tmp_path, format_, RANK.format(0, 0, 860))["rank_parameters"] == 860


def test_a_rank_holds_the_whole_model_where_no_cards_share_it(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(_steps((SHARING + PIPELINE).format(8, 1, 1), RANK.format(0, 0, 860)))
    assert survey(log).facts["parameters"].value == 860
    assert str(survey(log).facts["parameters"].source) == "line 2 and line 1"


@pytest.mark.parametrize("counts", [(4, 2, 1), (4, 1, 2)])
def test_a_rank_does_not_hold_the_whole_model_where_cards_share_it(tmp_path: Path, counts: tuple[int, ...]) -> None:
    log = tmp_path / "train.log"
    log.write_text(_steps((SHARING + PIPELINE).format(*counts), RANK.format(0, 0, 860)))
    assert "parameters" not in survey(log).facts


def test_ranks_with_different_numbers_of_parameters_state_none(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(_steps(RANK.format(0, 0, 860), RANK.format(0, 1, 870)))
    reading = survey(log)
    assert "rank_parameters" not in reading.facts
    assert not [said for said in reading.warnings if "rank_parameters" in str(said)]


def _steps(*lines: str) -> str:
    """A log of Megatron-LM that begins with some lines."""
    step = " iteration {:8d}/      90 | consumed samples: {:12d} | elapsed time per iteration (ms): 812.5 | learning "
    rest = "rate: 1.500E-04 | global batch size:    64 | lm loss: 6.9E+00 | loss scale: 1.0 | grad norm: 1.0 |"
    return "".join(f"{line}\n" for line in (*lines, *((step + rest).format(at, 64 * at) for at in (10, 20, 30))))
