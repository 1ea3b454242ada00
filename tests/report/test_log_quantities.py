"""What a log gives beside its throughput: of which records and facts, what contradicts it, and why it gives nothing."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from report.measure.diagnostics import Code, NoMeasurement
from report.measure.operations import Formula
from report.measure.run_figures import RunNumbers, figure_of, step_time, tflops, throughput_per_card
from tests.report.quantity_logs import GOLDEN, MEGATRON, PAGE_LOGS, TITAN, run

NEMO = PAGE_LOGS / "nemo_toy-8b_b200_gbs64_seq8192.log"
SIX = Formula("6*parameters", "token", "https://example.org", {"parameters": 8e9})
BY_TOKENS = "estimate=step_time,counts=tokens,skip_records=1"
OF_NEMO: dict[str, Any] = {"protocol": BY_TOKENS, "sequence_length": 8192, "job_batch_size": 64}


def test_the_throughput_of_a_card_is_what_the_log_prints_of_one_or_that_of_the_job_shared_by_its_cards() -> None:
    alone, of_eight = throughput_per_card(run(TITAN)), throughput_per_card(run(TITAN, cards=8))
    assert (alone.value, of_eight.value, of_eight.operations) == (6857.9, 6857.9, ())
    shared = throughput_per_card(run(MEGATRON, "estimate=step_time,skip_records=1", "samples/s"))
    assert shared.value == pytest.approx(shared.measured.value / 16, rel=1e-14)
    assert [str(one.what) for one in shared.operations] == ["16 cards (line 1)"]


def test_tokens_are_counted_by_the_time_of_a_step_the_batch_and_the_length_of_a_sequence() -> None:
    found = run(MEGATRON, BY_TOKENS)
    assert found.measurement.unit == "tokens/s"
    assert found.measurement.value == pytest.approx(128 * 4096 / step_time(found).value, rel=1e-14)
    shared = run(MEGATRON, BY_TOKENS, tensor_parallel=4, pipeline_parallel=2)  # the batch is of the job
    assert throughput_per_card(shared).value == throughput_per_card(found).value


def test_the_time_of_a_step_follows_from_the_tokens_of_a_step() -> None:
    assert step_time(run(TITAN, cards=8)).value == pytest.approx(16 * 8192 / (8 * 6857.9), rel=1e-14)


@pytest.mark.parametrize("name", ["verl_sft/fsdp", "paddlerec/dynamic", "slowfast/kinetics"])
def test_the_time_of_a_step_by_the_rule_is_that_over_the_records_of_the_throughput(name: str) -> None:
    known = run(GOLDEN / f"{name}.log", "rule")
    seconds, lines = known.measurement.seconds_per_step, known.measurement.lines
    for quantity, factor in (("step_time", 1), ("step_milliseconds", 1000)):
        found = figure_of(quantity, known)
        assert seconds is not None and found.value == pytest.approx(seconds * factor)
        assert found.measured.lines == lines


def test_operations_by_a_formula_are_those_of_the_tokens_of_a_card() -> None:
    known = run(NEMO, **OF_NEMO)
    of_sample = replace(SIX, text=f"{SIX.text}*8192", per="sample")
    expected = pytest.approx(throughput_per_card(known).value * 6 * 8e9 / 1e12, rel=1e-14)
    assert [tflops(replace(known, formula=one)).value for one in (SIX, of_sample)] == [expected, expected]


@pytest.mark.parametrize(
    ("quantity", "known", "codes"),
    [
        ("tflops_per_card", replace(run(TITAN), formula=SIX), [Code.FIGURES_DIFFER]),
        ("tflops_per_card", replace(run(TITAN), formula=replace(SIX, numbers={"parameters": 5.81e10 / 6})), []),
        ("mfu", run(TITAN, device="NVIDIA H100 NVL", precision="bf16"), [Code.FIGURES_DIFFER]),  # of another peak
        ("mfu", run(TITAN, precision="bf16"), []),
        ("mfu", run(TITAN, precision="bf16", fp8_recipe="delayed"), [Code.FP8_BESIDE]),
    ],
)
def test_what_is_printed_and_what_follows_are_told_apart(quantity: str, known: RunNumbers, codes: list[Code]) -> None:
    assert [said.code for said in figure_of(quantity, known).remarks] == codes


def refused(quantity: str, known: RunNumbers) -> Code:
    """Why a log gives no figure."""
    with pytest.raises(NoMeasurement) as error:
        figure_of(quantity, known)
    assert error.value.diagnostic is not None
    return Code(error.value.diagnostic.code)


def two_runs(tmp_path: Path) -> Path:
    """A log with the run of another day behind its own."""
    text = MEGATRON.read_text(encoding="utf-8")
    path = tmp_path / "train.log"
    path.write_text(text + re.sub(r"(20\d\d-\d\d)-\d\d", r"\1-28", text), encoding="utf-8")
    return path


def test_the_time_to_train_is_that_between_start_and_stop_of_the_run_that_is_named(tmp_path: Path) -> None:
    found = figure_of("time_to_train", run(MEGATRON))
    assert found.value == pytest.approx(12 - 5 + (58 - 6) / 60, abs=1e-3)
    assert found.measured.lines == (11, 32)
    for which in ("1", "2", "last"):
        assert figure_of("time_to_train", run(two_runs(tmp_path), f"skip_records=1,run={which}")).value == found.value
    assert refused("time_to_train", run(two_runs(tmp_path))) == Code.WHICH_RUN


def test_the_final_loss_is_the_last_that_is_printed() -> None:
    found = figure_of("final_loss", run(MEGATRON))
    assert (found.value, found.measured.lines) == (7.1, (31,))


def of_hardware(name: str) -> RunNumbers:
    """A log that prints the operations of the hardware, which are none of the model."""
    return replace(run(GOLDEN / name, "plain"), labels={"device": "A100", "precision": "bf16"})


@pytest.mark.parametrize(
    ("quantity", "known", "code"),
    [
        ("final_loss", run(GOLDEN / "maxtext/llama.log", "plain"), Code.NOT_A_NUMBER),
        ("mfu", run(TITAN, precision="fp32"), Code.ABOVE_PEAK),
        ("mfu", of_hardware("internevo/current.log"), Code.NOT_PRINTED),
        ("mfu", of_hardware("megatron_lm/gpt_neox.log"), Code.NOT_PRINTED),
        ("mfu", of_hardware("paddlenlp_trainer/pretrain.log"), Code.NOT_PRINTED),
    ],
)
def test_a_figure_that_cannot_be_is_refused(quantity: str, known: RunNumbers, code: Code) -> None:
    assert refused(quantity, known) == code
    if code == Code.NOT_PRINTED:
        assert figure_of("hardware_tflops_per_card", known).value > 0
