"""Quantities and what one card does: by what they say of themselves, as far as a log proves it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import PAGE
from parsers.runs.reading import read
from report.measure.diagnostics import Code, NoMeasurement
from report.measure.operations import Formula
from report.measure.protocol import Protocol
from report.measure.quantity import QUANTITIES
from report.measure.run_figures import RunNumbers, figure_of, step_time, tflops, throughput_per_card
from report.pagefile.page import TableColumn
from report.results.measured_log import measured_log
from tests.commandline import PROJECT
from tests.report.compared_page import STEADY, edit, make, put, rendered, unlike


def test_a_page_file_names_a_quantity() -> None:
    for quantity in QUANTITIES.values():
        against = {"against": {"column": "b"}, "title": "a over b"} if quantity.origin == "ratio" else {}
        column = TableColumn.model_validate({"column": "a", "quantity": quantity.name, **against})
        assert column.quantity is quantity


def values(log: Path, **facts: int | str) -> dict[str, float]:
    measured = measured_log(log, given=[Fact(name, said, PAGE) for name, said in facts.items()])
    assert measured.measurement is not None
    return {one.name: one.value for one in measured.figures}


def test_what_one_card_does_is_shown_as_far_as_a_log_proves_it() -> None:
    throughput, of_card = measured_log(MEGATRON).throughput(), values(MEGATRON)
    assert [*of_card] == ["throughput_per_card", "tflops_per_card"]
    assert of_card["throughput_per_card"] == pytest.approx(throughput.value * 4096 / 16)
    text = MEGATRON.read_text(encoding="utf-8").splitlines()
    printed = [float(text[line - 1].split("(TFLOP/s/GPU): ")[1].split()[0]) for line in throughput.lines]
    assert min(printed) <= of_card["tflops_per_card"] <= max(printed)
    assert not {"tflops_per_card", "hardware_tflops_per_card", "mfu"} & values(GOLDEN / "paddleclas/amp_o2.log").keys()


def test_an_mfu_is_that_of_the_data_sheet_where_card_and_precision_are_known() -> None:
    known = values(TITAN, precision="bf16")
    assert known["mfu"] == pytest.approx(100 * known["tflops_per_card"] / 989.5, rel=1e-14)
    assert values(TITAN)["mfu"] == pytest.approx(40.3, abs=0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside two logs that are alike."""
    return make(tmp_path)


def common(folder: Path) -> list[float]:
    """The numbers of the only row by the rule."""
    (only,) = unlike(folder)
    return list(only.common.values())


def test_by_the_rule_neither_a_slow_start_nor_a_stalled_end_counts(folder: Path) -> None:
    put(folder, "b1", (4.0, 40.0, *STEADY, 40.0))
    a, b = common(folder)
    assert [a, b] == pytest.approx([401.0, 401.0], abs=0.01)
    assert re.search(r"\| 0\.91\d \| [\d.]+ \| 1\.000 \|", rendered(folder, "en"))


def test_repeats_are_put_together_by_their_median_whatever_the_page_states(folder: Path) -> None:
    edit(folder, 'protocol = "plain"', 'protocol = "estimate=reported,repeats=mean"')
    put(folder, "b1", (*STEADY, 40.0))
    text = (folder / "logs/b1/train.log").read_text(encoding="utf-8")
    (folder / "logs/b1/more.log").write_text(text.replace("ips : 40", "ips : 60"), encoding="utf-8")
    assert common(folder)[1] == pytest.approx((401.0 + 601.0) / 2, abs=0.01)
    assert "| 500.998 |" in rendered(folder, "en")


PAGE_LOGS = PROJECT / "tests/report/golden/logs/llm"


TITAN = PAGE_LOGS / "titan_toy-8b_h100_gbs16.log"


MEGATRON = PAGE_LOGS / "megatron_toy-13b_a100_tp4-pp2-gbs128.log"


GOLDEN = PROJECT / "tests/parsers/golden"


def run(log: Path, protocol: str = "skip_records=1", rate: str = "tokens/s", **facts: Any) -> RunNumbers:
    """What is known of a run; ``facts``: what its page states of it, or None of what its log is not to state."""
    reading = read(log)
    stated = {name: Fact(name, said, PAGE) for name, said in facts.items()}

    def with_stated(own: Facts) -> Facts:
        return Facts(fact for fact in {**own, **stated}.values() if fact.value is not None)

    of_runs = tuple(map(with_stated, reading.facts_of_runs))
    known = replace(reading, facts=with_stated(reading.facts), facts_of_runs=of_runs)
    return RunNumbers(known, {}, Protocol.parse(protocol), rate)


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
