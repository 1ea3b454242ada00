"""The number of parameters of a model is a fact where a program prints that of the whole model, and nowhere else."""

from pathlib import Path
from typing import Any

import pytest

from parsers.runs.reading import NEITHER_USED, survey
from tests.parsers.golden_logs import LOGS

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
