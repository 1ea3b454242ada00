"""Grammars: what is wrong with one is told with its line, and what one compiles to is what Lark would read."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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
from tests.parsers.toy_logs import megatron, write

BAD = sorted((Path(__file__).parent / "bad_grammars").glob("*.lark"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_in_a_grammar_is_named_with_its_file(path: Path) -> None:
    message = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("// ")
    with pytest.raises(GrammarError) as raised:
        load(path)
    assert re.match(message, str(raised.value)), str(raised.value)


@pytest.mark.parametrize(
    ("imported", "told"),
    [
        ("beside", r"'beside' is a file in the same folder; import it with a dot: %import \.beside"),
        ("broken", r"'broken' is a file in the same folder; import it with a dot: %import \.broken"),
        ("other", r"imported file other\.lark not found\."),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Lark leaves the file open
def test_a_file_beside_a_grammar_or_in_the_working_directory_is_not_imported_without_a_dot(
    imported: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name, text in (("here/other", 'X: "q"\n'), ("beside", 'X: "q"\n'), ("broken", 'X: "q\n')):
        (tmp_path / f"{name}.lark").write_text(text)
    (tmp_path / "mine.lark").write_text(f'%import {imported}.X\nstart: step_line\nstep_line: "a" X\n')
    with pytest.raises(GrammarError, match=rf"^mine\.lark: line 1: {told}$"):
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


# A line of a grammar, and of each text the fields that are read in it, or none where it does not match.
READ: dict[str, tuple[str, dict[bytes, tuple[bytes, ...] | None]]] = {
    "a repeat with bounds": (
        '"step" step{"0"} "x"~1..2',
        {b"step 1": None, b"step 1x": (b"1",), b"step 1xx": (b"1",), b"step 1xxx": None},
    ),
    "a spelling is a field of its own text": ('"step" model{"resnet 50"}', {b"step resnet 50": (b"resnet 50",)}),
    "a terminal is taken in one way, as by a lexer": ('"step" /a|ab/ "c"', {b"step ac": (), b"step abc": None}),
    "no backtracking": ('"step" (/[a-z]+/ | /[a-z0-9]+/)* "end"', {b"step " + b"a" * 100_000: None}),
    "a field that is begun once more and not ended keeps what it held": (
        '"step" (_pair ","?)* "end"\n_pair: "at=" step{"1"} | /[a-z]+=[a-z]+/',
        {b"step at=1,at=x,b=c end": (b"1",)},
    ),
}


@pytest.mark.parametrize(("step_line", "lines"), READ.values(), ids=READ)
def test_a_line_of_a_grammar_matches_what_it_says(
    tmp_path: Path, step_line: str, lines: dict[bytes, tuple[bytes, ...] | None]
) -> None:
    (variant,) = grammar(tmp_path, step_line).variants
    found = {line: line_pattern(variant).fullmatch(line) for line in lines}
    assert {line: match and match.groups() for line, match in found.items()} == lines


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


TITAN = "[titan] 2035-01-02 03:04:05,678 - root - INFO - "
RANK = " > number of parameters on (tensor, pipeline) model parallel rank (0, {}): {}"
SHARING = (
    "using world size: 8, data-parallel size: {}, context-parallel size: 1, tensor-model-parallel size: {}, "
    "pipeline-model-parallel size: {}"
)
WHOLE, TRAINED, OF_RANK = "parameters", "trainable_parameters", "rank_parameters"
LORA = "trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622"
LLAMA = f"{TITAN}\x1b[34mModel llama3 8B \x1b[31msize: 8,030,261,248 total parameters\x1b[39m"
FAIRSEQ = "2035-01-02 03:04:05 | INFO | fairseq_cli.train | num. model params: 60526080 (num. trained: 60526080)"
# A format, lines before a golden log of it, and how many parameters it has.
PARAMETERS: list[tuple[str, list[str], dict[str, int]]] = [
    ("torchtitan", [LLAMA], {WHOLE: 8030261248}),
    ("torchtitan", ["INFO Model toy size: 999 total parameters"], {WHOLE: 999}),
    ("nanochat", ["Number of parameters: 560,988,160"], {WHOLE: 560988160}),
    ("nanochat_old", ["Number of parameters: 560,988,160"], {WHOLE: 560988160}),
    ("llm_c", ["| num_parameters        | 124475904                                          |"], {WHOLE: 124475904}),
    ("timm", ["Model toy_net created, param count:25557032"], {WHOLE: 25557032}),
    ("olmo", ["Total number of parameters: 1,176,764,416"], {WHOLE: 1176764416}),
    ("fairseq", [FAIRSEQ], {WHOLE: 60526080}),
    ("hf_trainer", ["[INFO|trainer.py:2137] >>   Number of trainable parameters = 4,194,304"], {TRAINED: 4194304}),
    ("hf_trainer", [LORA], {TRAINED: 4194304, WHOLE: 6742609920}),
    ("megatron_lm", [RANK.format(0, 860)], {OF_RANK: 860}),
    ("megatron_deepspeed", [RANK.format(0, 860)], {OF_RANK: 860}),
    # A rank holds the whole model where no cards share it.
    ("toy", [SHARING.format(8, 1, 1), RANK.format(0, 860)], {OF_RANK: 860, WHOLE: 860}),
    ("toy", [SHARING.format(4, 2, 1), RANK.format(0, 860)], {OF_RANK: 860}),
    ("toy", [SHARING.format(4, 1, 2), RANK.format(0, 860)], {OF_RANK: 860}),
    ("toy", [RANK.format(0, 860), RANK.format(1, 870)], {}),
]


@pytest.mark.parametrize(("format_", "lines", "counts"), PARAMETERS)
def test_a_log_states_the_parameters_of_its_model_of_a_rank_or_of_what_is_trained(
    tmp_path: Path, format_: str, lines: list[str], counts: dict[str, int]
) -> None:
    text = megatron((1, 812.5, 64), (2, 812.5, 64), (3, 812.5, 64))
    if format_ != "toy":
        text = next(log for log in LOGS if log.parent.name == format_).read_text(encoding="utf-8")
    reading = survey(write(tmp_path, "\n".join([*lines, text]).encode()))
    assert {name: fact.value for name, fact in reading.facts.items() if "parameters" in name}.items() >= counts.items()
    if format_ in ("toy", "hf_trainer"):
        assert {name for name in reading.facts if "parameters" in name} == counts.keys()
    assert not [said for said in reading.warnings if said.key == NEITHER_USED or "rank_parameters" in str(said)]
