"""What a log gives beside its throughput: of which records and facts, what contradicts it, and why it gives nothing."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from report.measure.diagnostics import Code, NoMeasurement
from report.measure.operations import Formula
from report.measure.run_figures import (
    RunFigure,
    RunNumbers,
    figure_of,
    final_loss,
    hardware_tflops,
    mfu,
    minutes_to_loss,
    minutes_to_train,
    step_time,
    tflops,
    throughput_per_card,
)
from tests.report.quantity_logs import GOLDEN, MEGATRON, PAGE_LOGS, TITAN, run


def refused(quantity: Callable[[RunNumbers], RunFigure], known: RunNumbers) -> Code:
    """Why a log gives no figure."""
    with pytest.raises(NoMeasurement) as error:
        quantity(known)
    assert error.value.diagnostic is not None
    return Code(error.value.diagnostic.code)


NEMO = PAGE_LOGS / "nemo_toy-8b_b200_gbs64_seq8192.log"
SIX = Formula("6*parameters", "token", "https://example.org", {"parameters": 8e9})


def test_the_throughput_of_a_card_is_what_the_log_prints_of_one() -> None:
    alone, of_eight = run(TITAN), run(TITAN, cards=8)
    assert throughput_per_card(alone).value == throughput_per_card(of_eight).value == 6857.9
    assert throughput_per_card(of_eight).steps() == ()


def test_the_throughput_of_a_job_is_shared_by_its_cards() -> None:
    found = throughput_per_card(run(MEGATRON, "estimate=step_time,skip_records=1", "samples/s"))
    assert found.value == pytest.approx(found.measured.value / 16, rel=1e-14)
    assert "÷ 16 cards (line 1)" in str(found.steps()[0])


def test_tokens_are_counted_by_the_time_of_a_step_the_batch_and_the_length_of_a_sequence() -> None:
    known = run(MEGATRON, "estimate=step_time,counts=tokens,skip_records=1")
    found = known.measurement
    seconds = step_time(known).value
    assert found.unit == "tokens/s"
    assert found.value == pytest.approx(128 * 4096 / seconds, rel=1e-14)


def test_tokens_of_a_batch_of_the_job_are_not_multiplied_by_cards_that_share_a_model() -> None:
    shared = run(MEGATRON, "estimate=step_time,counts=tokens", tensor_parallel=4, pipeline_parallel=2)
    plain = run(MEGATRON, "estimate=step_time,counts=tokens")
    assert throughput_per_card(shared).value == throughput_per_card(plain).value


def test_the_time_of_a_step_follows_from_the_tokens_of_a_step() -> None:
    found = step_time(run(TITAN, cards=8))
    assert found.value == pytest.approx(16 * 8192 / (8 * 6857.9), rel=1e-14)


@pytest.mark.parametrize("name", ["verl_sft/fsdp", "paddlerec/dynamic", "slowfast/kinetics"])
def test_the_time_of_a_step_by_the_rule_is_that_over_the_records_of_the_throughput(name: str) -> None:
    known = run(GOLDEN / f"{name}.log", "rule")
    seconds, lines = known.measurement.seconds_per_step, known.measurement.lines
    for quantity, factor in (("step_time", 1), ("step_milliseconds", 1000)):
        found = figure_of(quantity, known)
        assert seconds is not None and found.value == pytest.approx(seconds * factor)
        assert found.measured.lines == lines


def test_operations_by_a_formula_are_those_of_the_tokens_of_a_card() -> None:
    known = run(NEMO, "estimate=step_time,counts=tokens,skip_records=1", sequence_length=8192, job_batch_size=64)
    found = tflops(replace(known, formula=SIX))
    assert found.value == pytest.approx(throughput_per_card(known).value * 6 * 8e9 / 1e12, rel=1e-14)


def test_operations_by_a_formula_for_samples_are_those_of_its_tokens() -> None:
    of_sample = replace(SIX, text=f"{SIX.text}*8192", per="sample")
    known = run(NEMO, "estimate=step_time,counts=tokens,skip_records=1", sequence_length=8192, job_batch_size=64)
    by_sample, by_token = tflops(replace(known, formula=of_sample)), tflops(replace(known, formula=SIX))
    assert by_sample.value == pytest.approx(by_token.value, rel=1e-14)


@pytest.mark.parametrize(
    "name", ["internevo/current.log", "megatron_lm/gpt_neox.log", "paddlenlp_trainer/pretrain.log"]
)
def test_operations_of_the_hardware_are_none_of_the_model(name: str) -> None:
    known = run(GOLDEN / name, "plain")
    assert hardware_tflops(known).value > 0
    assert refused(mfu, replace(known, labels={"device": "A100", "precision": "bf16"})) == Code.NOT_PRINTED


def test_a_formula_that_contradicts_what_is_printed_is_told() -> None:
    (said,) = tflops(replace(run(TITAN), formula=SIX)).remarks
    assert said.code == Code.FIGURES_DIFFER


def test_a_formula_that_gives_what_is_printed_is_not_told() -> None:
    agreeing = replace(SIX, numbers={"parameters": 5.81e10 / 6})
    assert tflops(replace(run(TITAN), formula=agreeing)).remarks == ()


def test_a_printed_share_of_another_peak_is_told() -> None:
    other = replace(run(TITAN, device="NVIDIA H100 NVL", precision="bf16"))
    (said,) = mfu(other).remarks
    assert said.code == Code.FIGURES_DIFFER


def test_a_printed_share_of_the_same_peak_is_not_told() -> None:
    assert mfu(run(TITAN, precision="bf16")).remarks == ()


def test_more_operations_than_the_card_can_do_are_refused() -> None:
    assert refused(mfu, run(TITAN, precision="fp32")) == Code.ABOVE_PEAK


def test_the_time_to_train_is_that_between_start_and_stop() -> None:
    found = minutes_to_train(run(MEGATRON))
    assert found.value == pytest.approx(12 - 5 + (58 - 6) / 60, abs=1e-3)
    assert found.measured.lines == (11, 32)


def appended(tmp_path: Path) -> Path:
    """A log with the run of another day behind its own."""
    text = MEGATRON.read_text(encoding="utf-8")
    path = tmp_path / "train.log"
    path.write_text(text + re.sub(r"(20\d\d-\d\d)-\d\d", r"\1-28", text), encoding="utf-8")
    return path


@pytest.mark.parametrize("which", ["1", "2", "last"])
def test_times_to_train_and_to_a_loss_are_those_of_the_run_that_is_named(which: str, tmp_path: Path) -> None:
    alone, one_of = run(MEGATRON), run(appended(tmp_path), f"skip_records=1,run={which}")
    assert minutes_to_train(one_of).value == minutes_to_train(alone).value
    assert minutes_to_loss(replace(one_of, target=8.0)).value == minutes_to_loss(replace(alone, target=8.0)).value


@pytest.mark.parametrize("quantity", [minutes_to_train, minutes_to_loss])
def test_times_of_a_log_with_several_runs_need_the_run(
    quantity: Callable[[RunNumbers], RunFigure], tmp_path: Path
) -> None:
    assert refused(quantity, replace(run(appended(tmp_path)), target=8.0)) == Code.WHICH_RUN


def test_the_time_to_a_loss_is_that_from_the_start_to_the_first_step_that_has_it() -> None:
    found = minutes_to_loss(replace(run(MEGATRON), target=8.0))
    assert found.measured.lines == (11, 27)
    assert 5 < found.value < minutes_to_train(run(MEGATRON)).value


def test_a_loss_that_is_not_reached_has_no_time() -> None:
    assert refused(minutes_to_loss, replace(run(MEGATRON), target=7.0)) == Code.NOT_REACHED


BAR = (
    "Epoch {epoch}: :  50%|#####     | {step}/4 [00:{passed:02}<00:10, reduced_train_loss={loss}, "
    "global_batch_size=128.0, train_step_timing in s=2.000]\n"
)


def bars(folder: Path, epochs: int) -> Path:
    """A log with a bar of four steps for each epoch, whose losses fall by one at each step."""
    places = [(epoch, step) for epoch in range(epochs) for step in (1, 2, 3, 4)]
    lines = [BAR.format(epoch=e, step=s, passed=2 * s, loss=f"{20 - 4 * e - s}.000") for e, s in places]
    path = folder / "train.log"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_bar_of_the_whole_run_tells_the_time_to_a_loss(tmp_path: Path) -> None:
    assert minutes_to_loss(replace(run(bars(tmp_path, 1)), target=17.0)).value == pytest.approx(6 / 60)


def test_the_time_since_the_start_of_an_epoch_is_not_that_of_the_run(tmp_path: Path) -> None:
    assert refused(minutes_to_loss, replace(run(bars(tmp_path, 3)), target=10.0)) == Code.NOT_PRINTED


def test_the_final_loss_is_the_last_that_is_printed() -> None:
    found = final_loss(run(MEGATRON))
    assert (found.value, found.measured.lines) == (7.1, (31,))


def test_a_last_loss_that_is_not_a_number_is_not_passed_over() -> None:
    assert refused(final_loss, run(GOLDEN / "maxtext/llama.log", "plain")) == Code.NOT_A_NUMBER
